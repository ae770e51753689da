"""Experiments as data: from the files in `scenarios/` to scenarios the engine runs."""

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hntes.simulator.testbed.port_plan import PortPlan, conditioner, discipline, scheduler

SCENARIOS = Path(__file__).parent / "scenarios"
GBPS = 1e9
# Kernels whose TCP hosts can have: that of the testbed, and one of today.
TESTBED_PROFILE = "linux-2.6.33"
PROFILES = (TESTBED_PROFILE, "linux-6")
Table = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """One configuration of an experiment under one variant of its traffic; the variant may be empty."""

    experiment: "Experiment"
    configuration: str
    variant: str

    @property
    def name(self) -> str:
        """Such as `experiment3/2-queues/udp-1`."""
        return "/".join(part for part in (self.experiment.name, self.configuration, self.variant) if part)

    @property
    def experiment_name(self) -> str:
        """The number of the experiment, as text."""
        return str(self.experiment.number)

    def flows(self) -> dict[str, dict[str, Any]]:
        """The flows of this case by name, with what configuration and variant change."""
        changes = (self._configuration(), self._variant())
        without = {name for change in changes for name in change.get("without", ())}
        flows = {name: dict(flow) for name, flow in self.experiment.table["flows"].items() if name not in without}
        for change in changes:
            for name, values in change.get("flows", {}).items():
                flows[name].update(values)
        return flows

    def scenario(self, seed: int, parameters: Table | None = None, plan: PortPlan | None = None) -> dict[str, Any]:
        """The scenario for the engine.

        Args:
            seed: Seed of all random streams.
            parameters: In place of what the published runs have (`published_parameters`): hosts alike, those of another
                kernel (`load_parameters`), or a study's.
            plan: In place of the configuration's queues: the same flows through another port, of hosts alike.
        """
        parameters = parameters or (published_parameters() if plan is None else load_parameters())
        testbed = load_table("testbed")
        router = parameters["router"]
        duration_s = float(self.experiment.table["duration_s"])
        return {
            "name": self.name if plan is None else f"{self.experiment.name}/plan",
            "duration_s": duration_s,
            "seed": seed,
            "hosts": [{"name": name, **self._of_host(name, parameters)} for name in testbed["hosts"]],
            "routers": list(testbed["routers"]),
            "links": [_link(link, router) for link in testbed["links"]],
            "ports": [self._port(testbed, router) if plan is None else self._planned_port(plan, router)],
            "tcp": dict(parameters["tcp"]),
            **({"profiles": deepcopy(parameters["profiles"])} if parameters.get("profiles") else {}),
            "flows": [_flow(name, flow, duration_s, parameters) for name, flow in self.flows().items()],
        }

    def _configuration(self) -> Table:
        table: Table = self.experiment.table["configurations"][self.configuration]
        return table

    def _variant(self) -> Table:
        table: Table = self.experiment.table.get("variants", {}).get(self.variant, {})
        return table

    def _of_host(self, name: str, parameters: Table) -> dict[str, Any]:
        """What a host has in this variant; the caller's own, as experiments are read once."""
        always = parameters.get("hosts", {}).get(name, {})
        in_variant = self._variant().get("hosts", {}).get(name, {})
        return deepcopy({**parameters["host"], **always, **in_variant})

    def _port(self, testbed: Table, router: Table) -> dict[str, Any]:
        configuration = self._configuration()
        at, to = self.experiment.table["port"]
        rate = configuration.get("shares") or configuration["rate"]
        buffer = configuration.get("buffer", rate)
        policing = configuration.get("policing")
        queues = [
            {
                "class": name,
                "rate_share_pct": rate[name],
                "buffer_share_pct": buffer[name],
                "priority": testbed["priority"][name],
                "discipline": discipline(router, drops_marked=policing == "wred" and name == "alpha"),
            }
            for name in rate
        ]
        single = "shared" if "shared" in rate else None
        return {
            "at": at,
            "to": to,
            "buffer_bytes": router["buffer_bytes"],
            "scheduler": scheduler(router, configuration.get("sharing", "work_conserving")),
            "reopen_bytes": router["reopen_bytes"],
            "queues": queues,
            "classifier": [{"flow": name, "class": single or flow["class"]} for name, flow in self.flows().items()],
            "default_class": single or "beta",
            "conditioners": [_conditioner(testbed["policer"], policing)] if policing else [],
        }

    def _planned_port(self, plan: PortPlan, router: Table) -> dict[str, Any]:
        at, to = self.experiment.table["port"]
        return plan.port(at, to, router, {name: flow["class"] for name, flow in self.flows().items()})


@dataclass(frozen=True)
class Experiment:
    """An experiment: what runs, in which configurations, under which variants of its traffic."""

    number: int
    table: Table

    @property
    def name(self) -> str:
        """Such as `experiment3`."""
        return f"experiment{self.number}"

    def cases(self) -> list[Case]:
        """All configurations under all variants."""
        variants = list(self.table.get("variants", {})) or [""]
        return [
            Case(self, configuration, variant) for configuration in self.table["configurations"] for variant in variants
        ]

    def case(self, configuration: str, variant: str = "") -> Case:
        """One of them; raises KeyError for a name there is not."""
        if configuration not in self.table["configurations"]:
            raise KeyError(f"{self.name} has no configuration {configuration!r}")
        if variant and variant not in self.table.get("variants", {}):
            raise KeyError(f"{self.name} has no variant {variant!r}")
        return Case(self, configuration, variant)


def load_experiment(number: int) -> Experiment:
    """One of the experiments 1 to 7."""
    return Experiment(number, load_table(f"experiment{number}"))


def load_parameters(profile: str = TESTBED_PROFILE) -> dict[str, Any]:
    """A copy of the parameters of hosts and routers that serve all experiments.

    Args:
        profile: One of `PROFILES`: the kernel whose TCP the hosts have, in place of the testbed's.

    Raises:
        KeyError: There is no such profile.
    """
    if profile not in PROFILES:
        raise KeyError(f"there is no profile {profile!r}; there are: {', '.join(PROFILES)}")
    table = load_table("parameters")
    return deepcopy({**table, **({} if profile == TESTBED_PROFILE else load_table(profile))})


def published_parameters() -> dict[str, Any]:
    """A copy of the parameters of the published runs, whose hosts are not alike: those of all, and `published.toml`.

    Besides the tables that all hosts share there are `hosts`, what hosts have by their names, and `profiles`, the TCP
    of flows by the names of their senders. These are assumptions (docs/reference/simulator-parameters.md).
    """
    common, besides = load_parameters(), load_table("published")
    return {**common, **{name: {**common.get(name, {}), **deepcopy(values)} for name, values in besides.items()}}


@cache
def load_table(name: str) -> Table:
    """A file of the `scenarios` folder."""
    return tomllib.loads((SCENARIOS / f"{name}.toml").read_text(encoding="utf-8"))


def _link(link: Table, router: Table) -> dict[str, Any]:
    return {
        "from": link["from"],
        "to": link["to"],
        "rate_bps": link["rate_gbps"] * GBPS,
        "delay_us": link["delay_us"],
        "buffer_bytes": router["buffer_bytes"],
        "reopen_bytes": router["reopen_bytes"],
    }


def _conditioner(policer: Table, policed: str) -> dict[str, Any]:
    return conditioner(
        "alpha",
        policer["rate_gbps"] * GBPS,
        policer["burst_bytes"],
        per_flow=policer["per_flow"],
        red="pass" if policed == "wred" else {"to_class": policed},
    )


def _flow(name: str, flow: Table, duration_s: float, parameters: Table) -> dict[str, Any]:
    kind = flow["kind"]
    traffic: dict[str, Any] = {"kind": kind}
    if kind == "tcp":
        traffic["congestion"] = flow.get("congestion", "htcp")
        if flow["from"] in parameters.get("profiles", {}):
            traffic["profile"] = flow["from"]
    elif kind == "udp":
        traffic.update(rate_bps=flow["rate_gbps"] * GBPS, **parameters["udp"])
    else:
        traffic["interval_s"] = flow["interval_s"]
    intervals_s = flow.get("intervals_s", [[0, duration_s]])
    return {"name": name, "from": flow["from"], "to": flow["to"], "intervals_s": intervals_s, "traffic": traffic}
