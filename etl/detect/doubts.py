"""What a day's status says of records that were not believed."""

from collections.abc import Iterable

from base.wording import counted
from sql.entries import OutcomeCount

ASIDE = "set_aside:"
SAMPLING_CHANGED = "set_aside:sampling_changed"
# Outcomes of records that cannot be true. What else is set aside is not a flow or has no usable time.
DOUBTED = ("set_aside:absurd_counter", "set_aside:faster_than_port", "set_aside:oversized_packets", SAMPLING_CHANGED)
# Above this share of a router's records an unknown sampling factor leaves the day incomplete. Below it, someone may
# send in an exporter's name, and must not stop ageing by it.
MAX_CHANGED_PCT = 1


def sampling_shortcoming(counts: Iterable[OutcomeCount]) -> str | None:
    """Why a router's day is not complete where much of it has a sampling factor that is not believed; else None."""
    records = {count.outcome: count.records for count in counts}
    changed = records.get(SAMPLING_CHANGED, 0)
    whole = records.get("kept", 0) + sum(n for outcome, n in records.items() if outcome.startswith(ASIDE))
    if 100 * changed <= MAX_CHANGED_PCT * whole:
        return None
    return (
        f"{changed} of {whole} records have a sampling factor that their exporter never had; the warnings of "
        "`hntes files` say which, and what to write into the settings if it is right"
    )


def doubt_notes(counts: Iterable[OutcomeCount]) -> list[str]:
    """One note on the records that cannot be true, by their outcome; empty where there are none."""
    found = {count.outcome: count.records for count in counts if count.outcome in DOUBTED}
    if not found:
        return []
    named = ", ".join(f"{n} {outcome.removeprefix(ASIDE)}" for outcome, n in sorted(found.items()))
    return [f"{counted(sum(found.values()), 'record')} set aside as not believable ({named})"]
