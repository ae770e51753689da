"""The Junos dialect: one group holds all that HNTES owns."""

from hntes.platforms.dialect import Dialect
from hntes.platforms.junos.capabilities import CAPABILITIES
from hntes.platforms.junos.difference import is_change
from hntes.platforms.junos.parser.form import is_to_be_loaded, tidied
from hntes.platforms.junos.statements import effective_text, foreign, listed_text, owned, part_of
from hntes.platforms.junos.transition import junos_removal, junos_text
from hntes.platforms.owned_config import OwnedConfig
from hntes.platforms.transition import transition_text

_LOAD = (
    "Load with `load replace`, then `commit check` and `commit confirmed`. The group is replaced as a whole.",
    "A statement of the router's own in the same place wins over the group's: `show | display inheritance` shows both.",
    "So does what was loaded of HNTES without the group: delete it in the same commit.",
)
_REMOVAL = (
    "Load with `load set`, then `commit confirmed`.",
    "What was loaded of HNTES without the group stays: delete it in the same commit.",
)


def transition(delivered: str | None, approved: str | None) -> str:
    """The text that leads from one delivered text to another; None is nothing of HNTES."""
    commands = junos_removal(delivered) if approved is None else junos_text(approved, delivered)
    return transition_text(DIALECT.comment, _REMOVAL if approved is None else _LOAD, delivered, approved, commands)


def _commands(before: str | None, holds: OwnedConfig, after: str | None) -> list[str]:
    old = listed_text(holds) if before is None else before
    return junos_removal(old) if after is None else junos_text(after, old)


DIALECT = Dialect(
    platform="junos",
    comment="#",
    owned=owned,
    foreign=foreign,
    part_of=part_of,
    commands=_commands,
    is_change=is_change,
    effective_text=effective_text,
    is_to_be_loaded=is_to_be_loaded,
    tidied=tidied,
    commit_model=CAPABILITIES.commit_model,
)
