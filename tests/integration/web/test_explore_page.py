"""Alpha traffic of any period on the page: the sums are those of known flows, and of the command line."""

import re
from pathlib import Path

import pytest

from hntes.rules.pairs import PrefixPair
from hntes.settings.errors import SettingsError
from hntes.workflow.context import opened, settings_of
from hntes.workflow.review.pair_owners import pair_owners
from tests.support.installation import Installation
from tests.support.review_page import Browser, browser, words_in
from tests.support.stored_flows import DAYS, FIRST, flow, steady, stored

LAST = DAYS[-1]
SPAN = f"since={FIRST}&until={LAST}"
SITES = """
[[sites]]
name = "north"
prefixes = ["198.18.0.0/16", "2001:db8:1::/48"]

[[sites]]
name = "lab"
prefixes = ["198.18.10.2/32"]
"""

AS_TABLES = """
[autonomous_systems]
tables = ["v4.pfx2as", "v6.csv"]
"""
PREFIX2AS = "198.18.0.0\t15\t64500\n198.18.10.2\t31\t64501\n203.0.113.0\t24\t64502_64503\n"
GEOLITE = """network,autonomous_system_number,autonomous_system_organization
2001:db8:1::/48,64500,"Lab <b>North</b>, Inc."
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """r1: 5 GB a day from 198.18.10.1 to .5, of which .2 is the lab, and on the last day 7 GB from IPv6.

    By the tables .2 and .3 are in a longer prefix of another AS; the destination of IPv6 is in none.
    """
    six = flow("r1", LAST, "2001:db8:1::7", "2001:db8:2::7", 7, ip_version=6)
    odd = flow("r1", LAST, "192.0.2.1", "203.0.113.9", 1, implausible=True, doubt="port_rate")
    made = stored(tmp_path_factory.mktemp("explore") / "site", [*steady("r1", 5), six, odd, *steady("r2", 3)])
    (made.settings.parent / "v4.pfx2as").write_text(PREFIX2AS)
    (made.settings.parent / "v6.csv").write_text(GEOLITE)
    made.settings.write_text(made.settings.read_text() + SITES + AS_TABLES)
    return made


@pytest.fixture(scope="module")
def vera(site: Installation) -> Browser:
    made = browser(site.settings)
    assert made.log_in("vera").status_code == 303
    return made


def cells(page: str) -> list[list[str]]:
    """The words of the table of groups, row by row."""
    table = page.partition('<table class="cards">')[2].partition("</table>")[0]
    rows = re.findall(r"<tr>\n(.*?)</tr>", table, re.DOTALL)
    return [[words_in(cell) for cell in re.findall(r"<t[hd] [^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in rows]


def test_sites_sum_what_their_prefixes_carry(site: Installation, vera: Browser) -> None:
    page = vera.get(f"/explore?router=r1&by=site&{SPAN}").text
    # 4 x 5 GB, 7 GB, 5 GB of 32 GB
    assert cells(page) == [
        ["north > elsewhere", "27 GB", "84.4%", "5", "4"], ["lab > elsewhere", "5 GB", "15.6%", "1", "1"],
    ]  # fmt: skip
    by = ("flows", "--by", "site", "--router", "r1", "--since", str(FIRST), "--day", str(LAST))
    printed = site.json(*by)
    assert [(each["name"], each["alpha_bytes"], each["flows"], each["days"]) for each in printed["groups"]] == [
        ("north > elsewhere", 27 * 10**9, 5, 4), ("lab > elsewhere", 5 * 10**9, 1, 1),
    ]  # fmt: skip


def test_as_sum_what_their_prefixes_carry(vera: Browser) -> None:
    page = vera.get(f"/explore?router=r1&by=as&{SPAN}").text
    assert cells(page) == [
        ["AS64500 Lab <b>North</b>, Inc. > AS64502 or AS64503", "15 GB", "46.9%", "3", "3"],
        ["AS64501 > AS64502 or AS64503", "10 GB", "31.2%", "2", "2"],
        ["AS64500 Lab <b>North</b>, Inc. > no AS", "7 GB", "21.9%", "1", "1"],
    ]  # fmt: skip
    assert "<b>North" not in page


@pytest.mark.parametrize("by", ["router", "source", "destination", "pair", "site", "as"])
def test_the_page_has_the_numbers_of_the_command_line(site: Installation, vera: Browser, by: str) -> None:
    page = vera.get(f"/explore?router=r1&by={by}&{SPAN}").text
    routers = () if by == "router" else ("--router", "r1")
    printed = site.json("flows", "--by", by, *routers, "--since", str(FIRST), "--day", str(LAST))
    whole = sum(each["alpha_bytes"] for each in printed["groups"])
    assert whole == (47 if by == "router" else 32) * 10**9
    expected = [
        [
            each["name"], f"{each['alpha_bytes'] / 1e9:.3g} GB", f"{100 * each['alpha_bytes'] / whole:.1f}%",
            *([] if each["flows"] is None else [str(each["flows"])]), str(each["days"]),
        ]
        for each in printed["groups"]
    ]  # fmt: skip
    assert cells(page) == expected


@pytest.mark.parametrize("q", ["198.18.10.1", "nonsense"])
def test_a_search_over_all_routers_is_refused_with_what_to_choose(vera: Browser, q: str) -> None:
    answer = vera.get(f"/explore?by=router&q={q}&{SPAN}")
    assert answer.status_code == 400
    assert f"'{q}' is searched on one router only: choose the router, and by = source" in words_in(answer.text)
    assert vera.get(f"/explore?by=router&q=+&{SPAN}").status_code == 200, "an empty field of the form"
    assert vera.get(f"/explore?by=pair&router=r1&q=198.18.10.1&{SPAN}").status_code == 200


def test_without_a_table_it_says_how_to_sum_by_as(tmp_path: Path) -> None:
    bare = stored(tmp_path / "site", steady("r1", 5))
    made = browser(bare.settings)
    made.log_in("vera")
    assert "which name none in [autonomous_systems] yet" in words_in(made.get("/explore").text)
    answer = made.get(f"/explore?router=r1&by=as&{SPAN}")
    assert answer.status_code == 400
    assert "the settings name no table of AS numbers" in words_in(answer.text)
    refused = bare.run("flows", "--by", "as", "--router", "r1", "--day", str(LAST), expect=1)
    assert "add [autonomous_systems]" in refused.stderr


def test_check_counts_the_prefixes_of_the_tables(site: Installation) -> None:
    assert "AS:       4 prefixes of 3 origins" in site.run("check").stdout


def test_sites_that_cannot_be_told_apart_are_refused(tmp_path: Path, site: Installation) -> None:
    text = site.settings.read_text()
    path = tmp_path / "hntes.toml"
    for more, said in (
        ('[[sites]]\nname = "lab"\nprefixes = ["192.0.2.0/24"]', "a name is used twice"),
        ('[[sites]]\nname = "other"\nprefixes = ["198.18.0.0/16"]', "belongs to site north already"),
        ('[[sites]]\nname = "other"\nprefixes = []', "prefixes"),
    ):
        path.write_text(f"{text}\n{more}\n")
        with pytest.raises(SettingsError, match=said):
            settings_of(path)


def test_owners_are_those_of_pins_and_only_while_they_are_active(site: Installation) -> None:
    site.pin("198.18.10.0/24>203.0.113.0/24", str(FIRST), owner="bert")
    pairs = [PrefixPair.parse(each) for each in ("198.18.10.0/24>203.0.113.0/24", "198.18.11.0/24>203.0.113.0/24")]
    with opened(site.settings) as context:
        router = context.settings.router("r1")
        assert pair_owners(context, router, pairs, LAST) == {pairs[0]: ("pinned by bert",)}
        assert pair_owners(context, router, pairs, DAYS[0].replace(day=1)) == {}
        assert pair_owners(context, context.settings.router("r2"), pairs, LAST) == {}
