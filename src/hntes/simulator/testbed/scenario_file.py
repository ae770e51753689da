"""Scenarios from a user's file, TOML or JSON, in the engine's own words; what a file leaves out is the testbed's."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hntes.simulator.engine import ScenarioError
from hntes.simulator.testbed.experiments import PROFILES, TESTBED_PROFILE, load_parameters
from hntes.simulator.testbed.flow_groups import expand_groups
from hntes.simulator.testbed.port_plan import scheduler

# A place in the text that the engine was handed, which is not the user's file.
_JSON_PLACE = re.compile(r" at line \d+ column \d+$")


def read_scenario(path: Path, seed: int | None = None) -> dict[str, Any]:
    """Read a scenario and fill in what it leaves out.

    Host, TCP and UDP parameters, and what routers have in common, come from `scenarios/parameters.toml`; `name` is the
    file's and `seed` is 1. Whether it is sound, the engine says.

    Args:
        path: A file that ends in .toml or .json.
        seed: In place of the file's.

    Raises:
        ScenarioError: The file is neither TOML nor JSON, or not a table, or names a profile that there is not; the
            message names the file.
        OSError: The file cannot be read.
    """
    table = _parse(path)
    if not isinstance(table, dict):
        raise ScenarioError(f"{path}: a scenario is a table of keys, this is a {type(table).__name__}")
    try:
        return complete({"name": path.stem, "seed": 1, **table, **({} if seed is None else {"seed": seed})})
    except ScenarioError as error:
        raise ScenarioError(located(path, error)) from error


def complete(scenario: Mapping[str, Any], parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A copy in which every host, link, port and flow has the parameters it does not name itself.

    What is not of the expected shape is left as it is, for the engine to name. A flow without intervals is on all the
    time. `tcp.profile` chooses whose TCP the hosts have where `parameters` do not.

    Raises:
        ScenarioError: There is no such profile, or a group of flows makes no sense.
    """
    common = parameters or load_parameters(_profile(scenario.get("tcp")))
    scenario = expand_groups(scenario)
    router = common["router"]
    link = {name: router[name] for name in ("buffer_bytes", "reopen_bytes")}
    usual = scheduler(router, "work_conserving")
    port = {**link, "scheduler": usual}
    filled = dict(scenario)
    if isinstance(filled.setdefault("tcp", {}), dict):
        filled["tcp"] = {**common["tcp"], **filled["tcp"]}
    for key, missing in (("hosts", common["host"]), ("links", link), ("ports", port)):
        filled[key] = _each(filled.get(key, []), missing)
    if isinstance(filled["ports"], list):
        filled["ports"] = [_port(one, usual) for one in filled["ports"]]
    flows = filled.get("flows", [])
    if isinstance(flows, list):
        filled["flows"] = [_flow(flow, filled.get("duration_s", 0), common["udp"]) for flow in flows]
    return filled


def _profile(tcp: Any) -> str:
    chosen = tcp.get("profile", TESTBED_PROFILE) if isinstance(tcp, dict) else TESTBED_PROFILE
    if chosen not in PROFILES:
        raise ScenarioError(f"tcp.profile: there is no {chosen!r}; there are: {', '.join(PROFILES)}")
    return str(chosen)


def located(path: Path, error: ScenarioError) -> str:
    """An engine's message about a scenario read from a file: the file, the key, what is wrong with it."""
    told = _JSON_PLACE.sub("", str(error)).removeprefix(".: ")
    return f"{path}: {told}"


def _parse(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            return tomllib.loads(text)
        if path.suffix == ".json":
            return json.loads(text)
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path}: not a text file in UTF-8 ({error.reason} at byte {error.start})") from error
    except ValueError as error:
        raise ScenarioError(f"{path}: {error}") from error
    raise ScenarioError(f"{path}: the name of a scenario file ends in .toml or .json")


def _each(tables: Any, missing: Mapping[str, Any]) -> Any:
    if not isinstance(tables, list):
        return tables
    return [{**missing, **table} if isinstance(table, dict) else table for table in tables]


def _port(port: Any, usual: Mapping[str, Any]) -> Any:
    chosen = port.get("scheduler") if isinstance(port, dict) else None
    if not isinstance(chosen, dict) or chosen.get("kind") != usual["kind"]:
        return port
    return {**port, "scheduler": {**usual, **chosen}}


def _flow(flow: Any, duration_s: Any, udp: Mapping[str, Any]) -> Any:
    if not isinstance(flow, dict):
        return flow
    filled = {"intervals_s": [[0, duration_s]], **flow}
    traffic = filled.get("traffic")
    if isinstance(traffic, dict) and traffic.get("kind") == "udp":
        filled["traffic"] = {**udp, **traffic}
    return filled
