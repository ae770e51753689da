"""The flow folders of the settings by their names and newest files."""

from dataclasses import dataclass

from hntes.etl.sources.flow_folders import sources_in_several
from hntes.etl.sources.survey import FolderSurvey, survey
from hntes.settings.model import Router
from hntes.workflow.context import Context


@dataclass(frozen=True)
class FolderState:
    """A flow folder, and the exporters in its newest files that no router lists (if all routers there list some)."""

    survey: FolderSurvey
    unlisted: tuple[str, ...]


def folder_states(context: Context, routers: list[Router]) -> tuple[FolderState, ...]:
    """The state of each flow folder that exists; reads the newest file of each source that writes into it."""
    states = []
    for folder in context.folders(routers):
        if not folder.is_dir():
            continue
        found = survey(context.source_of(folder), folder, context.settings.ingest.file_timezone, newest=1)
        here = [router for router in context.settings.routers if router.flow_folder == folder]
        listed = {str(exporter) for router in here for exporter in router.exporters}
        is_open = any(not router.exporters for router in here)
        unlisted = () if is_open else tuple(one.address for one in found.exporters if one.address not in listed)
        states.append(FolderState(found, unlisted))
    return tuple(states)


def collected_twice(states: tuple[FolderState, ...]) -> dict[str, tuple[str, ...]]:
    """Exporters in the newest files of several folders: their traffic is collected more than once."""
    seen = ((exporter.address, state.survey.folder) for state in states for exporter in state.survey.exporters)
    return {exporter: tuple(map(str, folders)) for exporter, folders in sources_in_several(seen).items()}
