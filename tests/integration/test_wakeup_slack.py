"""Processes that sleep longer than they asked for (`wakeup_slack_us`): alone, and in a network of one kernel."""

from typing import Any

import numpy as np
import pytest

from hntes.simulator import Scenario, run
from tests.support.scenarios import completed_of

SLACK_US = 150.0
PACKET_US = 1538 * 8 / 100
# What a request and its answer take from the sleeper's host to the far end and back to the router, at 1 Tb/s.
TO_ROUTER_US = 3 * 122 * 8 / 1e6


def _scenario(flows: list[dict[str, Any]], port: dict[str, Any] | None = None) -> Scenario:
    names = ("flood", "sleeper", "one", "other")
    quiet = {"interrupt_gap_us": 0, "stalls_per_s": 0, "nic_queue_bytes": 10**9}
    emulators: dict[str, dict[str, Any]] = {name: {"delay_emulator": {"delay_us": 5000}} for name in ("one", "other")}
    return completed_of(
        {
            "name": "sleep", "seed": 1, "duration_s": 1, "routers": ["r"],
            "hosts": [{"name": name, **quiet, **emulators.get(name, {})} for name in (*names, "sink")],
            "links": [*({"from": name, "to": "r", "rate_bps": 1e12, "delay_us": 0} for name in names),
                      {"from": "r", "to": "sink", "rate_bps": 1e8, "delay_us": 0}],
            "ports": [{"at": "r", "to": "sink", "buffer_bytes": 50_000, "default_class": "all", "reopen_bytes": 0,
                       "queues": [{"class": "all", "rate_share_pct": 100, "buffer_share_pct": 100}], **(port or {})}],
            "flows": flows,
        }
    )  # fmt: skip


def _late_us(flows: list[dict[str, Any]]) -> list[float]:
    """How long after each tenth of a second's hundredth a ping from the sleeper's host goes out."""
    ping = {"kind": "ping", "interval_s": 0.01, "wakeup_slack_us": SLACK_US}
    result = run(_scenario([{"name": "ping", "from": "sleeper", "to": "sink", "traffic": ping}, *flows]))
    sent_us: list[float] = (result.of_ping("ping", "sent_at_s") * 1e6).tolist()
    return [at_us % 10_000 for at_us in sent_us]


def _answered(name: str, at_us: float) -> dict[str, Any]:
    """Pings whose answers leave a delay emulator this long after each tenth of a millisecond."""
    start_s = (at_us - TO_ROUTER_US) * 1e-6
    traffic = {"kind": "ping", "interval_s": 1e-4}
    return {"name": name, "from": "flood", "to": name, "intervals_s": [[start_s, 1]], "traffic": traffic}


def test_a_process_that_nothing_wakes_sleeps_as_long_as_it_may() -> None:
    late_us = _late_us([])
    assert len(late_us) > 90
    assert late_us == pytest.approx([SLACK_US] * len(late_us), abs=1e-3)


def test_it_wakes_with_a_timer_of_the_kernel_that_emulates_the_network() -> None:
    first, *others = _late_us([_answered("one", 20)])
    # Nothing waits in the emulator at first.
    assert first == pytest.approx(SLACK_US, abs=1e-3)
    assert others == pytest.approx([20] * len(others), abs=1e-2)


def test_it_wakes_with_the_last_one_that_has_no_other_behind_it_within_the_slack() -> None:
    """At 20 and at 60 microseconds the other emulator is to go off by 150; at 120 the next one is due at 160."""
    _, *late_us = _late_us([_answered("one", 20), _answered("other", 60)])
    assert late_us == pytest.approx([120] * len(late_us), abs=1e-2)


@pytest.mark.parametrize(
    ("slack_us", "is_bucket", "is_lost"),
    [(1.3 * PACKET_US, True, False), (0, True, True), (1.3 * PACKET_US, False, True)],
)
def test_who_wakes_as_a_token_bucket_hands_a_packet_over_finds_room(
    slack_us: float, is_bucket: bool, is_lost: bool
) -> None:
    flood = {"kind": "udp", "rate_bps": 2e8, "datagram_bytes": 1472}
    few = {"kind": "udp", "rate_bps": 0.97e6, "datagram_bytes": 1472, "wakeup_slack_us": slack_us}
    flows = [
        {"name": "flood", "from": "flood", "to": "sink", "traffic": flood},
        {"name": "few", "from": "sleeper", "to": "sink", "traffic": few},
    ]
    result = run(_scenario(flows, {"token_bucket_bytes": 1538} if is_bucket else {}))
    lost = sum(result.flows["few"].dropped_pkts.values())
    assert (lost > 10) == is_lost
    assert lost == 0 or is_lost


def test_what_comes_while_a_token_bucket_has_too_few_tokens_may_take_the_place_of_what_waits() -> None:
    """A ping of a higher priority waits for tokens for itself, not for the large packet that was first in line."""
    queues = [{"class": "all", "rate_share_pct": 50, "buffer_share_pct": 50, "priority": 1, "excess_priority": 1},
              {"class": "high", "rate_share_pct": 50, "buffer_share_pct": 50}]  # fmt: skip
    port = {"queues": queues, "classifier": [{"class": "high", "protocol": "icmp"}]}
    flood = {"kind": "udp", "rate_bps": 2e8, "datagram_bytes": 1472}
    flows = [
        {"name": "flood", "from": "flood", "to": "sink", "traffic": flood},
        {"name": "ping", "from": "sleeper", "to": "sink", "traffic": {"kind": "ping", "interval_s": 0.0031}},
    ]
    longest_us = {}
    for size in (None, 1538):
        result = run(_scenario(flows, port | ({"token_bucket_bytes": size} if size else {})))
        rtt_us = result.of_ping("ping", "rtt_ms") * 1e3
        longest_us[size] = float(np.max(rtt_us) - np.min(rtt_us))
    assert longest_us[None] == pytest.approx(PACKET_US, rel=0.1)
    assert longest_us[1538] <= 122 * 8 / 100 + 0.01
