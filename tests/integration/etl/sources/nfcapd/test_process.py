"""A program that reads for ever, eats memory or leaves children behind is ended, and the file it read is set aside."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hntes.etl.errors import StoppedProgramError
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.nfdump import Nfdump, exporters, promised, record_stream
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE, probe
from hntes.etl.sources.nfcapd.process import MIB, Limits, Running, run
from tests.support.databases import migrated_sqlite
from tests.support.flow_folder import Site, make_folder, program
from tests.support.nfcapd import by_nfdump
from tests.support.waiting import wait_until

A, B, C = (f"nfcapd.2026112018{minute}" for minute in ("15", "20", "25"))
SHORT = Limits(base_s=1.0, per_mib_s=0.0)
# an nfcapd file of 12 records, compressed with bz2, in which some single bits make nfdump 1.7.1 read for ever
LOOPS_WHEN_DAMAGED = (Path(__file__).resolve().parents[5] / "demo/flows/r1/nfcapd.202611201818").read_bytes()


def fake(folder: Path, *lines: str, limits: Limits = SHORT) -> Nfdump:
    return Nfdump(program(folder / "nfdump", *lines), (1, 7, 1), "json", limits)


def is_running(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(number: int) -> bool:
    """Whether the process is gone before long: the kernel kills when it next gives it a turn."""
    for _ in range(100):
        if not is_running(number):
            return True
        time.sleep(0.1)
    return False


def test_the_time_grows_with_the_file(tmp_path: Path) -> None:
    limits = Limits(base_s=60, per_mib_s=30)
    (tmp_path / "file").write_bytes(bytes(3 * MIB))
    assert limits.seconds_for(tmp_path / "file") == 150
    assert limits.seconds_for(tmp_path / "gone") == 60


@pytest.mark.timeout(120)
@pytest.mark.parametrize("line", ["while :; do :; done", "yes", "yes >&2", "sleep 600", "sleep 600 & exit 0"])
def test_a_program_without_end_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    numbers, expire = tmp_path / "numbers", Running._expire
    numbers.touch()
    nfdump = fake(tmp_path, f"echo $$ >>{numbers}", f"sh -c 'echo $$ >>{numbers}; sleep 600' &", line)

    def expire_once_both_run(running: Running) -> None:
        """On a busy machine the program needs longer than its second to start the other."""
        wait_until(lambda: numbers.read_text().count("\n") == 2, "both have told their numbers")
        expire(running)

    monkeypatch.setattr(Running, "_expire", expire_once_both_run)
    with pytest.raises(StoppedProgramError, match=r"stopped after 1 s.*ingest\.nfdump_limit_s"):
        exporters(nfdump, tmp_path / "x")
    assert all(ends(int(number)) for number in numbers.read_text().split())


@pytest.mark.timeout(120)
def test_each_call_on_a_file_has_the_limit(tmp_path: Path) -> None:
    nfdump = fake(tmp_path, "exec sleep 600")
    with pytest.raises(StoppedProgramError):
        promised(nfdump, tmp_path / "x")
    with pytest.raises(StoppedProgramError), record_stream(nfdump, tmp_path / "x") as stream:
        assert stream.read() == b""


def test_what_a_program_leaves_behind_when_it_has_ended_is_ended(tmp_path: Path) -> None:
    nfdump = fake(tmp_path, "sleep 60 >/dev/null 2>&1 &", "echo $!")
    done = run([nfdump.program], dict(os.environ), Limits(), 20.0)
    assert ends(int(done.stdout))


def test_a_program_that_asks_for_too_much_memory_does_not_get_it(tmp_path: Path) -> None:
    # the limit is set when the program has begun, which waits for it
    limited = 'until [ "$(ulimit -v)" = 262144 ]; do sleep 0.01; done'
    nfdump = fake(tmp_path, limited, "head -c 600000000 /dev/zero | sort -S 500M >/dev/null || echo refused")
    done = run([nfdump.program], dict(os.environ), Limits(memory_mib=256), 20.0)
    assert done.stdout == "refused\n"


def test_memory_that_does_not_suffice_names_the_key(tmp_path: Path) -> None:
    nfdump = fake(tmp_path, "echo 'malloc() error in nffile.c line 300: Cannot allocate memory' >&2; exit 255")
    with pytest.raises(StoppedProgramError, match=r"2048 MiB.*ingest\.nfdump_memory_mib"):
        promised(nfdump, tmp_path / "x")


def damaged(byte: int, bit: int) -> bytes:
    content = bytearray(LOOPS_WHEN_DAMAGED)
    content[byte] ^= 1 << bit
    return bytes(content)


@pytest.mark.parametrize(("byte", "bit"), [(44, 3), (43, 7), (45, 0)])
def test_damage_that_makes_nfdump_read_for_ever_is_no_lasting_verdict(tmp_path: Path, byte: int, bit: int) -> None:
    (tmp_path / B).write_bytes(damaged(byte, bit))
    nfdump = replace(probe("nfdump"), limits=SHORT)
    result = read_file(tmp_path / B, by_nfdump(nfdump), tmp_path, "x", [RouterExporters("r1")], 300_000)
    assert "stopped after 1 s" in result.reason
    assert (result.parts, result.is_final) == ((), False)


class TwoSecondsForOne(Limits):
    """The others, which a busy machine reads in more than that, have the usual time."""

    def seconds_for(self, path: Path) -> float:
        return 2.0 if path.name == B else super().seconds_for(path)


@pytest.mark.timeout(120)
def test_a_file_whose_damage_makes_nfdump_read_for_ever_is_set_aside(tmp_path: Path) -> None:
    flows = make_folder(tmp_path / "flows", {A: 10, C: 20})
    (flows / B).write_bytes(damaged(44, 3))
    site = Site(tmp_path, flows, migrated_sqlite(tmp_path / "hntes.db"))
    site.nfdump = replace(site.nfdump, limits=TwoSecondsForOne())
    report = site.ingest()
    assert (report.ingested, list(report.set_aside)) == (2, [B])
    assert "stopped after 2 s" in report.set_aside[B]
    assert site.records() == 30
    # the machine may have been busy: it gets another try, and the others stay as they are
    again = site.ingest()
    assert (again.unchanged, again.ingested, list(again.set_aside)) == (2, 0, [B])
    # whole again, it is read
    (flows / B).write_bytes(LOOPS_WHEN_DAMAGED)
    site.nfdump = replace(site.nfdump, limits=Limits())
    assert site.ingest().ingested == 1
    site.database.dispose()


def test_a_file_that_was_stopped_is_read_by_a_run_with_more_time(tmp_path: Path) -> None:
    site = Site(tmp_path, make_folder(tmp_path / "flows", {A: 10}), migrated_sqlite(tmp_path / "hntes.db"))
    slow = site.with_program(program(tmp_path / "nfdump", 'sleep 2; exec $REAL "$@"'))
    assert list(site.ingest(nfdump=replace(slow, limits=SHORT)).set_aside) == [A]
    assert site.ingest(nfdump=slow).ingested == 1
    assert site.records() == 10
    site.database.dispose()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('s/"in_bytes" *: *\\([0-9]*\\)/"in_bytes":\\10/', "bytes"),
        ('s/"in_packets" *: *300/"in_packets":301/', "packets"),
        ('s/"proto" *: *17/"proto":6/', "of udp"),
    ],
)
def test_counters_that_do_not_add_up_to_the_files_own_sums_set_it_aside(tmp_path: Path, change: str, said: str) -> None:
    line = f'case "$*" in *-o*) $REAL "$@" | sed \'{change}\';; *) exec $REAL "$@";; esac'
    result = read_file(
        REFERENCE_FILE,
        by_nfdump(fake(tmp_path, line, limits=Limits())),
        tmp_path,
        "x",
        [RouterExporters("r1")],
        300_000,
    )
    assert "do not add up" in result.reason
    assert said in result.reason
    assert (result.parts, result.is_final) == ((), True)


def test_a_listing_without_end_is_stopped_at_the_promise(tmp_path: Path) -> None:
    line = 'case "$*" in *-o*) $REAL "$@"; exec $REAL "$@";; *) exec $REAL "$@";; esac'
    result = read_file(
        REFERENCE_FILE,
        by_nfdump(fake(tmp_path, line, limits=Limits())),
        tmp_path,
        "x",
        [RouterExporters("r1")],
        300_000,
    )
    assert result.reason


def test_a_hole_in_a_file_takes_no_time_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(b"x" * 4096)
        file.truncate(20 << 30)
    # 20 GB of which some kB are on disk: 600,000 s by their length
    assert Limits(base_s=60, per_mib_s=30).seconds_for(path) < 70


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="util-linux' setpriv is not installed")
def test_a_program_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    sleeper = program(tmp_path / "nfdump", "echo $$ > pid.new", "mv pid.new pid", "exec sleep 600")
    code = (
        "import os\n"
        "from hntes.etl.sources.nfcapd.process import Limits, run\n"
        f"run([{str(sleeper)!r}], dict(os.environ), Limits(), 600.0)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    try:
        wait_until((tmp_path / "pid").exists, "the program runs")
        pid = int((tmp_path / "pid").read_text())
    finally:
        parent.kill()
        parent.wait()
    assert ends(pid)
