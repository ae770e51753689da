"""Text that people write is one printable line."""

import pytest

from hntes.sanitize import MAX_CHARACTERS, shown, shown_lines, text_problem

UNPRINTABLE = ["\n", "\r", "\x1b", "\x00", "\x9b", "\u2028", "\u202e", "\u200b", "\udcff"]


@pytest.mark.parametrize("character", UNPRINTABLE)
def test_what_could_forge_a_line_or_steer_a_terminal_is_refused_and_escaped(character: str) -> None:
    text = f"weekly{character}copy"
    problem = text_problem(text)
    assert problem is not None
    assert "at position 7" in problem
    assert shown(text).isprintable()
    assert shown(text).isascii()
    assert "\n" not in problem


@pytest.mark.parametrize("text", ["weekly copy", "Ame\u0301lie", "\u7db2\u7d61", "10\u00a0Gb/s", "gr\u00fcn", ""])
def test_what_people_write_is_taken_as_it_is(text: str) -> None:
    assert text_problem(text) is None
    assert shown(text) == text


def test_a_byte_that_is_not_utf8_is_named() -> None:
    assert text_problem(b"anna\xff".decode(errors="surrogateescape")) == (
        "holds the byte 0xFF, which is not UTF-8, at position 5; write one line of printable characters"
    )


def test_a_text_has_an_end() -> None:
    assert text_problem("x" * MAX_CHARACTERS) is None
    assert text_problem("x" * (MAX_CHARACTERS + 1)) == "has 2001 characters; write at most 2000"


def test_lines_of_the_program_stay_lines() -> None:
    assert shown_lines("one\n two\x1b[2J\n") == "one\n two\\x1b[2J\n"
