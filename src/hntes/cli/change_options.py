"""Options that name a change."""

from string import hexdigits

import click

from hntes.cli import completion
from hntes.cli.options import DAY

# A change has one candidate: the digits only show that the operator has looked at it.
LEAST_DIGITS = 6
latest_day = click.option(
    "--day",
    type=DAY,
    default=None,
    help="Day of the change. Default: the latest.",
    shell_complete=completion.waiting_days,
)


def digits_of(text: str) -> str:
    """A hash or its first digits, as they are stored."""
    if len(text) < LEAST_DIGITS:
        raise click.UsageError(f"--hash {text}: too short; give {LEAST_DIGITS} digits or more")
    if not set(text.lower()) <= set(hexdigits):
        raise click.UsageError(f"--hash {text}: not a hash of hexadecimal digits; see `hntes change list`")
    return text.lower()
