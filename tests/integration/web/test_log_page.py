"""The audit log as a page: narrow columns, folded notes, links that last."""

import re

import pytest

from hntes.web.log import LONG_NOTE
from tests.support.api_program import program
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser, browser, words_in
from tests.support.review_page import site as page_of

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


def test_the_log_of_a_router_that_left_the_settings_is_found(site: Installation) -> None:
    (expected,) = [
        each["number"] for each in site.json("audit", "--kind", "propose") if each["router"] == "r3"
    ]  # fmt: skip
    text = site.settings.read_text(encoding="utf-8")
    before, found, rest = text.partition('[[routers]]\nname = "r3"')
    assert found
    left = rest.partition("\n[[routers]]\n")[1:]
    site.settings.write_text(before + "".join(left), encoding="utf-8")
    server = page_of(site.settings)
    anna = browser(site.settings, server=server)
    anna.log_in("anna")
    assert anna.get("/router/r3").status_code == 404
    page = anna.get("/log?router=r3&kind=propose")
    assert re.findall(r'<tr id="event-(\d+)">', page.text) == [str(expected)]
    assert "<option selected>r3</option>" in page.text
    rows = anna.get("/log.csv?router=r3&kind=propose").text.splitlines()
    assert [each.partition(",")[0] for each in rows] == ["event", str(expected)]
    deploy = program(server, "read")
    assert [each["number"] for each in deploy.get("/api/audit?router=r3&kind=propose")["events"]] == [expected]
    assert deploy.get("/api/audit?router=never-there")["events"] == []


@pytest.mark.parametrize("name", ["-", "a b", "r1%0A", "1r", "a" * 64, "%00"])
def test_what_no_router_can_be_called_is_refused(reader: Browser, name: str) -> None:
    assert reader.get(f"/log?router={name}").status_code == 400
    assert program(reader.server, "read").ask("GET", f"/api/audit?router={name}").status_code == 400
