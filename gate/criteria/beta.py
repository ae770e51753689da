"""Criterion 5: the beta peak gets through while an alpha flow runs (experiment 6)."""

from gate import runs
from gate.criteria.case import Case, cause
from gate.criteria.reading import increase_ms, on_interval, ping_ms, udp_flow, udp_loss_pct
from gate.lab import Ran
from gate.runs import Run
from gate.verdict import Verdict, judged


def wanted(case: Case) -> list[Run]:
    """Experiment 6 with the beta peak, and the idle network."""
    return [runs.beta(case.port.plan, case.gate, case.beta_peak_pct), runs.idle(case.gate)]


def verdicts(case: Case, ran: list[Ran]) -> list[Verdict]:
    """Loss and delay of beta traffic while the alpha flow is on."""
    loaded, idle = ran
    start_s, end_s = on_interval(loaded.scenario, "TCP1")
    udp = udp_flow(loaded.scenario)
    loss_pct = udp_loss_pct(loaded.trace, udp, start_s, end_s) if udp is not None else 0.0
    later_ms = increase_ms(ping_ms(loaded.trace, start_s, end_s), ping_ms(idle.trace))
    return [_loss(case, loaded, loss_pct), _delay(case, loaded, later_ms)]


def _loss(case: Case, ran: Ran, loss_pct: float) -> Verdict:
    holds = loss_pct <= case.gate.beta_loss_pct
    told = f"{loss_pct:.2g}% of the {case.beta_words} would be lost while an alpha flow runs"
    if loss_pct == 0:
        told = f"nothing of the {case.beta_words} would be lost while an alpha flow runs"
    return Verdict(
        "beta", "beta_loss", judged(holds=holds), told + _why(case, holds=holds),
        case.gate.beta_loss_pct, loss_pct, "%", ran.trace.engine, ran.trace.seed, ran.scenario_hash,
    )  # fmt: skip


def _delay(case: Case, ran: Ran, later_ms: float) -> Verdict:
    limit_ms = case.gate.beta_delay_increase_ms
    holds = later_ms <= limit_ms
    told = f"at the {case.beta_words} its round trip would grow by {later_ms:.3g} ms while an alpha flow runs"
    return Verdict(
        "beta", "beta_delay_increase", judged(holds=holds), told + _why(case, holds=holds),
        limit_ms, later_ms, "ms", ran.trace.engine, ran.trace.seed, ran.scenario_hash,
    )  # fmt: skip


def _why(case: Case, *, holds: bool) -> str:
    if holds:
        return ""
    plan = case.port.plan
    share_pct = next(queue.rate_share_pct for queue in plan.queues if queue.name == plan.beta_queue)
    if not case.port.is_single_queue and share_pct < case.beta_peak_pct:
        return f": {case.port.words_of(plan.beta_queue)} is guaranteed {share_pct:g}% of {case.port.name} only"
    return f": {cause(case.port)}"
