"""The EOS dialect: objects whose names start with hntes, and the interface lines that name them."""

from hntes.platforms.cisco.parser.form import is_to_be_loaded
from hntes.platforms.cisco.statements import text_of
from hntes.platforms.dialect import Dialect
from hntes.platforms.eos.capabilities import CAPABILITIES
from hntes.platforms.eos.statements import foreign, owned
from hntes.platforms.eos.transition import eos_commands

DIALECT = Dialect(
    platform="eos",
    comment="!",
    owned=owned,
    foreign=foreign,
    held_text=text_of,
    between=eos_commands,
    how=(
        "Enter `configure session hntes`, then these lines, `show session-config diffs` and `commit timer 00:05:00`.",
        "Nobody else may configure the router meanwhile: a session's commit undoes what was committed since it began.",
    ),
    is_to_be_loaded=is_to_be_loaded,
    commit_model=CAPABILITIES.commit_model,
)
