"""What the papers' cases share: a setup as data, hosts that decide nothing, and names."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from hntes.simulator.testbed.scenario_file import complete

Table = Mapping[str, Any]


@cache
def load_setup(paper_file: str) -> Table:
    """The numbers of `setup.toml` beside a paper's module, given its `__file__`."""
    return tomllib.loads((Path(paper_file).parent / "setup.toml").read_text(encoding="utf-8"))


def plain_host(name: str) -> dict[str, Any]:
    """A host without interrupts and stalls, which at the papers' rates decide nothing, and with an ample queue."""
    return {"name": name, "nic_queue_bytes": 10_000_000, "interrupt_gap_us": 0, "stalls_per_s": 0, "stall_us": 0}


def complete_plainly(scenario: Table) -> dict[str, Any]:
    """The scenario completed, its queues such that they take packets whenever there is room.

    That a full queue stays closed for a while (`reopen_bytes`) is what the testbed's routers did.
    """
    queues = {key: [{"reopen_bytes": 0, **one} for one in scenario[key]] for key in ("links", "ports")}
    return complete({**scenario, **queues})


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
