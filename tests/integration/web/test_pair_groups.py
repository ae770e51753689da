"""The groups of a change's pairs: page, command line and API have the same numbers, which are summed up here again."""

import html
import re
from collections import defaultdict
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from typing import Any

import pytest

from hntes.format import gigabytes
from hntes.rules.pairs import PrefixPair
from tests.support.api_program import Program, program
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.review_page import Browser, browser
from tests.support.review_page import site as page_of

NEXT = "2026-11-21"
PINNED = "198.18.99.0/24>203.0.113.0/24"
OF_CHANGE = ("change", "show", "--router", "r1", "--day", NEXT, "--no-diff")
SIGNS = {"+": "added", "-": "removed", "=": "kept"}
SITES = """
[[sites]]
name = "north"
prefixes = ["198.18.0.0/16", "2001:db8:1::/48"]

[[sites]]
name = "lab"
prefixes = ["198.18.10.0/24"]

[[sites]]
name = "south"
prefixes = ["203.0.113.0/24"]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, prepared_nights: PreparedNights) -> Installation:
    """The second night adds pairs to what is approved, keeps some, and removes those that are excluded."""
    made = prepared_nights.site(tmp_path_factory.mktemp("groups") / "site", router="r1")
    made.settings.write_text(made.settings.read_text() + SITES)
    (waiting,) = made.json("change", "list")
    made.run("change", "approve", "--router", "r1", "--hash", waiting["candidate_hash"], "--who", "anna")
    made.pin(PINNED, NIGHT, owner="bert", reason="weekly")
    made.run("override", "exclude", "add", "198.18.10.0/24", "--router", "r1", "--owner", "bert", "--reason", "works",
             "--from-day", NEXT, "--until", "2099-12-31")  # fmt: skip
    made.run("nightly", "--day", NEXT, "--router", "r1")
    return made


@pytest.fixture(scope="module")
def vera(site: Installation) -> Browser:
    made = browser(site.settings)
    assert made.log_in("vera").status_code == 303
    return made


@pytest.fixture(scope="module")
def watch(site: Installation) -> Program:
    return program(page_of(site.settings), "read", name="watch")


@pytest.fixture(scope="module")
def carried(site: Installation, vera: Browser) -> dict[tuple[str, PrefixPair], int]:
    """The bytes of each pair with its sign, summed up from the flows that `hntes flows` lists of both days."""
    flows = [each for day in (NIGHT, NEXT) for each in site.json("flows", "--day", day, "--router", "r1")]
    listed = [
        (line[0], PrefixPair.parse(line[2:])) for line in vera.get(f"/change/r1/{NEXT}/pairs.txt").text.splitlines()
    ]
    found = {
        (sign, pair): sum(
            flow["flow_bytes"]
            for flow in flows
            if not flow["implausible"]
            and ip_address(flow["source"]) in pair.source
            and ip_address(flow["destination"]) in pair.destination
        )
        for sign, pair in listed
    }
    assert {sign for sign, _ in found} == {*SIGNS}, "the installation has pairs of each kind"
    return found


def by_site(pair: PrefixPair) -> str:
    named = {"198.18.10.0/24": "lab", "198.18.0.0/16": "north", "2001:db8:1::/48": "north", "203.0.113.0/24": "south"}

    def name(prefix: Any) -> str:
        inside = [each for each in named if prefix.version == (each_net := ip_network(each)).version
                  and prefix.subnet_of(each_net)]  # fmt: skip
        return named[max(inside, key=lambda each: ip_network(each).prefixlen)] if inside else "elsewhere"

    return f"{name(pair.source)} > {name(pair.destination)}"


def wider(prefix: Any) -> str:
    length = min(prefix.prefixlen, 16 if prefix.version == 4 else 32)
    return str(ip_network(f"{prefix.network_address}/{length}", strict=False))


NAMES: dict[str, Callable[[PrefixPair], str]] = {
    "site": by_site,
    "source": lambda pair: wider(pair.source),
    "destination": lambda pair: wider(pair.destination),
    "owner": lambda pair: "pinned by bert" if pair == PrefixPair.parse(PINNED) else "nobody named",
}
Sums = dict[str, dict[str, tuple[int, int]]]


def summed(carried: dict[tuple[str, PrefixPair], int], by: str, signs: str) -> Sums:
    """Number and bytes of the pairs of each group by sign."""
    found: Sums = defaultdict(lambda: dict.fromkeys(SIGNS, (0, 0)))
    for (sign, pair), size in carried.items():
        if sign in signs:
            pairs, before = found[NAMES[by](pair)][sign]
            found[NAMES[by](pair)][sign] = (pairs + 1, before + size)
    return dict(found)


def of_page(text: str) -> dict[str, list[str]]:
    """The cells of the table of groups by the name of the group."""
    table = text.partition('aria-label="Groups of pairs"')[2].partition("</table>")[0].partition("<tbody>")[2]
    rows = [
        [html.unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd] [^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r"<tr>\n(.*?)</tr>", table, re.DOTALL)
    ]
    return {name: cells for name, *cells in rows}


def cells(sums: dict[str, tuple[int, int]]) -> list[str]:
    parts = [f"{sign}{pairs}, {gigabytes(size)}" if pairs else f"{sign}0" for sign, (pairs, size) in sums.items()]
    return [gigabytes(sum(size for _, size in sums.values())), *parts]


def of_program(sums: list[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    words = {name: sign for sign, name in SIGNS.items()}
    return {words[each["change"]]: (each["pairs"], each["alpha_bytes"]) for each in sums}


@pytest.mark.parametrize("by", [*NAMES])
@pytest.mark.parametrize(("show", "signs"), [("all", "+-="), ("changed", "+-")])
def test_the_groups_are_the_sums_of_their_pairs_everywhere(
    site: Installation, vera: Browser, watch: Program, carried: dict[tuple[str, PrefixPair], int], by: str, show: str,
    signs: str,
) -> None:  # fmt: skip
    expected = summed(carried, by, signs)
    assert of_page(vera.get(f"/change/r1/{NEXT}?show={show}&by={by}").text) == {
        name: cells(sums) for name, sums in expected.items()
    }
    asked = watch.get(f"/api/changes/r1/{NEXT}/pairs/groups?by={by}&show={show}")
    assert {each["name"]: of_program(each["sums"]) for each in asked["groups"]} == expected
    sizes = [each["alpha_bytes"] for each in asked["groups"]]
    assert sizes == sorted((sum(size for _, size in each.values()) for each in expected.values()), reverse=True)
    chosen = {key: size for key, size in carried.items() if key[0] in signs}
    assert (asked["total"], asked["pairs"], asked["alpha_bytes"]) == (len(expected), len(chosen), sum(chosen.values()))
    assert of_program(asked["sums"]) == {
        sign: (
            len([1 for one, _ in chosen if one == sign]),
            sum(size for (one, _), size in chosen.items() if one == sign),
        )
        for sign in SIGNS
    }
    if show == "all":
        printed = site.json(*OF_CHANGE, "--by", by)
        groups = printed["pair_groups"]
        assert groups["by"] == by
        assert [(each["name"], each["alpha_bytes"]) for each in groups["groups"]] == [
            (each["name"], each["alpha_bytes"]) for each in asked["groups"]
        ]
        by_sign = {
            each["name"]: {sign: (one["pairs"], one["alpha_bytes"]) for sign, one in each["sums"].items()}
            for each in groups["groups"]
        }
        assert by_sign == expected
        totals = {sign: (one["pairs"], one["alpha_bytes"]) for sign, one in printed["pair_sums"].items()}
        assert totals == of_program(asked["sums"])


def test_groups_have_more_than_one_row_and_kind(carried: dict[tuple[str, PrefixPair], int]) -> None:
    """Else the comparison above would compare little."""
    for by in NAMES:
        assert len(summed(carried, by, "+-=")) > 1, by
    assert "lab > south" in summed(carried, "site", "-")


def test_each_pair_has_the_bytes_of_its_flows(
    vera: Browser, watch: Program, carried: dict[tuple[str, PrefixPair], int]
) -> None:
    words = {name: sign for sign, name in SIGNS.items()}
    text = vera.get(f"/change/r1/{NEXT}?show=all&sort=pair").text
    row = re.compile(r'"Change"><span class="(\w+)">.*?"Pair"><a [^>]*>(.*?)</a>.*?class="number">(.*?)<', re.DOTALL)
    shown = {(words[sign], PrefixPair.parse(html.unescape(pair))): size for sign, pair, size in row.findall(text)}
    assert shown == {of: gigabytes(size) for of, size in carried.items()}
    listed = watch.get(f"/api/changes/r1/{NEXT}/pairs?show=all&limit=500")["pairs"]
    assert {
        (words[each["change"]], PrefixPair.parse(f"{each['source']}>{each['destination']}")): each["alpha_bytes"]
        for each in listed
    } == carried


def test_the_command_prints_the_table_with_totals(site: Installation, watch: Program) -> None:
    printed = site.run(*OF_CHANGE, "--by", "site").stdout.splitlines()
    at = next(number for number, line in enumerate(printed) if line.startswith("group "))
    asked = watch.get(f"/api/changes/r1/{NEXT}/pairs/groups?by=site")
    expected = [
        [name, gigabytes(carried), *(f"{sign}{n} ({gigabytes(size)})" if n else f"{sign}0" for sign, (n, size) in sums)]
        for name, carried, sums in [
            *((each["name"], each["alpha_bytes"], of_program(each["sums"]).items()) for each in asked["groups"]),
            ("all", asked["alpha_bytes"], of_program(asked["sums"]).items()),
        ]
    ]
    assert [re.split(r"\s{2,}", line.strip()) for line in printed[at + 1 : at + 1 + len(expected)]] == expected
    assert "group " not in site.run(*OF_CHANGE).stdout
    assert "pair_groups" not in site.json(*OF_CHANGE)


def test_groups_come_in_pages_and_lead_to_their_pairs(watch: Program) -> None:
    at = f"/api/changes/r1/{NEXT}/pairs"
    whole = watch.get(f"{at}/groups?by=source")
    found, offset = [], 0
    while offset is not None:
        page = watch.get(f"{at}/groups?by=source&limit=1&offset={offset}")
        found += page["groups"]
        offset = page["next_offset"]
    assert found == whole["groups"]
    for each in found:
        inside = watch.get(f"{at}?show=all&q={each['q']}")
        assert inside["alpha_bytes"] == each["alpha_bytes"]
    some = watch.get(f"{at}/groups?by=source&q={PINNED}")
    assert (some["pairs"], [each["name"] for each in some["groups"]]) == (1, ["198.18.0.0/16"])
    for wrong, status in (("by=as", 400), ("show=new", 400), ("q=nowhere", 400), ("by=reason", 200)):
        assert watch.ask("GET", f"{at}/groups?{wrong}").status_code == status
