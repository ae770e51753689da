"""The fluid engine from Python: agreement with the packet engine, what it refuses, and closed forms."""

import re
from typing import Any

import numpy as np
import pytest

from hntes.papers.hntes.paper import HNTES
from hntes.papers.reproduction.reproduce import plan
from hntes.papers.reproduction.selection import parse_selections
from hntes.simulator import NotApplicableError, ScenarioError, load_experiment
from hntes.simulator.steadiness.agreement import LIMITS, Distance, compare, distance, measure
from hntes.simulator.testbed.files import PROFILES, TESTBED_PROFILE, load_parameters
from tests.support.packet_medians import (
    JOINED,
    PLANS,
    Case,
    compared_plans,
    experiment,
    packet_median,
    packet_run,
    scenario_hash,
    stored_medians,
    stored_runs,
)
from tests.support.packet_medians import plan as compared_plan
from tests.support.random_plans import overloaded, random_plan
from tests.support.scenarios import check, document_of, run, sensitive_measures

# Of the random plans whose packet medians are kept those whose fluid result hangs on luck or 2 % of a buffer or delay,
# and what of it does.
UNSTEADY = {
    "linux-2.6.33": {17: ["tcp"]},
    "linux-6": {
        2: ["udp"],
        5: ["delay_ms", "tcp"],
        6: ["tcp"],
        8: ["delay_ms"],
        13: ["delay_ms"],
        15: ["delay_ms"],
        16: ["delay_ms"],
        17: ["delay_ms", "udp"],
        18: ["tcp"],
        20: ["delay_ms", "udp"],
        22: ["delay_ms"],
        29: ["delay_ms"],
        80: ["delay_ms"],
        212: ["tcp"],
        219: ["delay_ms"],
        258: ["tcp"],
        357: ["delay_ms", "tcp"],
        371: ["delay_ms"],
    },
}


def _case(
    number: int, configuration: str, variant: str = "", duration_s: float = 10.0, hosts: str = TESTBED_PROFILE
) -> dict[str, Any]:
    scenario = document_of(load_experiment(number).case(configuration, variant).scenario(1, load_parameters(hosts)))
    scenario["duration_s"] = duration_s
    return scenario


def test_both_engines_give_the_same_measures() -> None:
    scenario = _case(4, "2-queues")
    packet, fluid = run(scenario), run(scenario, engine="fluid")
    assert (packet.engine, fluid.engine) == ("packet", "fluid")
    assert fluid.imbalances == ()
    assert set(fluid.series) == set(packet.series)
    assert set(fluid.flows) == set(packet.flows)
    assert set(fluid.queues) == set(packet.queues)
    for name, values in packet.series.items():
        assert len(fluid.series[name]) == len(values), name


def test_the_seed_and_nothing_else_fixes_a_run() -> None:
    scenario = _case(2, "1-queue", duration_s=70.0)
    hashes = [run({**scenario, "seed": seed}, engine="fluid").trace_hash for seed in (1, 1, 2)]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    ("number", "configuration", "variant", "key"),
    [
        (3, "3-queues-10-30-60", "udp-1", "ports[0].conditioners[0].actions.red"),
        (4, "2-queues+policing+wred", "", "ports[0].conditioners[0].actions.red"),
    ],
)
def test_what_needs_packets_is_refused(number: int, configuration: str, variant: str, key: str) -> None:
    scenario = _case(number, configuration, variant)
    with pytest.raises(NotApplicableError, match=r"^ports") as refused:
        run(scenario, engine="fluid")
    assert str(refused.value).startswith(f"{key}: ")
    with pytest.raises(NotApplicableError):
        check(scenario, engine="fluid")


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "transfer", "bytes": 10_000_000},
        {"kind": "writes", "bytes": 100_000, "every_ms": 20},
        {"kind": "bursts", "mean_bytes": 1e6, "mean_pause_s": 1},
    ],
)
def test_connections_short_of_data_are_refused(data: dict[str, object]) -> None:
    scenario = _case(4, "2-queues", duration_s=2.0)
    tcp = next(flow for flow in scenario["flows"] if flow["traffic"]["kind"] == "tcp")
    tcp["traffic"]["data"] = {"kind": "endless"}
    check(scenario, engine="fluid")
    tcp["traffic"]["data"] = data
    with pytest.raises(NotApplicableError, match=r"^flows\[\d\]\.traffic\.data: "):
        check(scenario, engine="fluid")


@pytest.mark.parametrize(
    ("port", "key"),
    [
        ({"scheduler": {"kind": "class_guarantees"}}, "scheduler"),
        ({"discipline": {"kind": "reference_marking"}}, "queues[0].discipline"),
        ({"discipline": {"kind": "wred", "step_pct": 1, "ramps": {}}}, "queues[0].discipline"),
        ({"discipline": {"kind": "heuristic_marking", "threshold_bytes": 1, "interval_s": 1}}, "queues[0].discipline"),
    ],
)
def test_markers_and_class_guarantees_are_refused(port: dict[str, object], key: str) -> None:
    scenario = _case(4, "2-queues", duration_s=2.0)
    check(scenario, engine="fluid")
    scenario["ports"][0].update({name: value for name, value in port.items() if name == "scheduler"})
    for queue in scenario["ports"][0]["queues"]:
        queue.update({name: value for name, value in port.items() if name == "discipline"})
    with pytest.raises(NotApplicableError, match=rf"^{re.escape(f'ports[0].{key}')}: "):
        check(scenario, engine="fluid")


def test_a_network_that_changes_is_refused() -> None:
    scenario = document_of(load_experiment(3).case("2-queues", "udp-1").scenario(1, load_parameters()))
    change = {"kind": "link_rate", "at_s": 10, "from": "WR", "to": "W1", "rate_bps": 5e9}
    check({**scenario, "changes": [change]})
    with pytest.raises(NotApplicableError, match=r"^changes: "):
        check({**scenario, "changes": [change]}, engine="fluid")


def test_a_delay_emulator_is_refused_if_it_has_a_limit() -> None:
    scenario = document_of(load_experiment(5).case("2-queues", "different-rtt").scenario(1, load_parameters()))
    (emulator,) = (host["delay_emulator"] for host in scenario["hosts"] if "delay_emulator" in host)
    with pytest.raises(NotApplicableError, match=r"^hosts\[\d\]\.delay_emulator\.limit_buffers: "):
        check(scenario, engine="fluid")
    del emulator["limit_buffers"]
    check(scenario, engine="fluid")


@pytest.mark.parametrize(
    ("key", "value"),
    [("receive", {"kind": "napi", "interrupt_us": 5, "packet_us": 1}), ("segmentation_offload", True)],
)
def test_hosts_whose_cards_and_processors_count_are_refused(key: str, value: Any) -> None:
    scenario = document_of(load_experiment(3).case("2-queues", "udp-1").scenario(1, load_parameters()))
    scenario["hosts"][2][key] = value
    check(scenario)
    with pytest.raises(NotApplicableError, match=rf"^hosts\[2\]\.{key}: "):
        check(scenario, engine="fluid")


@pytest.mark.parametrize("kind", ["udp", "ping"])
def test_processes_that_sleep_with_a_slack_are_refused(kind: str) -> None:
    scenario = document_of(load_experiment(6).case("beta-20", "htcp-udp-2").scenario(1, load_parameters()))
    flow = next(flow for flow in scenario["flows"] if flow["traffic"]["kind"] == kind)
    check(scenario, engine="fluid")
    flow["traffic"]["wakeup_slack_us"] = 50
    check(scenario)
    with pytest.raises(NotApplicableError, match=r"^flows\[\d\]\.traffic\.wakeup_slack_us: "):
        check(scenario, engine="fluid")


def test_flows_with_a_tcp_of_their_own_are_refused() -> None:
    scenario = document_of(load_experiment(3).case("2-queues", "udp-1").scenario(1, load_parameters()))
    (tcp,) = (flow for flow in scenario["flows"] if flow["traffic"]["kind"] == "tcp")
    tcp["traffic"]["profile"] = "old"
    with pytest.raises(NotApplicableError, match=r"^flows\[\d\]\.traffic\.profile: "):
        check({**scenario, "profiles": {"old": {}}}, engine="fluid")
    del tcp["traffic"]["profile"]
    with pytest.raises(NotApplicableError, match=r"^tcp\.loss_recovery: "):
        check({**scenario, "tcp": {**scenario["tcp"], "loss_recovery": "newreno"}}, engine="fluid")


def test_growth_by_acknowledgements_is_refused_of_htcp() -> None:
    scenario = document_of(load_experiment(6).case("beta-40", "htcp-udp-3").scenario(1, load_parameters()))
    scenario["tcp"]["htcp_counts_acks"] = True
    with pytest.raises(NotApplicableError, match=r"^tcp\.htcp_counts_acks: "):
        check(scenario, engine="fluid")
    next(flow for flow in scenario["flows"] if flow["name"] == "TCP1")["traffic"]["congestion"] = "reno"
    check(scenario, engine="fluid")


def test_published_runs_of_tcp_are_refused_and_those_of_hosts_alike_taken() -> None:
    case = load_experiment(4).case("2-queues")
    with pytest.raises(NotApplicableError):
        check(document_of(case.scenario(1)), engine="fluid")
    (planned,) = plan(parse_selections(["4/2-queues"]), "fluid", 1)
    (task,) = planned.tasks
    assert task.scenario == case.scenario(1, load_parameters())
    check(document_of(task.scenario), engine="fluid")


def test_a_window_that_closes_is_refused() -> None:
    scenario = document_of(load_experiment(3).case("2-queues", "udp-1").scenario(1, load_parameters()))
    with pytest.raises(NotApplicableError, match=r"^tcp\.offered_window_closes: "):
        check({**scenario, "tcp": {**scenario["tcp"], "offered_window_closes": True}}, engine="fluid")


@pytest.mark.parametrize("key", ["growth_counts_segments", "slow_start_doubles", "small_queues", "paws"])
def test_a_part_of_linux_6_is_refused(key: str) -> None:
    case, newer = load_experiment(3).case("2-queues", "udp-1"), load_parameters("linux-6")
    scenario = document_of(case.scenario(1, newer))
    check(scenario, engine="fluid")
    with pytest.raises(NotApplicableError, match=rf"^tcp\.{key}: "):
        check({**scenario, "tcp": {**scenario["tcp"], key: False}}, engine="fluid")
    with pytest.raises(NotApplicableError, match=rf"^tcp\.{key}: .*tcp\.rack"):
        check({**scenario, "tcp": {**document_of(load_parameters().tcp), key: True}}, engine="fluid")


def _with_congestion(congestion: str, hosts: str) -> dict[str, Any]:
    scenario = document_of(load_experiment(3).case("2-queues", "udp-1").scenario(1, load_parameters(hosts)))
    (tcp,) = (flow for flow in scenario["flows"] if flow["traffic"]["kind"] == "tcp")
    tcp["traffic"]["congestion"] = congestion
    return scenario


def test_cubic_is_refused_with_any_hosts() -> None:
    for hosts in PROFILES:
        with pytest.raises(NotApplicableError, match=r"^flows\[\d\]\.traffic\.congestion: "):
            check(_with_congestion("cubic", hosts), engine="fluid")


def test_bbr_is_refused_and_hosts_of_2010_have_none() -> None:
    with pytest.raises(NotApplicableError, match=r"^flows\[\d\]\.traffic\.congestion: the fluid engine has no BBR"):
        check(_with_congestion("bbr", "linux-6"), engine="fluid")
    with pytest.raises(ScenarioError, match=r"^flows\[\d\]\.traffic\.congestion: bbr needs the hosts of Linux 6"):
        check(_with_congestion("bbr", TESTBED_PROFILE))


def test_slow_links_are_refused_and_unsound_scenarios_are_told_apart() -> None:
    plan = random_plan(0, 1e7, 1.0)
    with pytest.raises(NotApplicableError, match=r"^links\[\d\]\.rate_bps: "):
        run(plan, engine="fluid")
    with pytest.raises(ScenarioError, match=r"^duration_s: "):
        run({**plan, "duration_s": -1}, engine="fluid")


def test_strict_partition_and_work_conserving_delay_follow_arithmetic() -> None:
    # Experiment 1: 3 Gb/s of UDP into a share of 2 Gb/s with 25 MB of buffer: full after buffer / excess, then 100 ms.
    strict = run(_case(1, "strictly-partitioned"), engine="fluid")
    rtt_ms = np.asarray(strict.series["flow/ping/rtt_ms"])
    assert rtt_ms[-1] == pytest.approx(102.1, abs=1.0)
    free = run(_case(1, "work-conserving"), engine="fluid")
    assert np.asarray(free.series["flow/ping/rtt_ms"]).max() == pytest.approx(2.1, abs=0.1)


@pytest.mark.parametrize("hosts", PROFILES)
@pytest.mark.parametrize("number", [3, 6])
def test_two_queue_experiments_agree(number: int, hosts: str) -> None:
    configuration, variant = ("2-queues", "udp-3") if number == 3 else ("beta-20", "htcp-udp-3")
    scenario = _case(number, configuration, variant, duration_s=12.0, hosts=hosts)
    packet, fluid = run(scenario), run(scenario, engine="fluid")
    for name, flow in packet.flows.items():
        if flow.ping is not None and fluid.flows[name].ping is not None:
            assert fluid.flows[name].ping.mean_ms == pytest.approx(flow.ping.mean_ms, abs=5.0)  # type: ignore[union-attr]
        else:
            assert fluid.flows[name].goodput_bytes == pytest.approx(flow.goodput_bytes, rel=0.02), name


def test_what_slow_start_and_the_next_loss_cost_hosts_of_linux_6_is_what_it_costs_them_packet_by_packet() -> None:
    # One flow beside 3 Gb/s in another queue: slow start doubles until the queue overflows, and half of that window,
    # which is the receiver's, makes it overflow once more.
    scenario = _case(4, "2-queues", duration_s=3.0, hosts="linux-6")
    packet, fluid = run(scenario).flows["TCP1"].tcp, run(scenario, engine="fluid").flows["TCP1"].tcp
    assert packet is not None
    assert fluid is not None
    assert (fluid["recoveries"], fluid["timeouts"]) == (packet["recoveries"], packet["timeouts"])
    assert fluid["retransmitted_pkts"] == pytest.approx(packet["retransmitted_pkts"], rel=0.01)
    assert fluid["final_cwnd_pkts"] == pytest.approx(packet["final_cwnd_pkts"], rel=0.01)


def test_fragments_above_their_share_are_refused_unless_a_full_queue_reopens_late() -> None:
    for number in range(100):
        plan = random_plan(number, 1e9, 1.0)
        port = plan["ports"][0]
        if overloaded(plan) and port["reopen_bytes"] == 0:
            with pytest.raises(NotApplicableError, match=r"^ports\[0\]\.reopen_bytes: "):
                check(plan, engine="fluid")
        else:
            check(plan, engine="fluid")


def test_datagrams_of_one_packet_are_never_refused() -> None:
    plan = random_plan(67, 1e9, 1.0)
    assert overloaded(plan)
    assert plan["ports"][0]["reopen_bytes"] == 0
    for flow in plan["flows"]:
        if flow["traffic"]["kind"] == "udp":
            flow["traffic"]["datagram_bytes"] = 1400
    check(plan, engine="fluid")


def _missed(distances: dict[int, Distance]) -> dict[int, list[str]]:
    """The plans that miss a throughput, delay or loss, each with what it misses."""
    return {number: misses for number, one in distances.items() if (misses := one.decisive_misses())}


def test_stored_medians_are_of_these_plans() -> None:
    for hosts in PROFILES:
        stored = stored_medians(hosts)
        assert list(stored) == compared_plans(hosts)
        plans = {number: scenario_hash(compared_plan(number, hosts)) for number in stored}
        assert {number: one.scenario_hash for number, one in stored.items()} == plans
    for case, run_ in stored_runs().items():
        assert run_.scenario_hash == scenario_hash(experiment(case))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("hosts", "numbers"),
    [pytest.param(hosts, (0, 11, 23), id=f"{hosts}-three plans") for hosts in PROFILES]
    + [
        pytest.param(hosts, tuple(compared_plans(hosts)), id=f"{hosts}-all plans", marks=pytest.mark.long)
        for hosts in PROFILES
    ],
)
def test_stored_medians_are_what_the_packet_engine_gives(hosts: str, numbers: tuple[int, ...]) -> None:
    stored = stored_medians(hosts)
    assert set(numbers) <= set(stored)
    for number in numbers:
        assert packet_median(number, hosts) == stored[number], f"plan {number}: see tests/support/packet_medians.py"


@pytest.mark.slow
@pytest.mark.parametrize("hosts", PROFILES)
@pytest.mark.parametrize(
    "every", [pytest.param(1, id="all", marks=pytest.mark.long), pytest.param(3, id="every third")]
)
def test_random_plans_agree(every: int, hosts: str) -> None:
    """The first 24 plans at 1 Gb/s, and those that missed once, each against the stored median of three packet seeds.

    Every plan whose result is steady keeps every limit. Half of all values keep a tenth of the limit, with hosts of
    Linux 6 a fifth. Times between recoveries are counts of some tens, which chance alone moves by more than the limit:
    one in five may miss, their mean may not.
    """
    distances, moved = {}, {}
    chosen = dict(list(stored_medians(hosts).items())[::every])
    for number, stored in chosen.items():
        plan = compared_plan(number, hosts)
        result = run(plan, engine="fluid")
        if changes := sensitive_measures(plan, result):
            moved[number] = changes
        else:
            distances[number] = distance(measure(result), stored.median)
    # With hosts of Linux 6 bad luck strikes senders, too; the plans that missed once are all unsteady.
    usual = [number for number in chosen if number < PLANS]
    assert len(distances.keys() & usual) >= len(usual) * (2 / 3 if hosts == TESTBED_PROFILE else 1 / 2)
    assert moved == {number: changes for number, changes in UNSTEADY[hosts].items() if number in chosen}
    assert _missed(distances) == {}
    for name, limit in LIMITS.items():
        values = [value for one in distances.values() if (value := getattr(one, name)) is not None]
        if name == "epoch":
            assert sum(abs(value) > limit for value in values) <= len(values) / 5, (name, values)
            assert abs(float(np.mean(values))) <= limit / 2, (name, values)
        else:
            assert float(np.median(np.abs(values))) <= limit / (10 if hosts == TESTBED_PROFILE else 5), (name, values)


@pytest.mark.long  # every run makes three of the stored medians anew
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("case", JOINED)
def test_stored_runs_are_what_the_packet_engine_gives(case: Case) -> None:
    assert packet_run(case) == stored_runs()[case], f"{case}: see tests/support/packet_medians.py"


@pytest.mark.slow
@pytest.mark.parametrize("case", JOINED)
def test_flows_that_join_a_busy_queue_get_what_they_get_packet_by_packet(case: Case) -> None:
    # The limits of `python -m benchmarks.fluid_agreement experiments`, for each flow by itself as well. The packet
    # engine's own seeds differ little in these four; in experiment 7's one queue they spread beyond the limit.
    fluid = measure(run(experiment(case), engine="fluid"))
    assert compare(fluid, [stored_runs()[case].median]).misses == []


def test_pings_in_one_queue_wait_as_published() -> None:
    # Of all published cells the one that hangs most on how windows grow: four flows come and go in 200 s.
    published = {cell.measure: cell for cell in HNTES.cells("2") if cell.configuration == "1-queue"}
    scenario = document_of(load_experiment(2).case("1-queue").scenario(1, load_parameters()))
    ping = run(scenario, engine="fluid").flows["ping"].ping
    assert ping is not None
    for name, got in (("ping_mean_ms", ping.mean_ms), ("ping_sd_ms", ping.sd_ms)):
        assert got == pytest.approx(published[name].published, rel=published[name].within), name
