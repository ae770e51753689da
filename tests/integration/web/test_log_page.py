"""The audit log as a page: narrow columns, folded notes, links that last."""

import re

from hntes.web.log import LONG_NOTE
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser, words_in

CHANGE = f"/change/r1/{NIGHT}"


def test_no_cell_holds_a_whole_hash(site: Installation, anna: Browser) -> None:
    """One of 64 digits made the table wider than any window, and who decided and why could not be seen."""
    assert anna.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 303
    (bound,) = [each for each in site.json("audit") if each["kind"] == "transition"]
    page = words_in(anna.get("/log").text)
    assert f"transition approved: {bound['content_hash'][:12]} from nothing" in page
    assert not re.search(r"[0-9a-f]{40}", page)
    assert bound["content_hash"] in anna.get("/log.csv").text


def test_an_event_has_a_link_that_lasts(site: Installation, anna: Browser) -> None:
    before = site.json("audit")[-1]["number"]
    assert anna.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 303
    link = f"/log?before={before + 1}"
    assert f'href="{link}#event-{before}"' in anna.get("/log").text
    numbers = re.findall(r'<tr id="event-(\d+)">', anna.get(link).text)
    assert numbers == [str(number) for number in range(before, 0, -1)]


def test_a_long_note_is_folded_and_whole(anna: Browser) -> None:
    note = "because " * (LONG_NOTE // 4)
    assert anna.send(CHANGE, f"{CHANGE}/reject", note=note).status_code == 303
    page = anna.get("/log?kind=decide").text
    assert page.count("<details>") == 1
    found = re.search(r"<summary>(.*) \.\.\.</summary>(.*)</details>", page)
    assert found is not None
    assert "".join(found.groups()) == note.strip()
