"""`hntes simulate` and `hntes reproduce` as a user meets them."""

import json
import re
import tomllib
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from hntes.cli.cli import main
from tests.support.random_plans import random_plan

GUIDE = Path(__file__).resolve().parent.parent.parent / "docs" / "how-to" / "simulate.md"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The guide's scenario, as a file."""
    found = re.search(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    path = tmp_path / "two-queues.toml"
    path.write_text(found[1], encoding="utf-8")
    return path


def _hntes(tmp_path: Path, *arguments: str | Path) -> Result:
    environment = {"HNTES_RUNS": str(tmp_path / "runs")}
    return CliRunner().invoke(main, [str(argument) for argument in arguments], env=environment)


def test_the_guides_scenario_runs_and_leaves_its_files(tmp_path: Path, example: Path) -> None:
    done = _hntes(tmp_path, "simulate", example, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    flows = json.loads(done.stdout)["flows"]
    # video: 30 Mb/s for 10 s, within beta's 40 %; all of it arrives
    assert flows["video"]["udp"]["received_datagrams"] == flows["video"]["udp"]["sent_datagrams"]
    assert flows["video"]["goodput_bytes"] == pytest.approx(30e6 * 10 / 8, rel=0.01)
    # the transfer has at most what the video's packets of 1266 bytes of link time leave, 1448 of 1538 bytes being data
    left_bps = (100e6 * 20 - 30e6 * 10 * 1266 / 1200) * 1448 / 1538 / 20
    assert 0.5 * left_bps < flows["transfer"]["goodput_bytes"] * 8 / 20 <= left_bps
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"totals.json", "flows.parquet", "queues.parquet", "series.parquet", "pings.parquet",
                     "figure.svg", "figure.png"}  # fmt: skip
    assert json.loads((tmp_path / "out" / "totals.json").read_text()) == json.loads(done.stdout)
    assert pq.read_table(tmp_path / "out" / "series.parquet").num_rows == 20
    assert pq.read_table(tmp_path / "out" / "pings.parquet").num_rows == 100


def test_two_scenarios_are_compared(tmp_path: Path, example: Path) -> None:
    faster = tmp_path / "faster-video.toml"
    faster.write_text(example.read_text().replace("rate_bps = 30e6", "rate_bps = 36e6"))
    done = _hntes(tmp_path, "simulate", example, faster, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    alone = [json.loads(_hntes(tmp_path, "simulate", path, "--json").stdout) for path in (example, faster)]
    assert [document["first"], document["second"]] == alone
    rows = {(row["of"], row["measure"]): row for row in document["comparison"]}
    video = rows["flow video", "rate"]  # what is sent within beta's share arrives
    assert video["second"] / video["first"] == pytest.approx(36 / 30, rel=0.01)
    assert video["difference"] == video["second"] - video["first"]
    written = tmp_path / "out"
    assert json.loads((written / "comparison.json").read_text()) == document["comparison"]
    assert {path.name for path in written.iterdir()} == {"1", "2", "comparison.json", "figure.svg", "figure.png"}
    assert [json.loads((written / name / "totals.json").read_text()) for name in ("1", "2")] == alone
    shown = _hntes(tmp_path, "simulate", example, faster).stdout
    assert re.search(r"^of +measure +two-queues +faster-video +difference$", shown, re.MULTILINE)
    more_pct = 100 * video["difference"] / video["first"]  # datagrams are whole
    assert re.search(rf"^flow video +rate +30 Mb/s +36 Mb/s +\+{more_pct:.3g}%$", shown, re.MULTILINE)
    again = _hntes(tmp_path, "simulate", example, example).stdout
    assert re.search(r"^of +measure +two-queues \(1\) +two-queues \(2\) +difference$", again, re.MULTILINE)
    assert re.search(r"^flow transfer +rate .* none$", again, re.MULTILINE)
    assert _hntes(tmp_path, "simulate", example, tmp_path / "missing.toml").exit_code == 2


def test_a_json_file_means_the_same_as_a_toml_file(tmp_path: Path, example: Path) -> None:
    twin = tmp_path / "two-queues.json"
    twin.write_text(json.dumps(tomllib.loads(example.read_text())))
    first = _hntes(tmp_path, "simulate", example)
    second = _hntes(tmp_path, "simulate", twin)
    assert first.exit_code == second.exit_code == 0
    assert first.stdout == second.stdout
    assert "kept from before" in second.stderr


def test_a_fluid_result_that_hangs_on_little_is_said_to(tmp_path: Path) -> None:
    for number, told in ((17, "a different TCP throughput;"), (0, None)):
        scenario = tmp_path / f"plan{number}.json"
        scenario.write_text(json.dumps(random_plan(number, 1e9, 60.0)))
        done = _hntes(tmp_path, "simulate", scenario, "--engine", "fluid")
        assert done.exit_code == 0
        assert ("--engine packet" in done.stderr) == (told is not None)
        assert told is None or told in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rate_bps = 30e6", 'rate_bps = "fast"', 'flows[1].traffic.rate_bps: invalid type: string "fast", expected a'),
        ("delay_us = 5000", "delay_ms = 5", "links[2].delay_ms: unknown field `delay_ms`"),
        ("duration_s = 20", "", "missing field `duration_s`"),
        ('to = "R1"', 'to = "R9"', 'links[0].to: no host or router is called "R9"'),
        ("rate_share_pct = 60", "rate_share_pct = 61", "ports[0].queues.rate_share_pct: the shares add up to 101 %"),
        ("duration_s = 20", "duration_s 20", "(at line 2, column 12)"),
    ],
)
def test_a_mistake_is_named_with_file_and_key(tmp_path: Path, example: Path, old: str, new: str, message: str) -> None:
    example.write_text(example.read_text().replace(old, new, 1))
    done = _hntes(tmp_path, "simulate", example)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert str(example) in done.stderr
    assert message in " ".join(done.stderr.split())
    assert "column" not in done.stderr or "line 2" in done.stderr


def test_the_guides_changes_are_changes_of_its_scenario(tmp_path: Path, example: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    (changes,) = (block for block in blocks if block.startswith("[[changes]]"))
    example.write_text(f"{example.read_text()}\n{changes}")
    done = _hntes(tmp_path, "simulate", example, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    sent = pq.read_table(tmp_path / "out" / "series.parquet")["link/R1->R2/wire_bytes"].to_pylist()
    # 100 Mb/s are 12.5 MB a second, 50 Mb/s from the fifteenth second on half of that
    assert max(sent[5:15]) == pytest.approx(12.5e6, rel=0.001)
    assert max(sent[15:]) == pytest.approx(6.25e6, rel=0.001)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    for name, content, message in (
        ("scenario.yaml", b"{}", "ends in .toml or .json"),
        ("scenario.json", b"[1]", "a scenario is a table of keys, this is a list"),
        ("scenario.toml", b"\xff\xfe", "not a text file in UTF-8"),
    ):
        (tmp_path / name).write_bytes(content)
        done = _hntes(tmp_path, "simulate", tmp_path / name)
        assert done.exit_code == 1
        assert message in " ".join(done.stderr.split())


def test_the_list_costs_nothing_and_counts_runs(tmp_path: Path) -> None:
    done = _hntes(tmp_path, "reproduce", "--list", "--json", "--seeds", "3")
    listed = json.loads(done.stdout)
    assert len(listed) == 73
    assert {row["runs"] for row in listed} == {1, 3}
    assert next(row["expected_pkts"] for row in listed if row["experiment"] == "1") > 1e7
    assert not (tmp_path / "runs").exists()
    told = _hntes(tmp_path, "reproduce", "3", "--list").stdout
    assert "hntes 3: Scheduling only against policing into a scavenger-service queue" in told
    pkts = sum(row["expected_pkts"] for row in listed if row["experiment"] == "3")
    # of three seeds here, of all of them there; 8 million packets in a second
    ((runs, minutes),) = re.findall(r"(\d+) runs, about (\d+) CPU min at most", told)
    listed_runs = sum(row["runs"] for row in listed if row["experiment"] == "3")
    assert int(minutes) == pytest.approx(pkts / listed_runs * int(runs) / 8e6 / 60, rel=0.05)


def test_status_3_is_for_a_missed_cell_and_only_for_that(tmp_path: Path) -> None:
    done = _hntes(tmp_path, "reproduce", "1", "4", "--engine", "fluid", "--quick", "--json")
    told = json.loads(done.stdout)
    words = [cell["verdict"] for cell in told["cells"]]
    assert done.exit_code == (3 if "missed" in words else 0)
    assert {word: words.count(word) for word in told["counts"]} == told["counts"]
    assert told["counts"]["reproduced"] > 0
    assert told["counts"]["not applicable"] > 0
    again = _hntes(tmp_path, "reproduce", "1", "4", "--engine", "fluid", "--quick", "--json")
    assert again.stdout == done.stdout
    assert again.stderr.count("kept from before") == len(list((tmp_path / "runs").iterdir())) > 10


def test_what_there_is_not_is_refused_before_anything_runs(tmp_path: Path) -> None:
    done = _hntes(tmp_path, "reproduce", "4", "9")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "there are: 1, 2, 3, 4, 5, 6, 7" in done.stderr
    (tmp_path / "file").write_text("")
    done = _hntes(tmp_path, "reproduce", "4", "--out", tmp_path / "file" / "out")
    assert done.exit_code == 1
    assert not (tmp_path / "runs").exists()


def test_all_papers_are_listed_each_with_its_experiments(tmp_path: Path) -> None:
    listed = json.loads(_hntes(tmp_path, "reproduce", "--paper", "all", "--list", "--json").stdout)
    assert {row["paper"] for row in listed} == {"hntes", "laatu", "gara", "habib", "christin", "linux"}
    assert len(listed) == 73 + 4 + 13 + (37 + 7 + 7 + 7 + 8) + (6 + 3) + (17 + 45 + 36)


def test_another_paper_is_run_judged_and_reported(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = _hntes(tmp_path, "reproduce", "--paper", "gara", "queueing", "--out", str(out), "--json")
    cells = {cell["configuration"]: cell for cell in json.loads(done.stdout)["cells"]}
    assert done.exit_code == 0
    # x = 0.33 costs half a round trip, which is 30 ms here
    assert cells["x-33"]["simulated"] == pytest.approx(15, rel=0.02)
    assert {cell["verdict"] for cell in cells.values()} == {"reproduced"}
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "## Assumptions" in report
    assert "Sander" in report
