"""nfdump is trusted only after a trial: programs that are missing, too old, too new, wrong or dying are refused."""

import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from hntes.etl.errors import UnreadableFileError
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.errors import NfdumpError
from hntes.etl.sources.nfcapd.nfdump import (
    Nfdump,
    complaint,
    exporters,
    probe_version,
    promised,
    record_stream,
    unchecked,
)
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE, probe
from hntes.etl.sources.source import Exporter
from tests.support import nfcapd
from tests.support.forger import alpha_flow, collecting, v9
from tests.support.native_reader import differences, natively, through_nfdump

REAL = shutil.which("nfdump") or "nfdump"


def program(folder: Path, *lines: str) -> str:
    path = folder / "nfdump"
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)
    return str(path)


def says(version: str) -> str:
    return f'[ "$1" = -V ] && echo "nfdump: Version: {version}" && exit 0'


def fake(folder: Path, *lines: str) -> Nfdump:
    return Nfdump(program(folder, *lines), (1, 7, 1), "json")


def test_the_installed_nfdump_reads_the_reference_file_as_it_should() -> None:
    nfdump = probe("nfdump")
    assert nfdump.version >= (1, 7, 1)
    assert nfdump.version_text == ".".join(map(str, nfdump.version))


def test_a_missing_program_is_told_with_the_package_to_install(tmp_path: Path) -> None:
    with pytest.raises(NfdumpError, match="install the package nfdump"):
        probe(str(tmp_path / "nowhere"))


def test_a_file_that_is_no_program_is_told(tmp_path: Path) -> None:
    (tmp_path / "nfdump").write_text("text")
    with pytest.raises(NfdumpError, match="cannot be run"):
        probe(str(tmp_path / "nfdump"))


@pytest.mark.parametrize("version", ["1.6.23", "1.7.0", "1.8.0", "1.7.0.1", "2.0.0", "0.9.9"])
def test_versions_that_are_not_known_are_refused_by_name(tmp_path: Path, version: str) -> None:
    with pytest.raises(NfdumpError, match="nothing was read") as caught:
        probe_version(program(tmp_path, says(version)))
    assert version[:5] in str(caught.value)


@pytest.mark.parametrize(
    ("text", "version"), [("1.7.1", (1, 7, 1)), ("NSEL-NEL1.7.6-release", (1, 7, 6)), ("1.7.99 (x)", (1, 7, 99))]
)
def test_known_versions_are_read_out_of_whatever_surrounds_them(
    tmp_path: Path, text: str, version: tuple[int, int, int]
) -> None:
    assert probe_version(program(tmp_path, says(text))) == version


@pytest.mark.parametrize("text", ["", "unknown", "1.7", "seven"])
def test_a_version_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(NfdumpError, match="prints no version"):
        probe_version(program(tmp_path, says(text)))


def test_a_version_on_standard_error_counts(tmp_path: Path) -> None:
    assert probe_version(program(tmp_path, "echo nfdump 1.7.2 >&2", "exit 1")) == (1, 7, 2)


@pytest.mark.parametrize(
    "change",
    [
        's/"in_bytes" *: *\\([0-9]*\\)/"in_bytes":\\10/',  # counters ten times too large
        's/"last" *: *"2026-11-20T18:1/"last":"2026-11-20T19:1/',  # an hour late
        's/"in_bytes"/"inBytes"/',  # a field that got another name
    ],
)
def test_a_program_that_gives_wrong_numbers_on_the_reference_file_is_refused(tmp_path: Path, change: str) -> None:
    fake_program = program(tmp_path, says("1.7.9"), f"{REAL} \"$@\" | sed '{change}'")
    with pytest.raises(NfdumpError, match="does not read the reference file"):
        probe(fake_program)


def complaining(folder: Path, when: str, line: str) -> Nfdump:
    """The installed program, which complains where its first option is `when`, on any but the reference file."""
    wrong = f'[ "$1" = {when} ] && case "$*" in *{REFERENCE_FILE.name}*) ;; *) echo "{line}" >&2 ;; esac'
    return probe(program(folder, says("1.7.9"), wrong, f'exec {REAL} "$@"'))


@pytest.mark.parametrize("when", ["-I", "-E", "-r"])
def test_what_it_complains_of_is_a_reason_whatever_its_exit_status(tmp_path: Path, when: str) -> None:
    path = tmp_path / "copy"
    shutil.copy(REFERENCE_FILE, path)
    source = nfcapd.by_nfdump(complaining(tmp_path, when, "Unable to read appendix block of file: copy"))
    read = read_file(path, source, tmp_path / "lake", "stem", [RouterExporters("r1")], 300_000)
    assert read.reason == "nfdump 1.7.9 does not read all of it: Unable to read appendix block of file: copy"
    assert (read.read_records, read.parts, read.is_final) == (0, (), True)


@pytest.mark.parametrize("line", ["Skip unknown record type 9", "Unknown extension '42'"])
def test_what_it_need_not_list_is_no_complaint(tmp_path: Path, line: str) -> None:
    path = tmp_path / "copy"
    shutil.copy(REFERENCE_FILE, path)
    source = nfcapd.by_nfdump(complaining(tmp_path, "-r", line))
    assert read_file(path, source, tmp_path / "lake", "stem", [RouterExporters("r1")], 300_000).reason == ""


def test_what_it_says_of_every_file_is_no_complaint_on_one(tmp_path: Path) -> None:
    path = tmp_path / "copy"
    shutil.copy(REFERENCE_FILE, path)
    noisy = probe(program(tmp_path, says("1.7.9"), 'echo "No GeoDB found" >&2', f'exec {REAL} "$@"'))
    assert noisy.noise == {"No GeoDB found"}
    source = nfcapd.by_nfdump(noisy)
    assert read_file(path, source, tmp_path / "lake", "stem", [RouterExporters("r1")], 300_000).reason == ""


def test_a_program_that_is_checked_later_is_checked_before_it_reads(tmp_path: Path) -> None:
    lake, claims = tmp_path / "lake", [RouterExporters("r")]
    wrong = unchecked(program(tmp_path, says("1.7.9"), f'{REAL} "$@" | sed \'s/"in_bytes"/"inBytes"/\''))
    assert read_file(REFERENCE_FILE, nfcapd.natively(wrong), lake, "stem", claims, 0).read_records == 45
    refused = read_file(REFERENCE_FILE, nfcapd.by_nfdump(wrong), lake, "stem", claims, 0)
    assert "does not read the reference file" in refused.reason
    assert (refused.read_records, refused.is_final) == (0, False)
    assert read_file(REFERENCE_FILE, nfcapd.by_nfdump(unchecked(REAL)), lake, "stem", claims, 0).read_records == 45


@pytest.mark.parametrize(
    "line",
    [
        f'{REAL} "$@" | head -c 8000',  # some of the records
        f'{REAL} "$@" | head -c 15000',  # cut off in a record
        f'{REAL} "$@" | head -c 8000; kill -9 $$',  # dies midway
        "exit 0",  # says nothing
        "exit 3",
        'echo "{}"',
        'echo "[1, 2]"',
        "head -c 100000 /dev/urandom",
        'echo "No matching flows"',
    ],
)
def test_a_program_that_does_not_deliver_the_reference_file_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(NfdumpError, match="does not read the reference file"):
        probe(program(tmp_path, says("1.7.1"), line))


def test_a_program_with_another_output_form_is_read_in_that_form(tmp_path: Path) -> None:
    # as later 1.7 versions: one object a line under the name ndjson; an installed later version gives that by itself
    has_it = probe(REAL).output == "ndjson"
    join = "cat" if has_it else r'tr -d "\n\t" | sed "s/},{/}\n{/g"'
    form = "ndjson" if has_it else "json"
    line = f'case "$*" in *ndjson*) {REAL} -r "$2" -q -N -o {form} | {join};; *) exit 1;; esac'
    assert probe(program(tmp_path, says("1.7.6"), line)).output == "ndjson"


def test_a_program_that_dies_while_it_lists_makes_the_file_unreadable(tmp_path: Path) -> None:
    nfdump = fake(tmp_path, "echo '{'", "echo broken file $3 >&2", "kill -9 $$")
    with pytest.raises(UnreadableFileError, match="-9"), record_stream(nfdump, tmp_path / "x") as stream:
        assert stream.read() == b"{\n"


def test_a_program_that_talks_without_end_does_not_block(tmp_path: Path) -> None:
    nfdump = fake(tmp_path, "yes complaint | head -c 1500000 >&2", "echo done", "exit 2")
    wanted = pytest.raises(UnreadableFileError, match=r"stopped with 2: complaint$")
    with wanted, record_stream(nfdump, tmp_path / "x") as stream:
        assert stream.read() == b"done\n"


@pytest.mark.timeout(20)
def test_a_reader_that_gives_up_leaves_no_program_behind(tmp_path: Path) -> None:
    nfdump = fake(tmp_path, "echo $$", "exec sleep 60")
    with suppress(KeyError), record_stream(nfdump, tmp_path / "x") as stream:
        number = int(stream.readline())
        raise KeyError
    assert not Path(f"/proc/{number}").exists()


def test_times_are_asked_for_in_utc_whatever_the_machines_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    with record_stream(fake(tmp_path, 'echo "$TZ $LC_ALL"'), tmp_path / "x") as stream:
        assert stream.read() == b"UTC C\n"


# of the reference file, as nfdump 1.7.1 prints them
STATISTICS = (
    "Ident: x", "Flows: 12", "Flows_tcp: 3", "Packets: 30", "Packets_tcp: 10", "Packets_udp: 5", "Packets_icmp: 7",
    "Packets_other: 8", "Bytes: 3000", "Bytes_tcp: 1000", "Bytes_udp: 500", "Bytes_icmp: 700", "Bytes_other: 800",
)  # fmt: skip


def stating(folder: Path, *lines: str) -> Nfdump:
    (folder / "statistics").write_text("\n".join((*lines, "")))
    return fake(folder, f"cat {folder}/statistics")


def test_what_a_file_promises_is_read_from_its_statistics(tmp_path: Path) -> None:
    reference = promised(probe("nfdump"), REFERENCE_FILE)
    assert (reference.records, reference.sequence_failures) == (45, 0)
    assert reference.sums
    assert reference.sums.of["all", "bytes"] == 3_698_746_400
    found = promised(stating(tmp_path, *STATISTICS, "Sequence failures: 4"), tmp_path / "x")
    assert (found.records, found.sequence_failures) == (12, 4)
    assert found.sums
    assert found.sums.of == {
        ("all", "packets"): 30, ("all", "bytes"): 3000, ("tcp", "packets"): 10, ("tcp", "bytes"): 1000,
        ("udp", "packets"): 5, ("udp", "bytes"): 500, ("other", "packets"): 15, ("other", "bytes"): 1500,
    }  # fmt: skip
    assert promised(stating(tmp_path, *STATISTICS), tmp_path / "x").sequence_failures == 0
    most = promised(stating(tmp_path, *STATISTICS, "Sequence failures: 16720739550946711652"), tmp_path / "x")
    assert most.sequence_failures == 2**63 - 1


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["Flows: many"],
        ["Flows: 12"],
        ["Flows: 16720739550946711652", *STATISTICS[2:]],
        STATISTICS[:-1],
        STATISTICS[:2] + STATISTICS[4:],
    ],
)
def test_no_promise_is_no_file(tmp_path: Path, lines: list[str]) -> None:
    with pytest.raises(UnreadableFileError, match="cannot open it"):
        promised(stating(tmp_path, *lines), tmp_path / "x")


def test_a_program_that_fails_promises_nothing(tmp_path: Path) -> None:
    (tmp_path / "statistics").write_text("\n".join(STATISTICS))
    with pytest.raises(UnreadableFileError, match="cannot open it"):
        promised(fake(tmp_path, f"cat {tmp_path}/statistics", "exit 1"), tmp_path / "x")


HEAD = "SysID: {}, IP: {:>16}, version: 9, ID: 0, Sequence failures: 0, packets: 80, flows: 40"
SAMPLER = "    Sampler: {} Sampler: algorithm: 1, packet interval: {}, packet space: {}"
NUMBERED = "    Sampler: Sampler ID: {}, algorithm: 2, packet interval: {}, packet space: {}"


def listed(folder: Path, *lines: str) -> list[Exporter]:
    (folder / "listing").write_text("\n".join(("Exporters:", "", *lines, "")))
    return exporters(fake(folder, f"cat {folder}/listing"), folder / "x")


def test_an_exporter_without_a_sampler_has_no_factor(tmp_path: Path) -> None:
    silent = "SysID: 2, IP: 192.0.2.2, version: 10, ID: 0 - no flows sent"
    found = listed(tmp_path, HEAD.format(1, "192.0.2.1"), silent)
    assert found == [Exporter(1, "192.0.2.1", None, False), Exporter(2, "192.0.2.2", None, False)]


@pytest.mark.parametrize(
    ("interval", "space", "factor"), [(1, 99, 100), (1, 0, 1), (1, 999, 1000), (10, 990, 100), (0, 5, None)]
)
def test_a_factor_is_interval_and_space_by_interval(
    tmp_path: Path, interval: int, space: int, factor: int | None
) -> None:
    found = listed(tmp_path, HEAD.format(1, "2001:db8::1"), SAMPLER.format("Generic", interval, space))
    assert found == [Exporter(1, "2001:db8::1", factor, True)]


def test_a_samplers_line_belongs_to_the_exporter_above_it(tmp_path: Path) -> None:
    found = listed(
        tmp_path,
        HEAD.format(1, "192.0.2.1"),
        HEAD.format(2, "192.0.2.2"),
        SAMPLER.format("Static default", 1, 99),
        HEAD.format(3, "192.0.2.3"),
    )
    assert [exporter.factor for exporter in found] == [None, 100, None]


def test_an_exporter_after_one_with_an_ipv6_address_is_another(tmp_path: Path) -> None:
    # nfdump ends the line of the first with a blank behind its line break
    found = listed(
        tmp_path, HEAD.format(1, "2001:db8::1"), " " + HEAD.format(2, "192.0.2.2"), SAMPLER.format("Generic", 1, 99)
    )
    assert found == [Exporter(1, "2001:db8::1", None, False), Exporter(2, "192.0.2.2", 100, True)]


@pytest.mark.parametrize(
    ("samplers", "factor", "general"),
    [
        ([NUMBERED.format(1, 1, 99)], 100, False),
        ([NUMBERED.format(1, 1, 99), NUMBERED.format(2, 1, 99)], 100, False),
        ([NUMBERED.format(1, 1, 99), NUMBERED.format(2, 1, 999)], None, False),
        ([NUMBERED.format(1, 1, 99), SAMPLER.format("Generic", 1, 999)], 1000, True),
        ([SAMPLER.format("Generic", 1, 999), NUMBERED.format(1, 1, 99)], 1000, True),
        ([SAMPLER.format("Generic", 1, 99), SAMPLER.format("Generic", 1, 999_999)], None, True),
        ([SAMPLER.format("Generic", 1, 99), SAMPLER.format("Generic", 1, 99)], 100, True),
    ],
)
def test_one_sampler_for_all_counts_before_those_for_some(
    tmp_path: Path, samplers: list[str], factor: int | None, general: bool
) -> None:
    assert listed(tmp_path, HEAD.format(1, "192.0.2.1"), *samplers) == [Exporter(1, "192.0.2.1", factor, general)]


def test_three_samplers_that_differ_leave_the_rate_unknown(tmp_path: Path) -> None:
    rates = [NUMBERED.format(number, 1, space) for number, space in enumerate((99, 999, 99), start=1)]
    assert listed(tmp_path, HEAD.format(1, "192.0.2.1"), *rates)[0].factor is None


def test_a_listing_that_fails_is_not_taken_for_no_sampling(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="exporters: out of memory"):
        exporters(fake(tmp_path, "echo out of memory >&2", "exit 1"), tmp_path / "x")


def test_the_reference_files_sampler_is_found() -> None:
    assert exporters(probe("nfdump"), REFERENCE_FILE) == [Exporter(1, "198.19.252.1", 100, True)]


def test_complaints_are_short_printable_and_without_noise(tmp_path: Path) -> None:
    path = tmp_path / "nfcapd.202611201815"
    noise = "Skip unknown record type 9\n" * 1000
    text = complaint(f"{noise}{path}: bad\x00 \x1b[31mblock\n{path}: bad\x00 \x1b[31mblock\n" + "x" * 900, path)
    assert text.startswith("nfcapd.202611201815: bad? ?[31mblock; xxx")
    assert len(text) == 400
    assert text.isprintable()


@pytest.mark.parametrize(
    "name",
    [
        b'"',
        b"\\",
        b"\xff\xfe",
        b"\x01\x1f",
        b"\n",
        b'",\n',
        b"\n},\n{",
        b'",\n\t"label" : "<none>"\n},\n{\n\t"type" : "x',
        b'"]',
    ],
)
def test_a_user_name_from_the_wire_costs_no_record(tmp_path: Path, name: bytes) -> None:
    flows = [alpha_flow(number) for number in range(3)]
    with collecting(tmp_path / "nfcapd.202611241200") as collector:
        collector.send(v9(flows, user_name=name))
        collector.send(v9([alpha_flow(3)], domain=1))
    read = through_nfdump(probe("nfdump"), tmp_path / "nfcapd.202611241200")
    assert read.sums.records == read.promise.records == 4
    assert not read.sums.differences(read.promise.sums)
    assert differences(read, natively(tmp_path / "nfcapd.202611241200")) == []
