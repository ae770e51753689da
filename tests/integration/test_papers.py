"""The papers' runs in the engine: scenarios are sound, and their own arithmetic bounds what comes out."""

import pytest

from hntes.papers.christin.cases import ChristinCase
from hntes.papers.christin.measures import dropped_pkts, sent_pkts
from hntes.papers.christin.measures import measure as christin_measure
from hntes.papers.gara import manager
from hntes.papers.gara.cases import GaraCase
from hntes.papers.gara.measures import measure as gara_measure
from hntes.papers.habib.cases import HabibCase
from hntes.papers.habib.measures import throughputs_mbps
from hntes.papers.habib.setup import setup as habib_setup
from hntes.papers.laatu.cases import LaatuCase, measured_flows
from hntes.papers.laatu.measures import measure as laatu_measure
from hntes.papers.laatu.setup import setup
from hntes.papers.paper import Case
from hntes.papers.reproduction.catalogue import PAPERS
from hntes.simulator import check, run

CASES = [case for paper in PAPERS.values() for experiment in paper.experiments for case in paper.cases_of(experiment)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_scenario_is_sound(case: Case) -> None:
    check(case.scenario(1))


def test_marked_one_by_one_no_flow_has_more_green_than_its_bucket_gave() -> None:
    result = run(LaatuCase("over", "per-flow").scenario(1))
    rate_bps, burst_bytes = setup().rates_bps["flow"].committed, 15 * 1500
    for flow in measured_flows():
        received = result.flows[flow].received_ip_bytes
        assert received is not None
        assert received["green"] <= rate_bps / 8 * result.duration_s + burst_bytes
        assert received["yellow"] > 0


@pytest.mark.parametrize("configuration", ["per-flow", "aggregate"])
def test_a_share_that_is_too_small_bounds_what_all_marked_flows_have(configuration: str) -> None:
    case = LaatuCase("under", configuration)
    result = run(case.scenario(1))
    share_pct = setup().assumed.assured_share_pct["under"]
    marked = [name for name in result.flows if name != "best-effort"]
    ip_bytes = sum(sum((result.flows[name].received_ip_bytes or {}).values()) for name in marked)
    assert ip_bytes * 8 / result.duration_s <= setup().link_bps * share_pct / 100
    kbps = sum(sum((result.flows[name].received_ip_bytes or {}).values()) for name in measured_flows())
    assert laatu_measure("aggregate_kbps", case, result) == pytest.approx(kbps * 8 / result.duration_s / 1e3)


def test_the_shared_link_loses_what_its_queue_dropped() -> None:
    case = ChristinCase("1", "drop-tail")
    result = run(case.scenario(1))
    dropped = sum(sum(flow.dropped_pkts.values()) for flow in result.flows.values())
    assert dropped_pkts(result).sum() == pytest.approx(dropped, rel=0.01)  # the last interval may be cut off
    assert sent_pkts(result).sum() * 500 * 8 / result.duration_s <= 10e6 * 1.001
    assert christin_measure("utilization", case, result) <= 1.001


def test_other_seeds_have_other_round_trip_times_and_the_same_seed_the_same() -> None:
    case = ChristinCase("1", "red")
    assert case.scenario(1) == case.scenario(1)
    delays = [[link.delay_us for link in case.scenario(seed).links] for seed in (1, 2)]
    assert delays[0] != delays[1]
    # 24 to 180 ms there and back, of which the shared link has 1 ms each way
    assert all(11_000 <= delay <= 89_000 for delay in delays[0][1:])


def test_marked_by_a_sliding_window_no_aggregate_has_more_green_than_its_rate() -> None:
    case = HabibCase("simple", "standard", "rtt-100")
    result = run(case.scenario(1, {"duration_s": 30}))
    assert result.imbalances == ()
    assert sum(throughputs_mbps(case, result).values()) <= habib_setup().link_bps / 1e6
    for flow in case.flows():
        received = [result.flows[name].received_ip_bytes or {} for name in flow.microflows()]
        green_bps = sum(one["green"] for one in received) * 8 / result.duration_s
        # the estimate lags the rate by its window, a second
        assert green_bps <= habib_setup().committed_bps * 1.1


def test_flows_of_a_paper_have_the_round_trips_it_states() -> None:
    case = HabibCase("simple", "standard", "rtt-100")
    scenario = case.scenario(1)
    delays_us = {(link.from_, link.to): link.delay_us for link in scenario.links}
    shared_us = sum(delays_us[hop] for hop in (("edge1", "core1"), ("core1", "core2"), ("core2", "edge2")))
    found_us = [
        2 * (delays_us[flow.source, "edge1"] + shared_us + delays_us["edge2", flow.sink]) for flow in case.flows()
    ]
    assert found_us == pytest.approx([20_000, 100_000])


def test_in_a_managers_channel_foreground_keeps_its_rate_and_background_has_the_rest() -> None:
    case = GaraCase("manager", "manager")
    result = run(case.scenario(1))
    assert result.imbalances == ()
    names = [f"foreground{number}_share" for number in (1, 2, 3)]
    assert [gara_measure(name, case, result) for name in names] == pytest.approx([1, 1, 1], abs=0.05)
    assert gara_measure("background_least_share", case, result) == pytest.approx(1, abs=0.05)
    # the policers let by the channel's 45 Mb/s and a bucket each, whatever else is sent
    reserved = (*manager.FOREGROUND, manager.BACKGROUND)
    payload_bytes = sum(result.flows[name].goodput_bytes for name in reserved)
    buckets_bytes = sum(manager.granted().buckets_bytes.values())
    assert payload_bytes * 1500 / 1460 <= 45e6 / 8 * result.duration_s + buckets_bytes
    assert sum(result.flows[manager.BEST_EFFORT].dropped_pkts.values()) > 0


def test_a_background_transfer_that_does_not_adapt_loses_and_foreground_does_not() -> None:
    case = GaraCase("manager", "unadapted")
    result = run(case.scenario(1))
    assert gara_measure("background_least_share", case, result) < 0.95
    assert sum(result.flows[manager.BACKGROUND].dropped_pkts.values()) > 0
    assert min(gara_measure(f"foreground{number}_share", case, result) for number in (1, 2, 3)) > 0.95
