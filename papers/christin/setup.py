"""The numbers of `setup.toml`: what the paper states, and what it does not say."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hntes.papers.stated import read_setup
from hntes.simulator.scenario import Discipline, Guarantees, Marking


@dataclass(frozen=True)
class Classes:
    """Experiment 2; `on_off_flows` and `guarantees` are class by class."""

    duration_s: float
    link_bps: float
    buffer_bytes: int
    greedy_flows_per_class: int
    on_off_flows: tuple[int, ...]
    greedy_round_trip_ms: float
    on_off_round_trip_ms: tuple[float, float]
    promised_bps: float
    guarantees: tuple[Guarantees, ...]
    markings: Mapping[str, Marking]


@dataclass(frozen=True)
class Assumed:
    """Of both experiments."""

    window_pkts: int
    selective_acknowledgements: bool
    header_bytes: int
    settled_from_s: float
    access_bps: float
    red_marks_below: float
    credits_at_arrivals: bool
    classes_counted_from_s: float
    throughput_over_s: float


@dataclass(frozen=True)
class Setup:
    """Experiment 1, and what else there is. Ranges of `round_trip_ms` and `start_s` are those of single flows."""

    duration_s: float
    link_bps: float
    buffer_bytes: int
    packet_bytes: int
    greedy_flows: int
    on_off_flows: int
    on_mean_pkts: int
    off_mean_s: float
    round_trip_ms: tuple[float, float]
    start_s: tuple[float, float]
    disciplines: Mapping[str, Discipline]
    classes: Classes
    assumed: Assumed


@cache
def setup() -> Setup:
    """All numbers."""
    return read_setup(Setup, __file__)
