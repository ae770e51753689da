"""A candidate says only what the gate judges: whatever else stands in it is refused with its line."""

import pytest

from hntes.platforms.parse import ParseError, parse_config
from hntes.platforms.render import render
from tests.contract.platform.case import PlatformCase
from tests.support.qos_models import model


def refusal_of(platform: str, text: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        parse_config(platform, text, model(platform).interfaces)
    return caught.value


def test_an_unknown_statement_behind_all_others_is_refused(platform: str, case: PlatformCase) -> None:
    text = render(model(platform))
    first = text.count("\n") + 1
    assert case.unknown
    for statement in case.unknown:
        assert first <= refusal_of(platform, f"{text}{statement}\n").line <= first + statement.count("\n")


def test_an_unknown_statement_before_all_others_is_refused(platform: str, case: PlatformCase) -> None:
    lines = render(model(platform)).splitlines(keepends=True)
    body = next(index for index, line in enumerate(lines) if line.split()[0] != lines[0].split()[0])
    for statement in case.unknown:
        text = "".join([*lines[:body], f"{statement}\n", *lines[body:]])
        assert body < refusal_of(platform, text).line <= body + 1 + statement.count("\n")


@pytest.mark.parametrize("odd", ["\t", "\r", "\f", "\u00a0", "\u043e", '"', "'", "#", "<", "*", "$", "\\", "?"])
def test_a_character_that_no_candidate_needs_is_refused(platform: str, odd: str) -> None:
    text = render(model(platform))
    lines = text.splitlines(keepends=True)
    middle = len(lines) * 2 // 3
    lines[middle] = lines[middle].rstrip("\n") + f" {odd}\n"
    refusal = refusal_of(platform, "".join(lines))
    assert refusal.line == middle + 1


def test_a_text_that_is_cut_off_is_refused(platform: str) -> None:
    text = render(model(platform))
    refusal = refusal_of(platform, text.removesuffix("\n"))
    assert refusal.line == text.count("\n")
    assert "no newline" in refusal.reason


def test_what_a_whole_configuration_has_besides_is_listed(platform: str, case: PlatformCase) -> None:
    made = model(platform)
    for statement in case.unknown[:1]:
        found = parse_config(platform, f"{case.running}{statement}\n", made.interfaces, is_whole=True)
        last = case.running.count("\n") + 1
        assert any(each.line <= last <= each.last_line for each in found.unparsed), found.unparsed
