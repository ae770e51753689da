"""Notes on implausible records in a day's status."""

from collections.abc import Iterable

from hntes.etl.ingest.exporter_baseline import SAMPLING_CHANGED, SAMPLING_LOWERED
from hntes.format import counted
from hntes.sql.entries import OutcomeCount

ASIDE = "set_aside:"
# Outcomes of records that cannot be true. What else is set aside is not a flow or has no usable time.
DOUBTED = ("set_aside:absurd_counter", "set_aside:faster_than_port", "set_aside:oversized_packets", SAMPLING_CHANGED)
# Above this share of a router's records an unknown sampling factor leaves the day incomplete. Below it, the
# records may be forged, and must not stop ageing.
MAX_CHANGED_PCT = 1


def sampling_shortcoming(counts: Iterable[OutcomeCount]) -> str | None:
    """Why a router's day is incomplete if many of its records have an untrusted sampling factor; else None."""
    records = {count.outcome: count.records for count in counts}
    changed = records.get(SAMPLING_CHANGED, 0) + records.get(SAMPLING_LOWERED, 0)
    whole = records.get("kept", 0) + sum(n for outcome, n in records.items() if outcome.startswith(ASIDE))
    if 100 * changed <= MAX_CHANGED_PCT * whole:
        return None
    return (
        f"{changed} of {whole} records have a sampling factor that their exporter never had; see the warnings of "
        "`hntes data files` for the settings to add if it is right"
    )


def doubt_notes(counts: Iterable[OutcomeCount]) -> list[str]:
    """Notes on implausible records; empty if there are none."""
    records = {count.outcome: count.records for count in counts}
    found = {outcome: n for outcome, n in records.items() if outcome in DOUBTED}
    notes = []
    if found:
        named = ", ".join(f"{n} {outcome.removeprefix(ASIDE)}" for outcome, n in sorted(found.items()))
        notes.append(f"{counted(sum(found.values()), 'record')} set aside as implausible ({named})")
    if lowered := records.get(SAMPLING_LOWERED):
        notes.append(f"{counted(lowered, 'record')} counted with a smaller sampling factor than announced")
    return notes
