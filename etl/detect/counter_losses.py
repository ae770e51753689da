"""What the interface counters say was lost of a router's day, or reported beyond it."""

from collections.abc import Iterable

from hntes.etl.counters.judge import CounterJudge
from hntes.etl.counters.port_day import HOUR_MS, PortDay
from hntes.etl.detect.losses import Known
from hntes.sql.entries import DayLoss, ObservationEntry

# Of an hour: a wrong factor shows in all hours of a day, and a forger must not pause ageing by a few records.
_MOST_SURPLUS_SHARE = 0.25
BELOW_COUNTERS, ABOVE_COUNTERS = "below_counters", "above_counters"


def counter_losses(judge: CounterJudge, observations: Iterable[ObservationEntry], known: Known) -> tuple[DayLoss, ...]:
    """The losses of the day by cause; they are of the router's interfaces, not of one exporter."""
    return (*_below(judge, known), *_above(judge, observations, known))


def _below(judge: CounterJudge, known: Known) -> Iterable[DayLoss]:
    """Of the interface with most time not seen: in each hour the share of octets that flows lack."""
    losses = [loss for port in judge.ports.values() if (loss := _loss(port))[0]]
    if not losses:
        return
    lost_s, missing, counted = max(losses)
    seen_s = max(int(known.covered_s - lost_s), 0)
    counts = BELOW_COUNTERS not in known.excused and _is_too_little(seen_s, known)
    yield DayLoss(
        known.router, known.day, "", BELOW_COUNTERS, 0, round(missing), 0, round(counted), seen_s, counts
    )  # fmt: skip


def _loss(port: PortDay) -> tuple[float, float, float]:
    """Seconds, octets that flows lack, and octets of the counters."""
    lost_s = missing = 0.0
    for hour in port.hours_below():
        octets = hour.counter_octets - hour.flow_octets
        lost_s += octets / hour.counter_octets * hour.minutes * 60
        missing += octets
    return lost_s, missing, sum(hour.counter_octets for hour in port.hours)


def _above(judge: CounterJudge, observations: Iterable[ObservationEntry], known: Known) -> Iterable[DayLoss]:
    """Of the doubted alpha flows; of the interface with most surplus its share of each hour is time not seen."""
    listed = list(observations)
    doubted = [one for one in listed if one.doubt == "above_counters"]
    lost_s = max((_surplus_s(port) for port in judge.ports.values()), default=0.0)
    if not lost_s and not doubted:
        return
    seen_s = max(int(known.covered_s - lost_s), 0)
    counts = ABOVE_COUNTERS not in known.excused and _is_too_little(seen_s, known)
    yield DayLoss(
        known.router, known.day, "", ABOVE_COUNTERS, sum(one.records for one in doubted),
        sum(one.flow_bytes for one in doubted), sum(one.records for one in listed),
        sum(one.flow_bytes for one in listed), seen_s, counts,
    )  # fmt: skip


def _surplus_s(port: PortDay) -> float:
    shares = (1 - hour.counter_octets / max(hour.flow_octets, 1.0) for hour in port.hours_above())
    return sum(min(max(share, 0.0), _MOST_SURPLUS_SHARE) * HOUR_MS / 1000 for share in shares)


def _is_too_little(seen_s: int, known: Known) -> bool:
    return seen_s < known.min_coverage * known.covered_s
