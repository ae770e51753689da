"""Whatever the shares and loads: the books balance, the link is never exceeded, and no capacity is left unused."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hntes.simulator import load_experiment
from tests.support.examples import examples
from tests.support.scenarios import document_of, run


def _scenario(alpha_share: int, alpha_gbps: float, beta_gbps: float, seed: int) -> dict[str, Any]:
    """Two constant streams through two queues for 20 ms."""
    scenario = document_of(load_experiment(4).case("2-queues").scenario(seed))
    scenario["duration_s"], scenario["interval_s"] = 0.02, 0.002
    for flow in scenario["flows"]:
        rate = {"TCP1": alpha_gbps, "UDP": beta_gbps}.get(flow["name"])
        if rate is not None:
            flow["traffic"] = {"kind": "udp", "rate_bps": rate * 1e9, "datagram_bytes": 1472}
    queues = scenario["ports"][0]["queues"]
    for queue, share in zip(queues, (alpha_share, 100 - alpha_share), strict=True):
        queue["rate_share_pct"] = queue["buffer_share_pct"] = share
    # A queue in profile may wait while another spends two milliseconds of saved credit: the buffers hold that.
    scenario["ports"][0]["buffer_bytes"] = 20_000_000
    return scenario


@examples(0.4)
@given(
    alpha_share=st.integers(5, 95),
    alpha_gbps=st.floats(0.1, 9.0),
    beta_gbps=st.floats(0.1, 9.0),
    seed=st.integers(0, 2**32),
)
def test_shares_follow_the_fluid_scheduler(alpha_share: int, alpha_gbps: float, beta_gbps: float, seed: int) -> None:
    result = run(_scenario(alpha_share, alpha_gbps, beta_gbps, seed))
    assert result.imbalances == ()
    sent = result.series["link/WR->W1/wire_bytes"].astype(float) * 8 / result.interval_s / 1e9
    assert sent.max() <= 10.0 + 1600 * 8 / result.interval_s / 1e9
    wire = 1538 / 1472
    alpha, beta = alpha_gbps * wire, beta_gbps * wire
    if alpha + beta <= 9.9:
        assert sum(flow.dropped_pkts["full"] for flow in result.flows.values()) == 0
    else:
        # The queue that asks for less than its share gets all it asks for; the other gets the rest.
        guaranteed = {"alpha": alpha_share / 10, "beta": 10 - alpha_share / 10}
        if beta <= guaranteed["beta"]:
            assert result.flows["UDP"].dropped_pkts["full"] == 0
        if alpha <= guaranteed["alpha"]:
            assert result.flows["TCP1"].dropped_pkts["full"] == 0
