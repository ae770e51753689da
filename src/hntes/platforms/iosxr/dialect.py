"""The IOS-XR dialect: named objects, and interface lines that refer to them."""

from hntes.platforms.cisco.parser.form import is_to_be_loaded
from hntes.platforms.cisco.statements import foreign, owned, text_of
from hntes.platforms.dialect import Dialect
from hntes.platforms.iosxr.capabilities import CAPABILITIES
from hntes.platforms.iosxr.transition import iosxr_commands

DIALECT = Dialect(
    platform="iosxr",
    comment="!",
    owned=owned,
    foreign=foreign,
    held_text=text_of,
    between=iosxr_commands,
    how=("Load everything into the target configuration and commit once.",),
    is_to_be_loaded=is_to_be_loaded,
    commit_model=CAPABILITIES.commit_model,
)
