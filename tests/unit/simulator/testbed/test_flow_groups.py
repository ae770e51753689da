"""Groups of flows: how many, when they begin, how far away their hosts are, and who means them by the group's name."""

from statistics import fmean
from typing import Any

import pytest

from hntes.simulator.engine import ScenarioError
from hntes.simulator.testbed.flow_groups import expand_groups

UNIFORM = {"kind": "uniform", "least": 0, "most": 5}


def _scenario(**group: Any) -> dict[str, Any]:
    flow = {"name": "web", "from": "client", "to": "server", "traffic": {"kind": "tcp", "congestion": "reno"}}
    return {
        "seed": 3,
        "duration_s": 60,
        "hosts": [{"name": "client", "nic_queue_bytes": 7}, {"name": "server"}],
        "links": [{"from": "client", "to": "r", "rate_bps": 1e9, "delay_us": 5}, {"from": "r", "to": "server"}],
        "ports": [
            {
                "classifier": [{"class": "a", "flow": "web"}, {"class": "b", "protocol": "udp"}],
                "conditioners": [{"class": "a", "aggregate": [["web", "other"]]}, {"class": "b", "aggregate": "flow"}],
            }
        ],
        "windows": [{"name": "w", "flows": ["other", "web"]}, {"name": "all"}],
        "flows": [{**flow, **group}, {**flow, "name": "other"}],
    }


def test_a_scenario_without_groups_stays_as_it_is() -> None:
    assert expand_groups(_scenario()) == _scenario()


def test_all_places_that_name_a_group_mean_its_flows() -> None:
    found = expand_groups(_scenario(count=2))
    assert [flow["name"] for flow in found["flows"]] == ["web-0", "web-1", "other"]
    assert all(set(flow) == {"name", "from", "to", "traffic"} for flow in found["flows"])
    rules = [{"class": "a", "flow": "web-0"}, {"class": "a", "flow": "web-1"}, {"class": "b", "protocol": "udp"}]
    assert found["ports"][0]["classifier"] == rules
    assert [one["aggregate"] for one in found["ports"][0]["conditioners"]] == [[["web-0", "web-1", "other"]], "flow"]
    assert found["windows"] == [{"name": "w", "flows": ["other", "web-0", "web-1"]}, {"name": "all"}]
    assert found["hosts"] == _scenario()["hosts"]


def test_starts_are_spread_evenly_and_go_by_the_seed() -> None:
    found = expand_groups(_scenario(count=2000, start_s=UNIFORM))
    starts, ends = zip(*(flow["intervals_s"][0] for flow in found["flows"][:-1]), strict=True)
    assert set(ends) == {60}
    assert 0 <= min(starts) < 0.1
    assert 4.9 < max(starts) <= 5
    # the mean of 2000 has a standard deviation of 5 / sqrt(12 * 2000)
    assert fmean(starts) == pytest.approx(2.5, abs=0.15)
    assert expand_groups(_scenario(count=2000, start_s=UNIFORM)) == found
    assert expand_groups({**_scenario(count=2000, start_s=UNIFORM), "seed": 4}) != found


def test_each_flow_has_a_host_like_the_one_it_copies_at_a_delay_of_its_own() -> None:
    delay = {"kind": "exponential", "mean": 1000}
    found = expand_groups(_scenario(count=500, access_delay_us=delay))
    senders = [flow["from"] for flow in found["flows"][:-1]]
    assert senders[:2] == ["client-web-0", "client-web-1"]
    hosts = {host["name"]: host for host in found["hosts"]}
    assert all(hosts[name] == {"name": name, "nic_queue_bytes": 7} for name in senders)
    links = {link["from"]: link for link in found["links"]}
    assert all((links[name]["to"], links[name]["rate_bps"]) == ("r", 1e9) for name in senders)
    assert fmean(links[name]["delay_us"] for name in senders) == pytest.approx(1000, rel=0.2)


@pytest.mark.parametrize(
    ("group", "told"),
    [
        ({"count": 0}, r"flows\[0\].count: 0 is no whole number"),
        ({"count": True}, r"flows\[0\].count"),
        ({"count": 2, "start_s": 3}, r"flows\[0\].start_s: write"),
        ({"count": 2, "start_s": {"kind": "uniform", "least": 5, "most": 1}}, r"flows\[0\].start_s"),
        ({"count": 2, "start_s": {**UNIFORM, "mean": 3}}, r"flows\[0\].start_s"),
        ({"count": 2, "from": "r", "access_delay_us": UNIFORM}, r"flows\[0\].from: .* a host with one link"),
    ],
)
def test_a_group_that_makes_no_sense_is_refused(group: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        expand_groups(_scenario(**group))
