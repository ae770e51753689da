"""Criterion 2: other traffic does not wait behind alpha flows (experiment 2)."""

from typing import Any

from rules.gate import runs
from rules.gate.criteria.case import Case, cause
from rules.gate.criteria.reading import ping_ms
from rules.gate.lab import Ran
from rules.gate.verdict import Verdict, judged


def scenarios(case: Case) -> list[dict[str, Any]]:
    """Experiment 2 through the plan, and the idle network."""
    return [runs.delay(case.port.plan, case.gate), runs.idle(case.gate)]


def verdicts(case: Case, ran: list[Ran]) -> list[Verdict]:
    """Mean and standard deviation of the ping."""
    loaded, idle = ran
    rtt_ms, idle_ms = ping_ms(loaded.trace), float(ping_ms(idle.trace).mean())
    mean_ms = float(rtt_ms.mean()) if len(rtt_ms) else float("inf")
    sd_ms = float(rtt_ms.std(ddof=1)) if len(rtt_ms) > 1 else float("inf")
    increase_ms, gate = mean_ms - idle_ms, case.gate
    mean_holds, sd_holds = increase_ms <= gate.delay_increase_ms, sd_ms < gate.delay_sd_ms
    source = loaded.trace.engine, loaded.trace.seed, loaded.scenario_hash
    beside = "beside four alpha flows a ping of other traffic would"
    mean_told = f"{beside} take {mean_ms:.3g} ms on average, {idle_ms:.3g} ms in an idle network"
    sd_told = f"{beside} vary by {sd_ms:.2g} ms (standard deviation)"
    return [
        Verdict(
            "delay", "ping_mean_increase", judged(holds=mean_holds), mean_told + _why(case, holds=mean_holds),
            gate.delay_increase_ms, increase_ms, "ms", *source,
        ),
        Verdict(
            "delay", "ping_sd", judged(holds=sd_holds), sd_told + _why(case, holds=sd_holds),
            gate.delay_sd_ms, sd_ms, "ms", *source,
        ),
    ]  # fmt: skip


def _why(case: Case, *, holds: bool) -> str:
    return "" if holds else f": {cause(case.port)}"
