"""The figures of a port's reservations: what is promised from now on, and promised and measured rates before."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hntes.etl.days import day_of_ms
from hntes.format import counted, gbps, minute
from hntes.rules.reservations.calendar import Segment
from hntes.web.plots import FLOOR, LEFT, WIDTH, Layer, Plot, Scale, Series, Tick, level_line, stacked_steps
from hntes.web.traffic_plots import FAR, day_labels
from hntes.workflow.reservations.calendar import PortCalendar
from hntes.workflow.reservations.measured import BIN_S, MeasuredPort

_HOUR_S, _DAY_S = 3_600, 86_400
# Distances of labels, of which the first is taken that needs no more than so many.
_LABEL_STEPS_S = (3 * _HOUR_S, 6 * _HOUR_S, 12 * _HOUR_S, *(days * _DAY_S for days in (1, 2, 7, 14, 28, 91, 182, 364)))
_MOST_LABELS = 6


def calendar_plot(found: PortCalendar, most_rows: int) -> tuple[Plot, int]:
    """The reserved rate from now on, at least of a day, and the number of periods with reservations.

    The cap is a line where that does not flatten the rates; the table has the first `most_rows` periods.
    """
    start_s = found.segments[0].start_s
    end_s = max(start_s + _DAY_S, found.segments[-1].start_s)
    cap_bps = found.limit.cap_bps
    is_far = cap_bps > FAR * found.most_bps
    scale = Scale.to(found.most_bps if is_far else max(found.most_bps, cap_bps))
    name = f"cap, {gbps(cap_bps)}"
    line = Layer("share", f"{name}: above the scale", "", is_line=True)
    area = f"{_steps(found.segments, start_s, end_s, scale)}V{FLOOR}z" if found.most_bps else ""
    layers = (Layer("reserved", "reserved", area), line if is_far else level_line(cap_bps, scale, "share", name))
    used = [each for each in found.segments if each.level_bps > 0 and each.end_s is not None]
    rows = tuple(
        (_at(each.start_s), _at(each.end_s or 0), gbps(each.level_bps), f"{100 * each.level_bps // cap_bps}%")
        for each in used[:most_rows]
    )
    words = (
        f"{_at(start_s)} to {_at(end_s)} UTC: {counted(len(used), 'period')} with reservations, at most "
        f"{gbps(found.most_bps)}"
    )
    plot = Plot(
        f"Reserved on {found.port}", words, layers, _time_labels(start_s, end_s),
        tuple(Tick(scale.y(value), gbps(value)) for value in scale.ticks),
        ("From, UTC", "until, UTC", "reserved", "of the cap"), rows,
    )  # fmt: skip
    return plot, len(used)


def _time_labels(start_s: int, end_s: int) -> tuple[Tick, ...]:
    """Labels of whole hours or days, UTC; midnight is named by its day."""
    fitting = (step for step in _LABEL_STEPS_S if (end_s - start_s) / step < _MOST_LABELS)
    step_s = next(fitting, _LABEL_STEPS_S[-1])
    moments = range(-(-start_s // step_s) * step_s, end_s + 1, step_s)
    return tuple(Tick(_x(moment, start_s, end_s), _label(moment)) for moment in moments)


def _label(moment_s: int) -> str:
    when = datetime.fromtimestamp(moment_s, UTC)
    return f"{when:%H:%M}" if moment_s % _DAY_S else f"{when.day} {when:%b}"


def _at(moment_s: int) -> str:
    return minute(moment_s * 1000)


def _x(moment_s: int, start_s: int, end_s: int) -> float:
    return round(LEFT + (WIDTH - LEFT) * (moment_s - start_s) / (end_s - start_s), 1)


def measured_plot(port: MeasuredPort) -> Plot:
    """The promised rate as a line over the mean rate of the reserved pairs' alpha flows."""
    count = len(port.measured_bps)
    end_s = port.start_s + count * BIN_S
    most = max([each.level_bps for each in port.promised] + [each or 0.0 for each in port.measured_bps])
    scale = Scale.to(most)
    series = Series("rule", f"measured, mean of {BIN_S // 60} minutes", port.measured_bps)
    layers = (
        *stacked_steps((series,), scale),
        Layer("share", "promised", _steps(port.promised, port.start_s, end_s, scale), is_line=True),
    )
    first = day_of_ms(1000 * port.start_s)
    days = [first + timedelta(days=number) for number in range(count * BIN_S // _DAY_S)]
    rows = tuple((str(day), *_of_day(port, number)) for number, day in enumerate(days))
    top = max((each for each in port.measured_bps if each is not None), default=None)
    measured = "no processed day" if top is None else f"measured at most {gbps(top)}"
    promised = max(each.level_bps for each in port.promised)
    words = f"promised at most {gbps(promised)}, {measured} over {BIN_S // 60} minutes"
    return Plot(
        f"Reserved and measured on {port.port}", words, layers, day_labels(days),
        tuple(Tick(scale.y(value), gbps(value)) for value in scale.ticks),
        ("Day", "promised, at most", f"measured, busiest {BIN_S // 60} minutes"), rows,
    )  # fmt: skip


def _steps(segments: Sequence[Segment], start_s: int, end_s: int, scale: Scale) -> str:
    """A staircase through the promised rates."""
    stairs = "".join(
        f"V{scale.y(each.level_bps):g}H{_x(min(each.end_s or end_s, end_s), start_s, end_s):g}" for each in segments
    )
    return f"M{LEFT} {scale.y(0):g}{stairs}"


def _of_day(port: MeasuredPort, number: int) -> tuple[str, str]:
    begins_s = port.start_s + number * _DAY_S
    levels = [
        each.level_bps
        for each in port.promised
        if each.start_s < begins_s + _DAY_S and (each.end_s is None or each.end_s > begins_s)
    ]
    per_day = _DAY_S // BIN_S
    rates = [rate for rate in port.measured_bps[number * per_day : (number + 1) * per_day] if rate is not None]
    return gbps(max(levels, default=0)), gbps(max(rates)) if rates else "not processed"
