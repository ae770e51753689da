"""Harmful statements behind listings of others' routers (HNTES_REAL_CONFIGURATIONS): none of them passes."""

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.support.harmful_beside import harmful_beside
from tests.support.qos_models import PLATFORMS
from tests.support.real_configurations import Listing, best_plan, fate_of, listings

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

FOLDER = Path(os.environ.get("HNTES_REAL_CONFIGURATIONS", "/nonexistent"))
CHOSEN_PER_PLATFORM = 20
# Longer listings take minutes with each statement.
MOST_LINES = 700
LEAST_LISTINGS, LEAST = 30, 300
# Of SR OS few listings have two ports; test_sros_listings.py takes those with one, too.
LEAST_PER_PLATFORM = 2


def _passed_with(listing: Listing) -> tuple[int, list[str]] | None:
    """How many statements were tried behind a listing, and those that passed; None where no plan passes without."""
    fate, made = best_plan(listing)
    if made is None or fate.outcome != "passed":
        return None
    tried = [text if listing.path.parent.name != "junos-set" else _as_set(text) for text in harmful_beside(made)]
    return len(tried), [text for text in tried if fate_of(listing, made, text).outcome == "passed"]


def _as_set(text: str) -> str:
    from hntes.platforms.junos.statements import read_statements

    lines = [" ".join(map(_quoted, words)) for words in read_statements(text)]
    return "\n" + "".join(f"set {line}\n" for line in lines)


def _quoted(word: str) -> str:
    return f'"{word}"' if "*" in word else word


def test_no_harmful_statement_passes_behind_a_real_listing() -> None:
    if not FOLDER.is_dir():
        pytest.skip("HNTES_REAL_CONFIGURATIONS names no folder of listings")
    short = [each for each in listings(FOLDER) if each.text.count("\n") < MOST_LINES]
    chosen = [
        each
        for platform in PLATFORMS
        for each in [one for one in short if one.platform == platform][:CHOSEN_PER_PLATFORM]
    ]
    with ProcessPoolExecutor(2) as pool:
        results = list(zip(chosen, pool.map(_passed_with, chosen), strict=True))
    passing = [(listing, result) for listing, result in results if result is not None]
    passed = [(listing.path.name, text) for listing, (_, texts) in passing for text in texts]
    tried = sum(number for _, (number, _) in passing)
    print(f"\n{tried} texts in {len(passing)} listings: {len(passed)} passed")
    counts = Counter(listing.platform for listing, _ in passing)
    assert {platform for platform in PLATFORMS if counts[platform] < LEAST_PER_PLATFORM} == set()
    assert len(passing) >= LEAST_LISTINGS
    assert tried >= LEAST
    assert not passed, passed
