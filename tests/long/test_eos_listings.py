"""Listings of others' EOS devices (HNTES_REAL_CONFIGURATIONS, folder eos): what becomes of a plan beside each.

`.venv/bin/python -m pytest --long -s -n 0 tests/long/test_eos_listings.py` prints the table. Alpha is on queue 1,
traffic class 0, and network control on 6, which the default maps of marks leave to them.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice, permutations
from pathlib import Path

import pytest

from hntes.platforms.cisco.parser.tree import interface_name
from hntes.platforms.eos.parser.listing import read_listing
from hntes.platforms.registry import platform_of
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.settings.model import Router
from hntes.settings.plans import TwoQueue
from tests.support.harmful_beside import harmful_beside
from tests.support.real_configurations import PAIRS, RANKS, Fate, Listing, fate_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

FOLDER = Path(os.environ.get("HNTES_REAL_CONFIGURATIONS", "/nonexistent"))
LEAST_PASSED_PCT = 90
LEAST_HARMFUL = 300
MOST_TRIED = 40
# What EOS writes at the top of a listing; others' devices lie in the folder as well.
IS_EOS = re.compile(r"^! device: .*EOS|^spanning-tree mode|^switchport default|^interface Ethernet\d", re.MULTILINE)
# Statements that other languages of the same look have.
IS_OTHER = re.compile(r"^ip access-list extended|^feature |^version \d", re.MULTILINE)
PORT = re.compile(r"(Ethernet\d+(?:/\d+){0,2}|Port-Channel\d+)(?:\.(\d+))?")


def listings() -> list[Listing]:
    rows = [json.loads(line) for line in (FOLDER / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    found = [
        Listing(FOLDER / row["file"], "eos", bool(row["qos"] or row["filters"]))
        for row in sorted(rows, key=lambda row: str(row["file"]))
        if str(row["file"]).startswith("eos/")
    ]
    return [each for each in found if IS_EOS.search(each.text) and not IS_OTHER.search(each.text)]


def ports(text: str) -> Iterator[dict[str, object]]:
    """The ports and subinterfaces with an address, as the settings have them."""
    for section in read_listing(text):
        named = PORT.fullmatch(interface_name(section.words) or "")
        if named is not None and any(line.words[1:2] == ("address",) for line in section):
            yield {"name": named[1], "unit": int(named[2] or 0), "rate_bps": 10_000_000_000}


def plans(text: str) -> Iterator[RouterModel]:
    """A plan for each edge and core; of a device with one port for both on it."""
    found = list(ports(text))
    pairs = [[{**one, "role": "edge"}, {**other, "unit": 0, "role": "core"}] for one, other in permutations(found, 2)]
    for each in islice(pairs or [[{**one, "role": "both"}] for one in found], MOST_TRIED):
        tables = [{**table, "ip_versions": [4]} for table in each]
        queues = {"alpha": 1, "network_control": 6}
        router = {"name": "r", "platform": "eos", "flow_folder": "flows", "interfaces": tables, "queues": queues}
        yield build_model(Router.model_validate(router), TwoQueue(kind="two_queue"), PAIRS)


def best_fate(listing: Listing) -> Fate:
    fates = [fate_of(listing, made) for made in plans(listing.text)]
    return min(fates, key=lambda each: RANKS.index(each.outcome), default=Fate("no pair of ports"))


@pytest.fixture(scope="module")
def fates() -> list[tuple[Listing, Fate]]:
    if not (FOLDER / "eos").is_dir():
        pytest.skip("HNTES_REAL_CONFIGURATIONS names no folder with listings of EOS")
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
    platform = platform_of("eos")
    for each, fate in fates:
        # some were typed with masks, as no router lists them: those could be of another platform
        if fate.outcome == "no pair of ports" or re.search(r"ip address \S+ 255\.", each.text):
            continue
        found = platform.inventory(each.text)
        assert found is not None, each.path
        assert found.ports
        assert platform.dialect.owned(each.text).statements == ()
        assert [name for name in ("junos", "iosxr", "iosxe", "sros") if platform_of(name).inventory(each.text)] == []


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
