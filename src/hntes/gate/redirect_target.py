"""The port by which redirected packets leave: what is sent to it beside its own load."""

from dataclasses import dataclass

from hntes.format import counted, gbps
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.verdict import Verdict, amount, outcome_of
from hntes.sql.entries import CriterionName

_CRITERION: CriterionName = "reach"
_MEASURE = "redirect_target"
# What is sent to a port may fill it.
MOST_PCT = 100.0


@dataclass(frozen=True)
class RedirectTarget:
    """Where a router sends the pairs' packets: one of its ports, None where the settings do not name it.

    `alpha_peak_bps` is what the pairs took in their fullest minute, on all ports together, None if that is unknown;
    `minutes` were measured.
    """

    port: str | None
    alpha_peak_bps: float | None = None
    minutes: int = 0


def target_verdict(target: RedirectTarget, rate_bps: int | None, beta_peak: BetaPeak) -> Verdict:
    """Whether a port of that rate holds what is sent to it beside its beta peak."""
    if target.port is None or rate_bps is None:
        what = "the settings do not name the port of the redirect (redirect.port): what is sent to it is not judged"
        return Verdict(_CRITERION, _MEASURE, "reported", what)
    if target.alpha_peak_bps is None:
        what = f"what the pairs send to {target.port}, by which the redirect leaves, is not measured yet"
        return Verdict(_CRITERION, _MEASURE, "reported", what, MOST_PCT, None, "%", port=target.port)
    together_pct = 100 * target.alpha_peak_bps / rate_bps + beta_peak.pct
    holds = together_pct <= MOST_PCT
    what = (
        f"the pairs' fullest minute of {counted(target.minutes, 'minute')}, {gbps(target.alpha_peak_bps)}, and the "
        f"{beta_peak.words} take {amount(together_pct, MOST_PCT)}% of {target.port}, to which the redirect sends them"
    )
    why = "" if holds else ": the port is too slow for both; redirect fewer pairs, or to another port"
    outcome = outcome_of(holds=holds)
    return Verdict(_CRITERION, _MEASURE, outcome, what + why, MOST_PCT, together_pct, "%", port=target.port)
