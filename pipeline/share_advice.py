"""The advice on the split of a router's ports: measured load and simulated splits brought together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from gate import Lab, NotJudgedError
from gate.shares.advice import Advice, SimulateSplits, advise
from gate.shares.demand import Split, demand, needed_share_pct
from gate.shares.plot import advice_figure, write_figure
from gate.shares.port_load import PortLoad, RouterLoad
from gate.shares.sweep import SplitOutcome, fluid_lab, sweep
from pipeline.context import Context
from pipeline.errors import CommandError
from pipeline.folders import router_folder
from pipeline.judge import lab_of
from pipeline.shares import present_split, read_load
from rules.change.candidate import load
from rules.readback import ReadBackError
from settings.model import Router
from settings.shares import Shares
from simulator import EngineMissingError, NotApplicableError, ScenarioError, UnsoundRunError
from simulator.engine import ShareCallback
from sql import change_sets
from sql.session import reading

# Called with what is done, of how much, and of what.
StepCallback = Callable[[int, int, str], object]


__all__ = ["Advice", "Advised", "StepCallback", "advise_router", "write_plots"]


@dataclass(frozen=True)
class Advised:
    """One router's measured load, and the advice on each of its ports."""

    load: RouterLoad
    advices: tuple[Advice, ...]


def advise_router(
    context: Context, router: Router, until_day: date, shares: Shares, progress: StepCallback, *, simulate: bool = True
) -> Advised:
    """The advice on each core interface of a router; without `simulate`, only whether the present split fits.

    Raises:
        CandidateStoreError: the candidate in force is missing on disk.
        CommandError: the simulator cannot judge the plan.
    """
    measured = read_load(context, router, until_day, shares)
    with reading(context.database) as session:
        now = change_sets.in_force(session, router.name)
    base = load(router_folder(context, router), now.candidate_hash) if now else None
    split = present_split(context, router, base)
    splits = _SplitSimulator(context, router, split, shares, progress)
    try:
        advices = tuple(
            advise(port, split, shares, splits.of_port(port) if simulate else None) for port in measured.ports
        )
    except (EngineMissingError, NotJudgedError, ReadBackError, ScenarioError, UnsoundRunError) as problem:
        raise CommandError(
            f"{router.name}: its splits cannot be simulated: {problem}; "
            "`hntes shares --no-simulation` still shows what was measured"
        ) from problem
    return Advised(measured, advices)


def write_plots(context: Context, advised: Advised, folder: Path) -> dict[str, tuple[Path, Path]]:
    """Writes the trade-off at each port that was simulated, as SVG and PNG; the two files by port."""
    written = {}
    for advice in advised.advices:
        if advice.outcomes:
            port = advice.port
            path = folder / f"shares-{port.router}-{port.name.replace('/', '_').replace(':', '_')}"
            written[port.name] = write_figure(advice_figure(advice, context.settings.gate), path)
    return written


@dataclass(frozen=True)
class _SplitSimulator:
    """Simulates splits of a router's ports, each at the demand of its port."""

    context: Context
    router: Router
    present: Split | None
    shares: Shares
    progress: StepCallback

    def of_port(self, port: PortLoad) -> SimulateSplits:
        """The splits that decide are run as the gate runs them, the others, and so the plot, by the fluid engine."""
        needed = demand(port, self.shares)
        least = needed_share_pct(needed, self.shares, self.present.idle_share_pct if self.present else 0) or 0
        exact, quick = lab_of(self.context), fluid_lab()

        def report(share: float) -> None:
            self.progress(round(100 * share), 100, f"{self.router.name} {port.name}")

        def run(
            splits: Sequence[Split], lab: Lab, progress: ShareCallback = lambda _: None
        ) -> tuple[SplitOutcome, ...]:
            plan, gate = self.context.settings.plans[self.router.plan], self.context.settings.gate
            return sweep(self.router, plan, port.name, needed.needed_bps, splits, gate, lab, progress)

        def simulate(splits: Sequence[Split]) -> tuple[SplitOutcome, ...]:
            decisive = [split for split in splits if least - self.shares.step_pct <= split.beta_share_pct <= least]
            others = [split for split in splits if split not in decisive]
            try:
                rough = run(others, quick)
            except NotApplicableError:
                rough = run(others, exact, report)
            found = run(decisive, exact, report)
            return tuple(sorted((*rough, *found), key=lambda one: one.split.beta_share_pct))

        return simulate
