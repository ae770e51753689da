"""Fireflies of flowd-go, a real sender: the accounting equals the flow events that it was given.

FLOWD_GO names its program. To make it: `git clone https://github.com/scitags/flowd-go`, in it `go generate ./types
./enrichment/skops ./backends/marker` and `go build -o flowd-go ./cmd`.
"""

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from random import Random

import pytest

from hntes.settings.announced import Announced
from tests.support.counted_site import CountedSite, alpha
from tests.support.fireflies import receiving

FLOWD_GO = os.environ.get("FLOWD_GO", "")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path(FLOWD_GO).is_file(), reason="FLOWD_GO does not name the program of flowd-go"),
]
UNSAMPLED = '[[routers.sampling]]\nexporter = "127.0.0.11"\nfactor = 1\n'
# Of this machine: flowd-go sends a copy of each message to the flow's destination.
DESTINATION = int(ip_address("127.0.0.1"))


def test_the_accounting_equals_the_flow_events_that_flowd_go_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    site = CountedSite(tmp_path)
    # flowd-go takes the times of its clock, so the flows are of now
    now = datetime.now(UTC)
    if now.hour == 0 or (now + timedelta(minutes=5)).date() != now.date():
        pytest.skip("too close to midnight")
    day = now.date()
    site.set_up('[announced]\nfolder = "announced"\n', UNSAMPLED)
    settings = Announced.model_validate({"folder": tmp_path / "announced", "listen": {"port": 0}})
    chance = Random(7)
    flows = [(20_000 + n, *chance.choice([(2, 20), (3, 4), (14, 1)])) for n in range(30)]
    with receiving(settings, now.timestamp()) as (receiver, port), flowd_go(tmp_path, port) as pipe:
        for state in ("start", "end"):
            for number, (source_port, experiment, activity) in enumerate(flows):
                event(pipe, f"{state} tcp 172.16.{number}.9 {source_port} 127.0.0.1 443 {experiment} {activity}")
        wait(lambda: receiver.counts.total() >= 2 * len(flows))
    assert receiver.counts == {"kept": 2 * len(flows)}

    at_s = now.hour * 3600 + now.minute * 60 + now.second - 30.0
    records = [
        replace(
            alpha(day, 1, at_s), source=int(ip_address(f"172.16.{number}.9")), destination=DESTINATION,
            source_port=source_port, byte_count=1_500_000_000 + number,
        )
        for number, (source_port, *_) in enumerate(flows)
    ]  # fmt: skip
    site.put(day, [], records)
    site.day(day)
    found = json.loads(site.run("data", "announced", "--day", str(day), "--json"))
    expected: Counter[tuple[str, str]] = Counter()
    transfers: Counter[tuple[str, str]] = Counter()
    names = {2: "atlas", 3: "cms", 14: "xenon"}
    for record, (_, experiment, activity) in zip(records, flows, strict=True):
        expected[names[experiment], f"activity {activity}"] += record.byte_count
        transfers[names[experiment], f"activity {activity}"] += 1
    (of_router,) = found["routers"]
    assert {(use["experiment"], use["activity"]): use["alpha_bytes"] for use in of_router["uses"]} == expected
    assert {(one["experiment"], one["activity"]): one["transfers"] for one in found["totals"]} == transfers
    assert of_router["unannounced_flows"] == 0


@contextmanager
def flowd_go(folder: Path, port: int) -> Iterator[Path]:
    """The sender, which reads flow events from a pipe."""
    pipe = folder / "events"
    configuration = {
        "pidPath": str(folder / "flowd.pid"), "workDir": str(folder),
        "plugins": {"namedPipe": {"maxReaders": 5, "buffSize": 1000, "pipePath": str(pipe)}},
        "backends": {
            "firefly": {
                "destinationPort": 9, "prependSyslog": True, "sendToCollector": True, "collectorAddress": "127.0.0.1",
                "collectorPort": port,
            },
        },
    }  # fmt: skip
    path = folder / "flowd.json"
    path.write_text(json.dumps(configuration))
    process = subprocess.Popen([FLOWD_GO, "--conf", str(path), "run"], cwd=folder)
    try:
        wait(pipe.exists)
        time.sleep(1)
        yield pipe
    finally:
        process.terminate()
        process.wait(30)


def event(pipe: Path, line: str) -> None:
    """One at a time: flowd-go reads the pipe when it is told of a write."""
    with pipe.open("w") as out:
        out.write(f"{line}\n")
    time.sleep(0.05)


def wait(is_true: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.05)
