"""Listings of others' SR OS routers (HNTES_REAL_CONFIGURATIONS, folder sros): what becomes of a plan beside each.

`.venv/bin/python -m pytest --long -s -n 0 tests/long/test_sros_listings.py` prints the table. Alpha is on queue 1 (l2):
routers without a network policy of their own have the default one, which puts AF4x into h2.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from hntes.platforms.registry import platform_of
from hntes.platforms.sros.parser.tree import Node, read_listing
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.settings.model import Router
from hntes.settings.plans import TwoQueue
from tests.support.harmful_beside import harmful_beside
from tests.support.real_configurations import PAIRS, RANKS, Fate, Listing, fate_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

FOLDER = Path(os.environ.get("HNTES_REAL_CONFIGURATIONS", "/nonexistent"))
LEAST_PASSED_PCT = 90
LEAST_HARMFUL = 300


def listings() -> list[Listing]:
    rows = [json.loads(line) for line in (FOLDER / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        Listing(FOLDER / row["file"], "sros", bool(row["qos"] or row["filters"]))
        for row in sorted(rows, key=lambda row: str(row["file"]))
        if str(row["file"]).startswith("sros/")
    ]


def interfaces(configure: Node) -> Iterator[dict[str, object]]:
    """The interfaces of router Base that are on a port, as the settings have them."""
    for each in configure.child("router", "Base", "interface") or ():
        for port in each.child("port") or ():
            name, _, tag = port.word.partition(":")
            yield {"name": name, "unit": int(tag or 0), "logical": each.word, "rate_bps": 10_000_000_000}


def plans(text: str) -> Iterator[RouterModel]:
    """A plan for each edge and core; of a router with one interface for both on it."""
    ports = list(interfaces(read_listing(text)))
    roles = [[{**one, "role": "edge"}, {**other, "role": "core"}] for one, other in permutations(ports, 2)]
    for each in roles or [[{**one, "role": "both"}] for one in ports]:
        tables = [{**table, "ip_versions": [4]} for table in each]
        router = {"name": "r", "platform": "sros", "flow_folder": "flows", "interfaces": tables, "queues": {"alpha": 1}}
        yield build_model(Router.model_validate(router), TwoQueue(kind="two_queue"), PAIRS)


def best_fate(listing: Listing) -> Fate:
    fates = [fate_of(listing, made) for made in plans(listing.text)]
    return min(fates, key=lambda each: RANKS.index(each.outcome), default=Fate("no pair of ports"))


@pytest.fixture(scope="module")
def fates() -> list[tuple[Listing, Fate]]:
    if not (FOLDER / "sros").is_dir():
        pytest.skip("HNTES_REAL_CONFIGURATIONS names no folder with listings of SR OS")
    return [(each, best_fate(each)) for each in listings()]


def test_most_devices_without_qos_or_filters_pass(fates: list[tuple[Listing, Fate]]) -> None:
    for kind, wanted in (("without QoS or filters", False), ("with QoS or filters", True)):
        counts = Counter(fate.outcome for each, fate in fates if each.has_qos is wanted)
        print(f"\n{kind}: {dict(counts)}")
    for each, fate in fates:
        if fate.outcome != "passed":
            print(f"{each.path.name}: {fate.outcome}: {fate.line}: {fate.reason[:200]}")
    plain = [fate.outcome for each, fate in fates if not each.has_qos and fate.outcome != "no pair of ports"]
    assert len(plain) >= 10
    assert 100 * plain.count("passed") >= LEAST_PASSED_PCT * len(plain)


def test_whatever_is_refused_names_its_line(fates: list[tuple[Listing, Fate]]) -> None:
    for each, fate in fates:
        if fate.outcome in ("collides", "not judged") and fate.line:
            assert each.text.split("\n")[fate.line - 1].strip(), (each.path, fate)


def test_names_addresses_and_lifelines_are_read(fates: list[tuple[Listing, Fate]]) -> None:
    platform = platform_of("sros")
    for each, _ in fates:
        found = platform.inventory(each.text)
        assert found is not None, each.path
        assert found.ports
        assert any(one.what == "loopback" for one in platform.lifelines(each.text)), each.path
        assert platform.dialect.owned(each.text).statements == ()
        assert [name for name in ("junos", "iosxr", "iosxe") if platform_of(name).inventory(each.text)] == []


def test_no_harmful_statement_passes_behind_a_listing(fates: list[tuple[Listing, Fate]]) -> None:
    passing = [listing for listing, fate in fates if fate.outcome == "passed"]
    tried, passed = 0, []
    for each in passing:
        made = next(one for one in plans(each.text) if fate_of(each, one).outcome == "passed")
        for text in harmful_beside(made):
            tried += 1
            if fate_of(each, made, text).outcome == "passed":
                passed.append((each.path.name, text))
    print(f"\n{tried} texts in {len(passing)} listings: {len(passed)} passed")
    assert tried >= LEAST_HARMFUL
    assert not passed, passed
