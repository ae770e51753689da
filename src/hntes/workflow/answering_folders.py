"""Which flow folders answer: the others hold up no command that can do without them."""

from collections.abc import Sequence
from pathlib import Path

from hntes.etl.sources.answer import NOTICE_S, answering
from hntes.workflow.stage_log import warn


def answering_folders(folders: Sequence[Path], instead: str) -> list[Path]:
    """Those that answer within a minute; for each other a warning says what happens instead."""
    found = answering(folders, NOTICE_S)
    for folder in folders:
        if folder not in found:
            warn(f"flow folder {folder}: no answer for {NOTICE_S:.0f} s; {instead}")
    return found
