"""Alpha flows that together exceed what their port carries.

The port: 10 Gb/s, 6.25 GB in 5 s, 8.125 GB with the tolerance.
"""

import numpy as np
import pytest

from hntes.etl.detect import fitting
from hntes.etl.detect.peak_window import BIN_MS, PeakWindow
from hntes.etl.detect.port_capacity import implausible_flows

RATES = {7: 10_000_000_000}
MINUTE = 60_000
GB = 10**9


def flows(count: int, each: int, start_ms: int = MINUTE, port: int = 7, sd: int = 0) -> list[PeakWindow]:
    """Flows that last ten seconds."""
    return [PeakWindow(f"{port}-{start_ms}-{n}", port, start_ms, start_ms + 10_000, each, sd) for n in range(count)]


def marked(*windows: PeakWindow) -> frozenset[str]:
    return implausible_flows(windows, GB, RATES)


def ids(windows: list[PeakWindow]) -> set[str]:
    return {window.flow_id for window in windows}


def test_flows_below_the_port_rate_are_plausible() -> None:
    # 12.1 of 12.5 GB in ten seconds
    assert marked(*flows(11, 11 * GB // 10)) == frozenset()


def test_two_thousand_flows_at_once_are_not() -> None:
    forged = flows(2000, 11 * GB // 10)
    assert marked(*forged) == ids(forged)


@pytest.mark.parametrize("start_ms", [0, 1, 2500, 4999, 59_999])
def test_it_matters_not_where_they_lie(start_ms: int) -> None:
    forged = flows(40, 11 * GB // 10, start_ms)
    assert marked(*forged) == ids(forged)


def test_the_limit_itself_is_possible() -> None:
    assert marked(*flows(13, 1_250_000_000)) == frozenset()
    assert len(marked(*flows(13, 1_250_000_001))) == 13


def test_a_flow_above_the_threshold_outside_those_seconds_is_plausible() -> None:
    forged = flows(2000, 11 * GB // 10)
    minute = PeakWindow("12 GB in the minute of the attack", 7, MINUTE, 2 * MINUTE, 12 * GB, 0)
    short = PeakWindow("8 GB in the half of it", 7, MINUTE, MINUTE + 10_100, 8 * GB, 0)
    assert marked(*forged, minute, short) == ids(forged) | {short.flow_id}


def test_a_few_large_forged_flows_keep_no_smaller_one_out() -> None:
    """Two of 4.5 Gb/s fill the port for a minute; ten true ones of 0.5 Gb/s, which fit without them, are believed."""
    forged = [PeakWindow(f"forged {n}", 7, MINUTE, 2 * MINUTE, 34 * GB, 0) for n in range(2)]
    true = [PeakWindow(f"true {n}", 7, MINUTE + 100 * n, 2 * MINUTE, 375 * GB // 100, 0) for n in range(10)]
    assert marked(*forged, *true[:3]) == frozenset()
    assert marked(*forged, *true) == ids(forged)


def test_of_flows_of_one_size_none_is_believed_and_smaller_ones_are() -> None:
    forged = [PeakWindow(f"forged {n:02}", 7, MINUTE, 2 * MINUTE, 9 * GB, 0) for n in range(12)]
    small = PeakWindow("small", 7, MINUTE, 2 * MINUTE, 2 * GB, 0)
    large = PeakWindow("large", 7, MINUTE, 2 * MINUTE, 10 * GB, 0)
    assert marked(*forged, small, large) == ids(forged) | {"large"}


def test_what_was_taken_out_of_a_flood_counts_for_flows_that_are_no_smaller() -> None:
    """Bytes, variance and smallest size of what was sent in each of twelve bins: more than the port takes."""
    of_bins = {(7, MINUTE // BIN_MS + number): (9.0 * GB, 0.0, 0.5 * GB) for number in range(12)}
    small = PeakWindow("0.3 GB in 5 s", 7, MINUTE, 2 * MINUTE, 36 * GB // 10, 0)
    alike = PeakWindow("0.5 GB in 5 s", 7, MINUTE, 2 * MINUTE, 6 * GB, 0)
    assert implausible_flows([small, alike], GB, RATES, of_bins) == {alike.flow_id}


def test_flows_of_other_times_and_ports_are_left_alone() -> None:
    forged = flows(2000, 2 * GB)
    others = [*flows(4, 2 * GB, 20 * MINUTE), *flows(9, 2 * GB, port=8), *flows(2000, 2 * GB, port=0)]
    assert marked(*forged, *others) == ids(forged)


def test_a_flow_of_another_port_is_judged_alone_by_the_fastest_there_is() -> None:
    # at 1.6 Tb/s 1300 GB in five seconds, with the tolerance, in ten seconds and another five
    possible, beyond = (PeakWindow(name, 8, 0, 10_000, size * GB, 0) for name, size in (("0", 3900), ("1", 3901)))
    uncertain = PeakWindow("2", 8, 0, 10_000, 3901 * GB, GB)
    assert marked(possible, beyond, uncertain, *flows(2000, 2 * GB, port=0)) == {"1"}


@pytest.mark.parametrize("start_ms", [0, 1, 2500, 4999])
def test_such_a_flow_is_not_believed_wherever_it_begins(start_ms: int) -> None:
    assert marked(PeakWindow("0", 8, start_ms, start_ms + MINUTE, 6_000_000 * GB, 0)) == {"0"}


def test_the_error_of_sampling_is_granted() -> None:
    # in five seconds 10 GB of ten flows, each 0.3 GB uncertain there: 10 GB less six times 0.95 GB
    assert marked(*flows(10, 2 * GB, sd=6 * GB // 10)) == frozenset()
    assert len(marked(*flows(10, 2 * GB, sd=GB // 10))) == 10


def test_flows_of_zero_duration_count_at_their_start() -> None:
    instants = [PeakWindow(str(n), 7, MINUTE, MINUTE, 11 * GB // 10, 0) for n in range(9)]
    assert marked(*instants[:7]) == frozenset()
    assert len(marked(*instants)) == 9


def test_a_port_that_is_full_for_an_hour_is_plausible() -> None:
    # each flow's fullest minute carries an eighth of the port's minute; 480 of them follow one another
    full = [PeakWindow(str(n), 7, n // 8 * MINUTE, (n // 8 + 1) * MINUTE, 75 * GB // 8, 0) for n in range(480)]
    assert marked(*full) == frozenset()


def test_more_flows_than_are_added_up_exactly_keep_no_smaller_one_out() -> None:
    """Six thousand in one minute doubt what does not fit beside them in it, and nothing of other minutes."""
    assert fitting.MOST_EXACT == 5000
    forged = [PeakWindow(f"forged {n}", 7, n % 997, MINUTE + n % 997, 2 * GB + n, 0) for n in range(6000)]
    two = [PeakWindow(f"forged {n} of noon", 7, 20 * MINUTE, 21 * MINUTE, 80 * GB, 0) for n in range(2)]
    small = PeakWindow("small", 7, 0, MINUTE, 12 * GB // 10, 0)
    large = PeakWindow("large", 7, 0, MINUTE, 10 * GB, 0)
    at_noon = PeakWindow("at noon", 7, 20 * MINUTE, 21 * MINUTE, 10 * GB, 0)
    # beside 1.2 GB in the minute so many of the smallest fit into 97.5 GB: 48, less one for a fiftieth
    fit = {f"forged {n}" for n in range(47)}
    found = marked(*forged, *two, small, large, at_noon)
    assert found >= (ids(forged) - fit - {"forged 47"}) | ids(two) | {"large"}
    assert not found & {"small", "at noon"}


def test_flows_that_are_added_up_by_steps_fit_as_they_do_exactly_or_are_doubted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = np.random.default_rng(8)
    for _ in range(100):
        sizes, starts = chance.integers(GB, 12 * GB, 30), chance.integers(0, 30_000, 30)
        lengths = chance.integers(1, 60_000, 30)
        drawn = [
            PeakWindow(str(n), 7, int(start), int(start + length), int(size), 0)
            for n, (start, length, size) in enumerate(zip(starts, lengths, sizes, strict=True))
        ]
        exact = marked(*drawn)
        with monkeypatch.context() as patched:
            patched.setattr(fitting, "MOST_EXACT", 0)
            assert marked(*drawn) >= exact


def test_large_forged_flows_of_an_unknown_interface_keep_no_true_one_of_another_out() -> None:
    """What names interfaces without a rate is bounded together, here by 20 Gb/s; there, too, the largest first."""
    forged = [PeakWindow(f"forged {n}", 999 + n, MINUTE, 2 * MINUTE, 130 * GB, 0) for n in range(2)]
    true = [PeakWindow(f"true {n}", 12, MINUTE + 100 * n, 2 * MINUTE, 375 * GB // 100, 0) for n in range(10)]
    assert implausible_flows([*forged, *true], GB, RATES, whole_bps=20_000_000_000) == ids(forged)
