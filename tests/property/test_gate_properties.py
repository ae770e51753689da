"""From any plan's text to what is simulated: the settings' numbers come out at the other end, on each platform."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.gate import planned_ports
from hntes.platforms.parse import parse_config
from hntes.settings.plans import ScavengerPolicer, ThreeColorMarker, TwoQueue
from tests.contract.platform.models import taking
from tests.support.examples import examples
from tests.support.gate_subjects import small_model, subject_of
from tests.support.qos_models import PLATFORMS

RATES_BPS = st.sampled_from([10**9, 10**10, 4 * 10**10, 10**11])
RANKS = st.sampled_from(["low", "medium-low", "medium-high"])
ORDER = ("high", "medium-high", "medium-low", "low")


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int, int]:
    """Alpha, beta and network control: at least 1 each, at most 100 together."""
    alpha = draw(st.integers(1, 98))
    beta = draw(st.integers(1, 99 - alpha))
    return alpha, beta, draw(st.integers(1, 100 - alpha - beta))


@pytest.mark.parametrize("platform", PLATFORMS)
@given(wanted=shares(), rate_bps=RATES_BPS, ranks=st.tuples(RANKS, RANKS))
@examples(0.4)
def test_shares_and_ranks_of_any_plan_come_through(
    platform: str, wanted: tuple[int, int, int], rate_bps: int, ranks: tuple[str, str]
) -> None:
    alpha, beta, control = wanted
    plan = TwoQueue(
        kind="two_queue", alpha_share_pct=alpha, beta_share_pct=beta, network_control_share_pct=control,
        alpha_priority=ranks[0], beta_priority=ranks[1],
    )  # fmt: skip
    subject = subject_of(small_model(platform, plan, rate_bps=rate_bps))
    model = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=4, port_buffer_ms=100)
    found = {queue.name: queue for queue in port.plan.queues}
    assert {name: queue.rate_share_pct for name, queue in found.items()} == {
        "alpha": alpha, "beta": beta, "other1": control,
    }  # fmt: skip
    # the published buffers, 55 to 40, of what network control leaves
    beta_buffer = (100 - control) * 40 // 95
    for name, buffer_pct in (("alpha", 100 - control - beta_buffer), ("beta", beta_buffer), ("other1", control)):
        # packets and percentages are whole numbers, on IOS-XR ms at the queue's own rate
        off_ms = 0.1 + (found[name].rate_share_pct / 200 if platform == "iosxr" else 0)
        assert port.length_ms(name) == pytest.approx(max(1, buffer_pct), abs=off_ms)
    if platform in ("junos", "sros"):
        higher = ORDER.index(ranks[0]) - ORDER.index(ranks[1])
        assert (found["alpha"].priority > found["beta"].priority) == (higher > 0)
        assert (found["alpha"].priority == found["beta"].priority) == (higher == 0)
        assert found["other1"].priority == 0
    else:
        assert {queue.priority for queue in found.values()} == {0}


@pytest.mark.parametrize("platform", ["junos", "iosxe"])
@given(level_pct=st.integers(1, 99), share_pct=st.integers(1, 94), rate_bps=RATES_BPS)
@examples(0.4)
def test_a_queue_marks_from_the_level_that_the_plan_names(
    platform: str, level_pct: int, share_pct: int, rate_bps: int
) -> None:
    plan = TwoQueue(
        kind="two_queue", alpha_ecn=True, alpha_ecn_from_pct=level_pct, alpha_share_pct=share_pct, beta_share_pct=1,
    )  # fmt: skip
    subject = subject_of(small_model(platform, plan, rate_bps=rate_bps))
    model = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=4, port_buffer_ms=100)
    found = {queue.name: queue.ecn for queue in port.plan.queues}
    assert found["beta"] is found["other1"] is None
    assert found["alpha"] is not None
    # a share of 1% of 100 ms at 1 Gb/s is 83 packets, so that a threshold in whole ones may be 1.2% off
    whole_packet_pct = 0.0 if platform == "junos" else 100 * 1500 * 8 / (rate_bps * 0.1 * share_pct / 100 - 1500 * 8)
    assert found["alpha"].from_pct == pytest.approx(level_pct, abs=0.05 + whole_packet_pct)
    assert found["alpha"].to_pct == 100


@pytest.mark.parametrize("platform", taking("scavenger_policer"))
@given(rate_bps=st.integers(10**8, 4 * 10**9), burst_bytes=st.integers(30_000, 10**6), link_bps=RATES_BPS)
@examples(0.4)
def test_a_policer_keeps_its_times_at_the_simulated_rate(
    platform: str, rate_bps: int, burst_bytes: int, link_bps: int
) -> None:
    plan = ScavengerPolicer(kind="scavenger_policer", policer_rate_bps=rate_bps, policer_burst_bytes=burst_bytes)
    subject = subject_of(small_model(platform, plan, rate_bps=link_bps))
    model = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=4, port_buffer_ms=100)
    policer = port.plan.policer
    assert policer is not None
    assert policer.rate_bps / 10e9 == pytest.approx(rate_bps / link_bps)
    # what the bucket holds, as time at its rate, is that of the text to a byte
    assert policer.burst_bytes / policer.rate_bps == pytest.approx(burst_bytes / rate_bps, abs=1 / policer.rate_bps)


@pytest.mark.parametrize("platform", ["junos", "iosxe"])
@given(
    rates_bps=st.tuples(st.integers(10**8, 4 * 10**9), st.integers(0, 10**9)),
    bursts_bytes=st.tuples(st.integers(30_000, 10**6), st.integers(30_000, 10**6)),
    two_rates=st.booleans(),
    drops_red=st.booleans(),
    link_bps=RATES_BPS,
)
@examples(0.4)
def test_a_marker_keeps_its_times_at_the_simulated_rate(
    platform: str,
    rates_bps: tuple[int, int],
    bursts_bytes: tuple[int, int],
    two_rates: bool,
    drops_red: bool,
    link_bps: int,
) -> None:
    plan = ThreeColorMarker(
        kind="three_color_marker", marker="two_rate" if two_rates else "single_rate",
        committed_rate_bps=rates_bps[0], peak_rate_bps=sum(rates_bps), committed_burst_bytes=bursts_bytes[0],
        excess_burst_bytes=bursts_bytes[1], red_action="discard" if drops_red else "drop_early",
    )  # fmt: skip
    subject = subject_of(small_model(platform, plan, rate_bps=link_bps))
    model = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=4, port_buffer_ms=100)
    marker = port.plan.marker
    assert marker is not None
    assert marker.committed_rate_bps / 10e9 == pytest.approx(rates_bps[0] / link_bps)
    assert (marker.peak_rate_bps is not None) == two_rates
    if marker.peak_rate_bps is not None:
        assert marker.peak_rate_bps / 10e9 == pytest.approx(sum(rates_bps) / link_bps)
    for simulated, told in zip((marker.committed_burst_bytes, marker.excess_burst_bytes), bursts_bytes, strict=True):
        assert simulated == pytest.approx(told * 10e9 / link_bps, abs=1)
    assert (marker.per_flow, marker.red) == (platform == "junos", "drop" if drops_red else "mark")
    colours = {each.colour: (each.from_pct, each.to_pct) for queue in port.plan.queues for each in queue.early_drops}
    assert colours == {"yellow": (50, 100)} | ({} if drops_red else {"red": (0, 100)})
