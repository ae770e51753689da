"""Texts side by side: every line is there once, at its place, under the pair whose term it is."""

import pytest

from hntes.platforms.render import render
from hntes.rules.changeset.diff import diff_text
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import RouterModel
from hntes.web.difference import Owners, Part, parts_of
from tests.support.qos_models import PAIR_TEXTS, PLATFORMS, model

GONE = "198.18.20.0/24>203.0.113.0/24"
COME = ("198.18.30.0/24>203.0.113.0/24", "2001:db8:30::/64>2001:db8:2::/64")


def both(platform: str) -> tuple[RouterModel, RouterModel]:
    """A configuration, and one with a pair less and two more."""
    texts = ([*PAIR_TEXTS], [*(text for text in PAIR_TEXTS if text != GONE), *COME])
    before, after = (model(platform, pairs=map(PrefixPair.parse, each)) for each in texts)
    return before, after


def parts(before: RouterModel, after: RouterModel) -> tuple[Part, ...]:
    return parts_of(diff_text(render(before), render(after)), (before, after))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_line_stands_at_its_place(platform: str) -> None:
    before, after = both(platform)
    old, new = render(before).split("\n"), render(after).split("\n")
    rows = [row for part in parts(before, after) for row in part.rows]
    for text, sides in ((old, [row.old for row in rows]), (new, [row.new for row in rows])):
        for side in filter(None, sides):
            assert text[side.number - 1] == side.text
    # what is not shown is in both, in the same order
    hidden_old = [line for n, line in enumerate(old, 1) if n not in {row.old.number for row in rows if row.old}]
    hidden_new = [line for n, line in enumerate(new, 1) if n not in {row.new.number for row in rows if row.new}]
    assert hidden_old == hidden_new


@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_term_stands_under_its_pair(platform: str) -> None:
    before, after = both(platform)
    found = parts(before, after)
    moved = {part.pair for part in found if part.pair and part.added + part.removed}
    assert {PrefixPair.parse(text) for text in (GONE, *COME)} <= moved
    for text, kind in ((GONE, "removed"), *((text, "added") for text in COME)):
        pair = PrefixPair.parse(text)
        own = [part for part in found if part.pair == pair]
        # the addresses of a pair that comes or goes stand in no other part
        sides = [row.old if kind == "removed" else row.new for part in found if part not in own for row in part.rows]
        assert not any(str(pair.source.network_address) in side.text for side in sides if side)


def test_folded_lines_are_those_between_the_parts() -> None:
    before, after = both("junos")
    found = parts(before, after)
    last = max(row.old.number for part in found for row in part.rows if row.old)
    shown = sum(row.old is not None for part in found for row in part.rows)
    assert sum(part.folded for part in found) == last - shown


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        (" 7 permit ip host 198.18.10.7 203.0.113.0 0.0.0.255", "198.18.10.7/32>203.0.113.0/24"),
        (" 7 permit ip host 198.18.10.7 host 203.0.113.9", "198.18.10.7/32>203.0.113.9/32"),
        (" 7 permit ip 198.18.10.0 0.0.0.255 203.0.113.0 0.0.0.255", "198.18.10.0/24>203.0.113.0/24"),
        (" sequence 7 permit ipv6 host 2001:db8:1::5 2001:db8:2::/64", "2001:db8:1::5/128>2001:db8:2::/64"),
        ("/* 198.18.0.0/16 > 198.51.100.0/24 */", "198.18.0.0/16>198.51.100.0/24"),
        (" ip address 198.18.10.1 255.255.255.0", None),
        (" permit ip 198.18.0.0 0.0.0.255 198.51.100.0 0.0.0.255", None),
    ],
)
def test_a_line_names_its_pair_by_both_prefixes(line: str, pair: str | None) -> None:
    owners = Owners((both("iosxe")[0], None))
    assert owners.of(line) == (PrefixPair.parse(pair) if pair else None)


def test_equal_texts_have_no_parts() -> None:
    before, _ = both("junos")
    assert parts(before, before) == ()
