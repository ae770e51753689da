"""Text at the width of a terminal: no word is broken or lost, and nothing is wider than it has to be."""

from hypothesis import given
from hypothesis import strategies as st

from hntes.cli.layout import INDENT_BELOW, table_lines, width, wrapped

WORDS = st.text("abcdefgh0123-/.:\u7db2", min_size=1, max_size=24)
SENTENCES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
ROOMS = st.integers(min_value=30, max_value=120)


@given(st.lists(st.tuples(st.integers(0, 6), SENTENCES), min_size=1, max_size=5), ROOMS)
def test_wrapped_lines_keep_their_words_and_their_indentation(lines: list[tuple[int, str]], room: int) -> None:
    text = "\n".join(" " * indent + each for indent, each in lines)
    found = wrapped(text, room)
    assert found.split() == text.split()
    for line in found.split("\n"):
        # textwrap counts characters; a wide one takes two columns
        assert len(line) <= room or len(line.split()) == 1
    indents = [len(line) - len(line.lstrip()) for line in found.split("\n")]
    assert indents[0] == lines[0][0]
    assert set(indents) <= {indent + more for indent, _ in lines for more in (0, 2)}


def test_lines_that_fit_stay_as_they_are() -> None:
    text = "  a  table   of   words\n\n    more"
    assert wrapped(text, 30) == text


CELLS = st.one_of(WORDS, st.just(""))


@given(st.integers(1, 6).flatmap(lambda columns: st.lists(st.lists(CELLS, min_size=columns, max_size=columns),
                                                           min_size=1, max_size=5)), ROOMS)  # fmt: skip
def test_rows_keep_their_cells_in_order_and_the_terminals_width(rows: list[list[str]], room: int) -> None:
    found = list(table_lines(rows, [False] * len(rows[0]), room))
    assert [each.split() for each in found] == [[cell for cell in row if cell] for row in rows]
    for line in "\n".join(found).split("\n"):
        # a word of wide characters alone can be wider than the least terminal, and is not broken
        assert width(line) <= room or (len(line.split()) == 1 and width(line.strip()) > room - INDENT_BELOW)


def test_numbers_keep_to_the_right_below_as_beside() -> None:
    rows = [["name", "bytes", "count"], ["a" * 24, "5", "7"], ["b", "12345", "123"]]
    assert list(table_lines(rows, [False, True, True], 30)) == [
        f"{'name':24}\n    bytes  count".replace("name" + " " * 20, "name"),
        f"{'a' * 24}\n        5      7",
        "b\n    12345    123",
    ]
