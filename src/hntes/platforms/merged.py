"""A candidate merged into a running configuration, parsed as one text."""

from collections.abc import Iterable
from dataclasses import replace

from hntes.platforms.parse import EffectiveModel, ParseError, parse_config
from hntes.platforms.registry import platform_of
from hntes.platforms.unparsed import beside_candidate
from hntes.rules.qos.model import InterfaceBinding


def read_merged(
    platform: str,
    candidate: str,
    running: str,
    interfaces: Iterable[InterfaceBinding],
    *,
    keeps_classes: bool = False,
) -> EffectiveModel:
    """The effective model of a router after the candidate is loaded into its running configuration.

    The candidate replaces statements of an earlier delivery. Statements of both in one place are not resolved here:
    they conflict (`check_conflicts`), or the parser refuses them. Of the statements that it skips only those are a
    reason not to judge that touch what a candidate changes. `keeps_classes` as for `parse_config`.

    Raises:
        ParseError: a statement that affects packets cannot be parsed; it names the text.
    """
    lines = platform_of(platform).kept_lines(running, candidate)
    try:
        text = "\n".join([*lines, candidate])
        found = parse_config(platform, text, interfaces, is_whole=True, is_merged=True, keeps_classes=keeps_classes)
    except ParseError as problem:
        if problem.line > len(lines):
            raise ParseError(problem.line - len(lines), problem.text, problem.reason) from problem
        raise ParseError(problem.line, problem.text, f"{problem.reason} (running configuration)") from problem
    unparsed = tuple(beside_candidate(each, is_redirected=found.is_redirected) for each in found.unparsed)
    return replace(found, unparsed=unparsed)
