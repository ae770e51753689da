"""Criterion 7: what an alpha flow would do that no rule knows yet (experiment 7); reported, never a reason to fail."""

from gate import runs
from gate.criteria.case import Case
from gate.criteria.reading import increase_ms, on_interval, ping_ms, udp_flow, udp_loss_pct
from gate.lab import Ran
from gate.runs import Run
from gate.verdict import Verdict


def wanted(case: Case) -> list[Run]:
    """Experiment 7 with the beta peak, and the idle network."""
    return [runs.surprise(case.port.plan, case.gate, case.beta_peak_pct), runs.idle(case.gate)]


def verdicts(case: Case, ran: list[Ran]) -> list[Verdict]:
    """Delay and loss of beta traffic while the unknown flow is on."""
    loaded, idle = ran
    start_s, end_s = on_interval(loaded.scenario, "TCP1")
    source = loaded.trace.engine, loaded.trace.seed, loaded.scenario_hash
    later_ms = increase_ms(ping_ms(loaded.trace, start_s, end_s), ping_ms(idle.trace))
    udp = udp_flow(loaded.scenario)
    loss_pct = udp_loss_pct(loaded.trace, udp, start_s, end_s) if udp is not None else 0.0
    unknown = "until the next night, an alpha flow that no rule knows would"
    return [
        Verdict(
            "surprise", "beta_delay_increase", "reported",
            f"{unknown} add {later_ms:.3g} ms to the round trip of the {case.beta_words}",
            None, later_ms, "ms", *source,
        ),
        Verdict(
            "surprise", "beta_loss", "reported",
            f"{unknown} cost {loss_pct:.2g}% of the {case.beta_words}",
            None, loss_pct, "%", *source,
        ),
    ]  # fmt: skip
