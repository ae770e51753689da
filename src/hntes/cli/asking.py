"""Terminal prompts that several commands share."""

import click

from hntes.cli.options import FREE_TEXT


def asked_note() -> str | None:
    """A note on a decision; None if left empty."""
    return click.prompt("note for the audit log (may be empty)", default="", show_default=False,
                        type=FREE_TEXT) or None  # fmt: skip
