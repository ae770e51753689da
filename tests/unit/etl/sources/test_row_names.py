"""Times in the names of files of rows."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from hntes.etl.sources.rows.names import start_ms
from hntes.etl.sources.scan import UnusableNameError

ENDINGS = (".json", ".log")


def moment(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1000


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("goflow2-202611271425.json", "2026-11-27T14:25"),
        ("flows.json-20261127.json.gz", "2026-11-27T00:00"),
        ("20261127-1425.json.zst", "2026-11-27T14:25"),
        ("r1_2026-11-27_14:25.log", "2026-11-27T14:25"),
        ("2026-11-27T14-25-30Z.json", "2026-11-27T14:25:30"),
        ("20261127T142530+0100.json", "2026-11-27T13:25:30"),
        ("cluster-20250101-flows-202611271425.json", "2026-11-27T14:25"),
    ],
)
def test_a_time_in_a_name_is_read(name: str, expected: str) -> None:
    assert start_ms(name, UTC, ENDINGS) == moment(expected)


def test_names_are_of_the_collectors_zone_unless_they_say_their_own() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    assert start_ms("202611271425.json", tokyo, ENDINGS) == moment("2026-11-27T05:25")
    assert start_ms("202611271425Z.json", tokyo, ENDINGS) == moment("2026-11-27T14:25")


@pytest.mark.parametrize("name", ["goflow2.json", "202611271425.csv", "nfcapd.202611271425", "9202611271425.json"])
def test_other_names_are_not_its_own(name: str) -> None:
    assert start_ms(name, UTC, ENDINGS) is None


@pytest.mark.parametrize("name", ["202613271425.json", "20261127T142530+9900.json", "00001127.json", "99991231.json"])
def test_a_time_that_cannot_be_is_named(name: str) -> None:
    with pytest.raises(UnusableNameError, match="invalid date or time"):
        start_ms(name, UTC, ENDINGS)
