"""The attacks on flow data that were tried against HNTES, as real UDP to a real nfcapd, and the nights after them."""

import json
import resource
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.support.databases import migrated_sqlite
from tests.support.forged_records import forged
from tests.support.forger import (
    EXPORTED_S,
    OUTPUT,
    Collector,
    Sent,
    alpha_flow,
    collecting,
    ipfix,
    ipfix_sampling_option,
    spread_out,
    v5,
    v9,
    v9_sampling_option,
)
from tests.support.installation import ROOT, Installation

EXPORTER = "127.0.0.1"
TODAY = datetime.fromtimestamp(EXPORTED_S, UTC).date()
# Of each form, before the attack and after it: 72 pairs, below the limit of new pairs a night.
TRUE_FLOWS = 12
V9_DOMAIN, IPFIX_DOMAIN = 7, 8
Attack = Callable[[Collector], object]

_SETTINGS = """
[paths]
lake = "{folder}/lake"
output = "{folder}/output"
simulations = "{simulations}"

[database]
url = "{url}"

[ageing]
min_day_coverage = 0.0

[gate]
tcp_profiles = ["linux-2.6.33"]

[plans.recommended]
kind = "two_queue"

[[routers]]
name = "r1"
platform = "junos"
flow_folder = "{flows}"
  [[routers.interfaces]]
  name = "xe-0/0/0"
  role = "edge"
  rate_bps = 10_000_000_000
  snmp_index = 501
  [[routers.interfaces]]
  name = "xe-0/1/0"
  role = "core"
  rate_bps = 10_000_000_000
  snmp_index = {output}
"""


def one_packet(collector: Collector) -> None:
    """One v5 datagram of 72 bytes: 4.2 GB without a duration."""
    collector.send(v5([Sent("10.66.0.1", "10.66.0.2", 4_200_000_000, 2_800_000, duration_ms=0)]), EXPORTER)


def sampling_header(collector: Collector) -> None:
    """One v5 datagram whose header makes 65 kB stand for 1.07 GB."""
    forged = Sent("10.66.0.1", "10.66.0.2", 65_500, 1, duration_ms=0)
    collector.send(v5([forged], engine=9, sampling_header=0x4000 | 16_383), EXPORTER)


def sampling_options(collector: Collector) -> None:
    """Options that make nfcapd multiply 2,000 small flows, and the true ones, of v9 and IPFIX by a million."""
    small = spread_out(Sent("", "", 1500, 1, duration_ms=0), 1000)
    for option, export, domain in ((v9_sampling_option, v9, V9_DOMAIN), (ipfix_sampling_option, ipfix, IPFIX_DOMAIN)):
        collector.send(option(1_000_000, domain), EXPORTER)
        collector.send(export(small, domain), EXPORTER)


def many_pairs(collector: Collector) -> None:
    """2,000 pairs of 1.1 GB in the same ten seconds: every record can be true of a port of 10 Gb/s."""
    collector.send(v5(spread_out(Sent("", "", 1_100_000_000, 733_333, duration_ms=10_000), 2000)), EXPORTER)


def overfilled_minute(collector: Collector) -> None:
    """Four datagrams, 120 records of 0.75 GB within one minute out of one port."""
    flood = [
        Sent("10.66.1.1", "10.66.2.1", 750_000_000, 500_000, duration_ms=1000, age_ms=90_000, source_port=1000 + n)
        for n in range(120)
    ]
    collector.send(v5(flood), EXPORTER)


def many_keys(collector: Collector) -> None:
    """60,000 pairs in 2,000 datagrams, each just above the threshold: time."""
    collector.send(v5(spread_out(Sent("", "", 1_100_000_000, 733_333, duration_ms=10_000), 60_000)), EXPORTER)


def two_records(collector: Collector) -> None:
    """30,000 pairs of two records each, none above the threshold by itself."""
    half = Sent("", "", 550_000_000, 366_666, duration_ms=5000)
    for age_ms in (60_000, 55_000):
        collector.send(v5(spread_out(replace(half, age_ms=age_ms), 30_000)), EXPORTER)


def long_records(collector: Collector) -> None:
    """60,000 pairs of one record that lasts longer than the window."""
    collector.send(v5(spread_out(Sent("", "", 4_290_000_000, 2_860_000, duration_ms=200_000), 60_000)), EXPORTER)


ATTACKS: dict[str, Attack] = {
    each.__name__: each
    for each in (
        one_packet, sampling_header, sampling_options, many_pairs, overfilled_minute, many_keys,
        two_records, long_records,
    )
}  # fmt: skip


def attacks() -> dict[str, Attack]:
    """All of them, by name."""
    return ATTACKS | forged(_true(0)["v5"])


@dataclass(frozen=True)
class Night:
    """What a night made of a day's flows: its rules, what its commands say, and its processor time."""

    site: Installation
    pairs: frozenset[str]
    alpha_flows: dict[str, dict[str, Any]]
    cpu_s: float

    @property
    def told(self) -> dict[str, str]:
        """What a person and a monitor are told."""
        return {
            "files": command(self.site, "data", "files"),
            "change": command(self.site, "change", "show", "--router", "r1"),
            "metrics": command(self.site, "metrics"),
        }

    def approved(self) -> int:
        """The exit status of an approval."""
        (waiting,) = json.loads(command(self.site, "change", "list", "--json"))
        arguments = ("change", "approve", "--router", "r1", "--hash", waiting["candidate_hash"], "--who", "anna")
        return subprocess.run(self.site.command(*arguments), cwd=ROOT, check=False, capture_output=True).returncode


def night_after(folder: Path, attack: Attack | None, background_records: int = 0) -> Night:
    """A night over a file of true flows of three export forms, and one in which the attack stands between others."""
    flows = folder / "flows"
    flows.mkdir(parents=True)
    with collecting(flows / f"nfcapd.{TODAY:%Y%m%d}0000") as collector:
        _send_true(collector, 0)
    with collecting(flows / f"nfcapd.{TODAY:%Y%m%d}0005") as collector:
        collector.send(v5(map(_small_flow, range(background_records)), engine=1), EXPORTER)
    with collecting(flows / f"nfcapd.{TODAY:%Y%m%d}0010") as collector:
        if attack:
            attack(collector)
        _send_true(collector, 1)
    site = _installation(folder, flows)
    before = _cpu_s()
    command(site, "nightly", "--day", f"{TODAY}")
    spent = _cpu_s() - before
    rules = json.loads(command(site, "rules", "--day", f"{TODAY}", "--json"))
    found = json.loads(command(site, "flows", "--day", f"{TODAY}", "--json"))
    pairs = frozenset(f"{rule['pair']['source']}>{rule['pair']['destination']}" for rule in rules["r1"]["rules"])
    return Night(site, pairs, {flow["flow_id"]: flow for flow in found}, spent)


def true_flows() -> frozenset[str]:
    """The alpha flows that were really sent, by flow id."""
    return frozenset(flow.flow_id for part in (0, 1) for flows in _true(part).values() for flow in flows)


def command(site: Installation, *arguments: str) -> str:
    """What a command prints, in a process of its own; status 3 (finished, with something to look at) is no failure."""
    done = subprocess.run(site.command(*arguments), cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode in (0, 3), f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def _true(part: int) -> dict[str, list[Sent]]:
    # six a minute: 9 GB of the 75 that the port carries
    flows = [
        replace(
            alpha_flow(n),
            source=f"198.18.{36 * part + n}.5",
            age_ms=2_000 + (6 * part + n // 6) * 60_000 % 540_000,
        )
        for n in range(3 * TRUE_FLOWS)
    ]
    return {"v5": flows[:12], "v9": flows[12:24], "ipfix": flows[24:]}


def _small_flow(number: int) -> Sent:
    ends = f"10.{number % 250}.{number // 250 % 250}.7", f"192.0.2.{number % 250}"
    return Sent(*ends, 15_000, 10, duration_ms=1000, age_ms=number % 500_000, source_port=1024 + number // 62_500)


def _send_true(collector: Collector, part: int) -> None:
    true = _true(part)
    collector.send(v5(true["v5"]), EXPORTER)
    collector.send(v9(true["v9"], V9_DOMAIN), EXPORTER)
    collector.send(ipfix(true["ipfix"], IPFIX_DOMAIN), EXPORTER)


def _installation(folder: Path, flows: Path) -> Installation:
    settings = folder / "hntes.toml"
    url = migrated_sqlite(folder / "hntes.db")
    simulations = ROOT / "var" / "simulations"
    settings.write_text(_SETTINGS.format(folder=folder, flows=flows, url=url, simulations=simulations, output=OUTPUT))
    return Installation(settings, url, folder / "lake", folder / "output")


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
