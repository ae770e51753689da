"""Parsing of configuration text into its effective behaviour, from the text alone.

Independent of the renderer: nothing here knows how the text was made.
"""

from collections.abc import Iterable

from hntes.platforms.effective import EffectiveModel
from hntes.platforms.errors import ParseError
from hntes.platforms.registry import platform_of
from hntes.rules.qos.model import InterfaceBinding

__all__ = ["EffectiveModel", "ParseError", "parse_config"]


def parse_config(
    platform: str,
    text: str,
    interfaces: Iterable[InterfaceBinding],
    *,
    is_whole: bool = False,
    is_merged: bool = False,
    keeps_classes: bool = False,
) -> EffectiveModel:
    """The effect of this configuration on packets that enter and leave by `interfaces`.

    Args:
        platform: the language of the text.
        text: a candidate, or the whole configuration as the router lists it.
        interfaces: the interfaces of the settings, edge or core, with their rates in bit/s.
        is_whole: the text is the router's whole configuration. Otherwise it is a candidate: the model covers each of
            its statements, and `merged` names the objects that would be merged with the router's objects of the same
            names.
        is_merged: the whole configuration is the operator's with a candidate of HNTES: what the operator's filters drop
            is dropped with and without the candidate, so that these filters are not read.
        keeps_classes: the candidate leaves the operator's classes as they are (`RouterModel.keeps_classes`), so that
            marks classify other traffic, and ports have the operator's schedulers.

    Raises:
        ParseError: a statement that affects packets cannot be parsed, or a statement of a candidate has no effect in
            the model; it names the line.
    """
    return platform_of(platform).parse(
        text, interfaces, is_whole=is_whole, is_merged=is_merged, keeps_classes=keeps_classes
    )
