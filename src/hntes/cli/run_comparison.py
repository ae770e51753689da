"""Two simulated runs side by side: the measures of flows and queues, and their differences."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hntes.cli.run_words import WordTable, rate_bps
from hntes.format import data_size, gbps
from hntes.simulator.measures import dropped_pkts
from hntes.simulator.results import FlowTotals, QueueTotals, RunResult

Words = Callable[[float], str]


@dataclass(frozen=True)
class Compared:
    """One measure of a flow or queue in both runs; None where a run has no such value.

    `unit` is that of the values: bits/s, bytes, per cent of packets, packets or ms.
    """

    of: str
    measure: str
    unit: str
    first: float | None
    second: float | None

    @property
    def difference(self) -> float | None:
        """The second minus the first, in the same unit."""
        return None if self.first is None or self.second is None else self.second - self.first


def compared(first: RunResult, second: RunResult) -> list[Compared]:
    """All measures that at least one of the runs has, flows before queues, those of the first run before others."""
    found: list[Compared] = []
    for kind in (_flows, _queues):
        sides = kind(first), kind(second)
        for of in dict.fromkeys((*sides[0], *sides[1])):
            left, right = (side.get(of, {}) for side in sides)
            found += [
                Compared(of, *named, left.get(named), right.get(named)) for named in dict.fromkeys((*left, *right))
            ]
    return [one for one in found if one.first or one.second]


def comparison_words(rows: list[Compared], first: str, second: str) -> WordTable:
    """The rows for a person; `first` and `second` head the columns of the runs."""
    return WordTable(
        ("of", "measure", first, second, "difference"),
        tuple((one.of, one.measure, _worded(one.first, one.unit), _worded(one.second, one.unit), _change(one))
              for one in rows),
    )  # fmt: skip


def _flows(result: RunResult) -> dict[str, dict[tuple[str, str], float]]:
    return {f"flow {name}": dict(_flow(result, flow)) for name, flow in result.flows.items()}


def _flow(result: RunResult, flow: FlowTotals) -> Iterator[tuple[tuple[str, str], float]]:
    rate = rate_bps(result, flow.name)
    if rate is not None:
        yield ("rate", "bit/s"), rate
    if flow.ping is None:
        yield ("carried", "bytes"), float(flow.goodput_bytes)
    if flow.sent_pkts:
        yield ("loss", "%"), 100 * dropped_pkts([flow]) / flow.sent_pkts
    if flow.tcp is not None and "retransmitted_pkts" in flow.tcp:
        yield ("sent again", "packets"), float(flow.tcp["retransmitted_pkts"])
    if flow.ping is not None:
        yield ("round trip, mean", "ms"), flow.ping.mean_ms
        yield ("round trip, longest", "ms"), flow.ping.max_ms
    if flow.one_way_delays is not None:
        yield ("one way, mean", "ms"), flow.one_way_delays.mean_ms
        yield ("one way, 95%", "ms"), flow.one_way_delays.p95_ms


def _queues(result: RunResult) -> dict[str, dict[tuple[str, str], float]]:
    fullest = {name: float(values.max(initial=0)) for name, values in result.of_queues("peak_bytes").items()}
    return {f"queue {name}": dict(_queue(queue, fullest.get(name))) for name, queue in result.queues.items()}


def _queue(queue: QueueTotals, fullest_bytes: float | None) -> Iterator[tuple[tuple[str, str], float]]:
    if fullest_bytes is not None:
        yield ("fullest", "bytes"), fullest_bytes
    dropped = sum(queue.dropped_pkts.values())
    if offered := queue.enqueued_pkts + dropped:
        yield ("loss", "%"), 100 * dropped / offered
    if queue.delays:
        yield ("waited, mean", "ms"), queue.delays["mean_ms"]
        yield ("waited, longest", "ms"), queue.delays["max_ms"]


def _worded(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    words: dict[str, Words] = {
        "bit/s": gbps,
        "bytes": lambda count: data_size(round(count)),
        "packets": lambda count: f"{count:,.0f}",
        "%": lambda share: f"{share:.3g}%",
        "ms": lambda delay: f"{delay:.3g} ms",
    }
    return words[unit](value)


def _change(one: Compared) -> str:
    """The difference: relative for rates and sizes, in points or ms for shares and times.

    Example:
        >>> _change(Compared("flow a", "rate", "bit/s", 4e9, 5e9)), _change(Compared("flow a", "loss", "%", 2, 0.5))
        ('+25%', '-1.5 points')
    """
    difference = one.difference
    if difference is None:
        return ""
    if difference == 0:
        return "none"
    if one.unit in ("%", "ms"):
        return f"{difference:+.3g} {'points' if one.unit == '%' else 'ms'}"
    return f"{100 * difference / one.first:+.3g}%" if one.first else f"+{_worded(difference, one.unit)}"
