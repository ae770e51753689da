"""`hntes data listen` as a process: it binds what the settings say, keeps what is well formed, ends on SIGTERM."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hntes.etl.announced.document import MAX_MESSAGE_BYTES
from hntes.etl.announced.receiver import Admission
from hntes.settings.announced import Announced, Listen
from tests.contract.announced.samples import FIREFLY
from tests.support.fireflies import datagram, receiving, send, send_all

SETTINGS = """
[announced]
folder = "announced"
[announced.listen]
port = 0
[plans.recommended]
kind = "two_queue"
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "flows"
[[routers.interfaces]]
name = "xe-0/0/1"
role = "both"
rate_bps = 10_000_000_000
"""
NOON_S = 1_795_521_600.0
START, END = FIREFLY.messages()


def test_a_stopped_receiver_has_written_what_it_received(tmp_path: Path) -> None:
    (tmp_path / "hntes.toml").write_text(SETTINGS)
    command = [sys.executable, "-m", "hntes", "--settings", str(tmp_path / "hntes.toml"), "data", "listen"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        ready = process.stderr.readline()
        found = re.fullmatch(r"fireflies are received on 127\.0\.0\.1 port (\d+)\n", ready)
        assert found, ready
        send(int(found[1]), [START, b"no firefly", END])
        # datagrams of a socket are received in order, and before the signal's handler ends the loop
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
        assert process.wait(30) == 0
    (file,) = (tmp_path / "announced" / "firefly").glob("????-??-??/*.log")
    lines = file.read_text().splitlines()
    assert len(lines) == 2
    assert all(" 127.0.0.1 {" in line for line in lines)
    assert "dropped 1 malformed" in said
    assert "2 fireflies kept" in said


def test_without_the_section_or_with_a_taken_port_it_says_so(tmp_path: Path) -> None:
    path = tmp_path / "hntes.toml"
    command = [sys.executable, "-m", "hntes", "--settings", str(path), "data", "listen"]
    path.write_text(
        SETTINGS.replace("[announced]\nfolder", "[paths]\noutput").replace("[announced.listen]\nport = 0", "")
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "no section [announced]" in done.stderr) == (1, True), done.stderr
    with receiving(settings(tmp_path), NOON_S) as (_, port):
        path.write_text(SETTINGS.replace("port = 0", f"port = {port}"))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, f"127.0.0.1 port {port} cannot be bound" in done.stderr) == (1, True), done.stderr


def settings(folder: Path, **listen: object) -> Announced:
    return Announced.model_validate({"folder": folder / "announced", "listen": {"port": 0, **listen}})


@pytest.mark.parametrize(("listen", "sent", "expected"), [
    ({"per_sender_per_s": 7}, 20, {"kept": 7, "sender_rate": 13}),
    ({"per_s": 5}, 20, {"kept": 5, "rate": 15}),
    ({"senders": ["192.0.2.0/24", "2001:db8::/32"]}, 20, {"not_allowed": 20}),
    ({"senders": ["127.0.0.0/8"]}, 20, {"kept": 20}),
])  # fmt: skip
def test_what_is_beyond_a_limit_is_dropped_and_counted(
    tmp_path: Path, listen: dict[str, object], sent: int, expected: dict[str, int]
) -> None:
    """The clock stands, so a second's tokens are all there are."""
    with receiving(settings(tmp_path, **listen), NOON_S) as (receiver, port):
        send_all(receiver, port, [END] * sent)
    assert receiver.counts == expected


def test_a_day_has_a_size_that_a_restart_knows(tmp_path: Path) -> None:
    limited = settings(tmp_path, max_day_mib=1, per_sender_per_s=100_000, per_s=100_000)
    padded = datagram({**FIREFLY.document("end"), "netlink": {"x": "y" * 60_000}})
    assert len(padded) < MAX_MESSAGE_BYTES
    kept = []
    for _ in range(2):
        with receiving(limited, NOON_S) as (receiver, port):
            for _ in range(12):
                send_all(receiver, port, [padded])
        kept.append(receiver.counts["kept"])
    assert kept == [12, 5]  # 17 of 61 kB are in a MiB
    written = sum(path.stat().st_size for path in (tmp_path / "announced").rglob("*.log"))
    assert 16 * 60_000 < written <= 1 << 20


def test_a_folder_that_cannot_be_written_loses_a_file_and_not_the_receiver(tmp_path: Path) -> None:
    with receiving(settings(tmp_path), NOON_S) as (receiver, port):
        send_all(receiver, port, [START])
        day = tmp_path / "announced" / "firefly" / "2026-11-24"
        day.rmdir()
        day.write_text("in the way")
        receiver.flush()
        day.unlink()
        send_all(receiver, port, [END])
    assert receiver.counts == {"kept": 1, "not_written": 1}
    assert len(list(day.glob("*.log"))) == 1


def test_a_flood_under_many_addresses_is_bounded_and_a_clock_set_back_stops_nobody() -> None:
    admission = Admission(Listen(per_s=10, per_sender_per_s=3), 100.0)
    taken = [admission.refusal(f"192.0.{n >> 8 & 255}.{n & 255}", 100.0) for n in range(20_000)]
    assert taken.count(None) == 10
    assert admission.refusal("198.51.100.1", 50.0) == "rate"
    assert admission.refusal("198.51.100.1", 51.0) is None
