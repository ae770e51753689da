"""The demonstration: four nights of real flow files through all stages, each night's changes approved.

python -m hntes.cli.demo
"""

import shutil
import sys
import time
from datetime import date, timedelta
from importlib.resources import as_file, files
from pathlib import Path

from hntes import clock
from hntes.cli import output
from hntes.cli.commands.nightly import watched_night
from hntes.cli.stage_output import heading, judged_line
from hntes.files import write_changed_text
from hntes.format import counted, long_gigabytes
from hntes.workflow.context import Context, opened
from hntes.workflow.delivery.deliver import deliver
from hntes.workflow.errors import FAILED, expected, message
from hntes.workflow.review.changes import listed_changes
from hntes.workflow.review.decide import Person, Request, decide
from hntes.workflow.stages.ingest import IngestReport
from hntes.workflow.stages.night import Night
from hntes.workflow.stages.propose_words import headline, summary

ROOT = Path(__file__).resolve().parents[3]
NIGHTS = [date(2026, 11, 20) + timedelta(days=number) for number in range(4)]
# What the demonstration's own settings write beside the repository's folders, and where it is in a folder of its own.
_OWN_PATHS = {"../var/demo/": "var/", "../var/simulations": "var/simulations"}


def main() -> int:
    """Runs the demonstration in var/demo, from the start."""
    shutil.rmtree(ROOT / "var" / "demo", ignore_errors=True)
    return run(ROOT / "demo" / "hntes.toml", ROOT, ".venv/bin/hntes")


def is_prepared(folder: Path) -> bool:
    """Whether a folder is one of the demonstration, so that what it wrote may be deleted."""
    settings = folder / "hntes.toml"
    return settings.is_file() and settings.read_bytes() == _settings_text().encode()


def prepare(folder: Path) -> Path:
    """Copies flow files and settings into a folder; returns the settings file."""
    with as_file(files("hntes.demonstration").joinpath("flows")) as flows:
        shutil.copytree(flows, folder / "flows", dirs_exist_ok=True)
    settings = folder / "hntes.toml"
    write_changed_text(settings, _settings_text())
    return settings


def _settings_text() -> str:
    text = files("hntes.demonstration").joinpath("hntes.toml").read_text(encoding="utf-8")
    for before, after in _OWN_PATHS.items():
        text = text.replace(before, after)
    return text


def run(settings: Path, base: Path, program: str = "hntes") -> int:
    """Runs the nights; paths are printed from `base`, and `program` is what a reader calls. Returns the exit status."""
    started = time.monotonic()
    try:
        with opened(settings) as context:
            nights = [_run(context, day) for day in NIGHTS]
            _conclude(context, nights, base, f"{program} --settings {settings.relative_to(base)}")
            routers = context.settings.routers
    except expected() as problem:
        output.note(f"demo: {message(problem)}")
        return FAILED
    platforms = len({router.platform for router in routers})
    shown = f"{len(nights)} nights, {len(routers)} routers, {platforms} platforms"
    output.line(f"{shown} in {time.monotonic() - started:.1f} s.")
    return 0


def _run(context: Context, day: date) -> Night:
    night = watched_night(context, day, list(context.settings.routers))
    output.line(f"=== night of {day} ===")
    _print_night(night)
    _decide(context)
    heading("deliver")
    for router in context.settings.routers:
        delivered = deliver(context, router)
        if delivered:
            output.line(f"{router.name}: configuration approved after {delivered.change.day}")
    output.line()
    return night


def _print_night(night: Night) -> None:
    heading("ingest")
    for report in night.ingests:
        _print_folder(report)
    for name, reason in night.failures.items():
        output.line(f"{name} FAILED: {reason}")
    heading("detect")
    for name, detected in night.observed.items():
        output.line(f"{name}: {counted(len(detected.observations), 'alpha flow')}")
    heading("measure")
    for measured in night.measured.values():
        output.line(f"{measured.router}: {counted(measured.minutes, 'minute')} with flows")
    heading("propose")
    for name, proposed in night.proposed.items():
        output.line(f"{name}: {headline(proposed)}")
    heading("judge")
    for judged in night.judged.values():
        output.line(judged_line(judged))
        for sentence in judged.blocking_reasons:
            output.line(f"  {sentence}")


def _print_folder(report: IngestReport) -> None:
    name = Path(report.folder).name
    records = report.outcomes.get("kept", 0)
    repaired = sum(n for outcome, n in report.outcomes.items() if outcome.startswith("repaired:"))
    times = f", {repaired} with repaired times" if repaired else ""
    output.line(f"{name}: {counted(report.ingested, 'flow file')} read, {records} records{times}")
    for path, reason in report.set_aside.items():
        output.line(f"{name}: set aside {path}: {reason}")


def _decide(context: Context) -> None:
    heading("decide")
    for listed in listed_changes(context, context.settings.routers, only_pending=True):
        entry = listed.change
        (router,) = context.chosen([entry.router])
        decision = decide(context, router, Request.on(entry, "approved"), Person("demo"), clock.now_ms())
        became = "change approved" if decision.outcome == "decided" else decision.explanation
        output.line(f"{entry.router}: {became}")


def _conclude(context: Context, nights: list[Night], base: Path, command: str) -> None:
    router = context.settings.routers[0].name
    output.line(f"=== alpha flows of the first night on {router} (60-second windows, more than 1 GB) ===")
    for seen in nights[0].observed[router].observations:
        peak, since = long_gigabytes(seen.peak_bytes), output.clock(seen.peak_start_ms)
        output.line(f"  {seen.flow_id}: {peak} from {since} UTC")
    output.line(f"=== what the last night changes on {router}, and why ===")
    output.line(summary(nights[-1].proposed[router]))
    output.line("=== where to look ===")
    for proposed in nights[-1].proposed.values():
        judged = nights[-1].judged.get(proposed.change.router)
        for kind, path in (proposed.files | (judged.files if judged else {})).items():
            output.line(f"  {kind:<14}{path.relative_to(base)}")
    output.line(f"  questions     {command} why \\")
    output.line(f"                  '198.18.10.0/24>203.0.113.0/24' --router {router} --day {NIGHTS[-1]}")


if __name__ == "__main__":
    sys.exit(main())
