"""The stage ingest: reads a folder's flow files into the lake."""

from datetime import date
from pathlib import Path

from hntes.etl.ingest.run import IngestReport, Progress, ingest_folder
from hntes.etl.sources.answer import require_answer
from hntes.workflow.context import Context
from hntes.workflow.stage_log import stage, warn
from hntes.workflow.stages.day_flows import file_bounds_ms
from hntes.workflow.stages.flow_folders import adopt_moved

__all__ = ["WAIT_S", "IngestReport", "Progress", "ingest"]

# What a night waits for: a file server that restarts, or another process that reads the same folder.
WAIT_S = 600.0


def _outcome(report: IngestReport) -> str:
    return "files_set_aside" if report.set_aside else "all_read"


@stage(_outcome)
def ingest(
    context: Context,
    folder: Path,
    day: date | None,
    progress: Progress,
    *,
    answer_s: float = WAIT_S,
    lock_s: float = WAIT_S,
) -> IngestReport:
    """Reads a folder's flow files: those that can hold flows of that day, or all (None).

    Args:
        answer_s: How long the folder may take to answer before anything in it is read, in seconds.
        lock_s: How long another process may keep it, in seconds.

    Raises:
        FolderAwayError: the folder does not answer.
        LockedError: another process keeps it.
    """
    require_answer(folder, answer_s, warn)
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
        lock_s=lock_s,
    )
