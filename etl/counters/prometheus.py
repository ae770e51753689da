"""Interface counters in Prometheus, as snmp_exporter or gnmic store them.

Samples are read with their own times, by an instant query of a range selector: query_range repeats old ones.
Source: Prometheus, "HTTP API", instant queries, and "Querying basics", range vector selectors.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from hntes.etl.counters.arithmetic import COUNTER_SIZE, octets_of_readings
from hntes.etl.counters.http_json import RequestError, get_json
from hntes.etl.counters.source import CounterSourceError, Direction, IntervalOctets

if TYPE_CHECKING:
    from hntes.settings.counters import Counters, PrometheusCounters

TOKEN_VARIABLE = "HNTES_PROMETHEUS_TOKEN"  # noqa: S105 - its name
# The samples of so much time are requested at once.
_CHUNK_S = 3 * 3600
_Readings = defaultdict[tuple[str, Direction], list[tuple[int, int]]]


@dataclass(frozen=True)
class PrometheusSource:
    """The server, metrics and labels are those of the settings; `options` is None before it is configured."""

    options: PrometheusCounters | None = None
    max_interval_ms: int = 900_000
    name: str = "prometheus"

    def configured(self, settings: Counters) -> PrometheusSource:
        """The source as the settings have it."""
        return PrometheusSource(settings.prometheus, settings.max_interval_s * 1000)

    def read(self, router: str, from_ms: int, to_ms: int) -> Sequence[IntervalOctets]:
        """The intervals of a router's interfaces between two moments."""
        options = self.options
        if options is None:
            raise CounterSourceError("counters.prometheus: the section is missing; it names the server")
        readings: _Readings = defaultdict(list)
        for start_s in range(from_ms // 1000, to_ms // 1000, _CHUNK_S):
            end_s = min(start_s + _CHUNK_S, to_ms // 1000)
            for sample in _samples(options, router, start_s, end_s):
                readings[sample[0], sample[1]].append(sample[2:])
        return sorted(
            interval
            for (interface, direction), found in readings.items()
            for interval in octets_of_readings(interface, direction, found, self.max_interval_ms)
        )


def _samples(
    options: PrometheusCounters, router: str, start_s: int, end_s: int
) -> Iterator[tuple[str, Direction, int, int]]:
    """Interface, direction, time and value of each sample."""
    directions: dict[str, Direction] = {options.in_metric: "in", options.out_metric: "out"}
    try:
        answer = get_json(
            _query_url(options, router, start_s, end_s), os.environ.get(TOKEN_VARIABLE), options.timeout_s,
            options.max_answer_mib << 20,
        )  # fmt: skip
    except RequestError as cause:
        raise CounterSourceError(f"Prometheus at {options.url}, counters of {router}: {cause}") from cause
    try:
        for series in _matrix(answer):
            labels = series["metric"]
            interface, direction = str(labels[options.interface_label]), directions[labels["__name__"]]
            for moment, value in series["values"]:
                if (counter := _counter(value)) is not None:
                    yield interface, direction, round(float(moment) * 1000), counter
    except (KeyError, TypeError, ValueError, OverflowError) as cause:
        raise CounterSourceError(
            f"Prometheus at {options.url}, counters of {router}: not samples of {options.in_metric} and "
            f"{options.out_metric} with the label {options.interface_label} ({type(cause).__name__}: {cause})"
        ) from cause


def _query_url(options: PrometheusCounters, router: str, start_s: int, end_s: int) -> str:
    label = options.routers.get(router, router)
    quoted = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    metrics = f'__name__=~"{options.in_metric}|{options.out_metric}"'
    # a range is open at its start from Prometheus 3 on
    query = f'{{{metrics},{options.router_label}="{quoted}"}}[{end_s - start_s + 1}s]'
    return f"{options.url.rstrip('/')}/api/v1/query?" + urlencode({"query": query, "time": end_s})


def _matrix(answer: object) -> list[Mapping[str, Any]]:
    if not isinstance(answer, dict) or answer.get("status") != "success":
        said = answer.get("error") if isinstance(answer, dict) else None
        raise ValueError(str(said or "no result")[:200])
    if answer["data"]["resultType"] != "matrix":
        raise ValueError("not a matrix")
    found: list[Mapping[str, Any]] = answer["data"]["result"]
    return found


def _counter(value: str) -> int | None:
    """The value of a sample; None of a stale or other one that is no counter."""
    number = float(value)
    return int(number) if math.isfinite(number) and 0 <= number < COUNTER_SIZE else None


SOURCE = PrometheusSource()
