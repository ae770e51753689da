"""Completed file transfers, as FTS and Rucio report them. They name hosts, not addresses: endpoints explain them."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from hntes.addresses import Network
from hntes.etl.announced.document import Fields
from hntes.etl.announced.source import Announcement, MalformedError, Names


@dataclass(frozen=True)
class FtsSource:
    """FTS transfer completion messages, one per line, or within the envelope of a message store (`data`).

    Source: FTS3 (https://gitlab.cern.ch/fts/fts3), message `TransferCompleted`: `timestamp_tr_st` and
    `timestamp_tr_comp` are epoch ms of the data transfer alone.
    """

    name: str = "fts"

    def announcements(self, fields: Fields, names: Names) -> Iterator[Announcement]:
        """The transfer, if any data was sent."""
        message = fields.object("data") if fields.has("data") else fields
        start_ms = message.moment_ms("timestamp_tr_st")
        if start_ms is None:
            return  # it failed before its first byte
        reference = _needed(message, "tr_id")
        experiment = names.experiments.number(message.text("vo"))
        activity = _activity(message, names, experiment)
        ends = [
            names.endpoints.prefixes(message.text(f"{side}_hostname") or _host(message.text(f"{side}_url")))
            for side in ("src", "dst")
        ]
        yield _transfer(
            reference, ends, (start_ms, message.moment_ms("timestamp_tr_comp")), (experiment, activity),
            message.count("tr_bt_transfered"),
        )  # fmt: skip


@dataclass(frozen=True)
class RucioSource:
    """Rucio events, one per line; only `transfer-done` is used.

    Source: Rucio (https://rucio.cern.ch), messages of the conveyor. Times are UTC. A message does not name the
    experiment: the settings say whose Rucio it is.
    """

    name: str = "rucio"

    def announcements(self, fields: Fields, names: Names) -> Iterator[Announcement]:
        """The transfer of a `transfer-done` event."""
        if fields.text("event_type") != "transfer-done":
            return
        message = fields.object("payload")
        experiment = names.rucio_experiment
        activity = names.experiments.activity_number(experiment, message.text("activity"))
        ends = [names.endpoints.prefixes(_host(message.text(f"{side}-url"))) for side in ("src", "dst")]
        times = (message.moment_ms("started_at"), message.moment_ms("transferred_at"))
        size = message.count("bytes")
        yield _transfer(_needed(message, "request-id"), ends, times, (experiment, activity), size)


def _transfer(
    reference: str, ends: list[tuple[Network, ...]], times_ms: tuple[int | None, int | None], whose: tuple[int, int],
    sent_bytes: int | None,
) -> Announcement:  # fmt: skip
    start_ms, end_ms = times_ms
    if start_ms is None or (end_ms is not None and end_ms < start_ms):
        raise MalformedError("the transfer has no start, or ends before it")
    return Announcement(
        key=(reference,), sources=ends[0], destinations=ends[1], start_ms=start_ms, end_ms=end_ms, experiment=whose[0],
        activity=whose[1], sent_bytes=sent_bytes, reference=reference,
    )  # fmt: skip


def _needed(message: Fields, name: str) -> str:
    reference = message.reference(name)
    if not reference:
        raise MalformedError(f"{name} is missing, or no identifier")
    return reference


def _activity(message: Fields, names: Names, experiment: int) -> int:
    """Of the file's metadata, which users write: an object, or anything else."""
    try:
        return names.experiments.activity_number(experiment, message.text("file_metadata", "activity"))
    except MalformedError:
        return 0


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


FTS = FtsSource()
RUCIO = RucioSource()
