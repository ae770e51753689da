"""The stage ingest: reads a folder's flow files into the lake."""

from datetime import date
from pathlib import Path

from hntes.etl.ingest.run import IngestReport, Progress, ingest_folder
from hntes.workflow.context import Context
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.day_flows import file_bounds_ms
from hntes.workflow.stages.flow_folders import adopt_moved

__all__ = ["IngestReport", "Progress", "ingest"]


def _outcome(report: IngestReport) -> str:
    return "files_set_aside" if report.set_aside else "all_read"


@stage(_outcome)
def ingest(context: Context, folder: Path, day: date | None, progress: Progress) -> IngestReport:
    """Reads a folder's flow files: those that can hold flows of that day, or all (None)."""
    adopt_moved(context, folder)
    from_ms = to_ms = None
    if day is not None:
        context.require_come(day)
        from_ms, to_ms = file_bounds_ms(context, day)
    source, scan = context.files_of(folder, from_ms, to_ms)
    return ingest_folder(
        context.database,
        source,
        context.lake,
        context.folder_plan(folder),
        from_ms=from_ms,
        to_ms=to_ms,
        scan=scan,
        reader=context.reader,
        progress=progress,
    )
