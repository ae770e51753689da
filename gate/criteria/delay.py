"""Criterion 2: other traffic does not wait behind alpha flows (experiment 2)."""

from gate import runs
from gate.criteria.case import Case, cause
from gate.criteria.reading import NO_REPLY_MS, increase_ms, ping_ms
from gate.lab import Ran
from gate.runs import Run
from gate.verdict import Verdict, judged


def wanted(case: Case) -> list[Run]:
    """Experiment 2 through the plan, and the idle network."""
    return [runs.delay(case.port.plan, case.gate), runs.idle(case.gate)]


def verdicts(case: Case, ran: list[Ran]) -> list[Verdict]:
    """Mean and standard deviation of the ping."""
    loaded, idle = ran
    rtt_ms, idle_ms, gate = ping_ms(loaded.trace), ping_ms(idle.trace), case.gate
    later_ms = increase_ms(rtt_ms, idle_ms)
    sd_ms = float(rtt_ms.std(ddof=1)) if len(rtt_ms) > 1 else NO_REPLY_MS
    mean_holds, sd_holds = later_ms <= gate.delay_increase_ms, sd_ms < gate.delay_sd_ms
    source = loaded.trace.engine, loaded.trace.seed, loaded.scenario_hash
    beside = "beside four alpha flows a ping of other traffic would"
    mean_told = f"{beside} take {idle_ms.mean() + later_ms:.3g} ms on average, {idle_ms.mean():.3g} ms idle"
    sd_told = f"{beside} vary by {sd_ms:.2g} ms (standard deviation)"
    return [
        Verdict(
            "delay", "ping_mean_increase", judged(holds=mean_holds), mean_told + _why(case, holds=mean_holds),
            gate.delay_increase_ms, later_ms, "ms", *source,
        ),
        Verdict(
            "delay", "ping_sd", judged(holds=sd_holds), sd_told + _why(case, holds=sd_holds),
            gate.delay_sd_ms, sd_ms, "ms", *source,
        ),
    ]  # fmt: skip


def _why(case: Case, *, holds: bool) -> str:
    return "" if holds else f": {cause(case.port)}"
