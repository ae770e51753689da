"""The advised split: the least beta share that carries the demand in simulation, and its cost for alpha. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hntes.format import gbps
from hntes.gate.shares.demand import Demand, Fit, Split, candidate_splits, demand, fit, needed_share_pct
from hntes.gate.shares.port_load import PortLoad
from hntes.gate.shares.sweep import SplitOutcome
from hntes.settings.shares import Shares

# Outcomes of splits at the demand, by growing beta share.
SimulateSplits = Callable[[Sequence[Split]], tuple[SplitOutcome, ...]]
# A plot shows the whole range in such steps, whatever the step of the advice.
OVERVIEW_STEP_PCT = 5
# So many steps on either side of what arithmetic says are simulated at once.
AROUND_STEPS = 2


@dataclass(frozen=True)
class Advice:
    """The advice on one port. `advised` is None where there is none to give; `reason` says why it is as it is.

    `outcomes` are by growing beta share, all at the demand `needed`, that is with the margin.
    """

    needed: Demand
    present: Split | None
    fit: Fit
    advised: Split | None
    outcomes: tuple[SplitOutcome, ...]
    reason: str
    cost: str = ""

    @property
    def port(self) -> PortLoad:
        return self.needed.port

    def outcome_of(self, split: Split | None) -> SplitOutcome | None:
        """The simulated outcome of a split."""
        return next((one for one in self.outcomes if one.split == split), None)


def advise(port: PortLoad, present: Split | None, shares: Shares, simulate: SimulateSplits | None) -> Advice:
    """The advice on one port. Without simulation there is no split to advise, only what arithmetic says of it."""
    needed = demand(port, shares)
    found = fit(needed, present, shares)
    if present is None or not needed.is_known:
        return Advice(needed, present, found, None, (), found.sentence)
    if needed.measured_bps == 0:
        return Advice(needed, present, found, None, (), f"no beta traffic left by {port.name} in the days measured")
    if simulate is None:
        share = needed_share_pct(needed, shares, present.idle_share_pct)
        text = "no share suffices" if share is None else f"by arithmetic {share}% would suffice"
        return Advice(needed, present, found, None, (), f"{text}; not simulated")
    outcomes = _explore(needed, present, shares, simulate)
    least = _least(outcomes, candidate_splits(present, shares))
    if least is None:
        share_pct = 100 * needed.needed_bps / port.rate_bps
        reason = (
            f"no split within bounds suffices: beta traffic needs {gbps(needed.needed_bps)}, {share_pct:.3g}% of "
            f"{port.name}; it needs a faster port, or less traffic"
        )
        return Advice(needed, present, found, None, outcomes, reason)
    return _decided(needed, present, found, least, outcomes, shares)


def _decided(
    needed: Demand, present: Split, found: Fit, least: Split, outcomes: tuple[SplitOutcome, ...], shares: Shares
) -> Advice:
    is_kept = least.beta_share_pct < present.beta_share_pct and not needed.is_enough(shares)
    verb = "would be" if is_kept else "is"
    holds = f"{least.beta_share_pct}% {verb} the least that carries {gbps(needed.needed_bps)} without loss or delay"
    below = least.with_beta(least.beta_share_pct - shares.step_pct)
    failing = next((one for one in outcomes if one.split == below), None)
    if failing is not None:
        holds += f"; at {below.beta_share_pct}%, {_harm(failing)}"
    if is_kept:
        wanted = min(shares.min_complete_days, needed.wanted_days)
        reason = f"kept: with {needed.complete_days} of {wanted} complete days no queue is reduced; {holds}"
        return Advice(needed, present, found, present, outcomes, reason)
    advice = Advice(needed, present, found, least, outcomes, holds)
    return Advice(needed, present, found, least, outcomes, holds, _cost(advice))


def _harm(outcome: SplitOutcome) -> str:
    if outcome.beta_loss_pct > 0:
        return f"{outcome.beta_loss_pct:.2g}% of it would be lost while an alpha flow runs"
    return f"its round trip would grow by {outcome.beta_delay_increase_ms:.3g} ms while an alpha flow runs"


def _explore(needed: Demand, present: Split, shares: Shares, simulate: SimulateSplits) -> tuple[SplitOutcome, ...]:
    """Simulates an overview of splits, then downwards until the least that passes has a failing one below it."""
    candidates = candidate_splits(present, shares)
    outcomes = simulate(_overview(needed, present, candidates, shares))
    while (below := _next_below(outcomes, candidates)) is not None:
        outcomes = tuple(sorted((*outcomes, *simulate([below])), key=_share_of))
    return outcomes


def _overview(needed: Demand, present: Split, candidates: Sequence[Split], shares: Shares) -> list[Split]:
    """The present split, some over the whole range, and all around the one that arithmetic names."""
    middle = needed_share_pct(needed, shares, present.idle_share_pct) or 0
    spread = {split for split in candidates if split.beta_share_pct % OVERVIEW_STEP_PCT == 0}
    around = {split for split in candidates if abs(split.beta_share_pct - middle) <= AROUND_STEPS * shares.step_pct}
    return sorted(spread | around | {present}, key=lambda split: split.beta_share_pct)


def _next_below(outcomes: Sequence[SplitOutcome], candidates: Sequence[Split]) -> Split | None:
    """The candidate next below the least that passes, if it was not simulated; the largest one where none passes."""
    if not outcomes:
        return None
    least = _least(outcomes, candidates)
    lower = [split for split in candidates if least is None or split.beta_share_pct < least.beta_share_pct]
    return lower[-1] if lower and lower[-1] not in {one.split for one in outcomes} else None


def _least(outcomes: Sequence[SplitOutcome], candidates: Sequence[Split]) -> Split | None:
    """The least candidate that passes and above which none fails: one lucky pass below a failure is none."""
    least = None
    for one in sorted(outcomes, key=_share_of, reverse=True):
        if not one.passes:
            break
        if one.split in candidates:
            least = one.split
    return least


def _share_of(outcome: SplitOutcome) -> int:
    return outcome.split.beta_share_pct


def _cost(advice: Advice) -> str:
    """The cost for alpha, simulated at the demand and by its guarantee."""
    assert advice.present is not None and advice.advised is not None  # noqa: S101, PT018 - of a decided advice
    now, then = advice.outcome_of(advice.present), advice.outcome_of(advice.advised)
    guarantees = [
        gbps(advice.port.rate_bps * split.alpha_share_pct / 100) for split in (advice.present, advice.advised)
    ]
    if advice.advised == advice.present or now is None or then is None:
        return ""
    text = f"alpha's guarantee changes from {guarantees[0]} to {guarantees[1]}"
    lost = now.alpha_goodput_bps - then.alpha_goodput_bps
    if lost > 0.02 * now.alpha_goodput_bps:
        return f"{text}; at that beta load an alpha flow would get {gbps(lost)} less than now"
    return f"{text}; an alpha flow alone still gets {gbps(then.alpha_goodput_bps)} at that beta load"
