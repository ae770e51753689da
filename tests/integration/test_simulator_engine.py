"""The compiled engine from Python: results, errors, progress, threads, Ctrl-C."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from hntes.simulator import Scenario, ScenarioError, check, load_experiment, run
from hntes.simulator.scenario import Flow, PingTraffic
from hntes.simulator.testbed.files import load_parameters
from hntes.simulator.testbed.traffic import cut_short, shortened


def _scenario(seed: int = 1, duration_s: float = 2.0) -> Scenario:
    return replace(load_experiment(4).case("2-queues").scenario(seed), duration_s=duration_s)


def test_a_run_gives_totals_and_series() -> None:
    result = run(_scenario())
    assert result.imbalances == ()
    table = result.intervals()
    assert table.num_rows == 2
    goodput = sum(table.column("flow/TCP1/goodput_bytes").to_pylist())
    assert goodput == result.flows["TCP1"].goodput_bytes > 0
    assert result.pings("ping").num_rows == result.flows["ping"].ping.received == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("number", range(1, 8))
def test_every_case_of_every_experiment_is_sound(number: int) -> None:
    for case in load_experiment(number).cases():
        check(case.scenario(seed=1))


def test_a_mistake_names_its_key() -> None:
    scenario = _scenario()
    links = list(scenario.links)
    links[2] = replace(links[2], rate_bps=-1.0)
    scenario = replace(scenario, links=tuple(links))
    with pytest.raises(ScenarioError, match=r"^links\[2\]\.rate_bps: -1 is not between"):
        run(scenario)


def test_one_seed_one_trace() -> None:
    hashes = [run(_scenario(seed, 1.0)).trace_hash for seed in (1, 1, 2)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_run_that_is_cut_short_is_the_beginning_of_the_whole_one() -> None:
    """Of hosts of both kinds: what the gate leaves out of a run changes nothing of what it measures."""
    for hosts in ("linux-2.6.33", "linux-6"):
        case = load_experiment(7).case("2-queues")
        scenario = shortened(case.scenario(1, load_parameters(hosts)), 4.0)
        whole, cut = run(scenario), run(cut_short(scenario, 2.4))
        assert (whole.duration_s, cut.duration_s) == (4, 3)
        assert whole.series.keys() == cut.series.keys()
        for name, values in cut.series.items():
            assert len(values) in (3, len(whole.series[name])) or name.startswith("flow/ping/")
            assert np.array_equal(values, whole.series[name][: len(values)]), name


def test_threads_run_side_by_side_and_alike() -> None:
    alone = run(_scenario(duration_s=0.5)).trace_hash
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda _: run(_scenario(duration_s=0.5)).trace_hash, range(4)))
    assert together == [alone] * 4


def test_progress_is_reported_and_can_stop_a_run() -> None:
    shares: list[float] = []
    run(_scenario(duration_s=0.1), shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)

    def interrupt(share: float) -> None:
        if share > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(_scenario(duration_s=0.1), interrupt)


@pytest.mark.parametrize(
    ("source", "goal", "idle_ms"), [("WA", "EA", 2.1), ("E1", "W1", 2.23), ("E2", "W1", 1.98), ("EA", "W1", 2.26)]
)
def test_idle_round_trip_times_are_the_published_ones(source: str, goal: str, idle_ms: float) -> None:
    flow = Flow("ping", source, goal, ((0, 2),), PingTraffic(0.01))
    scenario = replace(_scenario(), flows=(flow,), ports=())
    ping = run(scenario).flows["ping"].ping
    assert ping is not None
    assert ping.median_ms == pytest.approx(idle_ms, abs=0.006)
