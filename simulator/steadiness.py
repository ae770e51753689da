"""Whether a result of the fluid engine would stand if the network were a little different.

Whether a slow start just fills a buffer, or a loss just costs a timeout, hangs on less than the fluid engine knows.
Where a network that differs by two per cent gives another result, packets have to decide.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from simulator.agreement import distance, measure
from simulator.engine import run
from simulator.results import RunResult

# Buffers and delays of the neighbours, as shares of the scenario's.
NEIGHBOURS = ((1.02, 1.0), (0.98, 1.0), (1.0, 1.02), (1.0, 0.98))


def unsteady(scenario: Mapping[str, Any], result: RunResult) -> list[str]:
    """What of a fluid run lies outside the engines' limits of agreement (`agreement.LIMITS`) in a neighbour.

    The neighbours have buffers, or propagation delays, of 2 % more or less. Four more runs of the fluid engine.

    Returns:
        Names of measures: throughput of all TCP or UDP, mean delay, loss; empty when the result is steady.

    Raises:
        As `simulator.run` does for the scenario.
    """
    own = measure(result)
    outside: set[str] = set()
    for neighbour in neighbours(scenario):
        outside.update(distance(measure(run(neighbour, engine="fluid")), own).misses())
    return sorted(outside - {"epoch"})


def neighbours(scenario: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The scenario with buffers or delays of 2 % more or less."""
    for buffers, delays in NEIGHBOURS:
        yield {
            **scenario,
            "ports": [_scaled(port, "buffer_bytes", buffers) for port in scenario.get("ports", ())],
            "links": [
                {**_scaled(link, "buffer_bytes", buffers), "delay_us": link["delay_us"] * delays}
                for link in scenario["links"]
            ],
        }


def _scaled(owner: Mapping[str, Any], key: str, factor: float) -> dict[str, Any]:
    return {**owner, key: round(owner[key] * factor)} if key in owner else dict(owner)
