"""Probes of the operator's as processes of their own."""

import time
from pathlib import Path

import pytest

from hntes.delivery.verify import run_probes
from hntes.platforms.device_errors import DeliveryError
from tests.support.waiting import wait_until


def test_what_a_probe_leaves_in_the_background_is_not_waited_for() -> None:
    begun_s = time.monotonic()
    run_probes("r1", [["sh", "-c", "sleep 60 & exit 0"]], 50)
    assert time.monotonic() - begun_s < 50


def test_one_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    started = tmp_path / "started"
    with pytest.raises(DeliveryError, match="probe `sh` took longer than 2 s"):
        run_probes("r1", [["sh", "-c", f"sleep 60 & echo $! > {started}; wait"]], 2)
    wait_until(lambda: not _runs(int(started.read_text())), "the end of what the probe has started")


def test_what_it_says_is_told_with_its_status() -> None:
    with pytest.raises(DeliveryError, match="probe `sh` exited with status 3: r1 is not there"):
        run_probes("r1", [["sh", "-c", 'echo "$HNTES_ROUTER" is; echo not there >&2; exit 3']], 50)


def _runs(number: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
