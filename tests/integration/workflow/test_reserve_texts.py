"""Reservations that no router text can express are refused on request, so that they cannot block other texts."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hntes.platforms.registry import platform_of
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reservations.reserve import ReservationRequest, book, listing
from tests.contract.platform.case import case_of
from tests.contract.platform.models import taking
from tests.support.reserving import NOW_S, set_clock
from tests.support.scheduled_site import (
    FIRST,
    SECOND,
    approve_rules,
    at,
    premium_terms,
    propose,
    reserved,
    scheduled_site,
    standing,
)

HOUR, GBIT = 3600, 10**9
PLATFORMS = taking("premium")
# Those with no number for 4,714,285,714 bit/s: IOS-XR above 2^32, SR OS and EOS at all rates.
IN_KBPS = ("iosxr", "sros", "eos")


@dataclass(frozen=True)
class Place:
    """An installation whose r1 is of that platform, with a core port of 100 Gb/s, and the port's name."""

    platform: str
    context: Context
    port: str


@pytest.fixture
def clocked(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch)


@pytest.fixture(params=PLATFORMS)
def place(request: pytest.FixtureRequest, tmp_path: Path, clocked: None) -> Iterator[Place]:  # noqa: ARG001
    case = case_of(request.param)
    edge, core, _ = case.ports
    site = scheduled_site(tmp_path)
    head, first, second = site.settings.read_text(encoding="utf-8").split("[[routers]]\n")
    numbers = "".join(f"{name} = {number}, " for name, number in case.queue_numbers.items())
    queues = f"\nqueues = {{ {numbers.removesuffix(', ')} }}" if numbers else ""
    logical = [f'\nlogical = "{name}"' for name in case.logical[:2]] if case.logical else ["", ""]
    for old, new in (
        ('platform = "junos"', f'platform = "{request.param}"{queues}'),
        ('"xe-0/0/0"', f'"{edge}"{logical[0]}'),
        ('"xe-0/0/1"', f'"{core}"{logical[1]}'),
        ('role = "core"\nrate_bps = 10_000_000_000', 'role = "core"\nrate_bps = 100_000_000_000'),
    ):
        assert old in first
        first = first.replace(old, new, 1)
    site.settings.write_text("[[routers]]\n".join((head, first, second)), encoding="utf-8")
    with at(site) as context:
        yield Place(request.param, context, f"r1:{core}")


def wanted(port: str, **changes: object) -> ReservationRequest:
    return replace(ReservationRequest(FIRST, GBIT, (port,), "anna", "", NOW_S + HOUR, NOW_S + 2 * HOUR), **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"rate_bps": 1},
        {"rate_bps": 7_999},
        {"rate_bps": GBIT, "kind": "background", "floor_bps": 1},
        # with 1 ms its bucket has 21,429 bytes: below two packets where a port of 100 Gb/s is simulated with 10
        {"rate_bps": 30_000_000, "rtt_ms": 1},
    ],
)
def test_less_than_a_policer_takes_is_refused(place: Place, changes: dict[str, object]) -> None:
    with pytest.raises(CommandError, match="router r1 cannot police it"):
        book(place.context, wanted(place.port, **changes))
    assert listing(place.context) == ()


def test_a_bucket_of_more_than_a_platform_takes_is_refused(place: Place) -> None:
    """10 Gb/s over 300 ms, and queues of 1.4 s by the rule: 2.1 GB; Junos takes 10 GB, others 0.5 GB or less."""
    taken = platform_of(place.platform).capabilities.burst_bytes
    refused = pytest.raises(CommandError, match=f"burst 2142857143 bytes is out of {taken.start}[.][.]{taken[-1]} ")
    with nullcontext() if 2_142_857_143 in taken else refused:
        assert book(place.context, wanted(place.port, rate_bps=10 * GBIT, rtt_ms=300)).refusal is None
    assert (2_142_857_143 in taken) == (place.platform == "junos")


def test_what_is_admitted_is_in_the_text(place: Place) -> None:
    context, port = place.context, place.port
    approve_rules(context)
    assert book(context, wanted(port)).refusal is None
    assert book(context, wanted(port, pair=SECOND, rate_bps=4_000_000)).refusal is None
    propose(context)
    assert reserved(context, standing(context)) == [
        "reservation-1 1 Gb/s, reservation-2 4 Mb/s", "no reservation",
    ]  # fmt: skip


def test_a_share_is_a_rate_that_each_platform_polices(place: Place) -> None:
    """Seven share 33 Gb/s: elsewhere than on platforms that take whole kb/s, exactly."""
    context, port = place.context, place.port
    rate = "4.714285 Gb/s" if place.platform in IN_KBPS else "4.714285715 Gb/s"
    approve_rules(context)
    for number in range(7):
        one = wanted(
            port, pair=f"198.18.{60 + number}.0/24>203.0.113.0/24", kind="background", floor_bps=GBIT,
            rate_bps=33 * GBIT, rtt_ms=5,
        )  # fmt: skip
        assert book(context, one).refusal is None
    propose(context)
    assert reserved(context, standing(context))[0].startswith(f"reservation-1 {rate}, reservation-2 {rate}")


def test_so_many_at_once_as_a_policy_has_classes(tmp_path: Path, clocked: None) -> None:  # noqa: ARG001
    site = scheduled_site(tmp_path)
    text = site.settings.read_text(encoding="utf-8").replace('platform = "junos"', 'platform = "iosxe"', 1)
    site.settings.write_text(text, encoding="utf-8")
    with at(site) as context:
        for number in range(253):
            pair = f"198.18.{number}.0/24>203.0.113.0/24"
            assert book(context, wanted("r1:xe-0/0/1", pair=pair, rate_bps=2_000_000)).refusal is None
        one_more = wanted("r1:xe-0/0/1", pair="198.19.0.0/24>203.0.113.0/24", rate_bps=2_000_000)
        with pytest.raises(CommandError, match="r1 polices at most 253 reservations at once"):
            book(context, one_more)
        later = replace(one_more, start_s=NOW_S + 2 * HOUR, end_s=NOW_S + 3 * HOUR)
        assert book(context, later).refusal is None


def test_a_text_on_junos_holds_what_is_reserved(tmp_path: Path, clocked: None) -> None:  # noqa: ARG001
    with at(scheduled_site(tmp_path)) as context:
        approve_rules(context)
        assert book(context, wanted("r1:xe-0/0/1")).refusal is None
        propose(context)
        assert premium_terms(context, standing(context)[0].candidate_hash) == ["premium-reservation-1"]
