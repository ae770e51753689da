"""The distance of one engine's run from runs of the other, per measure, in comparison with random variation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from hntes.simulator.measures import lost_share
from hntes.simulator.results import FlowTotals, RunResult

# Tolerances between the engines: ratios less one, milliseconds, percentage points.
LIMITS = {"tcp": 0.02, "udp": 0.02, "delay_ms": 5.0, "loss_points": 1.0, "epoch": 0.1}
# Fewer recoveries than this say nothing about the time between them.
FEWEST_RECOVERIES = 5


@dataclass(frozen=True)
class Measures:
    """The compared measures of a run, or their medians over several runs.

    Payload in bytes, of all TCP, all UDP and each flow; mean round-trip times of pings in ms; the shares of all TCP and
    all UDP packets that were lost; recoveries of all TCP flows.
    """

    goodput: Mapping[str, float]
    flows: Mapping[str, float]
    ping_ms: Mapping[str, float]
    loss: Mapping[str, float]
    recoveries: float


@dataclass(frozen=True)
class Distance:
    """The distances of measures from others of the same plan.

    Throughputs as ratios less one, of all TCP and of UDP; the difference of a ping's mean in ms, of the ping with the
    greatest; the greatest difference of a loss share in percentage points; the time between recoveries as a ratio less
    one, where both had five or more.
    """

    tcp: float
    udp: float
    delay_ms: float
    loss_points: float
    epoch: float | None

    def misses(self) -> list[str]:
        """The measures outside their limits."""
        return [name for name, limit in LIMITS.items() if abs(getattr(self, name) or 0) > limit]

    def decisive_misses(self) -> list[str]:
        """Those of them that count: all but the time between recoveries, a count of some tens."""
        return [name for name in self.misses() if name != "epoch"]


def measure(result: RunResult) -> Measures:
    """The measures of one run."""
    kinds = {kind: [flow for flow in result.flows.values() if flow_kind(flow) == kind] for kind in ("tcp", "udp")}
    return Measures(
        goodput={kind: float(sum(flow.goodput_bytes for flow in flows)) for kind, flows in kinds.items()},
        flows={name: float(flow.goodput_bytes) for name, flow in result.flows.items() if flow_kind(flow) != "ping"},
        ping_ms={name: flow.ping.mean_ms for name, flow in result.flows.items() if flow.ping},
        loss={kind: lost_share(flows) for kind, flows in kinds.items()},
        recoveries=sum(flow.tcp["recoveries"] + flow.tcp["local_congestions"] for flow in kinds["tcp"] if flow.tcp),
    )


def median_of(measures: Sequence[Measures]) -> Measures:
    """The median of each measure."""

    def medians(pick: Callable[[Measures], Mapping[str, float]]) -> dict[str, float]:
        return {name: median(pick(one)[name] for one in measures) for name in pick(measures[0])}

    return Measures(
        goodput=medians(lambda one: one.goodput),
        flows=medians(lambda one: one.flows),
        ping_ms=medians(lambda one: one.ping_ms),
        loss=medians(lambda one: one.loss),
        recoveries=median(one.recoveries for one in measures),
    )


def distance(measures: Measures, reference: Measures) -> Distance:
    """From `reference` to `measures`."""
    counts = (measures.recoveries, reference.recoveries)
    delays = [measures.ping_ms[name] - other for name, other in reference.ping_ms.items() if name in measures.ping_ms]
    return Distance(
        tcp=ratio(measures.goodput["tcp"], reference.goodput["tcp"]),
        udp=ratio(measures.goodput["udp"], reference.goodput["udp"]),
        delay_ms=max(delays, key=abs, default=0.0),
        loss_points=max((100 * (measures.loss[kind] - reference.loss[kind]) for kind in ("tcp", "udp")), key=abs),
        epoch=counts[1] / counts[0] - 1 if min(counts) >= FEWEST_RECOVERIES else None,
    )


def spread(runs: Sequence[Measures]) -> dict[str, float]:
    """The distance of the farthest run from the median, per measure."""
    middle = median_of(runs)
    distances = [distance(one, middle) for one in runs]
    return {name: max(abs(getattr(one, name) or 0) for one in distances) for name in LIMITS}


@dataclass(frozen=True)
class AgreementVerdict:
    """One configuration: how far all measures lie, the flow whose throughput lies farthest, what misses its limit."""

    distance: Distance
    worst_flow: tuple[str, float]
    misses: list[str]


def compare(measures: Measures, packets: Sequence[Measures]) -> AgreementVerdict:
    """Compare measures with the median of packet runs, by every limit but that of the time between recoveries."""
    middle = median_of(packets)
    far = distance(measures, middle)
    flows = {name: ratio(value, middle.flows[name]) for name, value in measures.flows.items()}
    misses = far.decisive_misses() + [name for name, value in flows.items() if abs(value) > LIMITS["tcp"]]
    return AgreementVerdict(far, max(flows.items(), key=lambda item: abs(item[1])), misses)


def ratio(value: float, reference: float) -> float:
    """By which share a value lies above its reference."""
    return value / reference - 1 if reference else 0.0


def flow_kind(flow: FlowTotals) -> str:
    """tcp, udp or ping."""
    return "tcp" if flow.tcp is not None else "udp" if flow.udp is not None else "ping"
