"""The SR OS dialect: objects whose names start with hntes, and the statements that bind them."""

from hntes.platforms.dialect import Dialect
from hntes.platforms.sros.capabilities import CAPABILITIES
from hntes.platforms.sros.parser.form import is_to_be_loaded
from hntes.platforms.sros.statements import foreign, owned
from hntes.platforms.sros.transition import held_text, sros_commands

DIALECT = Dialect(
    platform="sros",
    comment="#",
    owned=owned,
    foreign=foreign,
    held_text=held_text,
    between=sros_commands,
    how=(
        "Enter `edit-config exclusive`, then `/configure`, then these lines, then `compare`, `validate` and",
        "`commit confirmed`. Deleted objects come back in the same candidate: what is committed is the difference.",
    ),
    how_removed=("Enter `edit-config exclusive`, then `/configure`, then these lines, then `commit confirmed`.",),
    is_to_be_loaded=is_to_be_loaded,
    commit_model=CAPABILITIES.commit_model,
)
