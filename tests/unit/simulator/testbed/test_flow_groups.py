"""Groups of flows: how many, when they begin, how far away their hosts are, and who means them by the group's name."""

from statistics import fmean
from typing import Any

import pytest

from hntes.simulator.scenario import Host, Rule, Scenario, ScenarioError, Window, from_document
from hntes.simulator.testbed.flow_groups import ScenarioFile, expanded

UNIFORM = {"kind": "uniform", "least": 0, "most": 5}


def _scenario(**group: Any) -> dict[str, Any]:
    flow = {"name": "web", "from": "client", "to": "server", "traffic": {"kind": "tcp", "congestion": "reno"}}
    queues = [{"class": name, "rate_share_pct": 50, "buffer_share_pct": 50} for name in ("a", "b")]
    meter = {"kind": "token_bucket", "rate_bps": 1e6, "burst_bytes": 10_000}
    return {
        "name": "groups",
        "seed": 3,
        "duration_s": 60,
        "routers": ["r"],
        "hosts": [{"name": "client", "nic_queue_bytes": 7}, {"name": "server"}],
        "links": [
            {"from": "client", "to": "r", "rate_bps": 1e9, "delay_us": 5},
            {"from": "r", "to": "server", "rate_bps": 1e9, "delay_us": 5},
        ],
        "ports": [
            {
                "at": "r",
                "to": "server",
                "queues": queues,
                "default_class": "b",
                "classifier": [{"class": "a", "flow": "web"}, {"class": "b", "protocol": "udp"}],
                "conditioners": [
                    {"class": "a", "aggregate": [["web", "other"]], "meter": meter},
                    {"class": "b", "aggregate": "flow", "meter": meter},
                ],
            }
        ],
        "windows": [
            {"name": "w", "from_s": 0, "to_s": 60, "flows": ["other", "web"]},
            {"name": "all", "from_s": 0, "to_s": 60},
        ],
        "flows": [{**flow, **group}, {**flow, "name": "other"}],
    }


def _expanded(document: dict[str, Any]) -> Scenario:
    return expanded(from_document(ScenarioFile, document))


def test_a_scenario_without_groups_stays_as_it_is_and_its_flows_are_on_all_the_time() -> None:
    written = _scenario()
    for flow in written["flows"]:
        flow["intervals_s"] = [[0, 60]]
    assert _expanded(_scenario()) == from_document(Scenario, {**written, "tcp": {}})


def test_all_places_that_name_a_group_mean_its_flows() -> None:
    found = _expanded(_scenario(count=2))
    assert [flow.name for flow in found.flows] == ["web-0", "web-1", "other"]
    assert {(flow.from_, flow.to, flow.intervals_s) for flow in found.flows} == {("client", "server", ((0, 60),))}
    assert len({flow.traffic for flow in found.flows}) == 1
    (port,) = found.ports
    assert port.classifier == (Rule("a", flow="web-0"), Rule("a", flow="web-1"), Rule("b", protocol="udp"))
    assert [one.aggregate for one in port.conditioners] == [(("web-0", "web-1", "other"),), "flow"]
    assert found.windows == (Window("w", 0, 60, ("other", "web-0", "web-1")), Window("all", 0, 60))
    assert found.hosts == (Host(name="client", nic_queue_bytes=7), Host(name="server"))


def test_starts_are_spread_evenly_and_go_by_the_seed() -> None:
    found = _expanded(_scenario(count=2000, start_s=UNIFORM))
    starts, ends = zip(*(flow.intervals_s[0] for flow in found.flows[:-1]), strict=True)
    assert set(ends) == {60}
    assert 0 <= min(starts) < 0.1
    assert 4.9 < max(starts) <= 5
    # the mean of 2000 has a standard deviation of 5 / sqrt(12 * 2000)
    assert fmean(starts) == pytest.approx(2.5, abs=0.15)
    assert _expanded(_scenario(count=2000, start_s=UNIFORM)) == found
    assert _expanded({**_scenario(count=2000, start_s=UNIFORM), "seed": 4}).flows != found.flows


def test_each_flow_has_a_host_like_the_one_it_copies_at_a_delay_of_its_own() -> None:
    delay = {"kind": "exponential", "mean": 1000}
    found = _expanded(_scenario(count=500, access_delay_us=delay))
    senders = [flow.from_ for flow in found.flows[:-1]]
    assert senders[:2] == ["client-web-0", "client-web-1"]
    hosts = {host.name: host for host in found.hosts}
    assert all(hosts[name] == Host(name=name, nic_queue_bytes=7) for name in senders)
    links = {link.from_: link for link in found.links}
    assert all((links[name].to, links[name].rate_bps) == ("r", 1e9) for name in senders)
    assert fmean(links[name].delay_us for name in senders) == pytest.approx(1000, rel=0.2)


@pytest.mark.parametrize(
    ("group", "told"),
    [
        ({"count": 0}, r"flows\[0\].count: 0 is no whole number"),
        ({"count": True}, r"flows\[0\].count"),
        ({"count": 2, "start_s": 3}, r"flows\[0\].start_s: invalid type: number `3`, expected a table"),
        ({"count": 2, "start_s": {"kind": "uniform", "least": 5, "most": 1}}, r"flows\[0\].start_s"),
        ({"count": 2, "start_s": {**UNIFORM, "mean": 3}}, r"flows\[0\].start_s.mean: unknown field `mean`"),
        ({"count": 2, "from": "r", "access_delay_us": UNIFORM}, r"flows\[0\].from: .* a host with one link"),
    ],
)
def test_a_group_that_makes_no_sense_is_refused(group: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        _expanded(_scenario(**group))
