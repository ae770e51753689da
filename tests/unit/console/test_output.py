"""Tables: aligned columns, numbers to the right, nothing cut."""

import pytest

from console import output


def printed(capsys: pytest.CaptureFixture[str], columns: tuple[str, ...], *rows: tuple[object, ...]) -> list[str]:
    output.table(columns, rows)
    return capsys.readouterr().out.splitlines()


def test_numbers_are_aligned_to_the_right_and_words_to_the_left(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, ("router", "pairs", "what"), ("r1", 8, "first"), ("r22", 1_000, "")) == [
        "router  pairs  what",
        "r1          8  first",
        "r22      1000",
    ]


def test_a_column_with_one_word_is_a_column_of_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, ("found", "x"), (12, 1), ("unknown", 1), (None, 1)) == [
        "found    x",
        "12       1",
        "unknown  1",
        "         1",
    ]


def test_wide_and_combining_characters_keep_the_columns_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, ("owner", "x"), ("\u7db2\u7d61\u90e8\u9580", "a"), ("Ame\u0301lie", "b")) == [
        "owner     x",
        "\u7db2\u7d61\u90e8\u9580  a",
        "Ame\u0301lie    b",
    ]


def test_a_long_line_is_not_cut(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, ("reason",), ("why " * 500 + "end",))[1].endswith("why end")


def test_without_rows_the_columns_are_still_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, ("router", "day")) == ["router  day"]
