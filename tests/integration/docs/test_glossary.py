"""Every term of the glossary has one meaning and a place in the code that exists; synonyms belong to one term."""

import re
from pathlib import Path

import pytest

from hntes.workflow.stage_names import STAGES

ROOT = Path(__file__).resolve().parents[3]
ENTRIES = re.findall(
    r"^### (.+)\n((?:(?!^#).*\n)+)", (ROOT / "docs/concepts/glossary.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_there_are_terms_and_none_twice() -> None:
    terms = [term for term, _ in ENTRIES]
    assert len(terms) > 60
    assert len(set(terms)) == len(terms)


def test_the_stages_are_listed_in_their_order() -> None:
    assert [term for term, _ in ENTRIES if term in STAGES] == list(STAGES)


@pytest.mark.parametrize(("term", "entry"), ENTRIES, ids=[term for term, _ in ENTRIES])
def test_a_term_has_a_meaning_and_a_place_that_exists(term: str, entry: str) -> None:
    found = re.fullmatch(r"(.+?)\nCode: (.+?)\.(?: Also known as: .+\.)?\n+", entry, re.DOTALL)
    assert found, f"{term}: write the meaning, then `Code: ... .`, then `Also known as: ... .` if there are synonyms"
    places = re.findall(r"`([^`]+)`", found[2])
    assert places
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_a_synonym_belongs_to_one_term_and_is_none_itself() -> None:
    lists = re.findall(r"Also known as: (.+)\.\n", "".join(entry for _, entry in ENTRIES))
    synonyms = [re.sub(r" \(.+\)", "", name) for names in lists for name in names.split(", ")]
    assert len(synonyms) > 50
    assert sorted(name for name in set(synonyms) if synonyms.count(name) > 1) == []
    assert set(synonyms) & {term for term, _ in ENTRIES} == set()
