"""The journal of a push: written whole, and believed only if it was written here."""

from datetime import date
from pathlib import Path

import pytest

from hntes.delivery.journal import Entry, Journal
from hntes.platforms.device_errors import DeliveryError

ENTRY = Entry("r1", "trial", None, "a" * 64, date(2026, 11, 20))


def test_what_is_written_is_read_until_the_push_ends(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "r1" / "journal.json")
    assert journal.entry() is None
    journal.write(ENTRY)
    assert journal.entry() == ENTRY
    assert journal.step(ENTRY, "confirm").step == "confirm"
    assert journal.entry() == Entry("r1", "confirm", None, "a" * 64, date(2026, 11, 20))
    journal.end()
    journal.end()
    assert journal.entry() is None


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"router": "r1", "step": "done", "before_sha256": null, "after_sha256": "x", "day": null}'],
)
def test_another_file_is_not_believed(tmp_path: Path, text: str) -> None:
    (tmp_path / "journal.json").write_text(text)
    with pytest.raises(DeliveryError, match="not a journal"):
        Journal(tmp_path / "journal.json").entry()
