"""`hntes metrics`, read by Prometheus' own parser, against what the nights of the demonstration are known to hold."""

from datetime import UTC, datetime
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.support.installation import demo_installation

NIGHT = "2026-11-20"


def samples(text: str) -> dict[tuple[str, str], float]:
    return {
        (sample.name.removeprefix("hntes_"), sample.labels["router"]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_before_the_first_night_nothing_is_claimed(tmp_path: Path) -> None:
    site = demo_installation(tmp_path)
    found = samples(site.run("metrics").stdout)
    assert found == {("change_set_pending", router): 0 for router in ("r1", "r2", "r3")}


def test_after_a_night_each_router_shows_its_day_and_what_waits(tmp_path: Path, database_url: str) -> None:
    site = demo_installation(tmp_path, database_url)
    site.run("nightly", "--day", NIGHT)
    shown = site.json("alphas", "--day", NIGHT, "--router", "r1")
    found = samples(site.run("metrics").stdout)
    assert found["newest_day_timestamp_seconds", "r1"] == datetime(2026, 11, 20, tzinfo=UTC).timestamp()
    assert found["day_alpha_flows", "r1"] == len(shown) == 10
    assert found["day_alpha_bytes", "r1"] == sum(flow["flow_bytes"] for flow in shown)
    assert found["change_set_pending", "r1"] == 1
    assert ("in_force_pairs", "r1") not in found
    change = next(change for change in site.json("changes") if change["router"] == "r1")
    site.run("approve", "--router", "r1", "--hash", change["candidate_hash"], "--who", "anna")
    found = samples(site.run("metrics").stdout)
    assert found["change_set_pending", "r1"] == 0
    assert found["change_set_pending", "r2"] == 1
    assert found["in_force_pairs", "r1"] == 8
    assert ("change_set_expires_timestamp_seconds", "r1") not in found


def test_a_file_is_written_anew_even_when_nothing_has_changed(tmp_path: Path) -> None:
    site = demo_installation(tmp_path)
    target = tmp_path / "textfile" / "hntes.prom"
    site.run("metrics", "--out", str(target))
    written = target.stat().st_mtime_ns
    site.run("metrics", "--out", str(target))
    assert target.stat().st_mtime_ns > written
    assert samples(target.read_text(encoding="utf-8"))
