"""Criterion 3: an alpha flow gets what the link leaves beside the beta load (experiments 3 and 4)."""

from collections.abc import Mapping
from typing import Any

from gate import runs
from gate.criteria.case import Case, cause
from gate.criteria.reading import START_UP_S, goodput_bps
from gate.lab import Ran
from gate.runs import Run
from gate.verdict import Verdict, judged
from simulator.testbed.traffic import datagram_size

FRAMING_BYTES = 38  # Ethernet: preamble, header, check sequence, gap


def wanted(case: Case) -> list[Run]:
    """One run for each beta load of the settings."""
    return [runs.throughput(case.port.plan, case.gate, load) for load in case.gate.beta_loads_pct]


def verdicts(case: Case, ran: list[Ran]) -> list[Verdict]:
    """Goodput after start-up, in per cent of what a work-conserving link leaves."""
    found = []
    for load_pct, each in zip(case.gate.beta_loads_pct, ran, strict=True):
        goodput = goodput_bps(each.trace, "TCP1", START_UP_S, each.trace.duration_s)
        share_pct = 100 * goodput / left_bps(each.scenario)
        holds = share_pct >= case.gate.throughput_pct
        told = f"beside {load_pct:g}% of beta load an alpha flow would get {share_pct:.3g}% of what the link leaves"
        found.append(
            Verdict(
                "throughput", f"alpha_goodput_beside_{load_pct:g}_pct", judged(holds=holds),
                told + ("" if holds else f": {cause(case.port)}"),
                case.gate.throughput_pct, share_pct, "%", each.trace.engine, each.trace.seed, each.scenario_hash,
            )
        )  # fmt: skip
    return found


def left_bps(scenario: Mapping[str, Any]) -> float:
    """The goodput of one TCP flow that fills what UDP leaves of the link: framing and headers taken off."""
    left = runs.port_bps(scenario)
    for flow in scenario["flows"]:
        if flow["traffic"]["kind"] == "udp":
            datagram_bytes = flow["traffic"]["datagram_bytes"]
            _, wire_bytes = datagram_size(datagram_bytes, scenario, FRAMING_BYTES)
            left -= flow["traffic"]["rate_bps"] * wire_bytes / datagram_bytes
    tcp = scenario["tcp"]
    wire_bytes = tcp["segment_data_bytes"] + tcp["header_bytes"] + FRAMING_BYTES
    return float(left * tcp["segment_data_bytes"] / wire_bytes)
