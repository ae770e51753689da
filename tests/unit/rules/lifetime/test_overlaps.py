"""The index of exclusions against the question asked of each exclusion."""

import random
from datetime import date
from ipaddress import IPv4Network, IPv6Network, ip_network

import pytest

from hntes.rules.lifetime import overlaps
from hntes.rules.lifetime.overlaps import ExclusionIndex
from hntes.rules.lifetime.pair_days import PairDay
from hntes.rules.lifetime.rule_set import excludes, rule_set
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry

DAY = date(2026, 3, 1)
SIDES = ("source", "destination", "either")


def prefix(chance: random.Random, version: int) -> IPv4Network | IPv6Network:
    """Few different bits, so that prefixes of all lengths meet."""
    width = 32 if version == 4 else 128
    head = chance.getrandbits(3) << (width - 3) | chance.getrandbits(2) << (width - 26)
    family = IPv4Network if version == 4 else IPv6Network
    return family((head, chance.choice([0, 1, 2, 3, 20, 24, 25, 26, 30, width])), strict=False)


@pytest.mark.parametrize("seed", range(10))
def test_the_index_finds_what_asking_each_exclusion_finds(seed: int) -> None:
    chance = random.Random(seed)
    exclusions = [
        ExclusionEntry("*", chance.choice(SIDES), str(prefix(chance, chance.choice([4, 6]))), "o", str(n), DAY, DAY)
        for n in range(12)
    ]
    index = ExclusionIndex(exclusions)
    for _ in range(20):
        version = chance.choice([4, 6])
        pair = PrefixPair(prefix(chance, version), prefix(chance, version))
        assert index.hits(pair) == [entry for entry in exclusions if excludes(entry, pair)]


def test_exclusions_are_read_once_however_many_pairs_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counting(text: str) -> IPv4Network | IPv6Network:
        read.append(text)
        return ip_network(text)

    monkeypatch.setattr(overlaps, "ip_network", counting)
    monkeypatch.setattr("hntes.rules.lifetime.rule_set.ip_network", counting)
    exclusions = [ExclusionEntry("*", "either", f"10.{n}.0.0/16", "o", "r", DAY, DAY) for n in range(10)]
    pairs = [PrefixPair.parse(f"10.9.{n}.0/24>192.0.2.0/24") for n in range(100)]
    history = [PairDay(pair, DAY, 1, 1, 1) for pair in pairs]
    found = rule_set(history, [], [], exclusions, router="r1", day=DAY, ageing_days=3)
    assert (len(found.rules), len(found.left)) == (0, 100)
    assert len(read) == len(exclusions)
