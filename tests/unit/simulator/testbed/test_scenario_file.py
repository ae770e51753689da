"""Omitted keys of a scenario file have the testbed's values, for every part that it chooses."""

from pathlib import Path
from typing import Any

import pytest

from hntes.simulator.scenario import (
    PriorityWfq,
    RoundRobin,
    ScenarioError,
    Scheduler,
    StrictPartition,
    Tcp,
    UdpTraffic,
    overlaid,
)
from hntes.simulator.testbed.files import load_parameters
from hntes.simulator.testbed.scenario_file import read_scenario, scenario_of

CREDIT_WINDOW_US = load_parameters().router.credit_window_us
SMALL: dict[str, Any] = {"name": "small", "seed": 1, "duration_s": 2, "routers": ["r"]}


def port_scheduler(**given: Any) -> Scheduler | None:
    port = {"at": "r", "to": "s", "queues": [], "default_class": "all", **given}
    (found,) = scenario_of({**SMALL, "ports": [port]}).ports
    return found.scheduler


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, PriorityWfq(CREDIT_WINDOW_US)),
        ({"scheduler": {"kind": "priority_wfq"}}, PriorityWfq(CREDIT_WINDOW_US)),
        ({"scheduler": {"kind": "priority_wfq", "credit_window_us": 7}}, PriorityWfq(7)),
        ({"scheduler": {"kind": "round_robin"}}, RoundRobin()),
        ({"scheduler": {"kind": "strict_partition"}}, StrictPartition()),
    ],
)
def test_a_scheduler_has_what_its_kind_needs(given: dict[str, Any], expected: Scheduler) -> None:
    assert port_scheduler(**given) == expected


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"ports": None}, "ports: invalid type: null, expected a list"),
        ({"ports": "r"}, 'ports: invalid type: string "r", expected a list'),
        ({"ports": [3]}, r"ports\[0\]: invalid type: number `3`, expected a table"),
        ({"ports": [{"at": "r", "to": "s", "queues": [], "default_class": "a", "scheduler": "fair"}]},
         r'ports\[0\].scheduler: invalid type: string "fair", expected a table'),
        ({"ports": [{"at": "r", "to": "s", "queues": [], "default_class": "a", "scheduler": {"kind": "fair"}}]},
         r'ports\[0\].scheduler: unknown variant `fair`, expected one of `priority_wfq`'),
        ({"duration_s": True}, "duration_s: invalid type: boolean `true`, expected a number"),
        ({"seed": 1.5}, "seed: invalid type: number `1.5`, expected a whole number"),
        ({"router": []}, "router: unknown field `router`, expected one of `name`"),
        ({"hosts": [{}]}, r"hosts\[0\]: missing field `name`"),
    ],
)  # fmt: skip
def test_what_has_another_shape_is_refused_by_its_key(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError, match=f"^{told}"):
        scenario_of({**SMALL, **changed})


def test_datagrams_and_hosts_have_the_testbeds_parameters_but_for_what_is_given() -> None:
    udp = {"name": "u", "from": "a", "to": "b", "traffic": {"kind": "udp", "rate_bps": 1e6, "jitter": 0.0}}
    found = scenario_of({**SMALL, "hosts": [{"name": "a", "stall_us": 7}], "flows": [udp]})
    (host,), (flow,), common = found.hosts, found.flows, load_parameters()
    assert (host.stall_us, host.stalls_per_s) == (7, common.host.stalls_per_s)
    assert flow.traffic == UdpTraffic(rate_bps=1e6, datagram_bytes=common.udp.datagram_bytes, jitter=0.0)
    assert flow.intervals_s == ((0, 2),)


def test_a_profile_gives_what_the_file_does_not() -> None:
    tcp = scenario_of({**SMALL, "tcp": {"profile": "linux-6", "initial_window_pkts": 4}}).tcp
    assert tcp == overlaid(load_parameters("linux-6").tcp, Tcp(initial_window_pkts=4))


@pytest.mark.parametrize("given", [{}, {"tcp": {}}, {"tcp": {"profile": "linux-2.6.33"}}])
def test_without_one_or_by_its_name_the_testbed_gives_them(given: dict[str, Any]) -> None:
    found, testbed = scenario_of({**SMALL, **given}).tcp, load_parameters().tcp
    assert overlaid(found, testbed) == found


@pytest.mark.parametrize("profile", ["linux-5", 6, None])
def test_a_profile_that_there_is_not_is_refused_with_its_file(profile: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"[tcp]\nprofile = {profile!r}\n" if profile else "tcp = { profile = [] }\n")
    with pytest.raises(
        ScenarioError, match=r"mine\.toml: tcp\.profile: there is no .*; there are: linux-2\.6\.33, linux-6"
    ):
        read_scenario(file)
