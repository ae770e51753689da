"""Decision records have one form, and the index lists them all."""

import re
from datetime import date
from pathlib import Path

import pytest

DECISIONS = Path(__file__).resolve().parents[3] / "docs" / "decisions"
RECORDS = sorted(path for path in DECISIONS.glob("[0-9]*.md") if path.name != "0000-template.md")
STATUS = r"(proposed|accepted|superseded by \[\d+\]\(.+\)|accepted; supersedes \[\d+\].+)"


def test_a_number_is_given_once_and_none_is_listed_that_is_gone() -> None:
    numbers = [int(path.name[:4]) for path in RECORDS]
    assert len(numbers) > 30
    assert len(set(numbers)) == len(numbers)
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    assert [int(number) for number in re.findall(r"^\| \[(\d+)\]", index, re.MULTILINE)] == numbers


@pytest.mark.parametrize("path", RECORDS, ids=[path.stem for path in RECORDS])
def test_a_record_has_the_form_of_the_template(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    head = re.match(rf"# (\d+)\. .+\n\n- Status: {STATUS}\n- Date: (\d{{4}}-\d\d-\d\d)\n\n## Context\n", text)
    assert head, f"{path.name}: begin as 0000-template.md does"
    assert int(head[1]) == int(path.name[:4])
    assert date.fromisoformat(head[3])
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]


@pytest.mark.parametrize("path", RECORDS, ids=[path.stem for path in RECORDS])
def test_the_index_says_what_the_record_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| \[(\d+)\]\({re.escape(path.name)}\) \| .+ \| (\S+) \| (.+) \|$", index, re.MULTILINE)
    assert row, f"docs/decisions/README.md lacks {path.name}"
    assert f"\n- Date: {row[2]}\n" in text
    superseded = re.search(r"^- Status: superseded by \[(\d+)\]", text, re.MULTILINE)
    assert row[3] == (f"superseded by {superseded[1]}" if superseded else "accepted")
