"""The page of texts of known effect lists those that the tests ask, each with the criterion that must refuse it."""

from collections.abc import Iterator

from scripts.judge_known_texts import PAGE
from tests.support.known_texts import KnownText, harmful, harmless


def rows(title: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The name of each text of a table, and the criteria that refuse it."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    for words, buffer_ms, platforms, by, *_ in (line.strip("| ").split(" | ") for line in lines):
        for platform in platforms.split(", "):
            yield f"{platform}: {words}, {buffer_ms} ms of buffer", tuple(by.split(", "))


def names(texts: Iterator[KnownText]) -> list[str]:
    return sorted(text.name for text in texts)


def test_every_text_is_in_its_table_once() -> None:
    assert sorted(name for name, _ in rows("Harmful")) == names(harmful())
    assert sorted(name for name, _ in rows("Harmless")) == names(harmless())


def test_what_does_harm_is_refused_by_the_criterion_that_must_and_nothing_else_is() -> None:
    wanted = {text.name: text.refused_by for text in harmful()}
    missed = {name: by for name, by in rows("Harmful") if wanted[name] not in by}
    assert missed == {}
    assert {by for _, by in rows("Harmless")} == {("none",)}
