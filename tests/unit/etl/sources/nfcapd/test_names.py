"""Names that lie beside a span of time by their digits alone: never one that lies in it."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hntes.etl.sources.nfcapd.names import Beside, start_ms
from hntes.etl.sources.scan import Span, UnusableNameError

ZONES = ("UTC", "Pacific/Kiritimati", "Pacific/Niue", "Australia/Lord_Howe", "America/St_Johns")
BEGIN = datetime(2026, 11, 28, tzinfo=UTC)
minutes = st.integers(-5 * 1440, 5 * 1440).map(lambda minutes: BEGIN + timedelta(minutes=minutes))


@given(minutes, minutes, st.sampled_from(ZONES), st.sampled_from(["", "30"]), st.booleans(), st.booleans())
def test_no_name_of_the_span_is_beside_it(
    named: datetime, begin: datetime, zone: str, seconds: str, is_open: bool, is_ended: bool
) -> None:
    from_ms = None if is_open else int(begin.timestamp()) * 1000
    to_ms = int((begin + timedelta(days=1)).timestamp()) * 1000 if is_ended else None
    span, name = Span(from_ms, to_ms), f"nfcapd.{named:%Y%m%d%H%M}{seconds}"
    start = start_ms(name, ZoneInfo(zone))
    assert start is not None
    is_beside = Beside(span)(name)
    event(f"beside: {is_beside}, in: {span.has(start)}")
    assert not (is_beside and span.has(start))


@pytest.mark.parametrize("name", ["nfcapd.202601011200", "nfcapd.20270101120059"])
def test_names_of_other_months_are_beside_a_day(name: str) -> None:
    begin_ms = int(BEGIN.timestamp()) * 1000
    assert Beside(Span(begin_ms, begin_ms + 86_400_000))(name)


@pytest.mark.parametrize("digits", ["202602301200", "202613011200", "202601012560", "202601012400", "000001011200"])
def test_a_name_that_cannot_be_is_looked_at_whatever_the_span(digits: str) -> None:
    begin_ms = int(BEGIN.timestamp()) * 1000
    assert not Beside(Span(begin_ms, begin_ms + 86_400_000))(f"nfcapd.{digits}")
    with pytest.raises(UnusableNameError):
        start_ms(f"nfcapd.{digits}", ZoneInfo("UTC"))


def test_names_with_an_offset_and_others_are_looked_at() -> None:
    beside = Beside(Span(0, 1))
    assert not beside("nfcapd.202611271425+0100")
    assert not beside("nfcapd.current.1")
    assert not beside("readme")
