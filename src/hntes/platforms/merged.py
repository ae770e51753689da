"""A candidate loaded into what a router has, as one text that is read as a whole."""

from collections.abc import Iterable
from dataclasses import replace

from hntes.platforms.parse import EffectiveModel, ParseError, parse_config
from hntes.platforms.registry import platform_of
from hntes.platforms.unparsed import CONTROL_PLANE
from hntes.rules.qos.model import InterfaceBinding


def read_merged(platform: str, candidate: str, running: str, interfaces: Iterable[InterfaceBinding]) -> EffectiveModel:
    """What a router does once the candidate is loaded into its running configuration.

    What an earlier delivery left there is what the candidate takes the place of. Between statements of both in one
    place nothing is decided: they collide (`check_beside`), or the reader refuses them. What touches the control plane
    alone counts as harmless: it stays as it is, since a candidate names no objects but those of HNTES.

    Raises:
        ParseError: something that decides over packets is not understood; it says in which of the two.
    """
    lines = platform_of(platform).kept_lines(running, candidate)
    try:
        found = parse_config(platform, "\n".join([*lines, candidate]), interfaces, is_whole=True)
    except ParseError as problem:
        if problem.line > len(lines):
            raise ParseError(problem.line - len(lines), problem.text, problem.reason) from problem
        raise ParseError(problem.line, problem.text, f"{problem.reason} (running configuration)") from problem
    unparsed = tuple(replace(each, touches=None) if each.touches == CONTROL_PLANE else each for each in found.unparsed)
    return replace(found, unparsed=unparsed)


def without_lines(text: str, gone: set[int]) -> list[str]:
    """The lines of a text, some of them by their numbers emptied, so that the others keep their numbers."""
    return ["" if number in gone else line for number, line in enumerate(text.split("\n"), 1)]
