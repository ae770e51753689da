"""Output of the commands: tables and sentences for people on a terminal, JSON for machines.

Results go to standard output, progress and messages to standard error.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from time import monotonic

import click

from hntes.cli import streams
from hntes.cli.layout import table_lines, wrapped
from hntes.sanitize import shown, shown_lines

# Control characters of the second set, marks of writing direction, line separators, halves of characters.
_STEERING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# Colours of a terminal for the lines of a difference, by their beginnings (ECMA-48: green, red, cyan).
_DIFFERENCE_COLOURS = {"+": 32, "-": 31, "@@": 36}
# Where lines of result go instead of the terminal, the innermost last.
_GATHERED: list[list[str]] = []
# Words that decide how a line is read, in the same colours; `added` and `removed` where they begin it.
_WORD_COLOURS = {"passed": 32, "added": 32, "removed": 31, "FAILED": 31, "not passed": 31, "INCOMPLETE": 31}
_WORDS = re.compile(r"\b(?:not passed|passed|FAILED|INCOMPLETE)\b|(?m:(?<=^  )(?:added|removed)\b)")
# Without a terminal, progress is one line per interval.
LINE_EVERY_S = 10.0
# Called with the amount done, the total and the object.
FileProgress = Callable[[int, int, str], None]


def verbatim(text: str) -> None:
    """Results as they are. A failed write is skipped; the command goes on, and `cli.streams` reports it."""
    with streams.guarded():
        sys.stdout.write(text)


def line(text: str = "") -> None:
    """One or more lines of result, wrapped on a terminal; its control characters are escaped."""
    if _GATHERED:
        _GATHERED[-1].append(text)
        return
    verbatim(f"{prose(text)}\n")


def prose(text: str) -> str:
    """The text as `line` prints it, for other writers, such as a pager."""
    return _painted(wrapped(shown_lines(text), _room()))


def _room() -> int:
    """Columns of the terminal; without one, no limit."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize


@contextmanager
def gathered() -> Iterator[list[str]]:
    """Lines of result are kept for a document, and not printed."""
    kept: list[str] = []
    _GATHERED.append(kept)
    try:
        yield kept
    finally:
        _GATHERED.pop()


def difference(text: str) -> str:
    """A unified difference, escaped, and coloured for a terminal; NO_COLOR forbids colours (https://no-color.org)."""
    escaped = shown_lines(text)
    if not _has_colours():
        return escaped
    return "\n".join(map(_coloured, escaped.split("\n")))


def paged(text: str) -> None:
    """Lines of result that are escaped already; output longer than the terminal goes through the pager ($PAGER)."""
    if sys.stdout.isatty() and text.count("\n") >= shutil.get_terminal_size().lines:
        click.echo_via_pager(f"{text}\n")
    else:
        verbatim(f"{text}\n")


def safe(text: str) -> str:
    """As `prose`, with its lines as they are."""
    return _painted(shown_lines(text))


def note(text: str) -> None:
    """One or more lines of message, wrapped on a terminal; its control characters are escaped."""
    room = shutil.get_terminal_size().columns if sys.stderr.isatty() else sys.maxsize
    sys.stderr.write(f"{wrapped(shown_lines(text), room)}\n")


def failed(router: str, reason: str) -> None:
    """A note that a router failed; a reason that begins with its name does not repeat it."""
    note(f"hntes: router {router} failed: {reason.removeprefix(f'router {router}: ')}")


def result(value: object, text: str, *, as_json: bool) -> None:
    """The result of a command: the document for machines, or lines for people."""
    if as_json:
        _print_json(value)
    else:
        line(text)


def as_json(value: object) -> None:
    """One JSON document; dataclasses as objects, days in ISO form, paths as text."""
    _print_json(value)


def _print_json(value: object) -> None:
    text = json.dumps(value, default=_plain, indent=2, ensure_ascii=False)
    # JSON leaves some terminal control characters unescaped.
    verbatim(_STEERING.sub(lambda found: json.dumps(found[0])[1:-1], text) + "\n")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "") -> None:
    """Rows in aligned columns; columns of numbers to the right. Nothing is cut, whatever the terminal's width.

    On a terminal that is too narrow columns go below others, and a last column of text is wrapped. Without rows the
    header is still printed, and `empty` goes to standard error.
    """
    listed = list(rows)
    # one write: its cells are safe, and there may be ten thousand rows
    verbatim(f"{table_text(columns, listed)}\n")
    if not listed and empty:
        note(empty)


def table_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as `table` prints it, for other writers, such as a pager."""
    listed = [[_cell(value) for value in row] for row in rows]
    numeric = [bool(listed) and all(_is_number(row[number]) for row in listed) for number in range(len(columns))]
    named, *body = table_lines([columns, *listed], numeric, _room())
    is_terminal = sys.stdout.isatty()
    head = (f"\033[1m{each}\033[0m" if is_terminal else each for each in named.split("\n"))
    return "\n".join([*head, *([_painted("\n".join(body))] if body else [])])


class _Lines:
    """Progress without a terminal: silent while it is quick, so that cron sends no mail."""

    def __init__(self, what: str, now_s: Callable[[], float]) -> None:
        self._what = what
        self._now_s = now_s
        self._said_s = now_s()

    def advance(self, done: int, total: int, path: str) -> None:
        """Prints a line if none was printed for LINE_EVERY_S."""
        now_s = self._now_s()
        if now_s - self._said_s >= LINE_EVERY_S:
            self._said_s = now_s
            note(f"{f'{self._what} {path}'.strip()}: {done} of {total}")


@contextmanager
def file_progress(what: str) -> Iterator[FileProgress]:
    """Progress on standard error: a bar on a terminal, elsewhere periodic lines if it takes long."""
    if not sys.stderr.isatty():
        yield _Lines(what, monotonic).advance
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    # Results that are printed meanwhile go above the bar, but only where both are one terminal.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int, path: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{what} {path}".strip())

        yield advance


@contextmanager
def share_progress() -> Iterator[Callable[[str, float], None]]:
    """As `file_progress`, for a share from 0 to 1."""
    with file_progress("") as bar:
        yield lambda what, share: bar(round(100 * share), 100, what)


def clock(moment_ms: int) -> str:
    """A time of day in UTC, to the second."""
    return datetime.fromtimestamp(moment_ms // 1000, UTC).strftime("%H:%M:%S")


def _has_colours() -> bool:
    """Whether results go to a terminal whose user does not forbid colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _painted(text: str) -> str:
    """Escaped text with the words of a verdict or a change in their colour."""
    if not _has_colours():
        return text
    return _WORDS.sub(lambda found: f"\033[{_WORD_COLOURS[found[0]]}m{found[0]}\033[0m", text)


def _coloured(line_text: str) -> str:
    colour = next((code for begins, code in _DIFFERENCE_COLOURS.items() if line_text.startswith(begins)), None)
    return line_text if colour is None else f"\033[{colour}m{line_text}\033[0m"


def _cell(value: object) -> str:
    return "" if value is None else shown(str(value))


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).isdigit()


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return str(value)
