"""The demonstration: four nights of real flow files through the whole job, each night's changes approved.

python -m console.demo
"""

import shutil
import sys
import time
from datetime import date, timedelta
from pathlib import Path

from base.wording import counted
from console import output
from console.commands.judge import gate_line, objections
from console.commands.night import watched_night
from pipeline.context import Context, opened
from pipeline.errors import EXPECTED, FAILED, message
from pipeline.night import Night
from rules.change.proposal import headline, summary
from sql import change_sets
from sql.session import transaction

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
        output.note(f"demo: {message(problem)}")
        return FAILED
    output.line(f"Four nights, three routers, three platforms in {time.monotonic() - started:.1f} s.")
    return 0


def _run(context: Context, day: date) -> Night:
    night = watched_night(context, day, list(context.settings.routers))
    output.line(f"=== night of {day} ===")
    for report in night.ingests:
        records = report.outcomes.get("kept", 0)
        repaired = sum(n for outcome, n in report.outcomes.items() if outcome.startswith("repaired:"))
        times = f", {repaired} with repaired times" if repaired else ""
        output.line(
            f"{Path(report.folder).name}: {counted(report.ingested, 'flow file')} read, {records} records{times}"
        )
        for path, reason in report.quarantined.items():
            output.line(f"{Path(report.folder).name}: set aside {path}: {reason}")
    for name, reason in night.failures.items():
        output.line(f"{name} FAILED: {reason}")
    for name, proposed in night.proposed.items():
        found = counted(len(night.observed[name].observations), "alpha flow")
        output.line(f"{name}: {found}; {headline(proposed.proposal)}")
    for judged in night.judged.values():
        output.line(gate_line(judged))
        for sentence in objections(judged.judgement):
            output.line(f"  {sentence}")
    with transaction(context.database) as session:
        for entry in change_sets.pending(session):
            # judged as of 1970: the recorded nights are past, and their change sets would have expired
            decision = change_sets.decide(
                session, entry.router, entry.day, entry.candidate_hash, "approved", "demo", None, now_ms=0
            )
            told = "change set approved" if decision.outcome == "decided" else decision.explanation
            output.line(f"{entry.router}: {told}")
    output.line()
    return night


def _conclude(context: Context, nights: list[Night]) -> None:
    router = context.settings.routers[0].name
    output.line(f"=== alpha flows of the first night on {router} (60-second windows, more than 1 GB) ===")
    for seen in nights[0].observed[router].observations:
        output.line(
            f"  {seen.flow_id}: {output.gigabytes(seen.peak_bytes)} from {output.clock(seen.peak_start_ms)} UTC"
        )
    output.line(f"=== what the last night changes on {router}, and why ===")
    output.line(summary(nights[-1].proposed[router].proposal).rstrip())
    output.line("=== where to look ===")
    for proposed in nights[-1].proposed.values():
        judged = nights[-1].judged.get(proposed.change_set.router)
        for kind, path in (proposed.files | (judged.files if judged else {})).items():
            output.line(f"  {kind:<14}{path.relative_to(ROOT)}")
    output.line("  questions     .venv/bin/hntes --settings demo/hntes.toml why \\")
    output.line(f"                  '198.18.10.0/24>203.0.113.0/24' --router {router} --day {NIGHTS[-1]}")


if __name__ == "__main__":
    sys.exit(main())
