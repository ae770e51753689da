"""Tables: aligned columns, numbers to the right, nothing cut."""

import sys

import pytest

from hntes.cli import output


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


def be_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))


BOLD = "\x1b[1m{}\x1b[0m"
ROW = ("chic-cr1", "2026-11-20", "cffce7dbaafb", "first configuration, 8 pairs added, 0 kept; expires tomorrow")


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (200, [f"{'  '.join(ROW)}"]),
        (80, ["chic-cr1  2026-11-20  cffce7dbaafb  first configuration, 8 pairs added, 0 kept;",
              f"{'':36}expires tomorrow"]),
        (60, [BOLD.format("    what"), "chic-cr1  2026-11-20  cffce7dbaafb",
              "    first configuration, 8 pairs added, 0 kept; expires", "    tomorrow"]),
        (30, [BOLD.format("    candidate"), BOLD.format("    what"), "chic-cr1  2026-11-20", "    cffce7dbaafb",
              "    first configuration, 8", "    pairs added, 0 kept;", "    expires tomorrow"]),
    ],
)  # fmt: skip
def test_on_a_narrow_terminal_free_text_goes_on_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int, lines: list[str]
) -> None:
    be_terminal(monkeypatch, columns)
    _, *body = printed(capsys, ("router", "day", "candidate", "what"), ROW)
    assert body == lines
    assert all(len(line) <= columns for line in body)


def test_a_word_longer_than_the_terminal_is_not_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be_terminal(monkeypatch, 40)
    assert printed(capsys, ("file", "reason"), ("a" * 30, "b" * 64))[1:] == [
        BOLD.format("    reason"), "a" * 30, "    " + "b" * 64,
    ]  # fmt: skip


def test_where_there_is_no_terminal_what_takes_long_says_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [0.0]
    monkeypatch.setattr(output, "monotonic", lambda: now_s[0])
    with output.share_progress() as advance:
        for second in range(26):
            now_s[0] = second
            advance("simulating r1" if second < 15 else "simulating r2", second / 50)
    assert capsys.readouterr().err.splitlines() == ["simulating r1: 20 of 100", "simulating r2: 40 of 100"]


def test_what_is_quick_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with output.file_progress("reading") as advance:
        advance(1, 1, "nfcapd.202611201815")
    assert capsys.readouterr().err == ""


DIFFERENCE = "--- in force\n+++ candidate\n@@ -1 +1 @@\n same\n-old\n+new\x1b[2J"


def test_a_difference_is_coloured_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = DIFFERENCE.replace("\x1b", "\\x1b")
    assert output.difference(DIFFERENCE) == plain
    be_terminal(monkeypatch, 80)
    monkeypatch.setenv("NO_COLOR", "1")
    assert output.difference(DIFFERENCE) == plain
    monkeypatch.delenv("NO_COLOR")
    removed, added, place = ("\x1b[31m", "\x1b[32m", "\x1b[36m")
    ends = "\x1b[0m"
    assert output.difference(DIFFERENCE).split("\n") == [
        f"{removed}--- in force{ends}", f"{added}+++ candidate{ends}", f"{place}@@ -1 +1 @@{ends}", " same",
        f"{removed}-old{ends}", f"{added}+new\\x1b[2J{ends}",
    ]  # fmt: skip


def test_what_is_longer_than_the_terminal_goes_through_the_pager(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", asked.append)
    long = "\n".join(["line"] * 25)
    output.paged(long)
    assert (capsys.readouterr().out, asked) == (f"{long}\n", [])
    be_terminal(monkeypatch, 80)
    output.paged("line\nline")
    assert (capsys.readouterr().out, asked) == ("line\nline\n", [])
    output.paged(long)
    assert (capsys.readouterr().out, asked) == ("", [f"{long}\n"])


def test_words_of_a_verdict_are_coloured_on_a_terminal_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "gate: passed\ngate: not passed\n  added  a > b\n  removed  b > a: removed\nreach FAILED"

    def said() -> str:
        output.line(text)
        return capsys.readouterr().out.rstrip("\n")

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert said() == text
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    green, red, end = "\033[32m", "\033[31m", "\033[0m"
    assert said() == (
        f"gate: {green}passed{end}\ngate: {red}not passed{end}\n  {green}added{end}  a > b\n"
        f"  {red}removed{end}  b > a: removed\nreach {red}FAILED{end}"
    )
    monkeypatch.setenv("NO_COLOR", "1")
    assert said() == text


def test_lines_that_are_gathered_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with output.gathered() as lines:
        output.line("one")
        output.line("two\n")
    assert (lines, capsys.readouterr().out) == (["one", "two\n"], "")
    output.result({"a": 1}, "said", as_json=False)
    output.result({"a": 1}, "said", as_json=True)
    assert capsys.readouterr().out == 'said\n{\n  "a": 1\n}\n'
