"""The flow folders of the settings by their names and newest files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.etl.sources.flow_folders import sources_in_several
from hntes.etl.sources.survey import FolderSurvey, survey
from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.errors import expected, message

SOME = 5
# With fewer files a gap may be taken for the rotation.
LEAST_FILES = 3


@dataclass(frozen=True)
class FolderState:
    """A flow folder, and the exporters in its newest files that no router lists (if all routers there list some)."""

    survey: FolderSurvey
    unlisted: tuple[str, ...]


def folder_states(context: Context, folders: Sequence[Path]) -> tuple[tuple[FolderState, ...], dict[Path, str]]:
    """The states of flow folders, by the newest files of each source that writes into one, and why others have none."""
    states, unread = [], {}
    for folder in folders:
        try:
            found = survey(*context.files_of(folder))
        except expected() as problem:
            unread[folder] = message(problem)
            continue
        here = [router for router in context.settings.routers if router.flow_folder == folder]
        listed = {str(exporter) for router in here for exporter in router.exporters}
        is_open = any(not router.exporters for router in here)
        unlisted = () if is_open else tuple(one.address for one in found.exporters if one.address not in listed)
        states.append(FolderState(found, unlisted))
    return tuple(states), unread


def collected_twice(states: tuple[FolderState, ...]) -> dict[str, tuple[str, ...]]:
    """Exporters in the newest files of several folders: their traffic is collected more than once."""
    seen = ((exporter.address, state.survey.folder) for state in states for exporter in state.survey.exporters)
    return {exporter: tuple(map(str, folders)) for exporter, folders in sources_in_several(seen).items()}


def flow_problems(context: Context, states: tuple[FolderState, ...]) -> list[str]:
    """What makes a night count nothing or wrongly: foreign exporters alone, files shorter than the settings say."""
    problems = []
    for state in states:
        seen = {exporter.address for exporter in state.survey.exporters}
        for router in _routers_of(context, state):
            listed = {str(exporter) for exporter in router.exporters}
            if seen and listed and not listed & seen:
                problems.append(
                    f"router {router.name}: none of its exporters ({', '.join(sorted(listed))}) is in the newest flow "
                    f"files, which have {', '.join(sorted(seen)[:SOME])}; correct `exporters`"
                )
            problems += _unannounced_sampling(router, state) + _timeless_records(router, state)
            told_s, found_s = router.rotation_s or context.settings.ingest.rotation_s, state.survey.rotation_s
            if found_s is not None and state.survey.files >= LEAST_FILES and found_s < told_s:
                problems.append(
                    f"router {router.name}: rotation_s is {told_s}, but its files' names are {found_s} s apart: each "
                    f"would count for more time than it covers; set rotation_s = {found_s}"
                )
    return problems


def _unannounced_sampling(router: Router, state: FolderState) -> list[str]:
    """Exporters whose records look sampled while neither the files nor the settings give a factor."""
    told = {str(sampling.exporter) for sampling in router.sampling}
    listed = {str(exporter) for exporter in router.exporters} - told
    return [
        f"router {router.name}: of {exporter.records} records of {exporter.address} {exporter.single_records} have one "
        f"packet, of {exporter.single_bytes // exporter.single_records} bytes on average, as packet sampling leaves "
        "them, but no sampling is announced; give [[routers.sampling]] its factor, 1 if it does not sample"
        for exporter in state.survey.exporters
        if exporter.address in listed and exporter.looks_sampled
    ]


def _timeless_records(router: Router, state: FolderState) -> list[str]:
    """Exporters whose records are set aside, as they have no times and the collector's are not to be taken."""
    if router.clock == "collector":
        return []
    listed = {str(exporter) for exporter in router.exporters}
    return [
        f"router {router.name}: of {exporter.records} records of {exporter.address} {exporter.timeless_records} have "
        'no times, and would be set aside; set clock = "collector" to count them when they were received'
        for exporter in state.survey.exporters
        if exporter.address in listed and exporter.is_timeless
    ]


def sampling_remarks(context: Context, states: tuple[FolderState, ...]) -> list[str]:
    """Exporters of which neither the files nor the settings say whether they sample."""
    unknown = []
    for state in states:
        silent = {exporter.address for exporter in state.survey.exporters if exporter.factor is None}
        for router in _routers_of(context, state):
            told = {str(sampling.exporter) for sampling in router.sampling}
            unknown += [(router.name, each) for each in sorted((silent & set(map(str, router.exporters))) - told)]
    if not unknown:
        return []
    named = ", ".join(f"{address} (router {name})" for name, address in unknown[:SOME])
    more = f" and {len(unknown) - SOME} more" if len(unknown) > SOME else ""
    way_out = "if one samples, give [[routers.sampling]] its factor"
    return [f"no sampling announced, counted as unsampled: {named}{more}; {way_out}"]


def _routers_of(context: Context, state: FolderState) -> list[Router]:
    return [router for router in context.settings.routers if router.flow_folder == state.survey.folder]
