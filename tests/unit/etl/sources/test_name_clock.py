"""Whether the names of files agree with when their records were received."""

import pytest

from hntes.etl.sources.name_clock import Received, name_lead_s

HOUR, START = 3600, 1_795_785_900


@pytest.mark.parametrize("lead_s", [0, HOUR, 9 * HOUR, -5 * HOUR, 20_700, 14 * HOUR, -12 * HOUR, 900 * 22])
@pytest.mark.parametrize(("first_s", "last_s"), [(0, 300), (120, 130), (299, 299), (0, 1), (-20, 310)])
@pytest.mark.parametrize("rotation_s", [60, 300])
def test_the_zone_of_names_shows_in_the_reception(lead_s: int, first_s: int, last_s: int, rotation_s: int) -> None:
    first_s, last_s = (second * rotation_s // 300 for second in (first_s, last_s))
    received = Received((START + lead_s) * 1000, (START + first_s) * 1000, (START + last_s) * 1000)
    assert name_lead_s(received, rotation_s) == lead_s


def test_what_no_time_zone_explains_is_not_known() -> None:
    week = 7 * 24 * HOUR
    assert name_lead_s(Received(START * 1000, (START - week) * 1000, (START - week + 60) * 1000), 300) is None
    # 7 minutes ahead, and records of two hours in one file
    assert name_lead_s(Received((START + 420) * 1000, START * 1000, (START + 60) * 1000), 60) is None
    assert name_lead_s(Received(START * 1000, START * 1000, (START + 2 * HOUR) * 1000), 300) is None


def test_a_file_of_an_hour_leaves_whole_hours_only() -> None:
    received = Received((START + 9 * HOUR) * 1000, (START + 600) * 1000, (START + 3500) * 1000)
    assert name_lead_s(received, HOUR) == 9 * HOUR
    short = Received((START + 9 * HOUR) * 1000, (START + 1700) * 1000, (START + 1800) * 1000)
    assert name_lead_s(short, 4 * HOUR) is None
