"""A candidate merged into a running configuration, parsed as one text."""

from collections.abc import Iterable
from dataclasses import replace

from hntes.platforms.parse import EffectiveModel, ParseError, parse_config
from hntes.platforms.registry import platform_of
from hntes.platforms.unparsed import CONTROL_PLANE
from hntes.rules.qos.model import InterfaceBinding


def read_merged(platform: str, candidate: str, running: str, interfaces: Iterable[InterfaceBinding]) -> EffectiveModel:
    """The effective model of a router after the candidate is loaded into its running configuration.

    The candidate replaces statements of an earlier delivery. Statements of both in one place are not resolved here:
    they conflict (`check_conflicts`), or the parser refuses them. Unparsed statements of the control plane are
    harmless: they do not change, since a candidate names only objects of HNTES.

    Raises:
        ParseError: a statement that affects packets cannot be parsed; it names the text.
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
    """The lines of a text with some emptied, so that the others keep their numbers."""
    return ["" if number in gone else line for number, line in enumerate(text.split("\n"), 1)]
