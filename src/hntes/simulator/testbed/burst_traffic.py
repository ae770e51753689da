"""Bursty traffic: hosts that send bursts of Pareto sizes, with a given mean and busiest tenth of a second."""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil

import numpy as np

from hntes.simulator.results import Floats
from hntes.simulator.scenario import Flow, Link, Scenario, TcpTraffic, Transfer

# Crovella and Bestavros 1997 and later: sizes of transfers have tails of shape 1.1 to 1.7.
PARETO_SHAPE = 1.5
# 4 MB at 3 Gb/s give a busiest tenth of a second of twice the mean by themselves: so many bursts come per second.
BURSTS_PER_S = 94
PEAK_S = 0.1
HOSTS = 95
# Slow starts spread the bursts: what crosses the port exceeds its mean by so much less than what is begun.
_SPREAD = 1.2
# Schedules are drawn until the peak is met so exactly; of the most that are drawn the nearest counts.
_TOLERANCE = 0.02
_MOST_DRAWS = 400
_STEP_S = 0.01
_PREFIX = "burst"
# Runs with and without other traffic have the same bursts.
_KEPT = 16


@dataclass(frozen=True)
class BurstTraffic:
    """The load of a group of hosts: payload in bit/s, its peak (busiest 0.1 s) over the mean, and a host's rate."""

    mean_bps: float
    peak_factor: float
    host_bps: float


@dataclass(frozen=True)
class BurstSchedule:
    """Starts and sizes of bursts, by growing start; `peak_factor` as it was begun by hosts that start at full rate."""

    starts_s: Floats
    sizes_bytes: Floats
    peak_factor: float


def with_bursts(scenario: Scenario, traffic: BurstTraffic, at: str, to: str, delay_us: float) -> Scenario:
    """The scenario with a group of hosts at router `at` that send bursts to host `to`; the port's default class has it.

    Every burst is a connection of its own, by CUBIC. The scenario's seed determines sizes and starts.
    """
    schedule = burst_schedule(traffic, scenario.duration_s, scenario.seed)
    (model, *_) = scenario.hosts
    hosts = tuple(replace(model, name=f"{_PREFIX}-host-{number}") for number in range(HOSTS))
    links = tuple(Link(host.name, at, traffic.host_bps, delay_us) for host in hosts)
    flows = tuple(
        Flow(
            f"{_PREFIX}-{number}", hosts[number % HOSTS].name, to, ((float(start_s), scenario.duration_s),),
            TcpTraffic("cubic", data=Transfer(int(size_bytes))),
        )
        for number, (start_s, size_bytes) in enumerate(zip(schedule.starts_s, schedule.sizes_bytes, strict=True))
    )  # fmt: skip
    return replace(
        scenario,
        hosts=(*scenario.hosts, *hosts),
        links=(*scenario.links, *links),
        flows=(*scenario.flows, *flows),
    )


def burst_flows(scenario: Scenario) -> list[str]:
    """The names of its bursts."""
    return [flow.name for flow in scenario.flows if flow.name.startswith(f"{_PREFIX}-")]


@lru_cache(maxsize=_KEPT)
def burst_schedule(traffic: BurstTraffic, duration_s: float, seed: int) -> BurstSchedule:
    """Bursts of the wanted mean, arranged by chance so that the busiest 0.1 s has the wanted peak.

    Sizes are the quantiles of a Pareto distribution in a random order: their sum, and so the mean, is no matter of
    luck. A higher peak takes fewer and larger bursts: its excess grows with the root of their size.
    """
    excess = _SPREAD * (traffic.peak_factor - 1)
    count = max(1, ceil(BURSTS_PER_S * duration_s * (_SPREAD / excess) ** 2))
    quantiles = (1 - (np.arange(count) + 0.5) / count) ** (-1 / PARETO_SHAPE)
    total_bytes = traffic.mean_bps * duration_s / 8
    sizes = quantiles / quantiles.sum() * total_bytes
    random = np.random.default_rng([seed, count])
    drawn = (
        _drawn(random.uniform(0, duration_s, count), random.permutation(sizes), traffic, duration_s)
        for _ in range(_MOST_DRAWS)
    )
    best: BurstSchedule | None = None
    for schedule in drawn:
        if best is None or _miss(schedule, excess) < _miss(best, excess):
            best = schedule
        if _miss(best, excess) <= _TOLERANCE:
            break
    assert best is not None  # noqa: S101 - at least one is drawn
    return best


def _miss(schedule: BurstSchedule, excess: float) -> float:
    return abs(schedule.peak_factor - 1 - excess)


def _drawn(starts_s: Floats, sizes_bytes: Floats, traffic: BurstTraffic, duration_s: float) -> BurstSchedule:
    order = np.argsort(starts_s)
    peak_bps = _peak_bps(starts_s, sizes_bytes, traffic.host_bps, duration_s)
    return BurstSchedule(starts_s[order], sizes_bytes[order], peak_bps / traffic.mean_bps)


def _peak_bps(starts_s: Floats, sizes_bytes: Floats, host_bps: float, duration_s: float) -> float:
    """The most that hosts send in 0.1 s, each at its full rate from the start of a burst to its end."""
    ends_s = starts_s + sizes_bytes * 8 / host_bps
    at_s = np.arange(0, duration_s + _STEP_S / 2, _STEP_S)
    sent_s = _sum_since(starts_s, at_s) - _sum_since(ends_s, at_s)
    window = round(PEAK_S / _STEP_S)
    return float((sent_s[window:] - sent_s[:-window]).max() * host_bps / PEAK_S)


def _sum_since(events_s: Floats, at_s: Floats) -> Floats:
    """At each time, how long ago the earlier events were, in all."""
    ordered = np.sort(events_s)
    before = np.searchsorted(ordered, at_s)
    sums = np.concatenate(([0.0], np.cumsum(ordered)))
    passed: Floats = before * at_s - sums[before]
    return passed
