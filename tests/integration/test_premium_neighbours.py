"""Bad neighbours of a reservation: it keeps its rate, and whoever sends more than was promised pays for it."""

import pytest

from tests.support.gate_subjects import ROOT
from tests.support.premium_neighbours import BESIDE, Hurt, Neighbours, hurt, table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def found() -> dict[Neighbours, Hurt]:
    return {beside: hurt(beside) for beside in BESIDE}


def of(found: dict[Neighbours, Hurt], other: str, excess: str = "discard", *, is_policed: bool = True) -> Hurt:
    (came,) = (
        came
        for beside, came in found.items()
        if (beside.other, beside.plan.premium_excess, beside.is_policed) == (other, excess, is_policed)
        and (len(beside.overload), beside.has_queue) == (2, True)
    )
    return came


def test_no_neighbour_takes_a_reservations_rate_if_it_has_a_queue(found: dict[Neighbours, Hurt]) -> None:
    assert all(came.good_pct > 95 for beside, came in found.items() if beside.has_queue)
    (shared,) = (came for beside, came in found.items() if not beside.has_queue)
    assert shared.good_pct < 50


def test_overload_delays_no_paced_reservation(found: dict[Neighbours, Hurt]) -> None:
    # a packet of alpha's or beta's may be on the link, and a host may stall for 0.2 ms
    assert max(came.later_ms for beside, came in found.items() if beside.other == "paced" and beside.has_queue) < 0.3


def test_at_twice_its_rate_a_sender_loses_the_half_above_it_and_hurts_nobody(found: dict[Neighbours, Hurt]) -> None:
    good, bad = of(found, "paced"), of(found, "twice")
    assert bad.other_pct == pytest.approx(100, abs=1)
    assert (bad.alpha_gbps, bad.beta_gbps) == pytest.approx((good.alpha_gbps, good.beta_gbps), rel=0.02)


def test_what_is_above_the_rate_shares_betas_queue_where_the_plan_says_so(found: dict[Neighbours, Hurt]) -> None:
    good, bad = of(found, "paced"), of(found, "twice", "best_effort")
    assert 101 < bad.other_pct < 200
    # of beta's share, by what both offer: 0.6 of 0.6 + 9.5 Gb/s and headers at least, and nothing of alpha's
    assert bad.beta_gbps < good.beta_gbps
    assert bad.alpha_gbps == pytest.approx(good.alpha_gbps, rel=0.02)


def test_tcp_that_is_not_paced_hurts_itself(found: dict[Neighbours, Hurt]) -> None:
    good, hasty = of(found, "paced"), of(found, "hasty")
    assert hasty.other_pct < 95
    assert (hasty.alpha_gbps + hasty.beta_gbps) >= good.alpha_gbps + good.beta_gbps


def test_without_a_policer_what_is_above_the_rate_is_taken_from_others(found: dict[Neighbours, Hurt]) -> None:
    good, bad = of(found, "paced"), of(found, "twice", is_policed=False)
    assert bad.other_pct == pytest.approx(200, abs=2)
    taken_gbps = good.alpha_gbps + good.beta_gbps - bad.alpha_gbps - bad.beta_gbps
    assert taken_gbps == pytest.approx(0.6, abs=0.1)


def test_the_reference_holds_the_table(found: dict[Neighbours, Hurt]) -> None:
    assert table(found) in (ROOT / "docs" / "reference" / "gate.md").read_text(encoding="utf-8")
