"""The parts of a run that differ from one of the paper's experiments to the next."""

from dataclasses import dataclass

from hntes.simulator.scenario import Change, Flow, Link, Port, Tcp


@dataclass(frozen=True)
class Parts:
    """The parts of a scenario besides its name, seed, hosts and routers."""

    duration_s: float
    links: tuple[Link, ...]
    ports: tuple[Port, ...]
    flows: tuple[Flow, ...]
    tcp: Tcp
    interval_s: float | None = None
    changes: tuple[Change, ...] = ()
