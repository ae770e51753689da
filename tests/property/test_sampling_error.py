"""The sampling error of a detected flow, compared with the formula and with values worked out by hand."""

from dataclasses import replace

import pytest

from hntes.etl.detect.alpha import DetectionRule
from tests.property.test_detection_properties import BEGIN, USUAL, detected, record


def test_the_sampling_error_is_that_of_a_thinned_count() -> None:
    """1 packet in 100: n sampled packets leave a relative error of sqrt((1 - 1/100) / n)."""
    one = {**record(BEGIN + 1000, 50, 10_000_000, (4, 0, 1, 1000, 6, 1, 0, 1, 1)), "packets": 10_000}
    (found,) = detected(DetectionRule(9_000_000, 60), [{**one, "sampling_factor": 100}])
    assert found.peak_sd_bytes == 994_987  # 10 MB x sqrt(0.99 / 100)
    assert found.borderline
    (unknown,) = detected(DetectionRule(9_000_000, 60), [{**one, "sampling_factor": 0}])
    assert (unknown.peak_sd_bytes, unknown.sampling_factor, unknown.borderline) == (None, None, False)
    exact = replace(found, peak_sd_bytes=0, sampling_factor=1, borderline=False)
    assert detected(DetectionRule(9_000_000, 60), [one]) == [exact]


@pytest.mark.parametrize(("error_pct", "factor", "is_borderline"), [
    (0, 100, False), (10, 100, False), (20, 100, True), (20, 1, False), (20, 0, True), (0, 0, False),
])  # fmt: skip
def test_a_known_error_of_sampled_counters_makes_a_flow_borderline(
    error_pct: int, factor: int, is_borderline: bool
) -> None:
    """1.2 GB of 1.2 million packets, so chance leaves 1 %; beside it the exporter is known to be wrong by so much."""
    one = {**record(BEGIN + 1000, 50, 1_200_000_000, USUAL), "packets": 1_200_000, "sampling_factor": factor}
    rule = DetectionRule(1_000_000_000, 60_000, sampling_error_pct=error_pct)
    (found,) = detected(rule, [one])
    assert found.borderline == is_borderline
