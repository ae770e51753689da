"""Criterion 8, premium: reservations under overload of alpha and of best effort."""

from collections.abc import Mapping
from dataclasses import dataclass

from hntes.gate import runs
from hntes.gate.criteria.criterion import Measure
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.criteria.reading import NO_REPLY_MS, ping_ms
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Measured, Verdict, amount, outcome_of
from hntes.simulator.measures import mean_goodput_bps
from hntes.simulator.testbed.premium_plan import FULL_IP_BYTES, PremiumPlan, ReservedPlan
from hntes.simulator.testbed.reservation_scenarios import (
    ALPHA_FLOWS,
    BETA_FLOW,
    FULL_WIRE_BYTES,
    LINK_BPS,
    START_UP_S,
    Sending,
    ping_of,
    promised_share,
    span_s,
    windows_sent,
)
from hntes.simulator.testbed.traffic import datagram_bytes, segment_data_bytes
from hntes.sql.entries import CriterionName

# How senders use their reservations, and the measure and the words of each.
_SENDERS: Mapping[Sending, tuple[str, str]] = {
    "paced": ("rate_paced", "from a sender that is paced to its rate"),
    "greedy": ("rate_unpaced", "from a sender that sends its window as fast as it can"),
    "bursts": ("rate_in_bursts", "from a sender that sends its window at once again and again, as all others do"),
}


@dataclass(frozen=True)
class Premium:
    """A reservation gets its rate, waits no longer than the rule says, and costs nobody while it is not used.

    What it checks:
        What each reservation gets of the rate that it was promised (IP bytes), while two alpha flows and best effort
        each fill the port: from TCP that is paced to the rate; from TCP that sends a window at once when it begins,
        and then as acknowledgements come; and from windows of datagrams, of all reservations at the same instants.
        How much later than idle the latest ping of the premium queue comes beside these. And what alpha and best
        effort get while nothing is sent in reservations, in per cent of what they get without the premium queue.

    Why:
        GARA: the premium class is policed to a part x of the link and served with S of it. A window of
        rate x (rtt + qt) that comes at once waits for at most qt = rtt x / (S - x); a queue that is shorter drops
        what was promised, one that is served with less holds it up.

    Limit:
        `premium_rate_pct` of `[gate]`, 95, for rates and for what others keep. For pings qt, which is the time that
        S takes for the windows of all reservations, or `delay_increase_ms` where that is more: stalls of hosts.

    When it is wrong:
        All reservations are taken to cross each port, as the text does not say which do. A path is as long as a
        reservation's window lasts: on a shorter one a sender that is not paced sends more than its rate, and loses it.
    """

    name: CriterionName = "premium"
    title: str = "Does a reservation get its rate and wait no longer than the rule says, at nobody's cost while unused?"
    runs: str = "each reservation beside two alpha flows and best effort that fill the port; none without reservations"
    is_of_each_round_trip: bool = False
    measures: tuple[Measure, ...] = (
        Measure("what the worst reservation gets of its rate, from a paced sender", "premium_rate_pct"),
        Measure("the same from a sender that is not paced, whose window is the burst", "premium_rate_pct"),
        Measure("the same where all send whole windows at once", "premium_rate_pct"),
        Measure(
            "the latest ping of the premium queue meanwhile, above the idle network's",
            limit_rule="qt = rtt x / (S - x), at least `delay_increase_ms`",
        ),
        Measure(
            "with nothing sent in reservations, what alpha or beta gets of what it gets without them",
            "premium_rate_pct",
        ),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """The reservations used in three ways, unused and not there, and the idle network."""
        premium = plan.port.premium
        if premium is None or _unbounded(premium) is not None:
            return {}
        senders: dict[str, WantedRun] = {
            sending: runs.premium(premium, plan.gate, plan.hosts, sending) for sending in _SENDERS
        }
        return {
            **senders,
            "unused": runs.premium(premium, plan.gate, plan.hosts, "none"),
            "without": runs.without_premium(premium, plan.gate, plan.hosts),
            "idle": runs.premium_idle(premium, plan.gate),
        }

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """What reservations get and wait, and what others keep; one remark where the text reserves nothing."""
        premium = plan.port.premium
        if premium is None:
            return [Verdict(self.name, "reservations", "reported", "the text has no reservations")]
        if (unbounded := _unbounded(premium)) is not None:
            return [Verdict(self.name, "delay_increase", "failed", f"{plan.port.name}: {unbounded}")]
        rates = [self._rate(plan, premium, sending, ran[sending]) for sending in _SENDERS]
        return [*rates, self._delay(plan, premium, ran), self._unused(plan, premium, ran)]

    def _rate(self, plan: JudgedPlan, premium: PremiumPlan, sending: Sending, run: PerformedRun) -> Verdict:
        measure, how = _SENDERS[sending]
        got_pct, worst = min(
            ((rate_pct(each, premium, sending, run), each) for each in premium.reserved), key=lambda found: found[0]
        )
        limit_pct = plan.gate.premium_rate_pct
        holds = got_pct >= limit_pct
        pair = plan.port.pair_of(worst.name)
        whose = f"reservation {pair}" if len(premium.reserved) == 1 else f"the worst reservation, {pair},"
        what = f"beside overload {whose} would get {amount(got_pct, limit_pct)}% of its rate {how}"
        measured = Measured(self.name, measure, got_pct, "%", limit_pct, run)
        return measured.verdict(outcome_of(holds=holds), what + ("" if holds else f": {_cause(plan, worst)}"))

    def _delay(self, plan: JudgedPlan, premium: PremiumPlan, ran: Mapping[str, PerformedRun]) -> Verdict:
        later_ms, limit_ms, sending, queue = max(
            (
                (latest_ms(ran[sending], ran["idle"], queue), _limit_ms(plan, premium, queue), sending, queue)
                for queue in sorted({each.queue for each in premium.reserved})
                for sending in _SENDERS
            ),
            key=lambda found: found[0] - found[1],
        )
        holds = later_ms <= limit_ms
        _, how = _SENDERS[sending]
        longest = f"{amount(later_ms, limit_ms)} ms at most, {how}; the rule has {limit_ms:.3g} ms"
        what = f"packets of reservations would wait {longest}"
        measured = Measured(self.name, "delay_increase", later_ms, "ms", limit_ms, ran[sending])
        first = next(each for each in premium.reserved if each.queue == queue)
        return measured.verdict(outcome_of(holds=holds), what + ("" if holds else f": {_cause(plan, first)}"))

    def _unused(self, plan: JudgedPlan, premium: PremiumPlan, ran: Mapping[str, PerformedRun]) -> Verdict:
        kept = kept_pct(premium, ran["unused"], ran["without"])
        who, worst_pct = min(kept.items(), key=lambda found: found[1])
        limit_pct = plan.gate.premium_rate_pct
        holds = worst_pct >= limit_pct
        kept_words = f"{amount(worst_pct, limit_pct)}% of what it has without them"
        what = f"with nothing sent in reservations, {who} would keep {kept_words}"
        measured = Measured(self.name, "kept_if_unused", worst_pct, "%", limit_pct, ran["unused"])
        return measured.verdict(
            outcome_of(holds=holds), what + ("" if holds else f": {_cause(plan, premium.reserved[0])}")
        )


def rate_pct(reserved: ReservedPlan, premium: PremiumPlan, sending: Sending, run: PerformedRun) -> float:
    """What a reservation gets of the rate that it was promised, in IP bytes, per cent."""
    if sending == "bursts":
        sent_bytes = windows_sent(reserved, premium.reserved) * (reserved.window_bytes // FULL_IP_BYTES * FULL_IP_BYTES)
        payload_bytes = datagram_bytes(run.scenario.flow(reserved.name))
        return float(100 * run.result.flows[reserved.name].goodput_bytes * FULL_IP_BYTES / payload_bytes / sent_bytes)
    payload_bps = mean_goodput_bps(run.result, reserved.name, span_s(premium.reserved))
    return float(100 * payload_bps * FULL_IP_BYTES / segment_data_bytes(run.scenario.tcp) / reserved.rate_bps)


def latest_ms(run: PerformedRun, idle: PerformedRun, queue: str) -> float:
    """The increase of the slowest ping through a queue over the idle network's mean, in ms."""
    found, plain = (ping_ms(each, (START_UP_S, float("inf")), ping_of(queue)) for each in (run, idle))
    return float(found.max() - plain.mean()) if len(found) else NO_REPLY_MS


def kept_pct(premium: PremiumPlan, unused: PerformedRun, without: PerformedRun) -> dict[str, float]:
    """What alpha and beta get with unused reservations, in per cent of what they get without any."""
    span = span_s(premium.reserved)
    flows = {"alpha": ALPHA_FLOWS, "beta": (BETA_FLOW,)}
    got = {
        (who, run.scenario_hash): sum(mean_goodput_bps(run.result, flow, span) for flow in names)
        for who, names in flows.items()
        for run in (unused, without)
    }
    return {
        who: 100 * got[who, unused.scenario_hash] / before if (before := got[who, without.scenario_hash]) else 100.0
        for who in flows
    }


def _limit_ms(plan: JudgedPlan, premium: PremiumPlan, queue: str) -> float:
    """qt: the windows of all reservations of a queue, in link time, at what it was to be served with."""
    there = [each for each in premium.reserved if each.queue == queue]
    wire_bits = sum(each.window_bytes for each in there) * 8 * FULL_WIRE_BYTES / FULL_IP_BYTES
    return max(1e3 * wire_bits / (there[0].served_share * LINK_BPS), plan.gate.delay_increase_ms)


def _unbounded(premium: PremiumPlan) -> str | None:
    """Why the delay of reservations is unbounded; None if it is bounded."""
    promised_pct = 100 * promised_share(premium)
    used = {each.queue for each in premium.reserved}
    for queue in premium.port.queues:
        if queue.name in used and promised_pct >= queue.rate_share_pct:
            return (
                f"reservations add up to {promised_pct:.3g}% of the link's time, and their queue is served with "
                f"{queue.rate_share_pct:g}%: their delay would be unbounded"
            )
    return None


def _cause(plan: JudgedPlan, reserved: ReservedPlan) -> str:
    queue = next(each for each in plan.port.plan.queues if each.name == reserved.queue)
    policer = reserved.policer
    has = f"{plan.port.words_of(queue.name)} has {queue.rate_share_pct:g}% of {plan.port.name}"
    buffer = f"a queue of {plan.port.length_ms(queue.name):g} ms"
    if policer is None:
        return f"{has} and {buffer}, and the reservation has no policer"
    of_rate, of_burst = policer.rate_bps / reserved.rate_bps, policer.burst_bytes / reserved.window_bytes
    lets = f"its policer lets {100 * of_rate:.3g}% of the promised rate by and {100 * of_burst:.3g}% of the burst"
    return f"{has} and {buffer}, and {lets}"


PREMIUM = Premium()
