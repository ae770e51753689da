"""`hntes check` asks the analytics engine, so that one that is missing is told before the night."""

import subprocess
from datetime import date
from pathlib import Path

import pytest

from hntes.workflow.reports.lake_growth import LakeGrowth
from tests.support.installation import ROOT, demo_installation
from tests.support.prepared_nights import NIGHT, PreparedNights

WITHOUT_MASTER = '[analytics]\nkind = "spark"\n[analytics.spark]\nmaster = "spark://127.0.0.1:9"\n\n[plans.recommended]'


def test_the_engine_inside_the_process_answers(tmp_path: Path) -> None:
    assert "engine:   duckdb" in demo_installation(tmp_path / "site").run("check").stdout


READER = '[ingest]\nreader = "{}"'


def test_it_says_who_reads_flow_files(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site")
    assert "reader:   native; nfdump for files that it refuses" in site.run("check").stdout
    through = demo_installation(tmp_path / "through", **{"[ingest]": READER.format("nfdump")})
    assert "reader:   nfdump, as the settings say" in through.run("check").stdout


def test_a_spark_that_does_not_answer_is_told(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: make everything")
    site = demo_installation(tmp_path / "site", **{"[plans.recommended]": WITHOUT_MASTER})
    # In a process of its own: other tests may have left a Spark session in this one.
    done = subprocess.run(site.command("check"), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "hntes: no Spark master answers (127.0.0.1:9: Connection refused)" in done.stderr


def test_who_sends_is_named_and_whether_it_is_believed(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site")
    site.run("stage", "ingest", "--all", "--router", "r2", expect=3)
    said = site.run("check").stdout
    assert "router r2: lists no exporters, so records of any sender are accepted; seen so far: exporters" in said
    assert "which no router lists" not in said
    listed = demo_installation(tmp_path / "listed", **{'name = "r2"': 'name = "r2"\nexporters = ["192.0.2.99"]'})
    listed.run("stage", "ingest", "--all", "--router", "r2", expect=3)
    said = listed.run("check", expect=1).stdout
    assert "router r2: lists" not in said
    assert "which no router lists, were rejected in the newest 7 days" in said


def test_what_would_fail_a_night_fails_the_check(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site", **{'flows/r3"': 'flows/nowhere"'})
    done = site.run("check", expect=1)
    assert "router r3: iosxe, flows NOT READABLE: " in done.stdout
    assert f"hntes: router r3: {ROOT}/demo/flows/nowhere: no such flow folder" in done.stderr
    assert "router r2: 15 flow files, the newest from 2026-11-23 " in done.stdout


def test_a_folder_that_cannot_be_written_to_fails_the_check(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    site = demo_installation(tmp_path / "site", **{str(tmp_path / "site" / "output"): str(tmp_path / "file" / "out")})
    assert f"hntes: paths.output: {tmp_path}/file/out is not writable" in site.run("check", expect=1).stderr


def test_a_large_lake_is_told_in_plain_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = LakeGrowth(10, date(2026, 11, 20), 10, 12_340 * 10**9)
    monkeypatch.setattr("hntes.workflow.reports.lake_growth.lake_growth", lambda *_: large)
    said = demo_installation(tmp_path / "site").run("check").stdout
    assert "10 days, 12.3 TB; 1,234 GB per day: a year without retention limit needs 450 TB" in said


def test_ports_that_cannot_be_measured_are_named(tmp_path: Path) -> None:
    said = demo_installation(tmp_path / "site", **{"snmp_index = 501": ""}).run("check").stdout
    assert "router r1: no snmp_index for xe-0/1/0: their load cannot be measured" in said
    assert "a beta peak of 30% for them" in said
    assert "no snmp_index for xe-0/0/0" not in said


def test_a_router_that_the_settings_no_longer_name_is_named(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    (entry,) = site.json("change", "list")
    decided = ("--router", "r1", "--hash", entry["candidate_hash"])
    site.run("change", "approve", *decided, "--who", "anna")
    site.run("router", "loaded", *decided[:2], "--hash", entry["candidate_hash"])
    by = ("--owner", "anna", "--reason", "copy", "--from-day", NIGHT)
    site.run("override", "pin", "add", "198.18.99.0/24>203.0.113.0/24", "--router", "r1", *by)
    site.run("override", "exclude", "add", "198.18.98.0/24", *by, "--until", "2099-12-31")
    assert "database: router" not in site.run("check").stdout
    site.settings.write_text(site.settings.read_text().replace('name = "r1"', 'name = "pe1"'))
    said = site.run("check").stdout
    left = f"days up to {NIGHT}, 1 pin or exclusion of it, the configuration of {NIGHT} delivered to it"
    assert f"database: router r1 has {left}, and is not in the settings" in said
    assert "router pe1 has" not in said


RUNNING = """\
version 22.1R1;
interfaces {
    xe-0/0/0 { unit 0 { family inet { filter { input-list [ A B ]; } } family inet6; } }
}
"""


def test_a_running_configuration_that_collides_fails_the_check(tmp_path: Path) -> None:
    path = tmp_path / "r1.conf"
    path.write_text(RUNNING)
    site = demo_installation(tmp_path / "site", **{'name = "r1"': f'name = "r1"\nrunning_config = "{path}"'})
    said = site.run("check", expect=1).stderr
    assert "hntes: router r1: running configuration: line 3: " in said
    assert "is a list" in said
    assert "hntes: router r1: running configuration: interfaces xe-0/1/0: is missing" in said


def test_what_the_platform_cannot_do_names_its_router_once(tmp_path: Path) -> None:
    """Each interface of r1 has a line; SR OS names its ports otherwise."""
    of_r1 = 'name = "r1"\nplatform = '
    site = demo_installation(tmp_path / "site", **{f'{of_r1}"junos"': f'{of_r1}"sros"'})
    said = [line for line in site.run("check", expect=1).stderr.splitlines() if "not an interface name" in line]
    assert [line.split(": not an")[0] for line in said] == [
        f"hntes: router r1: interface xe-0/{slot}/0" for slot in (0, 1)
    ]


def test_a_family_that_an_interface_lacks_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "r1.conf"
    path.write_text("interfaces { xe-0/0/0 { unit 0 { family inet; } }\nxe-0/1/0 { unit 0 { family inet; } } }\n")
    site = demo_installation(tmp_path / "site", **{'name = "r1"': f'name = "r1"\nrunning_config = "{path}"'})
    said = site.run("check").stdout
    assert (
        "router r1: with IPv6 pairs: running configuration: line 1: `interfaces xe-0/0/0 unit 0 family inet6`" in said
    )


def test_what_could_not_be_judged_fails_the_check(tmp_path: Path) -> None:
    path = tmp_path / "r1.conf"
    ports = "".join(f"xe-0/{slot}/0 {{ unit 0 {{ family inet; family inet6; }} }}\n" for slot in (0, 1))
    path.write_text(f"interfaces {{\n{ports}}}\nchassis {{ fpc 0 {{ max-queues 4; }} }}\n")
    site = demo_installation(tmp_path / "site", **{'name = "r1"': f'name = "r1"\nrunning_config = "{path}"'})
    assert (
        "running configuration: not judged: line 5: `chassis fpc` can touch queues"
        in site.run("check", expect=1).stderr
    )
    path.write_text(f"interfaces {{\n{ports}}}\n")
    assert site.run("check").stderr == ""


def test_a_name_with_its_unit_is_refused_with_the_keys_to_write(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site")
    path = Path(site.settings)
    path.write_text(path.read_text().replace('name = "xe-0/0/0"', 'name = "xe-0/0/0.100"', 1))
    assert 'write name = "xe-0/0/0" and unit = 100' in site.run("check", expect=1).stderr
