"""The demonstration: four nights of real flow files through the whole job, each night's changes approved.

python -m console.demo
"""

import shutil
import sys
import time
from datetime import date, timedelta
from pathlib import Path

from console import say
from console.commands.night import print_night
from console.context import Context, opened
from console.errors import EXPECTED, FAILED
from console.night import Night, run_night
from sql import changes, observations
from sql.session import reading, transaction

ROOT = Path(__file__).parent.parent
NIGHTS = [date(2026, 11, 20) + timedelta(days=number) for number in range(4)]


def main() -> int:
    """Runs the demonstration in var/demo, from the start."""
    shutil.rmtree(ROOT / "var" / "demo", ignore_errors=True)
    started = time.monotonic()
    try:
        with opened(ROOT / "demo" / "hntes.toml") as context:
            nights = [_run(context, day) for day in NIGHTS]
            _conclude(context, nights)
    except EXPECTED as problem:
        say.note(f"demo: {problem}")
        return FAILED
    say.line(f"Done in {time.monotonic() - started:.1f} s. Try: .venv/bin/hntes --settings demo/hntes.toml --help")
    return 0


def _run(context: Context, day: date) -> Night:
    say.line(f"=== night of {day} ===")
    with say.file_progress("reading") as progress:
        night = run_night(context, day, context.settings.routers, progress)
    print_night(night)
    for name, reason in night.failures.items():
        say.line(f"{name} FAILED: {reason}")
    with transaction(context.database) as session:
        for entry in changes.pending(session):
            decision = changes.decide(
                session, entry.router, entry.day, entry.candidate_hash, "approved", "demo", "demonstration", 0
            )
            say.line(f"  {decision.explanation}")
    say.line()
    return night


def _conclude(context: Context, nights: list[Night]) -> None:
    flows = pairs_in = pairs_out = 0
    with reading(context.database) as session:
        for router in context.settings.routers:
            flows += len(observations.history(session, router.name, NIGHTS[-1]))
    for night in nights:
        for proposed in night.proposed.values():
            pairs_in += len(proposed.proposal.added)
            pairs_out += len(proposed.proposal.removed)
    aside = sorted({path for night in nights for report in night.ingests for path in report.quarantined})
    say.line("=== what was found ===")
    say.line(f"{flows} alpha flow observations on {len(context.settings.routers)} routers in {len(NIGHTS)} nights")
    say.line(f"{pairs_in} rules came, {pairs_out} went by ageing; files set aside as unreadable: {', '.join(aside)}")
    say.line("Configurations, diffs and summaries, by router and night:")
    for folder in sorted(context.output.glob("*/2026-*")):
        say.line(f"  {folder.relative_to(ROOT)}/{{candidate.conf,change.diff,summary.txt}}")


if __name__ == "__main__":
    sys.exit(main())
