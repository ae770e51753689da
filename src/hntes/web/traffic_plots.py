"""The figures of a router's traffic: its core ports over a day, its alpha flows, and its queue and rules by day."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from hntes.etl.days import day_bounds_ms
from hntes.format import gbps, gigabytes
from hntes.rules.backtest.effect_words import share_text
from hntes.sql.ageing_rules import AgeingSum
from hntes.web.plots import (
    LEFT,
    WIDTH,
    Layer,
    LogScale,
    Plot,
    Scale,
    Series,
    Tick,
    bytes_label,
    day_ticks,
    level_line,
    middle,
    points,
    stacked_bars,
    stacked_steps,
)
from hntes.workflow.reports.all_flows import AllFlows
from hntes.workflow.reports.router_traffic import (
    BIN_MINUTES,
    AgeingDay,
    DrawnFlow,
    PortDay,
    PortDays,
    QueuedDay,
    QueuedSum,
    RouterTraffic,
)
from hntes.workflow.reports.traffic_words import (
    STATES,
    all_flows_words,
    day_rows,
    flows_words,
    port_day_rows,
    port_days_words,
    port_words,
    queued_words,
)

# Of a router with more, the busiest are drawn; the command line prints all.
MOST_PORTS = 6
# So many flows are in the table of the figure.
LISTED_FLOWS = 20
# A share so many times above the load is not drawn: it would flatten the load.
FAR = 3.0
_PER_HOUR = 60 // BIN_MINUTES
_DAY_LABELS = 5


def busiest(ports: Sequence[PortDay]) -> list[PortDay]:
    """Those that are drawn, in their order."""
    by_bytes = sorted(ports, key=lambda port: -(port.queued_bytes + port.new_bytes + port.beta_bytes))[:MOST_PORTS]
    return [port for port in ports if port in by_bytes]


def port_plot(port: PortDay, day: date) -> Plot:
    """The load of a core port over the day, stacked, with the rate of the alpha queue as a line."""
    series = (
        Series("rule", "alpha with a rule", port.queued_bps),
        Series("new", "alpha without a rule", port.new_bps),
        Series("beta", "beta", port.beta_bps),
    )
    totals = list(map(sum, zip(port.queued_bps, port.new_bps, port.beta_bps, strict=True)))
    scale, line = _share_line(port.queue_bps, max(totals))
    layers = (*stacked_steps(series, scale), *line)
    rows = [(f"{hour:02}:00", *(gbps(_hourly(each.values, hour)) for each in series)) for hour in range(24)]
    return Plot(
        f"Load of {port.name} on {day}", port_words(port), layers, day_ticks(range(0, 24, 4)),
        _rate_ticks(scale), ("Mean of the hour from, UTC", *(each.name for each in series)), tuple(rows),
    )  # fmt: skip


def port_days_plot(port: PortDays, until_day: date, count: int) -> Plot:
    """The mean load of a core port by day, stacked, with the rate of the alpha queue as a line."""
    listed = [until_day - timedelta(days=count - 1 - number) for number in range(count)]
    known = {each.day: each for each in port.days}
    found = [known.get(day) for day in listed]
    series = (
        Series("rule", "alpha with a rule", [_mean_bps(each.queued_bytes) if each else None for each in found]),
        Series("new", "alpha without a rule", [_mean_bps(each.new_bytes) if each else None for each in found]),
        Series("beta", "beta", [_mean_bps(each.beta_bytes) if each else None for each in found]),
    )
    most = max(_mean_bps(each.queued_bytes + each.new_bytes + each.beta_bytes) for each in port.days)
    share, line = _share_line(port.queue_bps, most)
    layers = (*stacked_bars(series, share), *line)
    head = ("Day", "alpha with a rule", "alpha without a rule", "beta", "busiest 5 minutes")
    return Plot(
        f"Mean load of {port.name} by day", port_days_words(port), layers, day_labels(listed), _rate_ticks(share),
        head, port_day_rows(port),
    )  # fmt: skip


def _mean_bps(byte_count: int) -> float:
    return byte_count * 8 / 86_400


def _share_line(queue_bps: float | None, most_bps: float) -> tuple[Scale, tuple[Layer, ...]]:
    """The scale of a port's load, and the line of its alpha queue; none where that would flatten the load."""
    if queue_bps is None:
        return Scale.to(most_bps), ()
    is_far = queue_bps > FAR * most_bps > 0
    scale = Scale.to(most_bps if is_far else max(most_bps, queue_bps))
    name = f"alpha queue's share, {gbps(queue_bps)}"
    far = Layer("share", f"{name}: above the scale", "", is_line=True)
    return scale, (far if is_far else level_line(queue_bps, scale, "share", name),)


def day_labels(listed: Sequence[date]) -> tuple[Tick, ...]:
    """Labels of some of these days, the last among them."""
    step = max(len(listed) // _DAY_LABELS, 1)
    return tuple(
        Tick(middle(n, len(listed)), f"{listed[n].day} {listed[n]:%b}") for n in range(len(listed) - 1, -1, -step)
    )


def _hourly(values: Sequence[float | None], hour: int) -> float:
    return sum(value or 0.0 for value in values[hour * _PER_HOUR : (hour + 1) * _PER_HOUR]) / _PER_HOUR


def _rate_ticks(scale: Scale) -> tuple[Tick, ...]:
    return tuple(Tick(scale.y(value), gbps(value)) for value in scale.ticks)


def flows_plot(traffic: RouterTraffic) -> Plot:
    """The alpha flows of the day by begin and bytes: with a rule, without, excluded."""
    layers, y_ticks = _scatter(traffic.day, traffic.flows)
    rows = tuple(
        (f"{flow.source} > {flow.destination}", _clock(flow.first_ms), gigabytes(flow.flow_bytes), STATES[flow.state])
        for flow in traffic.flows[:LISTED_FLOWS]
    )
    head = ("Largest alpha flows", "From, UTC", "Bytes of the day", "Rule")
    return Plot(
        f"Alpha flows of {traffic.day}", flows_words(traffic), layers, day_ticks(range(0, 24, 4)), y_ticks, head, rows
    )


def all_flows_plot(found: AllFlows) -> Plot:
    """The same over all routers."""
    layers, y_ticks = _scatter(found.day, [each.flow for each in found.flows])
    rows = tuple(
        (
            f"{each.flow.source} > {each.flow.destination}", each.router, _clock(each.flow.first_ms),
            gigabytes(each.flow.flow_bytes), STATES[each.flow.state],
        )
        for each in found.flows[:LISTED_FLOWS]
    )  # fmt: skip
    head = ("Largest alpha flows", "Router", "From, UTC", "Bytes of the day", "Rule")
    return Plot(
        f"Alpha flows of {found.day}, all routers", all_flows_words(found), layers, day_ticks(range(0, 24, 4)), y_ticks,
        head, rows,
    )  # fmt: skip


def _scatter(day: date, flows: Sequence[DrawnFlow]) -> tuple[tuple[Layer, ...], tuple[Tick, ...]]:
    """Points by begin and bytes, one layer per state, and the labels of the bytes."""
    start_ms, end_ms = day_bounds_ms(day)
    scale = LogScale.over([flow.flow_bytes for flow in flows])

    def place(first_ms: int) -> float:
        share = (first_ms - start_ms) / (end_ms - start_ms)
        return LEFT + (WIDTH - LEFT - 3) * min(max(share, 0.0), 1.0)

    layers = tuple(
        Layer(
            kind,
            name,
            points(kind, ((place(f.first_ms), scale.y(f.flow_bytes)) for f in flows if f.state == kind)),
        )
        for kind, name in STATES.items()
    )
    return layers, tuple(Tick(scale.y(value), bytes_label(value, value)) for value in scale.powers)


def _clock(moment_ms: int) -> str:
    return f"{datetime.fromtimestamp(moment_ms / 1000, UTC):%H:%M}"


def queued_plot(days: Sequence[QueuedDay | QueuedSum], until_day: date, count: int, name: str) -> Plot:
    """Alpha bytes by day: of pairs in force on the day, and the rest; days that were not measured stay empty."""
    listed = [until_day - timedelta(days=count - 1 - number) for number in range(count)]
    known = {each.day: each for each in days}
    found = [known.get(day) for day in listed]
    series = (
        Series("rule", "with a rule", [each.queued_bytes if each else None for each in found]),
        Series("new", "without a rule", [each.alpha_bytes - each.queued_bytes if each else None for each in found]),
    )
    scale = Scale.to(max((each.alpha_bytes for each in days), default=0))
    y_ticks = tuple(Tick(scale.y(value), bytes_label(value, scale.top)) for value in scale.ticks)
    head = ("Measured day", "with a rule", "without a rule", "share with a rule")
    return Plot(
        name, queued_words(days), stacked_bars(series, scale), day_labels(listed), y_ticks, head, day_rows(days)
    )


def effectiveness_plot(days: Sequence[QueuedDay | QueuedSum], until_day: date, count: int) -> Plot:
    """The share of each day's alpha bytes that was of pairs in force on the day; days without any stay empty."""
    listed = [until_day - timedelta(days=count - 1 - number) for number in range(count)]
    known = {each.day: each for each in days if each.alpha_bytes}
    shares = [100 * known[day].queued_bytes / known[day].alpha_bytes if day in known else None for day in listed]
    scale = Scale.to(100)
    layers = stacked_bars((Series("rule", "share with a rule", shares),), scale)
    y_ticks = tuple(Tick(scale.y(value), f"{value:g}%") for value in scale.ticks)
    head = ("Day with alpha traffic", "alpha traffic", "with a rule", "effectiveness")
    rows = tuple(
        (str(each.day), gigabytes(each.alpha_bytes), gigabytes(each.queued_bytes),
         share_text(each.queued_bytes, each.alpha_bytes))
        for each in known.values()
    )  # fmt: skip
    return Plot(
        "Effectiveness by day, all routers", queued_words(days), layers, day_labels(listed), y_ticks, head, rows
    )


def ageing_plot(days: Sequence[AgeingDay | AgeingSum], words: str) -> Plot:
    """The rules that age out, by the complete days that are left."""
    scale = Scale.to(max((each.rules for each in days), default=0))
    layers = stacked_bars((Series("ageing", "rules that age out", [float(each.rules) for each in days]),), scale)
    x_ticks = tuple(Tick(middle(number, len(days)), f"{each.days_left} d") for number, each in enumerate(days))
    y_ticks = tuple(Tick(scale.y(value), f"{value:g}") for value in scale.ticks if value == int(value))
    rows = tuple((str(each.days_left), str(each.rules), gigabytes(each.alpha_bytes)) for each in days)
    head = ("Complete days left", "rules", "their alpha traffic so far")
    return Plot("Rules that age out", words, layers, x_ticks, y_ticks, head, rows)
