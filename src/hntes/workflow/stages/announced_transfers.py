"""What others announced of a router's alpha flows, where the settings name a folder of announcements.

docs/decisions/0064-announced-transfers.md has the reasons.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date

from hntes.etl.announced.attribute import Attribution, SeenFlows, attribute, day_sums
from hntes.etl.announced.endpoints import read_endpoints
from hntes.etl.announced.experiments import Experiments, read_experiments
from hntes.etl.announced.folder import Limits, Read, read_source
from hntes.etl.announced.registry import installed_sources
from hntes.etl.announced.source import AnnouncedError, Names
from hntes.format import counted
from hntes.settings.announced import Announced
from hntes.settings.model import Router
from hntes.sql import announced as stored
from hntes.sql.announced import AnnouncedCount, AnnouncedFlowEntry, AnnouncedSum
from hntes.sql.entries import ObservationEntry
from hntes.sql.session import Session
from hntes.workflow.context import Context


@dataclass(frozen=True)
class AnnouncedTransfers:
    """The day's alpha flows, with what their senders' announcements say for borderline ones; and what was announced.

    `sums` and `counts` are None where announcements were not read.
    """

    observations: tuple[ObservationEntry, ...]
    flows: tuple[AnnouncedFlowEntry, ...] = ()
    sums: tuple[AnnouncedSum, ...] | None = None
    counts: tuple[AnnouncedCount, ...] = ()
    notes: tuple[str, ...] = ()


def announced_transfers(
    context: Context, router: Router, day: date, observations: Sequence[ObservationEntry]
) -> AnnouncedTransfers:
    """Reads the announcements of a day; what they say of its alpha flows. There are as many flows as without them."""
    settings = context.settings.announced
    if settings is None:
        return AnnouncedTransfers(tuple(observations))
    try:
        reads = _read(settings, day, SeenFlows(observations, settings.slack_s * 1000))
    except AnnouncedError as problem:
        return AnnouncedTransfers(tuple(observations), notes=(f"announcements were not read: {problem}",))
    transfers = {read.source: read.transfers for read in reads}
    found = attribute(router.name, day, observations, transfers, settings.slack_s * 1000)
    counts = tuple(AnnouncedCount(day, read.source, **asdict(read.counts)) for read in reads if read.counts.files)
    is_shortened = settings.shorten_wait and context.settings.detection.weak_evidence == "second_sighting"
    confirmed = _confirmed(observations, found) if is_shortened else tuple(observations)
    return AnnouncedTransfers(confirmed, found.flows, day_sums(day, transfers), counts, _notes(counts))


def store_announced(session: Session, router: Router, day: date, announced: AnnouncedTransfers) -> None:
    """Replaces what is known of the router's day; what was announced in all only if it was read."""
    stored.replace_flows(session, router.name, day, announced.flows)
    if announced.sums is not None:
        stored.replace_sums(session, day, announced.sums, announced.counts)


def experiments_of(context: Context) -> Experiments:
    """The names of experiments and activities.

    Raises:
        AnnouncedError: the settings' registry cannot be read.
    """
    settings = context.settings.announced
    return read_experiments(settings.experiments if settings else None)


def _read(settings: Announced, day: date, seen: SeenFlows) -> list[Read]:
    experiments = read_experiments(settings.experiments)
    rucio = settings.rucio_experiment
    number = experiments.number(rucio) if rucio else 0
    if rucio and not number:
        raise AnnouncedError(f"announced.rucio_experiment: {rucio!r} is not in the registry of experiments")
    if not settings.folder.is_dir():
        raise AnnouncedError(f"{settings.folder}: no such folder; correct announced.folder")
    names = Names(experiments, read_endpoints(settings.endpoints), number)
    limits = Limits(settings.max_read_mib << 20, settings.max_transfers)
    return [
        read_source(settings.folder, source, names, day, limits, seen.has) for source in installed_sources().values()
    ]


def _confirmed(observations: Sequence[ObservationEntry], found: Attribution) -> tuple[ObservationEntry, ...]:
    return tuple(replace(seen, confirmed_bytes=found.confirmed_bytes.get(seen.flow_id)) for seen in observations)


def _notes(counts: Sequence[AnnouncedCount]) -> tuple[str, ...]:
    """One sentence if announcements are missing."""
    missing = [
        f"{one.source}: {', '.join(filter(None, _losses(one)))}" for one in counts if any(_losses(one))
    ]  # fmt: skip
    return (f"announcements that do not count: {'; '.join(missing)}",) if missing else ()


def _losses(one: AnnouncedCount) -> tuple[str, ...]:
    return (
        f"{counted(one.malformed, 'message')} malformed" if one.malformed else "",
        f"{one.unknown_endpoints} of unknown endpoints" if one.unknown_endpoints else "",
        f"{one.over_limit} over the limit" if one.over_limit else "",
        f"{one.unread_bytes} bytes unread" if one.unread_bytes else "",
    )
