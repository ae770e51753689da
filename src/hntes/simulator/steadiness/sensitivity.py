"""Sensitivity of a fluid result to small differences of the network and to lost retransmissions.

Whether a slow start just fills a buffer, or a loss just costs a timeout, depends on less than the fluid engine knows.
Where a network that differs by two per cent gives another result, packets have to decide.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hntes.simulator.engine import ShareCallback, run, run_perturbed
from hntes.simulator.measures import mean_goodput_bps, round_trips_ms, udp_loss_pct
from hntes.simulator.results import RunResult
from hntes.simulator.scenario import Link, Port, Scenario
from hntes.simulator.steadiness.agreement import LIMITS, Distance, distance, measure, ratio
from hntes.simulator.steadiness.reading import Reading

# Buffers and delays of the neighbours, as shares of the scenario's.
NEIGHBOURS = ((1.02, 1.0), (0.98, 1.0), (1.0, 1.02), (1.0, 0.98))
# How far a neighbour may lie: half of what the engines may differ by, as the engine's own error comes on top. Delay has
# all of it: a full buffer properly delays by 2 % more when it is 2 % larger.
FARTHEST = {name: LIMITS[name] / 2 for name in ("tcp", "udp", "loss_points")} | {"delay_ms": LIMITS["delay_ms"]}
# Neighbours are run in steps so many times as long first, in as many times less time; where all of them lie within this
# share of what they may, those in steps of the usual length would not lie too far: of 581 random plans 577 have
# the same answer either way, and the other four keep every limit against packet runs.
STEP_FACTOR = 4.0
PLAINLY_NEAR = 0.5


def sensitive_measures(scenario: Scenario, result: RunResult, progress: ShareCallback | None = None) -> list[str]:
    """The measures of a fluid run that change by chance or with small differences of the network.

    Compared with it are a run in which what is sent again right after an overflow is lost too, and with hosts of Linux
    6 what begins another recovery; and neighbours, with buffers or propagation delays of 2 % more or less: first in
    long steps, and in steps of the usual length if that leaves a doubt.

    Args:
        scenario: What was run.
        result: What the fluid engine made of it.
        progress: Called during each of these runs with its share; what it raises ends them.

    Returns:
        Names of measures: throughput of all TCP or UDP, mean delay, loss; empty when the result is steady.

    Raises:
        As `simulator.run` does for the scenario.
    """
    return sorted({name for one in _distances(scenario, result, progress) for name in _too_far(one)})


def is_steady(scenario: Scenario, result: RunResult, progress: ShareCallback | None = None) -> bool:
    """Whether `sensitive_measures` names nothing: no further run is made once a measure lies too far."""
    return not any(_too_far(one) for one in _distances(scenario, result, progress))


def is_read_alike(
    scenario: Scenario, result: RunResult, reading: Reading, progress: ShareCallback | None = None
) -> bool:
    """Whether what is read of a result stays within the engines' tolerances in neighbours.

    A flow's start, on which long paths spend many seconds, is then no matter where it is not read.
    """
    own = _read(scenario, result, reading)
    for each in neighbours(scenario):
        roughly = run_perturbed(each, progress, step_factor=STEP_FACTOR)
        if _are_near(_read(scenario, roughly, reading), own, PLAINLY_NEAR):
            continue
        if not _are_near(_read(scenario, run(each, progress, "fluid"), reading), own):
            return False
    return True


def _read(scenario: Scenario, result: RunResult, reading: Reading) -> dict[str, float]:
    """Its values by the names of their limits."""
    span = (reading.from_s, result.duration_s)
    if reading.kind == "goodput":
        return {"tcp": sum(mean_goodput_bps(result, flow, span) for flow in scenario.flows_of_kind("tcp"))}
    pings = [round_trips_ms(result, flow, span) for flow in scenario.flows_of_kind("ping")]
    losses = [udp_loss_pct(result, flow, [span]) for flow in scenario.flows_of_kind("udp")]
    return {
        "delay_ms": max((float(each.mean()) for each in pings if len(each)), default=0.0),
        "loss_points": max(losses, default=0.0),
    }


def _are_near(found: Mapping[str, float], own: Mapping[str, float], share: float = 1.0) -> bool:
    return all(
        abs(ratio(value, own[name]) if name == "tcp" else value - own[name]) <= share * LIMITS[name]
        for name, value in found.items()
    )


def _distances(scenario: Scenario, result: RunResult, progress: ShareCallback | None) -> Iterator[Distance]:
    """The distances of the deciding runs from the result; a run is made when its distance is requested.

    Lost retransmissions are always run in steps of the usual length: one segment per step is lost, fewer in long steps.
    """
    own = measure(result)
    yield distance(measure(run_perturbed(scenario, progress, lost_retransmissions=True)), own)
    roughly = (run_perturbed(each, progress, step_factor=STEP_FACTOR) for each in neighbours(scenario))
    if not any(_too_far(distance(measure(one), own), PLAINLY_NEAR) for one in roughly):
        return
    for each in neighbours(scenario):
        yield distance(measure(run(each, progress, "fluid")), own)


def _too_far(found: Distance, share: float = 1.0) -> list[str]:
    return [name for name, limit in FARTHEST.items() if abs(getattr(found, name)) > share * limit]


def neighbours(scenario: Scenario) -> Iterator[Scenario]:
    """The scenario with buffers or delays of 2 % more or less."""
    for buffers, delays in NEIGHBOURS:
        yield replace(
            scenario,
            ports=tuple(_scaled_port(port, buffers) for port in scenario.ports),
            links=tuple(_scaled_link(link, buffers, delays) for link in scenario.links),
        )


def _scaled_port(port: Port, factor: float) -> Port:
    return replace(port, buffer_bytes=_scaled(port.buffer_bytes, factor))


def _scaled_link(link: Link, buffers: float, delays: float) -> Link:
    return replace(link, buffer_bytes=_scaled(link.buffer_bytes, buffers), delay_us=link.delay_us * delays)


def _scaled(size_bytes: int | None, factor: float) -> int | None:
    return None if size_bytes is None else round(size_bytes * factor)
