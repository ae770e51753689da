"""Advice on the split of a router's ports, from measured load and simulated splits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hntes.gate import Lab, NotJudgedError
from hntes.gate.shares.advice import Advice, SimulateSplits, advise
from hntes.gate.shares.demand import Demand, Split, demand, needed_share_pct
from hntes.gate.shares.port_load import PortLoad, RouterLoad
from hntes.gate.shares.sweep import SplitOutcome, fluid_lab, sweep
from hntes.platforms.parse import ParseError
from hntes.settings.model import Gate, Router
from hntes.settings.plans import Plan
from hntes.settings.shares import Shares
from hntes.simulator import NotApplicableError, ScenarioError, UnsoundRunError
from hntes.simulator.engine import ShareCallback
from hntes.sql import changes
from hntes.sql.session import reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.shares import present_split, read_load
from hntes.workflow.stages.judge import lab_of

# Called with the completed part, the total, and the subject.
StepCallback = Callable[[int, int, str], object]


__all__ = ["Advice", "RouterAdvice", "StepCallback", "advise_router", "write_plots"]


@dataclass(frozen=True)
class RouterAdvice:
    """One router's measured load and the advice on each of its ports."""

    load: RouterLoad
    advices: tuple[Advice, ...]


def advise_router(
    context: Context, router: Router, until_day: date, shares: Shares, progress: StepCallback, *, simulate: bool = True
) -> RouterAdvice:
    """The advice on each core interface of a router; without `simulate`, only whether the present split fits.

    Raises:
        CandidateStoreError: the candidate in force is missing on disk.
        CommandError: the simulator cannot judge the plan, or the day is in the future.
    """
    context.require_come(until_day)
    measured = read_load(context, router, until_day, shares)
    with reading(context.database) as session:
        now = changes.in_force(session, router.name)
    base = known_candidate(context, router, now.candidate_hash) if now else None
    split = present_split(context, router, base)
    try:
        advices = tuple(
            advise(
                port, split, shares, _simulator(context, router, port, split, shares, progress) if simulate else None
            )
            for port in measured.ports
        )
    except (NotJudgedError, ParseError, ScenarioError, UnsoundRunError) as problem:
        raise CommandError(
            f"{router.name}: its splits cannot be simulated: {problem}; "
            "`hntes router queue-advice --no-simulation` still shows the measured load"
        ) from problem
    return RouterAdvice(measured, advices)


def write_plots(context: Context, advised: RouterAdvice, folder: Path) -> dict[str, tuple[Path, Path]]:
    """Writes the trade-off at each simulated port as SVG and PNG; returns the two files by port."""
    # imported here: Matplotlib takes a second to load, and most commands draw nothing
    from hntes.gate.shares.plot import advice_figure, write_figure

    written = {}
    for advice in advised.advices:
        if advice.outcomes:
            port = advice.port
            path = folder / f"shares-{port.router}-{port.name.replace('/', '_').replace(':', '_')}"
            written[port.name] = write_figure(advice_figure(advice, context.settings.gate), path)
    return written


def _simulator(
    context: Context, router: Router, port: PortLoad, present: Split | None, shares: Shares, progress: StepCallback
) -> SimulateSplits:
    needed = demand(port, shares)
    least_pct = needed_share_pct(needed, shares, present.idle_share_pct if present else 0) or 0
    return _SplitSimulator(
        router=router,
        plan=context.settings.plans[router.plan],
        gate=context.settings.gate,
        needed=needed,
        decisive_pct=range(least_pct - shares.step_pct, least_pct + 1),
        exact=lab_of(context),
        quick=fluid_lab(),
        report=lambda share: progress(round(100 * share), 100, f"{router.name} {port.name}"),
    )


@dataclass(frozen=True)
class _SplitSimulator:
    """Simulates splits of one port at its demand.

    Splits with a decisive beta share are run as in the gate, the others, and so the plot, by the fluid engine.
    """

    router: Router
    plan: Plan
    gate: Gate
    needed: Demand
    decisive_pct: range
    exact: Lab
    quick: Lab
    report: ShareCallback

    def __call__(self, splits: Sequence[Split]) -> tuple[SplitOutcome, ...]:
        decisive = [split for split in splits if split.beta_share_pct in self.decisive_pct]
        others = [split for split in splits if split not in decisive]
        try:
            rough = self._sweep(others, self.quick)
        except NotApplicableError:
            rough = self._sweep(others, self.exact, self.report)
        outcomes = (*rough, *self._sweep(decisive, self.exact, self.report))
        return tuple(sorted(outcomes, key=lambda one: one.split.beta_share_pct))

    def _sweep(
        self, splits: Sequence[Split], lab: Lab, report: ShareCallback = lambda _: None
    ) -> tuple[SplitOutcome, ...]:
        port, load_bps = self.needed.port.name, self.needed.needed_bps
        return sweep(self.router, self.plan, port, load_bps, splits, self.gate, lab, report)
