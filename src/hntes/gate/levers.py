"""The settings that move each criterion: what an operator can change where a text did not pass."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from hntes.sql.entries import CriterionName, VerdictOutcome

# Keys of plans, routers and the gate in backticks. How far those of delay, throughput, beta and bursts reach near the
# limits is measured (docs/reference/gate.md), the others follow from what the criterion asks. `surprise` only reports.
LEVERS: Mapping[CriterionName, str] = {
    "structure": "the plan, the pins or the running configuration behind the statement that the sentence names",
    "delay": 'a queue for alpha flows alone (`kind = "two_queue"`), then a larger `beta_share_pct`',
    "throughput": (
        "a longer alpha queue (`alpha_buffer_pct`; `port_buffer_ms` if the port has more than that), no policer "
        '(`kind = "two_queue"`), a larger `beta_share_pct` if the load loses packets; `round_trips_ms` of the router '
        "if all of its pairs are nearer"
    ),
    "order": 'a plan that moves no packets of a flow to another queue (`kind = "two_queue"`)',
    "beta": (
        "a `beta_share_pct` above the beta peak, then a larger `beta_buffer_pct`; `hntes router queue-advice` computes "
        "the share from the measured load"
    ),
    "fairness": 'a plan without policers and early drops (`kind = "two_queue"`, `alpha_ecn = false`)',
    "premium": (
        "a larger `premium_share_pct` or a smaller `premium_cap_pct`, a larger `premium_buffer_pct`, or smaller "
        "reservations"
    ),
    "reach": (
        "longer prefixes (`ipv4_prefix_length`, `ipv6_prefix_length`), or pins and exclusions (`hntes override`) of "
        "the pairs that take most"
    ),
    "bursts": (
        "a `beta_share_pct` of twice the mean, a higher `beta_priority`, or, if bursts are lost, a larger "
        "`beta_buffer_pct`"
    ),
    "classes": "a lower `alpha_priority` or a smaller `alpha_share_pct`, beside the class that the sentence names",
}


class _Judged(Protocol):
    @property
    def criterion(self) -> CriterionName: ...
    @property
    def outcome(self) -> VerdictOutcome: ...


def levers_of(verdicts: Iterable[_Judged]) -> tuple[str, ...]:
    """What moves the criteria that failed, a line each, in the order of the verdicts; none if none failed."""
    failed = dict.fromkeys(each.criterion for each in verdicts if each.outcome == "failed")
    return tuple(f"{criterion}: {LEVERS[criterion]}" for criterion in failed if criterion in LEVERS)
