"""A record that two meters have, around midnight: the one that knows of the record before it counts."""

import pytest

from hntes.etl.detect.alpha import DetectionRule
from tests.property.test_detection_properties import BEGIN, END, check_equal, detected, record
from tests.support.alpha_definition import readings

FLOW = (4, 0, 1, 1000, 6, 1, 0, 1, 1)


@pytest.mark.parametrize("window_ms", [1, 20, 60])
@pytest.mark.parametrize(("before_bytes", "byte_count"), [(3, 2), (3, 0), (0, 4)])
@pytest.mark.parametrize("threshold_bytes", [1, 2])
def test_its_bytes_belong_to_the_day_after(
    window_ms: int, before_bytes: int, byte_count: int, threshold_bytes: int
) -> None:
    """By that meter the second record began after the day; the other has it alone, from before midnight."""
    both = [record(END - 1, 2, before_bytes, FLOW), record(END - 1, 3, byte_count, FLOW)]
    records = [*both, {**both[1], "exporter_domain": 2}]
    rule = DetectionRule(threshold_bytes, window_ms)
    check_equal(rule, detected(rule, records), readings(records, BEGIN, END, window_ms, "five_tuple", True))
