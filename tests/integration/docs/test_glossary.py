"""Every word of the glossary has a meaning, a place in the code that exists, and the synonyms to avoid."""

import re
from pathlib import Path

import pytest

from hntes.workflow.stage_names import STAGES

ROOT = Path(__file__).resolve().parents[3]
ENTRIES = re.findall(
    r"^### (.+)\n((?:(?!^#).*\n)+)", (ROOT / "docs/concepts/glossary.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_there_are_words_and_none_twice() -> None:
    words = [word for word, _ in ENTRIES]
    assert len(words) > 40
    assert len(set(words)) == len(words)


def test_the_stages_are_listed_in_their_order() -> None:
    assert [word for word, _ in ENTRIES if word in STAGES] == list(STAGES)


@pytest.mark.parametrize(("word", "entry"), ENTRIES, ids=[word for word, _ in ENTRIES])
def test_a_word_has_a_meaning_a_place_and_what_to_avoid(word: str, entry: str) -> None:
    found = re.fullmatch(r"(.+?)\nCode: (.+?)\. Avoid: (.+?)\.\n+", entry, re.DOTALL)
    assert found, f"{word}: write the meaning, then `Code: ... Avoid: ...`"
    places = re.findall(r"`([^`]+)`", found[2])
    assert places
    assert [place for place in places if not (ROOT / place).exists()] == []
