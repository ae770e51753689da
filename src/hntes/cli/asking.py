"""Questions that several commands ask on a terminal."""

import click

from hntes.cli.options import FREE_TEXT


def asked_note() -> str | None:
    """A remark on a decision; None where nothing is written."""
    return click.prompt("note, for those who read it later (may be empty)", default="", show_default=False,
                        type=FREE_TEXT) or None  # fmt: skip
