"""Names that are read together give the same as each by itself, whatever stands beside them."""

import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hntes._native import FolderNames
from hntes.etl.sources.nfcapd.names import Sieve, start_ms
from hntes.etl.sources.scan import ALWAYS, Sifted, Span, UnusableNameError

ZONES = ("UTC", "Europe/Berlin", "Pacific/Kiritimati", "Pacific/Niue", "Australia/Lord_Howe", "America/St_Johns")
BEGIN = datetime(2026, 11, 28, tzinfo=UTC)
# around changes of the clocks: Berlin and Lord Howe, both ways
DAYS = (BEGIN, *(datetime(2026, month, day, tzinfo=UTC) for month, day in ((3, 29), (10, 25), (4, 5), (10, 4))))
moments = st.builds(
    lambda day, minutes: day + timedelta(minutes=minutes), st.sampled_from(DAYS), st.integers(-3 * 1440, 3 * 1440)
)
usual = st.builds(lambda moment, second: f"nfcapd.{moment:%Y%m%d%H%M}{second}", moments, st.sampled_from(["", "30"]))
digits = st.text("0123456789", min_size=7, max_size=15)
odd = st.one_of(
    st.builds(lambda name, end: name + end, usual, st.sampled_from(["+0100", "-0930", "+9999", ".gz", "x", "6", "Z"])),
    st.sampled_from(["nfcapd.202602301200", "nfcapd.202601012560", "nfcapd.202601012400", "nfcapd.000001011200"]),
    st.sampled_from(["nfcapd.", "nfcapd.current.1", "nfcapd.2026", "readme", "nfcapd-202611281200", "~"]),
    digits.map(lambda text: f"nfcapd.{text}"),
)


def day_of(begin: datetime) -> Span:
    return Span(int(begin.timestamp()) * 1000, int((begin + timedelta(days=1)).timestamp()) * 1000)


def sift(names: Iterable[str], span: Span, zone: ZoneInfo) -> Sifted:
    """What the sieve lets through of the files in a folder."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            (Path(folder) / name).touch()
        return Sieve(span, zone)(FolderNames(Path(folder)))


def times(names: Iterable[str], zone: ZoneInfo, span: Span) -> dict[str, int | str | None]:
    """What `start_ms` says of each name that it does not put outside of the span."""
    found: dict[str, int | str | None] = {}
    for name in names:
        try:
            start = start_ms(name, zone)
        except UnusableNameError as problem:
            found[name] = str(problem)
            continue
        if start is None or span.has(start):
            found[name] = start
    return found


@given(
    st.sets(st.one_of(usual, usual, odd)),
    st.sampled_from(ZONES),
    moments,
    st.sampled_from(["all", "day", "from", "to"]),
)
def test_names_read_together_are_as_names_read_one_by_one(
    names: set[str], zone_name: str, begin: datetime, kind: str
) -> None:
    zone, day = ZoneInfo(zone_name), day_of(begin)
    span = {"all": ALWAYS, "day": day, "from": Span(day.from_ms, None), "to": Span(None, day.to_ms)}[kind]
    sifted = sift(names, span, zone)
    event(f"together: {len(sifted.files) > 0}, apart: {len(sifted.others) > 0}")
    together = {file.path: file.start_ms for file in sifted.files}
    assert len(together) == len(sifted.files)
    assert not together.keys() & set(sifted.others)
    assert list(sifted.ignored()) == []
    assert together | times(sifted.others, zone, span) == times(names, zone, span)


@pytest.mark.parametrize("zone", ZONES)
def test_whole_days_are_read_together(zone: str) -> None:
    """The quick way is taken: else the property above would say nothing."""
    numbers = range(-2 * 288, 3 * 288)
    names = [f"nfcapd.{BEGIN + timedelta(minutes=5 * number):%Y%m%d%H%M}" for number in numbers]
    assert sift(names, ALWAYS, ZoneInfo(zone)).others == []
    of_the_day = sift(names, day_of(BEGIN), ZoneInfo(zone))
    assert of_the_day.others == []
    that_day = [name for name in names if day_of(BEGIN).has(start_ms(name, ZoneInfo(zone)) or 0)]
    assert [file.path for file in of_the_day.files] == that_day


@pytest.mark.parametrize("name", ["nfcapd.202601011200", "nfcapd.20270101120059"])
def test_names_of_other_months_are_dropped(name: str) -> None:
    sifted = sift([name], day_of(BEGIN), ZoneInfo("UTC"))
    assert (sifted.files, sifted.others) == ([], [])


@pytest.mark.parametrize(
    "name",
    [
        "nfcapd.202602301200", "nfcapd.202613011200", "nfcapd.202601012560", "nfcapd.202601012400",
        "nfcapd.000001011200", "nfcapd.202511271425+0100", "nfcapd.current.1", "readme",
    ],
)  # fmt: skip
def test_names_that_cannot_be_and_others_are_looked_at_whatever_the_span(name: str) -> None:
    assert sift([name], day_of(BEGIN), ZoneInfo("UTC")).others == [name]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("day", DAYS)
def test_days_on_which_the_clocks_change(day: datetime, zone: str) -> None:
    names = [f"nfcapd.{day + timedelta(minutes=5 * number):%Y%m%d%H%M}" for number in range(-288, 2 * 288)]
    together = {file.path: file.start_ms for file in sift(names, ALWAYS, ZoneInfo(zone)).files}
    assert together == {name: start_ms(name, ZoneInfo(zone)) for name in together}
    # at least the days before and after
    assert len(together) >= 2 * 288
