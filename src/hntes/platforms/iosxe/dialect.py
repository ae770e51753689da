"""The IOS-XE dialect: named objects, and interface lines that refer to them."""

from hntes.platforms.cisco.parser.form import is_to_be_loaded
from hntes.platforms.cisco.statements import foreign, text_of
from hntes.platforms.dialect import Dialect
from hntes.platforms.iosxe.capabilities import CAPABILITIES
from hntes.platforms.iosxe.statements import ordered, owned
from hntes.platforms.iosxe.transition import iosxe_commands

DIALECT = Dialect(
    platform="iosxe",
    comment="!",
    owned=owned,
    foreign=foreign,
    held_text=text_of,
    between=iosxe_commands,
    how=(
        "Type line by line in configuration mode, in this order: each line is in force at once.",
        "Between `no service-policy` and the next line the interface has no policy of ours: keep the two together.",
    ),
    is_to_be_loaded=is_to_be_loaded,
    ordered=ordered,
    commit_model=CAPABILITIES.commit_model,
)
