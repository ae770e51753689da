"""Observations of a former threshold: they count on, and whoever looks at a change or at the settings is told."""

import shutil
from pathlib import Path

from tests.support.installation import demo_installation

DAY, NEXT = "2026-11-20", "2026-11-21"
FLOWS = Path(__file__).parents[3] / "demo" / "flows"
THRESHOLD_BYTES = 2_000_000_000


def test_observations_of_another_rule_are_named(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site")
    for command in ("ingest", "detect", "propose"):
        said = site.run("stage", command, "--day", DAY, "--router", "r1").stdout
    assert "found by another rule" not in said
    assert "found by another rule" not in site.run("check").stdout
    text = site.settings.read_text()
    site.settings.write_text(text.replace("[detection]\n", "[detection]\nthreshold_bytes = 2_000_000_000\n"))
    told = (
        f"alpha flows of {DAY} to {DAY} were found by another rule than the settings' (1000000000 bytes in 60 s by "
        f"window and host_pair) and count as they are; to detect these days again: hntes data backfill --from {DAY} "
        f"--to {DAY} --router r1"
    )
    assert told in site.run("check").stdout
    assert told in site.run("stage", "propose", "--day", DAY, "--router", "r1").stdout
    site.run("stage", "detect", "--day", DAY, "--router", "r1")
    assert told not in site.run("stage", "propose", "--day", DAY, "--router", "r1").stdout


def test_a_day_of_which_only_the_lake_has_the_records_is_detected_again(tmp_path: Path) -> None:
    """As the sentence asks for, weeks after the collector expired the day's files."""
    flows = tmp_path / "flows"
    shutil.copytree(FLOWS, flows)
    site = demo_installation(tmp_path / "site")
    text = site.settings.read_text().replace(str(FLOWS), str(flows))
    site.settings.write_text(text)
    site.run("nightly", "--day", DAY, "--router", "r1")
    before = site.json("flows", "--day", DAY, "--router", "r1")
    for file in (flows / "r1").glob("nfcapd.*"):
        if file.name.startswith("nfcapd.20261120"):
            file.unlink()
    site.settings.write_text(text.replace("[detection]\n", f"[detection]\nthreshold_bytes = {THRESHOLD_BYTES}\n"))
    done = site.json("data", "backfill", "--from", DAY, "--to", DAY, "--jobs", "1", "--router", "r1")
    assert (done["noted"], done["failures"], done["ingested_files"]) == ({}, {}, 0)
    found = site.json("flows", "--day", DAY, "--router", "r1")
    wanted = {flow["flow_id"] for flow in before if flow["peak_bytes"] >= THRESHOLD_BYTES}
    assert {flow["flow_id"] for flow in found} == wanted
    assert {flow["threshold_bytes"] for flow in found} == {THRESHOLD_BYTES}
    assert 0 < len(wanted) < len(before)


def test_a_change_set_of_many_new_pairs_says_that_it_is_held(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site", **{"[review]": "[review]\nnew_pairs_limit = 3"})
    for command in ("ingest", "detect", "propose"):
        said = site.run("stage", command, "--day", DAY, "--router", "r1").stdout
    (entry,) = site.json("change", "list")
    number = entry["pairs_added"]
    assert number > 3
    assert f"held: {number} new pairs, more than review.new_pairs_limit = 3" in said
    assert ", held until the new pairs are acknowledged;" in entry["summary"]
    wrong = ("change", "acknowledge", "--router", "r1", "--day", DAY, "--new-pairs")
    assert f"it has {number} new pairs, not 4" in site.run(*wrong, "4", expect=1).stderr
    done = site.run(*wrong, str(number), "--note", "new site")
    assert f"r1 {DAY}: {number} new pairs acknowledged" in done.stdout
