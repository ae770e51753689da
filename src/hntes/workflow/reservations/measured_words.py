"""Reserved and measured rates in words: on the page, and on the command line."""

from hntes.format import counted, gbps, minute
from hntes.workflow.reservations.measured import MeasuredDays, MeasuredReservation

HEAD = ("number", "router", "pair", "from, UTC", "until, UTC", "promised", "measured", "fullest window", "measured of")


def measured_rows(found: MeasuredDays) -> tuple[tuple[str, ...], ...]:
    """The rows under `HEAD`, one per reservation and router."""
    return tuple(map(_row, found.reservations))


def _row(one: MeasuredReservation) -> tuple[str, ...]:
    asked_s = one.end_s - one.start_s
    known = "not yet known" if not one.known_s else f"{100 * one.known_s // asked_s}% of the time"
    return (
        str(one.number), one.router, str(one.pair), minute(1000 * one.start_s), minute(1000 * one.end_s),
        gbps(one.promised_bps), "-" if one.mean_bps is None else gbps(one.mean_bps),
        "-" if one.peak_bps is None else gbps(one.peak_bps), known,
    )  # fmt: skip


def left_out_words(found: MeasuredDays) -> str:
    """How many reservations of these days were not measured; "" if all were."""
    if not found.left_out:
        return ""
    return f"{counted(found.left_out, 'older reservation')} of these days not measured: the newest are"
