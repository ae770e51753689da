"""The highest processor and memory in answers of SNMP agents: values that are no percentages, odd names."""

import pytest

from hntes.platforms.load import (
    Answers,
    LoadObjects,
    LoadUnknownError,
    Part,
    RouterLoad,
    load_of,
    percents,
    used_shares,
)

OBJECTS = LoadObjects(
    columns={"busy": (1, 1), "called": (1, 2), "used": (1, 3), "free": (1, 4)},
    cpu=lambda answers: (part for _, part in percents(answers, "busy", "called")),
    memory=lambda answers: (part for _, part in used_shares(answers, "used", "free")),
)
ANSWERS: Answers = {"busy": {(1,): "7"}, "called": {}, "used": {(0,): "1"}, "free": {(0,): "3"}}


def test_a_part_without_a_name_is_called_by_its_object() -> None:
    assert load_of(OBJECTS, ANSWERS) == RouterLoad(Part("busy.1", 7), Part("used.0", 25))


@pytest.mark.parametrize(
    ("name", "shown"),
    [("RE 0\n", "RE 0"), ("a\x1b[2Jb", "a\\x1b[2Jb"), ("x" * 99, "x" * 60), (" \n", "busy.1"), ("\u202ea", "\\u202ea")],
)
def test_a_name_is_one_short_printable_line(name: str, shown: str) -> None:
    assert load_of(OBJECTS, {**ANSWERS, "called": {(1,): name}}).cpu == Part(shown, 7)


@pytest.mark.parametrize("value", ["101", "-1", "", "high", "7.5", "\u0663"])
def test_what_is_no_percentage_is_not_told(value: str) -> None:
    with pytest.raises(LoadUnknownError, match=r"tells of no processor; .* read busy, called, used, free"):
        load_of(OBJECTS, {**ANSWERS, "busy": {(1,): value}})
    assert load_of(OBJECTS, {**ANSWERS, "busy": {(1,): value, (2,): "0"}}).cpu == Part("busy.2", 0)


@pytest.mark.parametrize(("used", "free"), [("0", "0"), ("1", ""), ("", "1"), ("-1", "2")])
def test_a_memory_of_unknown_size_is_not_told(used: str, free: str) -> None:
    with pytest.raises(LoadUnknownError, match="tells of no memory"):
        load_of(OBJECTS, {**ANSWERS, "used": {(0,): used}, "free": {(0,): free}})
