"""The time zone that a collector's file names may be in."""

from datetime import UTC, datetime

import pytest

from hntes.settings.zones import zone_of_offset

WINTER = int(datetime(2026, 11, 27, tzinfo=UTC).timestamp() * 1000)
SUMMER = int(datetime(2026, 7, 27, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("machine", "ahead_s", "moment_ms", "zone"),
    [
        ("UTC", 32_400, WINTER, "Etc/GMT-9"),
        ("UTC", -18_000, WINTER, "Etc/GMT+5"),
        ("UTC", 20_700, WINTER, "Asia/Kathmandu"),
        # this machine's zone, where it fits, also knows daylight saving time
        ("Europe/Berlin", 3600, WINTER, "Europe/Berlin"),
        ("Europe/Berlin", 7200, SUMMER, "Europe/Berlin"),
        ("Europe/Berlin", 3600, SUMMER, "Etc/GMT-1"),
        (":Europe/Berlin", 3600, WINTER, "Europe/Berlin"),
        ("CET-1CEST", 3600, WINTER, "Etc/GMT-1"),
        ("UTC", 15 * 3600, WINTER, None),
        ("UTC", 60, WINTER, None),
    ],
)
def test_the_machines_own_zone_or_a_fixed_one(
    monkeypatch: pytest.MonkeyPatch, machine: str, ahead_s: int, moment_ms: int, zone: str | None
) -> None:
    monkeypatch.setenv("TZ", machine)
    assert zone_of_offset(ahead_s, moment_ms) == zone
