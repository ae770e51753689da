"""Tables and sentences at the width of a terminal: broken between cells and between words, never within a word."""

import textwrap
from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

# Least width of a last column of text; with less it goes below the others, with this indentation.
LEAST_BESIDE, INDENT_BELOW = 30, 4
_GAP = 2


def wrapped(text: str, room: int) -> str:
    """Lines of at most `room` columns where words allow; a line that goes on is indented below its beginning."""
    return "\n".join(each if width(each) <= room else _wrapped_line(each, room) for each in text.split("\n"))


def _wrapped_line(line: str, room: int) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return _filled(line.lstrip(), room, indent, indent + "  ")


def table_lines(rows: Sequence[Sequence[str]], numeric: Sequence[bool], room: int) -> Iterator[str]:
    """Each row as one or more lines, joined by line breaks; the first row is the header.

    Columns that do not fit beside the others go below them, all rows alike; without a cell in them, a row has no such
    line. A last column of text is wrapped.
    """
    widths = [max(map(width, cells)) for cells in zip(*rows, strict=True)]
    lines = _lines_of_columns(widths, numeric, room)
    for row in rows:
        padded = [_padded(*cell) for cell in zip(row, widths, numeric, strict=True)]
        parts = (
            _part([padded[column] for column in columns], " " * INDENT_BELOW * (number > 0), room)
            for number, columns in enumerate(lines)
        )
        first, *below = parts
        yield "\n".join([first, *(each for each in below if each)])


def _lines_of_columns(widths: Sequence[int], numeric: Sequence[bool], room: int) -> list[list[int]]:
    """The numbers of the columns on each line of a row."""
    lines: list[list[int]] = [[0]]
    used = widths[0]
    for column in range(1, len(widths)):
        left = room - used - _GAP
        is_last_text = column == len(widths) - 1 and not numeric[column]
        if widths[column] <= left or (is_last_text and left >= LEAST_BESIDE):
            lines[-1].append(column)
            used += _GAP + widths[column]
        else:
            lines.append([column])
            used = INDENT_BELOW + widths[column]
    return lines


def _part(cells: Sequence[str], indent: str, room: int) -> str:
    """One line of a row; what is too long of its last cell is wrapped below that cell."""
    *aligned, last = cells
    left, last = indent + "".join(f"{cell}{' ' * _GAP}" for cell in aligned), last.rstrip()
    if not last or width(left) + width(last) <= room:
        return f"{left}{last}".rstrip()
    below = " " * width(left)
    return left + _filled(last, room, below, below)[len(below) :]


def _filled(text: str, room: int, first: str, others: str) -> str:
    return textwrap.fill(text, max(room, LEAST_BESIDE), initial_indent=first, subsequent_indent=others,
                         break_long_words=False, break_on_hyphens=False)  # fmt: skip


def _padded(text: str, columns: int, is_numeric: bool) -> str:
    space = " " * (columns - width(text))
    return space + text if is_numeric else text + space


def width(text: str) -> int:
    """Columns of a terminal: two for wide characters, none for those that combine with the one before."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)
