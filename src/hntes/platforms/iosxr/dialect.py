"""The IOS-XR dialect: named objects, and lines of interfaces that refer to them."""

from hntes.platforms.cisco.blocks import read_blocks
from hntes.platforms.cisco.parser.form import is_to_be_loaded
from hntes.platforms.cisco.statements import foreign, owned, part_of, text_of
from hntes.platforms.dialect import Dialect
from hntes.platforms.iosxr.capabilities import CAPABILITIES
from hntes.platforms.iosxr.transition import iosxr_commands
from hntes.platforms.owned_config import OwnedConfig, is_listed_change
from hntes.platforms.transition import transition_text

_HOW = ("Load everything into the target configuration and commit once.",)


def transition(delivered: str | None, approved: str | None) -> str:
    """The text that leads from one delivered text to another; None is nothing of HNTES."""
    commands = iosxr_commands(read_blocks(delivered), read_blocks(approved))
    return transition_text(DIALECT.comment, _HOW, delivered, approved, commands)


def _commands(before: str | None, holds: OwnedConfig, after: str | None) -> list[str]:
    old = text_of(holds) if before is None else before
    return iosxr_commands(read_blocks(old), read_blocks(after))


DIALECT = Dialect(
    platform="iosxr",
    comment="!",
    owned=owned,
    foreign=foreign,
    part_of=part_of,
    commands=_commands,
    is_change=is_listed_change,
    effective_text=str,
    is_to_be_loaded=is_to_be_loaded,
    commit_model=CAPABILITIES.commit_model,
)
