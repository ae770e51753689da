"""The history of a pair: what the page draws is what `hntes why --json` says, and that is what was decided."""

import html
import re
from datetime import date, timedelta

from hntes import clock
from hntes.rules.pairs import PrefixPair
from hntes.sql import approved_texts
from hntes.sql.deliveries import report_reduced
from hntes.sql.session import transaction
from hntes.workflow.candidates import known_candidate, text_entry
from hntes.workflow.context import opened
from hntes.workflow.delivery.without_pair import reduced
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser

PAIR = "198.18.10.0/24>203.0.113.0/24"
NEXT = "2026-11-21"


def lanes(site: Installation, day: str) -> dict[str, list[str]]:
    document = site.json("why", PAIR, "--router", "r1", "--day", day, "--evidence-days", "90")
    return {each["name"]: each["days"] for each in document["timeline"]["lanes"]}


def test_a_rule_is_in_force_after_its_approval_and_excluded_while_that_lasts(site: Installation) -> None:
    assert lanes(site, NIGHT)["seen"] == [NIGHT]
    assert lanes(site, NIGHT)["rule in force"] == []
    (change,) = (each for each in site.json("change", "list") if each["router"] == "r1")
    site.run("change", "approve", "--router", "r1", "--day", NIGHT, "--hash", change["candidate_hash"])
    site.run("override", "exclude", "add", "203.0.113.0/24", "--router", "r1", "--owner", "bert", "--reason", "work",
             "--from-day", NEXT, "--until", NEXT)  # fmt: skip
    found = lanes(site, NEXT)
    assert found["rule in force"] == [NEXT]
    assert found["excluded"] == [NEXT]
    assert found["pinned"] == []


def test_a_pair_is_delivered_as_long_as_the_text_on_the_router_has_it(site: Installation) -> None:
    """A removal that was cut and finished later names no pair, and the name of one may be part of another's."""
    today = clock.today().isoformat()
    (change,) = (each for each in site.json("change", "list") if each["router"] == "r1")
    site.run("change", "approve", "--router", "r1", "--day", NIGHT, "--hash", change["candidate_hash"])
    site.run("router", "loaded", "--router", "r1", "--hash", change["candidate_hash"])
    pair = PrefixPair.parse(PAIR)
    with opened(site.settings) as context:
        approved = known_candidate(context, context.settings.router("r1"), change["candidate_hash"])
        other = min(approved.pairs - {pair}, key=str)
        for gone, note, delivered in ((other, f"removal of 1{pair}: kept", [today]), (pair, "finished", [])):
            assert lanes(site, today)["delivered"] == [today]
            less = reduced(approved, gone)
            with transaction(context.database) as session:
                approved_texts.keep(session, text_entry(less))
                report_reduced(session, "r1", less.hash, "hntes", note)
            assert lanes(site, today)["delivered"] == delivered


def test_the_page_draws_the_days_of_the_command_line(read_only: Installation, reader: Browser) -> None:
    page = reader.get(f"/pair?router=r1&q={PAIR}").text
    table = page.partition("as a table")[2].partition("</table>")[0]
    cells = [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", table)][3:]
    shown = {html.unescape(cells[n]): (cells[n + 1], cells[n + 2]) for n in range(0, len(cells), 3)}
    day = re.search(r"as of (\d{4}-\d\d-\d\d)", page)
    assert day
    for name, days in lanes(read_only, day[1]).items():
        assert shown[name][0] == str(len(days))
        assert days_of(shown[name][1]) == days


def days_of(words: str) -> list[str]:
    """The days that a list of spans names."""
    found = []
    for each in filter(lambda part: part != "-", words.split(", ")):
        first, _, last = each.partition(" to ")
        begin, end = date.fromisoformat(first), date.fromisoformat(last or first)
        found += [str(begin + timedelta(days=n)) for n in range((end - begin).days + 1)]
    return found
