"""The subject of a criterion: the plan of one or several ports, its beta peak, the limits."""

from dataclasses import dataclass

from hntes.gate.beta_peak import BetaPeak
from hntes.gate.ports import PlannedPort
from hntes.gate.runs import TESTBED_MS, start_up_s
from hntes.settings.hosts import HostProfile
from hntes.settings.model import Gate
from hntes.simulator import MarkerPlan
from hntes.simulator.testbed.marker_plan import COLOURS

# What a beta datagram of 8320 bytes of IP takes of the link, over that.
_LINK_TIME = 8548 / 8320


@dataclass(frozen=True)
class JudgedPlan:
    """A plan with the beta load that it has to carry, and what it is asked with.

    `hosts` is whose TCP the hosts of its runs have, `round_trip_ms` that of alpha flows without queues.
    """

    port: PlannedPort
    gate: Gate
    beta_peak: BetaPeak
    hosts: HostProfile = "linux-2.6.33"
    round_trip_ms: float = TESTBED_MS

    @property
    def is_far(self) -> bool:
        """Whether it was asked over a shorter round trip before."""
        return self.round_trip_ms > min(self.gate.round_trips_ms)

    @property
    def start_up_s(self) -> float:
        """How long alpha flows take to get over their slow start."""
        return start_up_s(self.round_trip_ms)

    @property
    def loads_pct(self) -> tuple[float, ...]:
        """The beta loads beside which an alpha flow is run: those of the settings, at most the peak."""
        return tuple(sorted({min(load, self.beta_peak.pct) for load in self.gate.beta_loads_pct}))

    @property
    def is_quiet(self) -> bool:
        """Whether the port's beta peak is below all beta loads of the settings."""
        return self.beta_peak.pct < min(self.gate.beta_loads_pct)

    @property
    def depends_on_windows(self) -> bool:
        """Whether alpha's windows decide if packets are lost or late.

        They do in one queue for all, where packets are treated by a rate or a queue's length, and where beta is
        guaranteed less than it sends. Elsewhere beta has what is its, however full the alpha queue is.
        """
        plan, beta = self.port.plan, self.port.plan.beta_queue
        is_metered = plan.policer is not None or plan.marker is not None
        drops_early = any(queue.ecn is not None or queue.early_drops for queue in plan.queues)
        guaranteed_pct = next(queue.rate_share_pct for queue in plan.queues if queue.name == beta)
        needed_pct = self.beta_peak.pct * _LINK_TIME
        return self.port.is_single_queue or is_metered or drops_early or guaranteed_pct < needed_pct

    @property
    def moves_packets(self) -> bool:
        """Whether packets of one flow may take different queues."""
        policer = self.port.plan.policer
        return policer is not None and policer.to_queue is not None


def cause_unless(holds: bool, port: PlannedPort) -> str:
    """The end of a sentence: nothing if all is well, else the cause after a colon."""
    return "" if holds else f": {cause(port)}"


def why_lost(plan: JudgedPlan, load_pct: float, *, holds: bool) -> str:
    """The end of a sentence on a beta load: nothing if all is well, else a share that is too small, or the cause."""
    if holds:
        return ""
    port, queues = plan.port, plan.port.plan.queues
    share_pct = next(queue.rate_share_pct for queue in queues if queue.name == port.plan.beta_queue)
    if not port.is_single_queue and share_pct < load_pct:
        return f": {port.words_of(port.plan.beta_queue)} is guaranteed {share_pct:g}% of {port.name} only"
    return f": {cause(port)}"


def cause(port: PlannedPort) -> str:
    """The part of the plan that causes a failure for alpha or beta traffic."""
    plan = port.plan
    if port.is_single_queue:
        return f"alpha and other traffic share {port.words_of(plan.alpha_queue)} of {port.name}"
    policer = plan.policer
    if policer is not None and policer.to_queue is not None:
        return f"{port.policer_words} puts alpha packets above its rate into {port.words_of(policer.to_queue)}"
    if policer is not None and policer.out_of_profile == "drop":
        return f"{port.policer_words} discards alpha packets above its rate"
    if policer is not None:
        return f"{port.policer_words} marks alpha packets above its rate, and {_alpha(port)} drops them early"
    if plan.marker is not None:
        return f"{port.policer_words} {_marking(plan.marker)}{_early(port)}"
    if plan.sharing == "strictly_partitioned":
        return f"{_alpha(port)} is limited to its share even while the link is idle"
    queues = {queue.name: queue for queue in plan.queues}
    alpha, beta = queues[plan.alpha_queue], queues[plan.beta_queue]
    marks = f" and marks packets or drops them from {alpha.ecn.from_pct:g}% of its length on" if alpha.ecn else ""
    beta_words = f"{port.words_of(plan.beta_queue)} has {beta.rate_share_pct:g}%"
    return f"{_alpha(port)} has {alpha.rate_share_pct:g}% of {port.name}{marks}, {beta_words}"


def _marking(marker: MarkerPlan) -> str:
    does = {"mark": "marks", "drop": "discards"}
    if marker.yellow == marker.red:
        return f"{does[marker.yellow]} yellow and red alpha packets"
    return f"{does[marker.yellow]} yellow alpha packets and {does[marker.red]} red ones"


def _early(port: PlannedPort) -> str:
    drops = {each.colour for queue in port.plan.queues for each in queue.early_drops}
    dropped = " and ".join(colour for colour in COLOURS if colour in drops)
    return f", and {_alpha(port)} drops {dropped} ones early" if dropped else ""


def _alpha(port: PlannedPort) -> str:
    return port.words_of(port.plan.alpha_queue)
