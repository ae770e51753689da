"""Exclusions of all pairs at once against the question asked of each pair."""

import random
from datetime import date
from ipaddress import IPv4Network, IPv6Network

import numpy as np
import pytest

from hntes.rules.columns import PairColumns
from hntes.rules.lifetime import evenings
from hntes.rules.lifetime.evenings import exclusion_hits
from hntes.rules.lifetime.rule import excludes
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry
from tests.support.rule_sets import PairDay, rule_set

DAY = date(2026, 3, 1)
SIDES = ("source", "destination", "either")


def prefix(chance: random.Random, version: int) -> IPv4Network | IPv6Network:
    """Few different bits, so that prefixes of all lengths meet."""
    width = 32 if version == 4 else 128
    head = chance.getrandbits(3) << (width - 3) | chance.getrandbits(2) << (width - 26)
    family = IPv4Network if version == 4 else IPv6Network
    return family((head, chance.choice([0, 1, 2, 3, 20, 24, 25, 26, 30, width])), strict=False)


@pytest.mark.parametrize("seed", range(10))
def test_an_exclusion_hits_the_pairs_that_it_excludes(seed: int) -> None:
    chance = random.Random(seed)
    pairs = []
    for _ in range(20):
        version = chance.choice([4, 6])
        pairs.append(PrefixPair(prefix(chance, version), prefix(chance, version)))
    columns = PairColumns.of(pairs)
    for number in range(12):
        given = str(prefix(chance, chance.choice([4, 6])))
        entry = ExclusionEntry("*", chance.choice(SIDES), given, "o", str(number), DAY, DAY)
        assert exclusion_hits(columns, entry).tolist() == [excludes(entry, pair) for pair in pairs]


def test_an_exclusion_is_looked_up_once_however_many_pairs_and_evenings_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def counting(pairs: PairColumns, entry: ExclusionEntry) -> "np.typing.NDArray[np.bool_]":
        asked.append(entry)
        return exclusion_hits(pairs, entry)

    monkeypatch.setattr(evenings, "exclusion_hits", counting)
    exclusions = [ExclusionEntry("*", "either", f"10.{n}.0.0/16", "o", "r", DAY, DAY) for n in range(10)]
    pairs = [PrefixPair.parse(f"10.9.{n}.0/24>192.0.2.0/24") for n in range(100)]
    found = rule_set(
        [PairDay(pair, DAY, 1, 1, 1) for pair in pairs], [], [], exclusions, router="r1", day=DAY, ageing_days=3
    )
    assert (len(found.rules), len(found.left)) == (0, 100)
    assert len(asked) == len(exclusions)
