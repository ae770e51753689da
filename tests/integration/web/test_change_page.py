"""A change's page beside its text: the gate's figures, all pairs, and no more than a browser can take."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import date, timedelta
from html import unescape
from ipaddress import ip_address
from typing import Any

import pytest

from hntes import clock
from hntes.format import counted, gigabytes
from hntes.rules.backtest.effect_words import share_text
from hntes.rules.pairs import PrefixPair
from hntes.sql.reasons import ChangeFacts, PairReason
from hntes.web.pair_table import PAGE_PAIRS
from hntes.workflow.review.view import ChangedPairs, ReviewView, review_view
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser, words_in

CHANGE = f"/change/r1/{NIGHT}"
MANY = 2000


def test_the_gates_figures_are_those_of_its_report(read_only: Installation, reader: Browser) -> None:
    report = (read_only.output / "r1" / NIGHT / "gate.html").read_text()
    drawn = re.findall(r"<svg.*?</svg>", report, re.DOTALL)
    sources = re.findall(r'<img src="([^"]*)" alt="(xe-0/1/0: [^"]+)"', reader.get(CHANGE).text)
    assert len(sources) == len(drawn) == 2
    for (source, _), svg in zip(sources, drawn, strict=True):
        answer = reader.get(source)
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.text == f"{svg}\n"
        assert ET.fromstring(answer.text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - made here
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "sandbox" in policy
        assert answer.headers["cache-control"] == "no-store"
    for number in ("0", "3", "-1", "x", "1.0", "01"):
        assert reader.get(f"{CHANGE}/figure/{number}").status_code == 404


def test_figures_of_another_candidate_are_not_shown(site: Installation, anna: Browser) -> None:
    index = site.output / "r1" / NIGHT / "figures.json"
    (candidate,) = (each["candidate_hash"] for each in site.json("change", "list") if each["router"] == "r1")
    index.write_text(index.read_text().replace(candidate, "0" * 64))
    assert "<img" not in anna.get(CHANGE).text
    assert "No figures are stored" in anna.get(CHANGE).text
    assert anna.get(f"{CHANGE}/figure/1").status_code == 404
    index.write_bytes(b"\xff\x00<svg>")
    assert "No figures are stored" in anna.get(CHANGE).text
    index.unlink()
    assert anna.get(CHANGE).status_code == 200


def test_whole_texts_have_addresses_of_their_own(read_only: Installation, reader: Browser) -> None:
    shown = read_only.json("change", "show", "--router", "r1", "--day", NIGHT)
    difference = reader.get(f"{CHANGE}/difference.txt")
    assert difference.headers["content-type"] == "text/plain; charset=utf-8"
    assert difference.text == f"{shown['difference']}\n"
    added = re.findall(r"^  added +(.*?): ", shown["summary"], re.MULTILINE)
    assert reader.get(f"{CHANGE}/pairs.txt").text == "".join(f"+ {pair}\n" for pair in sorted(added))


def test_both_texts_stand_side_by_side(read_only: Installation, reader: Browser) -> None:
    """What the page shows as new, from its first part to its last, is the candidate's text."""
    text = (read_only.output / "r1" / NIGHT / "candidate.conf").read_text()
    shown, address = [], f"{CHANGE}/difference"
    while address:
        page = reader.get(address).text
        assert len(page) < 300_000
        shown += [unescape(line) for line in re.findall(r'class="sign">\+</span><code>(.*?)</code>', page)]
        following = re.search(r'href="([^"]*)" rel="next"', page)
        address = unescape(following[1]) if following else ""
    assert shown == text.splitlines()


def test_a_part_of_the_texts_is_found_by_its_pair(reader: Browser) -> None:
    page = reader.get(f"{CHANGE}/difference?q=198.18.10.0/24>203.0.113.0/24").text
    assert "1 part : +" in words_in(page)
    assert re.findall(r"<summary>(.*?) <span", page) == ["198.18.10.0/24 &gt; 203.0.113.0/24"]
    for bad, status in (("part=9999", 404), ("part=0", 400), ("part=x", 400), ("q=nothing", 400)):
        assert reader.get(f"{CHANGE}/difference?{bad}").status_code == status


def test_the_commands_of_the_transition_are_on_the_page(read_only: Installation, reader: Browser) -> None:
    told = read_only.run("change", "show", "--router", "r1", "--day", NIGHT, "--transition").stdout
    page = words_in(reader.get(f"{CHANGE}/difference").text)
    commands = reader.get(f"{CHANGE}/transition.txt").text.splitlines()
    assert commands
    assert all(" ".join(line.split()) in page for line in commands[:50])
    assert commands[0] in told


def test_pairs_that_stay_are_counted_and_listed(site: Installation, anna: Browser) -> None:
    site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, owner="bert", reason="weekly")
    before = anna.get(f"{CHANGE}/pairs.txt").text.replace("+ ", "= ")
    assert anna.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 303
    site.run("stage", "propose", "--day", "2026-11-21", "--router", "r1")
    later = "/change/r1/2026-11-21"
    assert anna.get(f"{later}/pairs.txt").text == f"+ 198.18.99.0/24 > 203.0.113.0/24\n{before}"
    assert rows_of(anna.get(f"{later}?show=kept&sort=pair").text) == [
        ("kept", line.removeprefix("= ")) for line in before.splitlines()
    ]
    assert rows_of(anna.get(later).text) == [("added", "198.18.99.0/24 > 203.0.113.0/24")]


def test_every_number_of_the_first_screen_is_the_command_lines(site: Installation, anna: Browser) -> None:
    """Bytes of pairs are added up here from the flows that `hntes flows` lists."""
    assert anna.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 303
    site.run("override", "exclude", "add",
             "203.0.113.0/24", "--router", "r1", "--owner", "bert", "--reason", "maintenance",
             "--from-day", "2026-11-21", "--until", "2099-12-31")  # fmt: skip
    site.run("nightly", "--day", "2026-11-21", "--router", "r1")
    later = "/change/r1/2026-11-21"
    document = site.json("change", "show", "--router", "r1", "--day", "2026-11-21")
    days = (NIGHT, "2026-11-21")
    flows = [each for day in days for each in site.json("flows", "--day", day, "--router", "r1")]
    page, texts = anna.get(later).text, anna.get(f"{later}/pairs.txt").text.splitlines()
    for sign, name in (("+", "added"), ("-", "removed"), ("=", "kept")):
        pairs = [PrefixPair.parse(line[2:]) for line in texts if line.startswith(sign)]
        carried = sum(
            flow["flow_bytes"]
            for pair in pairs
            for flow in flows
            if not flow["implausible"]
            and ip_address(flow["source"]) in pair.source
            and ip_address(flow["destination"]) in pair.destination
        )
        assert document["pair_sums"][sign] == {"pairs": len(pairs), "alpha_bytes": carried}
        assert f"{name} {sign}{len(pairs)} {gigabytes(carried)}" in words_in(page)
        listed = words_in(anna.get(f"{later}?show={name}").text)
        assert f"{counted(len(pairs), 'pair')}, {gigabytes(carried)} of alpha traffic in 30 days" in listed
    assert document["pair_sums"]["-"]["pairs"] > 0
    effect = document["effect"]
    for part in ("queued_bytes_before", "queued_bytes_after"):
        assert f"{share_text(effect[part], effect['alpha_bytes'])} {gigabytes(effect[part])}" in words_in(page)
    widths = re.findall(r'<rect class="(?:queued|worse)" width="([0-9.]+)"', page)[:2]
    assert [round(float(width), 1) for width in widths] == [
        round(100 * effect[part] / effect["alpha_bytes"], 1) for part in ("queued_bytes_before", "queued_bytes_after")
    ]
    text = site.run("change", "show", "--router", "r1", "--day", "2026-11-21", "--no-diff").stdout
    assert f"-{document['pairs_removed']} ({gigabytes(document['pair_sums']['-']['alpha_bytes'])})" in text


def test_risks_are_named_on_the_first_screen(reader: Browser) -> None:
    page = reader.get(CHANGE).text
    summary, decision = page.index('<section class="summary"'), page.index('<section class="decision"')
    marks = re.findall(r"<li>([^<]*)</li>", page[summary:decision])
    assert "first configuration of this router" in marks
    assert decision < page.index('<h2 id="pairs">') < page.index('<h2 id="gate">')


def test_groups_lead_to_their_pairs(reader: Browser) -> None:
    page = reader.get(f"{CHANGE}?by=destination").text
    sums = [int(number) for number in re.findall(r'data-label="Added" class="number added">\+(\d+)', page)]
    assert sum(sums) == len(rows_of(reader.get(CHANGE).text))
    (first, *_) = re.findall(rf'<a href="({CHANGE}\?[^"]*)#pairs">[0-9.]+/16</a>', page)
    assert len(rows_of(reader.get(unescape(first)).text)) == sums[0]


def rows_of(page: str) -> list[tuple[str, str]]:
    """Change and pair of each row."""
    found = re.findall(
        r'<span class="(\w+)">\1</span></td>\s*<th scope="row" data-label="Pair"><a [^>]*>(.*?)</a>', page
    )
    return [(change, unescape(pair)) for change, pair in found]


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> tuple[PrefixPair, ...]:
    pairs = tuple(PrefixPair.parse(f"10.{number // 250}.{number % 250}.0/24>203.0.113.0/24") for number in range(MANY))
    reasons = tuple(
        PairReason(
            sign="+", source=str(pair.source), destination=str(pair.destination), cause="seen", first_seen=None,
            last_seen=None, days_seen=1, flows=2, alpha_bytes=1, peak_bytes=1, age_days=0,
            words=f"seen on {NIGHT}: 2 alpha flows, 4.91 GB, at most 3.02 GB per window",
        )
        for pair in pairs
    )  # fmt: skip

    def view(*given: Any, **more: Any) -> ReviewView:
        return replace(review_view(*given, **more), facts=ChangeFacts(pairs=reasons))

    monkeypatch.setattr("hntes.web.change.review_view", view)
    monkeypatch.setattr("hntes.workflow.review.pair_bytes.changed_pairs", lambda *_: ChangedPairs(pairs, (), pairs))
    return pairs


def test_a_change_of_thousands_of_pairs_comes_in_pages(reader: Browser, many: tuple[PrefixPair, ...]) -> None:
    for first, earlier, later in ((1, None, 101), (201, 101, 301), (MANY - PAGE_PAIRS + 1, MANY - 199, None)):
        text = reader.get(f"{CHANGE}?pair={first}").text
        seen = re.findall(r'<th scope="row" data-label="Pair"><a [^>]*>(\S+) &gt; ', text)
        assert seen == [str(pair.source) for pair in many[first - 1 : first - 1 + PAGE_PAIRS]]
        linked = {rel: int(number) for number, rel in re.findall(r'\?(?:pair=(\d+))?#pairs" rel="(\w+)"', text)}
        assert (linked.get("prev"), linked.get("next")) == (earlier, later)
        assert len(text) < 200_000  # half a second at 3 Mbit/s
        assert f"={MANY}" in text


@pytest.mark.parametrize(("pair", "status"), [("9", 404), ("0", 400), ("-1", 400), ("1" * 20, 400), ("\u0663", 400)])
def test_a_page_of_pairs_that_is_not_there(reader: Browser, pair: str, status: int) -> None:
    assert reader.get(f"{CHANGE}?pair={pair}").status_code == status


def test_the_pairs_of_a_routers_days_are_drawn(
    read_only: Installation, reader: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a month is drawn
    monkeypatch.setattr(clock, "today", lambda: date.fromisoformat(NIGHT) + timedelta(days=2))
    page = reader.get("/router/r1").text
    pairs = next(each["pairs_added"] for each in read_only.json("change", "list") if each["router"] == "r1")
    assert f"<title>{NIGHT}: {pairs} pairs</title>" in page
    assert "proposed pairs on 1 day" in words_in(page)


def test_links_to_other_pairs_do_not_touch(reader: Browser, many: tuple[PrefixPair, ...]) -> None:
    del many
    assert "Previous 100 Next 100" in words_in(reader.get(f"{CHANGE}?pair=101").text)


def test_what_is_only_reported_does_not_look_passed(reader: Browser) -> None:
    page = reader.get(CHANGE).text
    assert '<span class="hint">reported</span>' in page
    assert '<span class="good">reported</span>' not in page
    assert "alpha goodput beside 10%" in words_in(page)
    assert re.search(r"tightest: \w+ \([^)]+\): \S+", words_in(page))
