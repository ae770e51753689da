"""Parsing configuration text: what it does, from the text alone.

Written apart from the renderer: nothing here knows how the text came about.
"""

from collections.abc import Iterable

from hntes.platforms.effective import EffectiveModel
from hntes.platforms.errors import ParseError
from hntes.platforms.registry import platform_of
from hntes.rules.qos.model import InterfaceBinding

__all__ = ["EffectiveModel", "ParseError", "parse_config"]


def parse_config(
    platform: str, text: str, interfaces: Iterable[InterfaceBinding], *, is_whole: bool = False
) -> EffectiveModel:
    """What a router does with packets that enter and leave by `interfaces`, if this text is its configuration.

    Args:
        platform: the language of the text.
        text: a candidate, or the whole configuration as the router shows it.
        interfaces: the interfaces of the settings: which are edge and which are core, and their rates in bit/s.
        is_whole: the text is all that the router has. Otherwise it is a candidate: each of its statements has a
            meaning that the model holds, and the model's `merged` names the objects that would be merged with what the
            router has under the same names.

    Raises:
        ParseError: something that decides over packets is not understood, or a statement of a candidate has no
            meaning; it names the line.
    """
    return platform_of(platform).parse(text, interfaces, is_whole=is_whole)
