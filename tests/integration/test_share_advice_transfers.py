"""Share advice on recorded transfers: the peak is what was really sent, and the advice is the least that carries it."""

from collections import Counter
from dataclasses import replace
from ipaddress import ip_network
from math import ceil
from pathlib import Path

import pytest

from hntes.workflow.errors import FINISHED_WITH_PROBLEMS
from tests.support.installation import Installation, demo_installation
from tests.support.transfers import Run, Transfer, load_run

DAY = "2026-11-20"
ALPHA_BYTES = 1_000_000_000
MTU_BYTES = 1500
ETHERNET_BYTES = 38  # header, frame check, preamble and gap: what a frame costs the link beside the MTU
RATE_BPS = 1_000_000_000
# Who gets the 5 % that network control leaves: on Junos the queue of the higher priority (alpha) alone, on Cisco every
# queue in proportion to its share.
GUARANTEED_PER_SHARE = {"r1": 1.0, "r2": 100 / 95, "r3": 100 / 95}
SETTINGS = {
    "rate_bps = 10_000_000_000": f"rate_bps = {RATE_BPS}",
    "rate_bps = 100_000_000_000": f"rate_bps = {RATE_BPS}",
    "[ageing]": "[shares]\nmin_complete_days = 1\n\n[ageing]",
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """One recorded day, its rules of that night, and its load measured beside them."""
    made = demo_installation(tmp_path_factory.mktemp("transfers"), **SETTINGS)
    for command in ("ingest", "detect", "propose", "measure"):
        made.run("stage", command, "--day", DAY)
    return made


@pytest.fixture(scope="module")
def sent(shared_data: Path) -> Run:
    return load_run(shared_data / "transfers" / "run_a")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("router", "sees_ipv6"),
    [
        ("r1", False),
        # other platforms' arithmetic and simulator are compared in test_share_advice.py
        pytest.param("r2", True, marks=pytest.mark.long),
        pytest.param("r3", True, marks=pytest.mark.long),
    ],
)
def test_the_advised_split_carries_what_was_sent_and_the_next_smaller_does_not(
    measured: Installation, sent: Run, router: str, sees_ipv6: bool
) -> None:
    seen = [t for t in sent.transfers if router in t.seen_by and (sees_ipv6 or ":" not in t.source)]
    minute, peak_bps = _fullest_beta_minute(seen)
    (told,) = measured.json("router", "queue-advice", "--router", router, "--day", DAY, "--margin", "0", "--step", "1")
    (port,) = told["ports"]
    assert port["peak"]["peak_ms"] == minute * 60_000
    assert port["measured_bps"] == pytest.approx(peak_bps, rel=0.03)
    assert port["needed_bps"] == port["measured_bps"]

    passes = {tried["split"]["beta_share_pct"]: tried["passes"] for tried in port["splits"]}
    least = min(share for share, is_passing in passes.items() if is_passing)
    assert not passes[least - 1]
    assert least == ceil(100 * port["measured_bps"] / RATE_BPS / GUARANTEED_PER_SHARE[router])
    assert _state_with(measured, router, least, expect=0) == "fits"
    assert _state_with(measured, router, least - 1, expect=FINISHED_WITH_PROBLEMS) == "too_small"
    # what was measured is less than the assumed peak of few days; its bursts take a larger share
    assert least < port["advised"]["beta_share_pct"]
    assert "is the least that lets bursts through" in port["reason"]


def _state_with(measured: Installation, router: str, beta_share_pct: int, expect: int) -> str:
    """What the command says once the share stands in the plan."""
    text = measured.settings.read_text(encoding="utf-8")
    shares = f"alpha_share_pct = {95 - beta_share_pct}\nbeta_share_pct = {beta_share_pct}\n"
    changed = measured.settings.with_name("changed.toml")
    changed.write_text(text.replace('kind = "two_queue"\n', f'kind = "two_queue"\n{shares}'), encoding="utf-8")
    arguments = ("router", "queue-advice", "--router", router, "--day", DAY, "--margin", "0", "--no-simulation")
    (told,) = replace(measured, settings=changed).json(*arguments, expect=expect)
    return str(told["ports"][0]["state"])


def _fullest_beta_minute(seen: list[Transfer]) -> tuple[int, float]:
    """The clock minute in which most was sent by hosts outside the alpha prefix pairs, and its rate on the link."""
    alpha = {_pair(hosts[0], hosts[1]) for hosts in _alpha_hosts(seen)}
    by_minute: Counter[int] = Counter()
    for transfer in seen:
        if _pair(transfer.source, transfer.destination) not in alpha:
            for second, payload_bytes in enumerate(transfer.bytes_by_second):
                by_minute[(transfer.start_s + second) // 60] += round(payload_bytes * _frame_per_payload(transfer))
    minute, frame_bytes = by_minute.most_common(1)[0]
    return minute, frame_bytes * 8 / 60


def _alpha_hosts(seen: list[Transfer]) -> list[tuple[str, str]]:
    """Pairs of hosts that sent more than the threshold in some sixty seconds."""
    by_second: dict[tuple[str, str], Counter[int]] = {}
    for transfer in seen:
        seconds = by_second.setdefault((transfer.source, transfer.destination), Counter())
        for second, payload_bytes in enumerate(transfer.bytes_by_second):
            seconds[transfer.start_s + second] += payload_bytes
    return [
        hosts
        for hosts, seconds in by_second.items()
        if max(sum(seconds[start + s] for s in range(60)) for start in seconds) > ALPHA_BYTES
    ]


def _pair(source: str, destination: str) -> tuple[str, str]:
    length = 64 if ":" in source else 24
    first, second = (ip_network(f"{host}/{length}", strict=False) for host in (source, destination))
    return str(first), str(second)


def _frame_per_payload(transfer: Transfer) -> float:
    """Bytes on the link for one byte that iperf3 sent, in full packets with TCP time stamps."""
    headers = 40 + 32 if ":" in transfer.source else 20 + 32
    return (MTU_BYTES + ETHERNET_BYTES) / (MTU_BYTES - headers)
