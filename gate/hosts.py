"""Which hosts a plan is judged with: with ECN and without where a queue marks packets; the worse verdict counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gate.runs import WantedRun
from gate.verdict import Verdict
from simulator import PortPlan
from simulator.scenario import flows_of_kind

# Of outcomes the worst first; what is reported neither passes nor fails.
_ORDER = ("failed", "not_judged", "passed", "reported")
# Measures of which less is worse; of all others more is.
_LESS_IS_WORSE = ("alpha_goodput", "jain_index")


@dataclass(frozen=True)
class Hosts:
    """Hosts of all runs: whether their TCP negotiates ECN (RFC 3168), and what sentences call them."""

    words: str
    have_ecn: bool

    def running(self, wanted: WantedRun) -> WantedRun:
        """The same run with these hosts."""
        if not self.have_ecn or not flows_of_kind(wanted.scenario, "tcp"):
            return wanted
        tcp = {**wanted.scenario["tcp"], "ecn": True}
        return replace(wanted, scenario={**wanted.scenario, "tcp": tcp})


WITHOUT_ECN = Hosts("hosts without ECN", have_ecn=False)
WITH_ECN = Hosts("hosts with ECN", have_ecn=True)


def hosts_of(plan: PortPlan) -> tuple[Hosts, ...]:
    """The hosts for which a plan is judged: where nothing is marked, those with ECN fare like those without."""
    return (WITHOUT_ECN, WITH_ECN) if plan.marks else (WITHOUT_ECN,)


def worst_verdicts(verdicts: Mapping[Hosts, Sequence[Verdict]]) -> list[Verdict]:
    """The worst verdict on each measure; where there are several kinds of hosts, its sentence names them.

    Args:
        verdicts: By hosts those of one criterion on one plan, the same measures in the same order.
    """
    if len(verdicts) == 1:
        return [verdict for only in verdicts.values() for verdict in only]
    return [_worst(dict(zip(verdicts, of_measure, strict=True))) for of_measure in zip(*verdicts.values(), strict=True)]


def _worst(by_hosts: Mapping[Hosts, Verdict]) -> Verdict:
    hosts, worst = max(by_hosts.items(), key=lambda each: _badness(each[1]))
    alike = [other.words for other, verdict in by_hosts.items() if _badness(verdict) == _badness(worst)]
    words = hosts.words if len(alike) == 1 else "hosts with or without ECN"
    return replace(worst, sentence=f"{words}: {worst.sentence}")


def _badness(verdict: Verdict) -> tuple[int, float]:
    value = verdict.value or 0.0
    is_reversed = verdict.measure.startswith(_LESS_IS_WORSE)
    return -_ORDER.index(verdict.outcome), -value if is_reversed else value
