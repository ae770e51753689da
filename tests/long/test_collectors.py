"""Files that real collectors write of samples that are given: sfacctd of pmacct, and goflow2.

Debian has `sfacctd` in its package pmacct; `goflow2` is built by `go install` of its module. Without one its test is
skipped.
"""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

from hntes.etl.sources.goflow2 import SOURCE as GOFLOW2
from hntes.etl.sources.pmacct import SOURCE as PMACCT
from hntes.etl.sources.schema import FLOW, RECORD_SCHEMA, SUMMED
from hntes.etl.sources.source import FlowSource
from hntes.settings.flow_folder import FlowFolder
from hntes.settings.ingest import Ingest
from tests.support.sflow import Frame, datagrams, free_port, send, wait_for

pytestmark = pytest.mark.long

FRAMES = [*[Frame()] * 30, Frame(source="2001:db8::1", destination="2001:db8::2")]
_BYTES_OF_ALL = 31 * 1518 * 1000


@contextmanager
def collector(command: list[str], port: int, log: Path) -> Iterator[None]:
    """One that runs until the end of the block, and writes what it has then."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
        try:
            wait_for(port)
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def records(source: FlowSource, path: Path) -> pa.Table:
    file = source.open(path, source.identify(path))
    found = pa.Table.from_batches(list(file.blocks()), RECORD_SCHEMA)
    assert file.warnings() == []
    assert {(one.address, one.factor) for one in file.exporters()} == {("192.0.2.7", 1000)}
    return found


def check(found: pa.Table) -> None:
    assert sum(found["in_bytes"].to_pylist()) == _BYTES_OF_ALL
    assert sum(found["in_packets"].to_pylist()) == 31_000
    assert set(found["protocol"].to_pylist()) == {6}
    assert set(found["input_interface"].to_pylist()) == {11}
    assert {address for address in found["src4"].to_pylist() if address} == {0xC612_0001}
    assert set(found["dst_port"].to_pylist()) == {443}


@pytest.mark.skipif(shutil.which("sfacctd") is None, reason="sfacctd is missing (package pmacct)")
@pytest.mark.parametrize("times", ["", ", timestamp_start, timestamp_end"])
def test_bins_of_sfacctd(tmp_path: Path, times: str) -> None:
    """For sFlow sfacctd knows no flow times, although they may be among its primitives."""
    port = free_port(socket.SOCK_DGRAM)
    (tmp_path / "conf").write_text(
        f"""daemonize: false
sfacctd_ip: 127.0.0.1
sfacctd_port: {port}
aggregate: peer_src_ip, in_iface, out_iface, src_host, dst_host, src_port, dst_port, proto, tos, sampling_rate{times}
plugins: print
print_output: json
print_output_file: {tmp_path}/pmacct-%Y%m%d-%H%M.json
print_output_file_append: true
print_history: 1m
print_history_roundoff: m
print_refresh_time: 60
timestamps_utc: true
"""
    )
    began_ms = int(time.time() // 60) * 60_000
    with collector(["sfacctd", "-f", str(tmp_path / "conf")], port, tmp_path / "log"):
        send(port, datagrams(FRAMES, "192.0.2.7"))
    source = PMACCT.configured(Ingest(folders=(FlowFolder(folder=tmp_path, period_s=60),)))
    scan = source.discover(tmp_path)
    found = pa.concat_tables([records(source, tmp_path / file.path) for file in scan.files])
    check(found)
    assert set(found["kind"].to_pylist()) == {SUMMED}
    assert {last - first for first, last in zip(*_times(found), strict=True)} == {60_000}
    assert min(found["first_ms"].to_pylist()) in (began_ms, began_ms + 60_000)


@pytest.mark.skipif(shutil.which("goflow2") is None, reason="goflow2 is missing (go install)")
def test_rows_of_goflow2(tmp_path: Path) -> None:
    port, path = free_port(socket.SOCK_DGRAM), tmp_path / "goflow2-202611271425.json"
    command = ["goflow2", "-listen", f"sflow://127.0.0.1:{port}", "-addr", f"127.0.0.1:{free_port(socket.SOCK_STREAM)}"]
    command += ["-format", "json", "-transport", "file", "-transport.file", str(path)]
    before_ms = int(time.time() * 1000)
    with collector(command, port, tmp_path / "log"):
        send(port, datagrams(FRAMES, "192.0.2.7"))
    found = records(GOFLOW2, path)
    check(found)
    assert (found.num_rows, set(found["kind"].to_pylist())) == (31, {FLOW})
    firsts, lasts = _times(found)
    assert firsts == lasts
    assert before_ms <= min(firsts) <= max(firsts) <= time.time() * 1000


def _times(found: pa.Table) -> tuple[list[int], list[int]]:
    return found["first_ms"].to_pylist(), found["last_ms"].to_pylist()
