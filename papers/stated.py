"""Common parts of the papers' cases: a setup as data, neutral hosts, and names."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from hntes.simulator.scenario import Congestion, Data, Flow, Host, Scenario, TcpTraffic, from_document
from hntes.simulator.testbed.completion import completed

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Assumed = TypeVar("Assumed", bound=DataclassInstance)

Setup = TypeVar("Setup")
# Fields of what a paper assumes, with other values; for studies of sensitivity.
Changes = Mapping[str, object]


def read_setup(wanted: type[Setup], module_file: str, name: str = "setup.toml") -> Setup:
    """The numbers of a file beside a paper's module, given the module's `__file__`.

    Raises:
        ScenarioError: a key is unknown or missing, or its value has another type.
    """
    return from_document(wanted, tomllib.loads((Path(module_file).parent / name).read_text(encoding="utf-8")))


def changed(assumed: "Assumed", changes: Changes | None) -> "Assumed":
    """What is assumed, but for the changes."""
    return replace(assumed, **dict(changes or {}))


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
