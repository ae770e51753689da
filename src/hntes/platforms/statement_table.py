"""Tables of what a router's statements can touch, looked up by the longest pattern."""

from collections.abc import Iterable, Mapping


class StatementTable:
    """What statements can touch, by their leading words.

    A pattern matches statements that start with its words; `*` matches one word of any kind. The longest pattern wins,
    and of two of the same length the one with the first exact word that the other lacks.

    Example:
        >>> table = StatementTable({None: ["chassis fpc *"], "queues": ["chassis fpc * max-queues"]})
        >>> table.touched(("chassis", "fpc", "0", "max-queues", "4"))
        'queues'
        >>> table.touched(("chassis", "alarm"), "unknown")
        'unknown'
    """

    def __init__(self, rows: Mapping[str | None, Iterable[str]]) -> None:
        self._by_word: dict[str, list[tuple[tuple[str, ...], str | None]]] = {}
        for touches, patterns in rows.items():
            for pattern in patterns:
                words = tuple(pattern.split())
                self._by_word.setdefault(words[0], []).append((words, touches))
        for found in self._by_word.values():
            found.sort(key=lambda row: (-len(row[0]), [word == "*" for word in row[0]]))

    def touched(self, words: tuple[str, ...], unknown: str | None = None) -> str | None:
        """What a statement can touch; `unknown` if no pattern matches it."""
        for first in (words[0], "*"):
            for pattern, touches in self._by_word.get(first, ()):
                if len(pattern) <= len(words) and all(
                    one in ("*", other) for one, other in zip(pattern, words, strict=False)
                ):
                    return touches
        return unknown
