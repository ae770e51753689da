"""`hntes metrics`, read by Prometheus' own parser, against what the nights of the demonstration are known to hold."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from hntes.sql import observations
from hntes.sql.engine import open_database
from hntes.sql.entries import CRITERIA, GateVerdictEntry
from hntes.sql.judgements import judgement_of, replace_judgement
from hntes.sql.session import transaction
from hntes.sql.verdicts import verdicts
from tests.support.installation import demo_installation
from tests.support.prepared_nights import NIGHT, PreparedNights


def samples(text: str) -> dict[tuple[str, ...], float]:
    """By the metric's name and its labels' values, the router first."""
    return {
        (sample.name.removeprefix("hntes_"), sample.labels.pop("router", ""), *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def gate(text: str, router: str) -> dict[str, float]:
    """The gate's word on a router by criterion."""
    return {key[2]: value for key, value in samples(text).items() if key[:2] == ("gate_criterion_passed", router)}


def test_before_the_first_night_nothing_is_claimed(tmp_path: Path) -> None:
    site = demo_installation(tmp_path)
    found = samples(site.run("metrics").stdout)
    assert found == {("change_pending", router): 0 for router in ("r1", "r2", "r3")}


def test_after_a_night_each_router_shows_its_day_and_what_waits(
    tmp_path: Path, database_url: str, prepared_nights: PreparedNights
) -> None:
    site = prepared_nights.site(tmp_path, database_url)
    shown = site.json("flows", "--day", NIGHT, "--router", "r1")
    found = samples(site.run("metrics").stdout)
    assert found["newest_day_timestamp_seconds", "r1"] == datetime(2026, 11, 20, tzinfo=UTC).timestamp()
    assert found["day_alpha_flows", "r1"] == len(shown) == 10
    assert found["day_alpha_bytes", "r1"] == sum(flow["flow_bytes"] for flow in shown)
    assert found["change_pending", "r1"] == 1
    assert ("in_force_pairs", "r1") not in found
    assert found["alpha_senders", "r1"] == len({flow["source"] for flow in shown})
    assert found["alpha_senders_with_ecn", "r1"] == found["alpha_ecn_bytes_ratio", "r1"] == 0
    change = next(change for change in site.json("change", "list") if change["router"] == "r1")
    site.run("change", "approve", "--router", "r1", "--hash", change["candidate_hash"], "--who", "anna")
    found = samples(site.run("metrics").stdout)
    assert found["change_pending", "r1"] == 0
    assert found["change_pending", "r2"] == 1
    assert found["in_force_pairs", "r1"] == 8
    assert ("change_expires_timestamp_seconds", "r1") not in found


def test_senders_with_ecn_are_told_to_people_and_programs(
    tmp_path: Path, database_url: str, prepared_nights: PreparedNights
) -> None:
    site = prepared_nights.site(tmp_path, database_url, router="r1")
    day = datetime.fromisoformat(NIGHT).date()
    rules = ("rules", "--router", "r1", "--day", NIGHT)
    assert "alpha senders since 2026-10-22, none shows it" in site.run(*rules).stdout.splitlines()[-1]
    engine = open_database(site.database_url)
    with transaction(engine) as session:
        flows = observations.history(session, "r1", day)
        marked = [replace(flow, ecn_records=1) if flow.source == "198.18.20.7" else flow for flow in flows]
        observations.replace_day(session, "r1", day, marked)
    engine.dispose()
    all_bytes, ecn_bytes = (
        sum(flow.flow_bytes for flow in some)
        for some in (flows, [flow for flow in flows if flow.source == "198.18.20.7"])
    )
    senders = len({flow.source for flow in flows})
    assert site.run(*rules).stdout.splitlines()[-1] == (
        f"r1 ECN: of {senders} alpha senders since 2026-10-22, at least 1 has it "
        f"({100 * ecn_bytes / all_bytes:.3g}% of the bytes)"
    )
    told = site.json(*rules)["r1"]["senders"]
    assert (told["known"], told["with_ecn"], told["unknown"]) == (senders, 1, 0)
    found = samples(site.run("metrics").stdout)
    assert found["alpha_senders_with_ecn", "r1"] == 1
    assert found["alpha_ecn_bytes_ratio", "r1"] == ecn_bytes / all_bytes


def test_the_gate_is_shown_by_router_and_criterion(
    tmp_path: Path, database_url: str, prepared_nights: PreparedNights
) -> None:
    site = prepared_nights.site(tmp_path, database_url)
    text = site.run("metrics").stdout
    assert 'hntes_gate_criterion_passed{criterion="delay",router="r1"} 1.0' in text.splitlines()
    for router in ("r1", "r2", "r3"):
        assert gate(text, router) == dict.fromkeys(CRITERIA, 1)
    (change,) = site.json("change", "list", "--router", "r1")
    engine = open_database(site.database_url)
    with transaction(engine) as session:
        found: dict[tuple[str, str], GateVerdictEntry] = {
            (v.criterion, v.measure): v for v in verdicts(session, "r1", change["candidate_hash"])
        }
        assert sum(criterion == "throughput" for criterion, _ in found) > 1
        one_of_several = "throughput", "alpha_goodput_beside_30_pct"
        found[one_of_several] = replace(found[one_of_several], outcome="failed")
        unknown = "order", "out_of_sequence"
        found[unknown] = replace(found[unknown], outcome="not_judged")
        left = [verdict for verdict in found.values() if verdict.criterion != "fairness"]
        stored = judgement_of(session, "r1", change["candidate_hash"])
        assert stored is not None
        replace_judgement(session, stored, left)
    engine.dispose()
    text = site.run("metrics").stdout
    assert {name for name, value in gate(text, "r1").items() if value == 0} == {"throughput", "order", "fairness"}
    assert gate(text, "r2") == dict.fromkeys(CRITERIA, 1)


def test_a_candidate_that_was_never_judged_shows_no_verdict(tmp_path: Path) -> None:
    site = demo_installation(tmp_path)
    for stage in ("ingest", "detect", "propose"):
        site.run("stage", stage, "--day", NIGHT)
    text = site.run("metrics").stdout
    assert samples(text)["change_pending", "r1"] == 1
    assert gate(text, "r1") == {}


def test_a_file_is_written_anew_even_when_nothing_has_changed(tmp_path: Path) -> None:
    site = demo_installation(tmp_path)
    target = tmp_path / "textfile" / "hntes.prom"
    site.run("metrics", "--out", str(target))
    written = target.stat().st_mtime_ns
    site.run("metrics", "--out", str(target))
    assert target.stat().st_mtime_ns > written
    assert samples(target.read_text(encoding="utf-8"))
