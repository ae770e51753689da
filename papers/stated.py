"""Common parts of the papers' cases: a setup as data, neutral hosts, and names."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from hntes.simulator.scenario import Congestion, Data, Flow, Host, Scenario, TcpTraffic
from hntes.simulator.testbed.completion import completed

Table = Mapping[str, Any]


@cache
def load_setup(paper_file: str) -> Table:
    """The numbers of `setup.toml` beside a paper's module, given its `__file__`."""
    return tomllib.loads((Path(paper_file).parent / "setup.toml").read_text(encoding="utf-8"))


def plain_host(name: str) -> Host:
    """A host without interrupts and stalls, which at the papers' rates decide nothing, and with an ample queue."""
    return Host(name=name, nic_queue_bytes=10_000_000, interrupt_gap_us=0, stalls_per_s=0, stall_us=0)


def tcp_flow(
    name: str, source: str, sink: str, span_s: tuple[float, float], data: Data | None, congestion: Congestion = "reno"
) -> Flow:
    """A TCP flow that is on once."""
    return Flow(name, source, sink, (span_s,), TcpTraffic(congestion, data=data))


def completed_plainly(scenario: Scenario) -> Scenario:
    """The scenario completed, its queues such that they take packets whenever there is room.

    That a full queue stays closed for a while (`reopen_bytes`) is what the testbed's routers did.
    """
    links = tuple(replace(link, reopen_bytes=link.reopen_bytes or 0) for link in scenario.links)
    ports = tuple(replace(port, reopen_bytes=port.reopen_bytes or 0) for port in scenario.ports)
    return completed(replace(scenario, links=links, ports=ports))


@dataclass(frozen=True)
class StatedCase:
    """A configuration of an experiment; what it runs, the paper's own class says."""

    paper: ClassVar[str]

    experiment_name: str
    configuration: str
    variant: str = ""

    @property
    def name(self) -> str:
        """Such as `laatu/under/per-flow`."""
        return f"{self.paper}/{self.experiment_name}/{self.configuration}"
