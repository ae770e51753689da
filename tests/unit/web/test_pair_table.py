"""The pairs of a change: filtered, sorted, grouped and summed as the query of an address says."""

from datetime import date, timedelta
from ipaddress import ip_network
from random import Random
from urllib.parse import parse_qsl

import pytest

from hntes.rules.pairs import PairError, PrefixPair
from hntes.rules.sites import Sites
from hntes.web.errors import RefusedError
from hntes.web.pair_table import PAGE_PAIRS, Wanted, pair_table, wanted_of
from hntes.workflow.review.pair_bytes import PAIR_DAYS, PairBytes, pair_sums
from hntes.workflow.review.pair_groups import GroupNames

DAY = date(2026, 11, 20)


def one(sign: str, pair: str, *recent: int, reason: str = "") -> PairBytes:
    """With bytes of the last days, the newest last."""
    return PairBytes(sign, PrefixPair.parse(pair), reason, (*(0,) * (PAIR_DAYS - len(recent)), *recent))


A = one("+", "198.18.10.0/24>203.0.113.0/24", 5, 0, reason="seen on 2026-11-19: 1 alpha flow")
B = one("-", "198.18.20.0/24>192.0.2.0/24", 0, 7, reason="aged out: not seen for 31 days")
C = one("=", "198.19.1.0/24>203.0.113.0/24", 9, 1)
D = one("+", "2001:db8:1::/48>2001:db8:2::/48", 2, 2, reason="seen on 2026-11-20: 2 alpha flows")
ALL = (A, D, B, C)


def shown(**given: str) -> list[str]:
    return [str(row.pair.source) for row in pair_table(ALL, wanted_of(given), DAY).rows]


def test_what_is_shown() -> None:
    assert shown() == ["198.18.20.0/24", "198.18.10.0/24", "2001:db8:1::/48"]
    assert shown(show="added") == ["198.18.10.0/24", "2001:db8:1::/48"]
    assert shown(show="removed") == ["198.18.20.0/24"]
    assert shown(show="kept") == ["198.19.1.0/24"]
    assert shown(show="all")[0] == "198.19.1.0/24"
    assert shown(show="all", q="203.0.113.7") == ["198.19.1.0/24", "198.18.10.0/24"]
    assert shown(show="all", q="198.18.0.0/16>") == ["198.18.20.0/24", "198.18.10.0/24"]
    assert shown(q="192.0.2.99>") == []


def test_the_order() -> None:
    assert shown(sort="pair") == ["198.18.10.0/24", "198.18.20.0/24", "2001:db8:1::/48"]
    # A was seen the day before
    assert shown(sort="seen")[-1] == "198.18.10.0/24"
    table = pair_table(ALL, Wanted(), DAY)
    assert [(row.change, row.alpha_bytes, row.last_seen) for row in table.rows] == [
        ("removed", 7, DAY), ("added", 5, DAY - timedelta(days=1)), ("added", 4, DAY),
    ]  # fmt: skip


def test_groups_by_named_site_and_by_owner() -> None:
    sites = Sites.of([(ip_network("198.18.0.0/15"), "north"), (ip_network("198.18.20.0/24"), "lab"),
                      (ip_network("203.0.113.0/25"), "half")])  # fmt: skip
    named = GroupNames(sites, {A.pair: ("pinned by anna",), C.pair: ("pinned by anna",), D.pair: ("a", "b")})
    table = pair_table(ALL, wanted_of({"show": "all", "by": "site"}), DAY, named)
    # the longest prefix names a site; half of a pair's prefix names none
    assert [(row.name, row.alpha_bytes, row.q) for row in table.groups] == [
        ("north > elsewhere", 15, ""), ("lab > elsewhere", 7, ""), ("elsewhere > elsewhere", 4, ""),
    ]  # fmt: skip
    table = pair_table(ALL, wanted_of({"show": "all", "by": "owner"}), DAY, named)
    assert [(row.name, row.alpha_bytes) for row in table.groups] == [
        ("pinned by anna", 15), ("nobody named", 7), ("a, b", 4),
    ]  # fmt: skip


def test_groups_and_their_search() -> None:
    table = pair_table(ALL, wanted_of({"show": "all", "by": "source"}), DAY)
    assert [(row.name, row.alpha_bytes, row.q) for row in table.groups] == [
        ("198.18.0.0/16", 12, "198.18.0.0/16>"), ("198.19.0.0/16", 10, "198.19.0.0/16>"),
        ("2001:db8::/32", 4, "2001:db8::/32>"),
    ]  # fmt: skip
    assert [(row.sums["+"].pairs, row.sums["-"].pairs, row.sums["="].pairs) for row in table.groups] == [
        (1, 1, 0), (0, 0, 1), (1, 0, 0)
    ]  # fmt: skip
    for row in table.groups:
        inside = pair_table(ALL, wanted_of({"show": "all", "q": row.q}), DAY)
        assert inside.alpha_bytes == row.alpha_bytes
    by_reason = pair_table(ALL, wanted_of({"by": "reason"}), DAY).groups
    assert {row.name for row in by_reason} == {"seen on 2026-11-19", "seen on 2026-11-20", "aged out"}


@pytest.mark.parametrize("seed", range(20))
def test_pages_and_groups_hold_every_pair_once(seed: int) -> None:
    random = Random(seed)
    pairs = [
        one(
            random.choice("+-="),
            f"10.{number % 7}.{number % 251}.0/24>172.16.{number // 251}.0/24",
            random.randrange(9),
        )
        for number in range(random.randrange(1, 400))
    ]
    whole = sum(each.by_day[-1] for each in pairs)
    seen: list[PrefixPair] = []
    first: int | None = 1
    while first:
        table = pair_table(pairs, wanted_of({"show": "all", "pair": str(first)}), DAY)
        assert len(table.rows) <= PAGE_PAIRS
        assert (table.of, table.alpha_bytes) == (len(pairs), whole)
        seen += [row.pair for row in table.rows]
        first = table.later
    assert sorted(map(str, seen)) == sorted(str(each.pair) for each in pairs)
    groups = pair_table(pairs, wanted_of({"show": "all", "by": "destination"}), DAY).groups
    assert sum(group.sums[sign].pairs for group in groups for sign in "+-=") == len(pairs)
    assert sum(group.alpha_bytes for group in groups) == whole
    assert sum(each.alpha_bytes for each in pair_sums(pairs).values()) == whole


@pytest.mark.parametrize("given", [{"show": "x"}, {"sort": "size"}, {"by": "as"}, {"pair": "0"}, {"pair": "\u0663"}])
def test_what_cannot_be_asked(given: dict[str, str]) -> None:
    with pytest.raises(RefusedError) as refused:
        wanted_of(given)
    assert refused.value.status == 400


def test_a_search_that_is_no_prefix() -> None:
    with pytest.raises(PairError):
        wanted_of({"q": "<b>"})
    with pytest.raises(RefusedError, match="there is no pair number 5: 3 match"):
        pair_table(ALL, Wanted(first=5), DAY)


def test_an_address_asks_for_what_it_was_made_from() -> None:
    wanted = Wanted("all", "seen", "none", "198.18.0.0/16>", 101)
    assert wanted_of(dict(parse_qsl(wanted.query()))) == wanted
    assert wanted_of(dict(parse_qsl(wanted.query(order="pair", first=1)))) == Wanted(
        "all", "pair", "none", "198.18.0.0/16>"
    )
    assert Wanted().query() == ""
