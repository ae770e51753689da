"""The runs of criterion 10: bursts of beta traffic beside an alpha flow, and alone through the port's whole buffer."""

from dataclasses import replace
from functools import lru_cache

from hntes.gate.bursty_beta import BurstyBeta
from hntes.gate.ports import PlannedPort, single_queue
from hntes.gate.runs import WantedRun
from hntes.settings.hosts import HostProfile
from hntes.settings.model import Gate
from hntes.simulator import PortPlan, load_experiment
from hntes.simulator.scenario import Flow, PingTraffic, Scenario, Tcp
from hntes.simulator.testbed.burst_traffic import BurstTraffic, with_bursts
from hntes.simulator.testbed.files import load_parameters
from hntes.simulator.testbed.traffic import without

# Each run has bursts of its own.
RUNS = 3
DURATION_S = 4.5
# The alpha flow begins, and has filled the link.
ALPHA_FROM_S = 0.5
MEASURED_FROM_S = 1.0
# Frames of 9,000 bytes take a third of the time to simulate; delays differ by less than those of two seeds do.
_SEGMENT_BYTES = 8948
_MERGED_BYTES = 65_536
_PING_EVERY_S = 0.002
_DELAY_US = 900.0
_KEPT = 64


def beside_alpha(port: PlannedPort, gate: Gate, hosts: HostProfile, load: BurstyBeta, number: int) -> WantedRun:
    """Bursts through the plan beside an alpha flow."""
    return _by_packets(_scenario(port.plan, _seed(gate, number), hosts, load, has_alpha=True))


def alone(port: PlannedPort, gate: Gate, hosts: HostProfile, load: BurstyBeta, number: int) -> WantedRun:
    """The same bursts without an alpha flow, through a single queue of the port's whole buffer.

    Queues that bursts alone make are no plan's doing.
    """
    return _by_packets(_scenario(single_queue(port.buffer_ms), _seed(gate, number), hosts, load, has_alpha=False))


def _seed(gate: Gate, number: int) -> int:
    return RUNS * gate.seed + number


def _by_packets(scenario: Scenario) -> WantedRun:
    return WantedRun(scenario, scenario.duration_s, needs_packets=True)


@lru_cache(maxsize=_KEPT)
def _scenario(plan: PortPlan, seed: int, hosts: HostProfile, load: BurstyBeta, *, has_alpha: bool) -> Scenario:
    """Experiment 6 without its constant load; bursts enter where the alpha flow does not."""
    published = load_experiment(6).case("beta-40", "htcp-udp-3").scenario(seed, load_parameters(hosts), plan)
    left_out = published.flows_of_kind("udp") + ([] if has_alpha else published.flows_of_kind("tcp"))
    kept = without(published, left_out)
    (port,), rate_bps, tcp = kept.ports, kept.port_rate_bps(), _with_long_segments(kept.tcp)
    scenario = replace(
        kept,
        name="bursts/plan" if has_alpha else "bursts/alone",
        duration_s=DURATION_S,
        flows=tuple(map(_through_the_run, kept.flows)),
        tcp=tcp,
    )
    payload_share = _SEGMENT_BYTES / (_SEGMENT_BYTES + (tcp.header_bytes or 0))
    traffic = BurstTraffic(
        load.mean_pct / 100 * rate_bps * payload_share, load.peak_factor, load.host_pct / 100 * rate_bps
    )
    return with_bursts(scenario, traffic, port.at, port.to, _DELAY_US)


def _with_long_segments(tcp: Tcp) -> Tcp:
    return replace(tcp, segment_data_bytes=_SEGMENT_BYTES, merge_segments=_MERGED_BYTES // _SEGMENT_BYTES)


def _through_the_run(flow: Flow) -> Flow:
    if isinstance(flow.traffic, PingTraffic):
        traffic = replace(flow.traffic, interval_s=_PING_EVERY_S)
        return replace(flow, intervals_s=((0.0, DURATION_S),), traffic=traffic)
    return replace(flow, intervals_s=((ALPHA_FROM_S, DURATION_S),))
