"""The figure of a port's reservations: promised and measured rates over the days before."""

from collections.abc import Sequence
from datetime import timedelta

from hntes.etl.days import day_of_ms
from hntes.format import gbps
from hntes.rules.reservations.calendar import Segment
from hntes.web.plots import LEFT, WIDTH, Layer, Plot, Scale, Series, Tick, stacked_steps
from hntes.web.traffic_plots import day_labels
from hntes.workflow.reservations.measured import BIN_S, MeasuredPort

_DAY_S = 86_400


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

    def x(moment_s: int) -> float:
        return round(LEFT + (WIDTH - LEFT) * (moment_s - start_s) / (end_s - start_s), 1)

    stairs = "".join(f"V{scale.y(each.level_bps):g}H{x(min(each.end_s or end_s, end_s)):g}" for each in segments)
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
