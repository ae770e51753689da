"""Groups of like flows in a scenario's text: one table with `count` becomes so many flows.

`web` with `count = 3` is `web-0`, `web-1` and `web-2`. `start_s` is the distribution of when each begins. With
`access_delay_us`, that of its sender's link delay, each has a host of its own, a copy of `from` with its link.
Rules of classifiers, aggregates of conditioners and windows that name the group mean all of it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from hntes.simulator.engine import ScenarioError

_MOST_FLOWS = 20_000
_KEYS = ("count", "start_s", "access_delay_us")
Table = Mapping[str, Any]


def expand_groups(scenario: Table) -> dict[str, Any]:
    """The scenario with each group as its flows; what chance decides goes by its seed and the group's name.

    Raises:
        ScenarioError: A group's key makes no sense; the message names it.
    """
    flows = scenario.get("flows")
    if not isinstance(flows, list) or not any(isinstance(flow, dict) and "count" in flow for flow in flows):
        return dict(scenario)
    found = {**scenario, "flows": []}
    groups: dict[str, list[str]] = {}
    for number, flow in enumerate(flows):
        if isinstance(flow, dict) and "count" in flow:
            members = _expand(found, f"flows[{number}]", flow)
            groups[str(flow.get("name"))] = [member["name"] for member in members]
            found["flows"] += members
        else:
            found["flows"].append(flow)
    return _renamed(found, groups)


def _expand(scenario: dict[str, Any], key: str, group: Table) -> list[dict[str, Any]]:
    """The group's flows; their hosts and links are added to the scenario in place of the one they copy."""
    count = group["count"]
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= _MOST_FLOWS:
        raise ScenarioError(f"{key}.count: {count!r} is no whole number from 1 to {_MOST_FLOWS}")
    plain = {name: value for name, value in group.items() if name not in _KEYS}
    members = [{**plain, "name": f"{group.get('name')}-{number}"} for number in range(count)]
    if "start_s" in group:
        draw = _distribution(f"{key}.start_s", group["start_s"], _stream(scenario, group, "start"))
        for member in members:
            member["intervals_s"] = [[draw(), scenario.get("duration_s", 0)]]
    if "access_delay_us" in group:
        draw = _distribution(f"{key}.access_delay_us", group["access_delay_us"], _stream(scenario, group, "delay"))
        _give_hosts(scenario, key, members, draw)
    return members


def _stream(scenario: Table, group: Table, purpose: str) -> np.random.Generator:
    """Random numbers of a group; a seed that is none is for the engine to name."""
    seed = scenario.get("seed", 1)
    known = seed if isinstance(seed, int) and seed >= 0 else 0
    return np.random.default_rng([known, crc32(f"{group.get('name')}/{purpose}".encode())])


def _give_hosts(
    scenario: dict[str, Any], key: str, members: Sequence[dict[str, Any]], draw: Callable[[], float]
) -> None:
    """A copy of the host `from` for each flow, with its link at a delay of its own."""
    origin = members[0].get("from")
    hosts = [host for host in _tables(scenario, "hosts") if host.get("name") == origin]
    links = [link for link in _tables(scenario, "links") if origin in (link.get("from"), link.get("to"))]
    if len(hosts) != 1 or len(links) != 1:
        raise ScenarioError(f"{key}.from: for access_delay_us it must be a host with one link, which {origin!r} is not")
    for member in members:
        name = member["from"] = f"{origin}-{member['name']}"
        scenario["hosts"] = [*scenario["hosts"], {**hosts[0], "name": name}]
        ends = {end: name if links[0][end] == origin else links[0][end] for end in ("from", "to")}
        scenario["links"] = [*scenario["links"], {**links[0], **ends, "delay_us": draw()}]


def _tables(scenario: Table, key: str) -> list[Any]:
    """What there is of tables under a key; what is none is for the engine to name."""
    found = scenario.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _distribution(key: str, table: Any, random: np.random.Generator) -> Callable[[], float]:
    match table:
        case {"kind": "uniform", "least": int() | float() as least, "most": int() | float() as most, **rest} if (
            not rest and 0 <= least <= most
        ):
            return lambda: float(random.uniform(least, most))
        case {"kind": "exponential", "mean": int() | float() as mean, **rest} if not rest and mean > 0:
            return lambda: float(random.exponential(mean))
    known = 'kind = "uniform", least = A, most = B', 'kind = "exponential", mean = A'
    raise ScenarioError(f"{key}: write {{ {known[0]} }} or {{ {known[1]} }}, not {table!r}")


def _renamed(scenario: dict[str, Any], groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Every place that names a group names its flows."""
    ports = [_port(port, groups) for port in _tables(scenario, "ports")]
    windows = [
        {**window, "flows": _members(window["flows"], groups)} if "flows" in window else window
        for window in _tables(scenario, "windows")
    ]
    more = {"ports": ports, "windows": windows}
    return {**scenario, **{name: value for name, value in more.items() if name in scenario}}


def _port(port: Table, groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    found = dict(port)
    if "classifier" in port:
        found["classifier"] = [
            {**rule, **({"flow": flow} if flow is not None else {})}
            for rule in port["classifier"]
            for flow in groups.get(rule.get("flow"), [rule.get("flow")])
        ]
    if "conditioners" in port:
        found["conditioners"] = [_conditioner(one, groups) for one in port["conditioners"]]
    return found


def _conditioner(conditioner: Table, groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    lists = conditioner.get("aggregate")
    if not isinstance(lists, list):
        return dict(conditioner)
    return {**conditioner, "aggregate": [_members(one, groups) for one in lists]}


def _members(names: Sequence[str], groups: Mapping[str, Sequence[str]]) -> list[str]:
    return [member for name in names for member in groups.get(name, [name])]
