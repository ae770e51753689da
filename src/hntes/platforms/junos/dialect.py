"""The Junos dialect: one group holds everything that HNTES owns."""

from hntes.platforms.dialect import Dialect
from hntes.platforms.junos.capabilities import CAPABILITIES
from hntes.platforms.junos.difference import unlike_change
from hntes.platforms.junos.parser.form import is_to_be_loaded, tidied
from hntes.platforms.junos.statements import effective_text, foreign, listed_text, loaded_text, owned
from hntes.platforms.junos.transition import junos_commands

_OVERRIDE = (
    "A statement of the router's own in the same place wins over the group's: `show | display inheritance` shows both."
)

DIALECT = Dialect(
    platform="junos",
    comment="#",
    owned=owned,
    foreign=foreign,
    held_text=listed_text,
    between=junos_commands,
    how=(
        "Load with `load replace`, then `commit check` and `commit confirmed`. The group is replaced as a whole.",
        _OVERRIDE,
        "So does what was loaded of HNTES without the group: delete it in the same commit.",
    ),
    how_removed=(
        "Load with `load set`, then `commit confirmed`.",
        "What was loaded of HNTES without the group stays: delete it in the same commit.",
    ),
    is_to_be_loaded=is_to_be_loaded,
    listed=loaded_text,
    unlike_change=unlike_change,
    effective_text=effective_text,
    tidied=tidied,
    commit_model=CAPABILITIES.commit_model,
)
