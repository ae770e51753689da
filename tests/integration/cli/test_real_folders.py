"""`hntes init` and `hntes check` on folders as collectors leave them: found, or named with what to do."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hntes.cli.cli import main
from tests.support.no_override import modes_count
from tests.support.written_flow_files import ExporterRecord, FlowRecord, flow_file, flow_file_3

START = datetime(2026, 11, 27, 13, 25, tzinfo=UTC)
START_MS = int(START.timestamp() * 1000)
NAME = "nfcapd.202611271325"
WEST, EAST = 0xC000_0201, 0xC000_0202  # 192.0.2.1 and .2


def content(exporter: int = WEST, *, space: int = 0, write: Callable[..., bytes] = flow_file) -> bytes:
    """Records without counters, received within five minutes of START; `space`: sampled for another domain."""
    times = ((START_MS + 1000 * second, START_MS + 1000 * second + 500) for second in range(60, 120))
    records = [FlowRecord(first, last, last, 0, 0, exporter=exporter) for first, last in times]
    named = [ExporterRecord(1, exporter)] if exporter else []
    other = [ExporterRecord(2, exporter, space=space - 1)] if space else []
    return write([[*named, *other, *records]])


def put(path: Path, text: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return path


def run(settings: Path, *arguments: str, expect: int = 0) -> Result:
    done = CliRunner().invoke(main, ["--settings", str(settings), *arguments])
    assert done.exit_code == expect, done.output
    return done


def filled_in(settings: Path) -> None:
    text = settings.read_text()
    values = {"platform": '"junos"', "interfaces": '[{match = "*", role = "both"}]', "rate_bps": '"10G"'}
    for key, value in values.items():
        text = re.sub(rf"# {key} =   FILL IN.*", f"{key} = {value}", text)
    numbers = iter(range(1000))
    text = re.sub(r"# name =   FILL IN.*", lambda _: f'name = "xe-0/0/{next(numbers)}"', text)
    settings.write_text(text)
    table = settings.with_name("ports.csv")
    if table.exists():
        head, *rows = table.read_text().splitlines()
        named = [",".join((*row.split(",")[:3], f"xe-0/0/{next(numbers)}", *row.split(",")[4:])) for row in rows]
        table.write_text("\n".join((head, *named, "")))


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "hntes.toml"


def routers(settings: Path) -> dict[str, str]:
    """Folder of each router, by its exporter."""
    text = settings.read_text()
    return dict(
        zip(re.findall(r'exporters = \["(.+?)"\]', text), re.findall(r'flow_folder = "(.+?)"', text), strict=True)
    )


@pytest.mark.parametrize("layout", ["", "2026/11/27", "2026/47/5/13", "2026/331", "2026-11-27/13"])
def test_each_dynamic_source_is_a_router_with_its_folder(tmp_path: Path, settings: Path, layout: str) -> None:
    """nfcapd -M, by the address of the exporter or a number, with each depth of -S."""
    flows = tmp_path / "flows"
    sources = {f"192.0.2.{n}": f"192-0-2-{n}" if n % 2 else str(4711 + n) for n in range(1, 8)}
    for number, source in enumerate(sources.values(), start=1):
        put(flows / source / layout / NAME, content(WEST - 1 + number))
    said = run(settings, "init", str(flows))
    assert routers(settings) == {exporter: str(flows / source) for exporter, source in sources.items()}
    assert said.stderr == ""


def test_all_sources_below_a_folder_with_files_of_its_own_are_seen(tmp_path: Path, settings: Path) -> None:
    flows = tmp_path / "flows"
    put(flows / NAME, content(WEST))
    for number in range(1, 8):
        put(flows / f"192-0-2-{number}" / "2026/11/27" / NAME, content(WEST - 1 + number))
    run(settings, "init", str(flows))
    assert routers(settings) == {f"192.0.2.{number}": str(flows) for number in range(1, 8)}


def test_names_with_an_offset_are_read_whatever_the_zone(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "flows" / "nfcapd.202611271425+0100", content())
    run(settings, "init", str(tmp_path / "flows"))
    assert "file_timezone" not in settings.read_text()
    filled_in(settings)
    said = run(settings, "check")
    assert "the newest from 2026-11-27 13:25 UTC" in said.stdout
    assert " h ahead" not in said.stdout


def test_names_in_local_time_are_told_and_the_zone_is_written(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "flows" / "nfcapd.202611272225", content())
    said = run(settings, "init", str(tmp_path / "flows"))
    told = "file names are 9 h ahead of the reception of their records, read as UTC"
    assert told in said.stderr
    assert 'file_timezone = "Etc/GMT-9"' in settings.read_text()
    filled_in(settings)
    assert " h ahead" not in run(settings, "check").stdout
    settings.write_text(settings.read_text().replace('file_timezone = "Etc/GMT-9"', 'file_timezone = "UTC"'))
    assert f'{told}: set `file_timezone = "Etc/GMT-9"`' in run(settings, "check").stdout
    settings.write_text(settings.read_text().replace('"UTC"', '"Asia/Kathmandu"'))
    wrong = run(settings, "check").stdout
    assert 'read as Asia/Kathmandu: set `file_timezone = "Etc/GMT-9"`' in wrong


def test_collectors_of_different_zones_get_no_common_one(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "flows" / "utc" / NAME, content(WEST))
    put(tmp_path / "flows" / "tokyo" / "nfcapd.202611272225", content(EAST))
    said = run(settings, "init", str(tmp_path / "flows"))
    assert f"{tmp_path / 'flows' / 'tokyo'}: file names are 9 h ahead" in said.stderr
    assert "file_timezone" not in settings.read_text()


def test_links_to_folders_and_out_of_them_are_told_with_what_to_do(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "disk" / NAME, content())
    flows = tmp_path / "flows"
    flows.mkdir()
    (flows / "west").symlink_to(tmp_path / "disk")
    refused = run(settings, "init", str(flows), expect=1).stderr
    assert "west: a link to a folder, which is not followed" in refused
    assert f"its target {tmp_path / 'disk'} can be a flow folder itself" in refused
    (flows / "east").mkdir()
    (flows / "east" / NAME).symlink_to(tmp_path / "disk" / NAME)
    refused = run(settings, "init", str(flows), expect=1).stderr
    assert f"not read: {NAME}: it is a link out of the flow folder" in refused
    put(flows / "north" / NAME, content(EAST))
    said = run(settings, "init", str(flows))
    assert "west: a link to a folder, which is not followed" in said.stderr
    assert f"{flows / 'east'}: not read: {NAME}: it is a link out of the flow folder" in said.stderr
    # a link that is named itself is followed
    run(settings, "init", str(flows / "west"), "--force")
    assert routers(settings) == {"192.0.2.1": str(tmp_path / "disk")}


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path, settings: Path) -> None:
    flows = tmp_path / "flows"
    put(flows / "open" / NAME, content(WEST))
    put(flows / "closed" / NAME, content(EAST))
    put(flows / "open" / "inner" / "closed" / NAME, content(EAST))
    for closed in (flows / "closed", flows / "open" / "inner" / "closed"):
        closed.chmod(0)
    with modes_count():
        said = run(settings, "init", str(flows))
        assert f"hntes: {flows}: closed: this folder cannot be read: Permission denied" in said.stderr
        inner = "inner/closed: this folder cannot be read: Permission denied"
        assert said.stderr.count(inner) == 1
        filled_in(settings)
        assert f"{flows / 'open'}: not read: {inner}" in run(settings, "check").stdout
        nothing = run(tmp_path / "other.toml", "init", str(flows / "closed"), expect=1)
        assert "this folder cannot be read" in nothing.stderr


def test_a_file_that_is_still_being_written_is_waited_for(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "flows" / "nfcapd.current.4711", content())
    refused = run(settings, "init", str(tmp_path / "flows"), expect=1).stderr
    assert "nfcapd.current.4711 is still being written: try again after the collector's rotation" in refused
    put(tmp_path / "flows" / NAME, content())
    assert run(settings, "init", str(tmp_path / "flows")).stderr == ""


def test_several_collectors_in_one_folder_are_told(tmp_path: Path, settings: Path) -> None:
    for name in ("nfcapd.current.4711", "nfcapd.current.4712", NAME):
        put(tmp_path / "flows" / name, content())
    told = "nfcapd.current.4711, nfcapd.current.4712 in .: several collectors write into one folder"
    assert told in run(settings, "init", str(tmp_path / "flows")).stderr
    filled_in(settings)
    assert told in run(settings, "check").stdout


def test_an_exporter_that_two_collectors_receive_is_told(tmp_path: Path, settings: Path) -> None:
    for folder in ("a", "b"):
        put(tmp_path / "flows" / folder / NAME, content(WEST))
    both = f"exporter 192.0.2.1 is in the files of {tmp_path / 'flows' / 'a'} and {tmp_path / 'flows' / 'b'}"
    assert f"{both}: several collectors receive its flows" in run(settings, "init", str(tmp_path / "flows")).stderr
    filled_in(settings)
    assert both in run(settings, "check").stdout


@pytest.mark.parametrize(
    ("collectors", "told"), [("abcd", "{a}, {b}, {c} and {d}:"), ("abcdefghij", "{a}, {b}, {c} and 7 others:")]
)
def test_the_folders_of_an_exporter_are_a_list(tmp_path: Path, settings: Path, collectors: str, told: str) -> None:
    folders = {name: tmp_path / "flows" / name for name in collectors}
    for folder in folders.values():
        put(folder / NAME, content(WEST))
    listed = f"exporter 192.0.2.1 is in the files of {told.format(**folders)} several collectors receive its flows"
    assert listed in run(settings, "init", str(tmp_path / "flows")).stderr
    filled_in(settings)
    assert listed in run(settings, "check").stdout


def test_records_that_name_no_exporter_are_told(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "flows" / NAME, content(0))
    refused = run(settings, "init", str(tmp_path / "flows"), expect=1).stderr
    assert "60 records of the newest files name no exporter: have the collector store the exporter's address" in refused


def test_names_and_files_of_others_are_told(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "flows" / f"{NAME}.gz", content())
    assert f"1 name that no collector writes: {NAME}.gz" in run(
        settings, "init", str(tmp_path / "flows"), expect=1
    ).stderr  # fmt: skip
    put(tmp_path / "flows" / NAME, b"\x0c\xa5\x04\0")
    refused = run(settings, "init", str(tmp_path / "flows"), expect=1).stderr
    assert f"not read: {NAME}: file layout 4 is unknown" in refused


def test_layout_3_is_read(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "flows" / NAME, content(write=flow_file_3))
    run(settings, "init", str(tmp_path / "flows"))
    assert list(routers(settings)) == ["192.0.2.1"]


def test_a_rate_of_another_observation_domain_is_offered_as_settings(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "flows" / NAME, content(space=1000))
    run(settings, "init", str(tmp_path / "flows"))
    text = settings.read_text()
    assert "# 60 records came without it: it is announced for another observation domain" in text
    assert re.search(r'#   exporter = "192.0.2.1"\n#   factor = 1000', text)


def test_an_exporter_of_the_newest_files_that_no_router_lists_is_told_before_ingest(
    tmp_path: Path, settings: Path
) -> None:
    put(tmp_path / "flows" / NAME, content(WEST))
    run(settings, "init", str(tmp_path / "flows"))
    filled_in(settings)
    put(tmp_path / "flows" / "nfcapd.202611271330", content(EAST))
    told = f"{tmp_path / 'flows'}: the newest files have exporter 192.0.2.2, which no router lists"
    assert told in run(settings, "check").stdout


@pytest.mark.parametrize("name", ["dynamic_sources", "names_with_utc_offset", "layout_3", "local_time_names"])
def test_recorded_folders(shared_data: Path, settings: Path, name: str) -> None:
    folder = shared_data / "cases" / "flows" / name / "flows"
    if not folder.is_dir():
        pytest.skip(f"no {name} beside the repository")
    run(settings, "init", str(folder))
    assert len(routers(settings)) == (5 if name == "dynamic_sources" else 1)
    filled_in(settings)
    said = run(settings, "check").stdout
    assert "the newest from 2026-11-27 13:25 UTC" in said
    assert " h ahead" not in said


def of_times(*times: tuple[int, int, int]) -> bytes:
    """A file of records with these begins, ends and receptions, epoch ms."""
    return flow_file([[ExporterRecord(1, WEST), *(FlowRecord(*three, 10, 1000) for three in times)]], has_sums=True)


TIMED, TIMELESS = (START_MS, START_MS + 500, START_MS + 900), (0, 0, START_MS + 900)


def test_records_without_times_are_counted_by_the_collectors_clock(tmp_path: Path, settings: Path) -> None:
    put(tmp_path / "flows" / NAME, of_times(*[TIMELESS] * 3, TIMED))
    run(settings, "init", str(tmp_path / "flows"))
    assert '\nclock = "collector"' in settings.read_text()
    filled_in(settings)
    run(settings, "check")
    assert "kept: 4 records" in run(settings, "stage", "ingest", "--all").stdout
    settings.write_text(settings.read_text().replace('clock = "collector"', 'clock = "exporter"'))
    refused = run(settings, "check", expect=1).output
    assert "router flows: of 4 records of 192.0.2.1 3 have no times, and would be set aside" in refused


@pytest.mark.parametrize("times", [[TIMED, TIMELESS], [(0, 0, 0), TIMED]], ids=["half", "not-received"])
def test_some_records_without_times_change_no_clock(
    tmp_path: Path, settings: Path, times: list[tuple[int, int, int]]
) -> None:
    put(tmp_path / "flows" / NAME, of_times(*times))
    run(settings, "init", str(tmp_path / "flows"))
    assert "clock =" not in settings.read_text()
    filled_in(settings)
    assert "have no times" not in run(settings, "check").output


def of_packets(*packets: tuple[int, int]) -> bytes:
    """A file of records that nobody calls sampled, of these packets and bytes."""
    records = [
        FlowRecord(START_MS + 1000 * number, START_MS + 1000 * number, START_MS + 1000 * number, count, octets)
        for number, (count, octets) in enumerate(packets)
    ]
    return flow_file([[ExporterRecord(1, WEST), *records]], has_sums=True)


SAMPLED = of_packets(*[(1, 1400)] * 150, *[(1, 64)] * 90, *[(2, 2800)] * 20)


def test_sampling_that_nobody_announced_is_asked_and_check_fails_until_it_is_told(
    tmp_path: Path, settings: Path
) -> None:
    put(tmp_path / "flows" / NAME, SAMPLED)
    run(settings, "init", str(tmp_path / "flows"))
    question = '# sampling = [{exporter = "192.0.2.1", factor = N}]   FILL IN: N: 1 packet in N is sampled'
    assert question in settings.read_text()
    filled_in(settings)
    refused = run(settings, "check", expect=1).output
    assert (
        "router flows: of 260 records of 192.0.2.1 240 have one packet, of 899 bytes on average, as packet sampling "
        "leaves them, but no sampling is announced" in refused
    )
    for factor in (1000, 1):
        told = re.sub(r"(?:# )?(sampling = .*factor = )(?:N|\d+)(\}\]).*", rf"\g<1>{factor}\2", settings.read_text())
        settings.write_text(told)
        assert "no sampling is announced" not in CliRunner().invoke(main, ["--settings", str(settings), "check"]).output


@pytest.mark.parametrize(
    "packets",
    [
        [(1, 1400)] * 199,  # few records say nothing
        [(1, 80)] * 300,  # queries and probes
        [(1, 1400)] * 200 + [(5, 7000)] * 60,  # a quarter of whole flows
    ],
    ids=["few", "small", "mixed"],
)
def test_records_of_whole_flows_raise_no_question_of_sampling(
    tmp_path: Path, settings: Path, packets: list[tuple[int, int]]
) -> None:
    put(tmp_path / "flows" / NAME, of_packets(*packets))
    run(settings, "init", str(tmp_path / "flows"))
    assert "# sampling: not announced in the files looked at" in settings.read_text()
    filled_in(settings)
    assert "as packet sampling" not in CliRunner().invoke(main, ["--settings", str(settings), "check"]).output
