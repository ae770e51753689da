"""An approval needs the judgement that holds now: whatever changed since then is named, and judging again mends it."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import text

from hntes.rules.qos.json_form import from_json, to_json
from hntes.sql import observations
from hntes.sql.engine import open_database
from hntes.sql.session import transaction
from tests.support.installation import Installation
from tests.support.prepared_nights import PreparedNights

NIGHT = "2026-11-20"
REFUSED, FAILED = 4, 1

ALONE = "judged without the running configuration: running_config is not set"


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights, database_url: str) -> Installation:
    return prepared_nights.site(tmp_path, database_url)


def candidate_of(site: Installation) -> str:
    (waiting,) = site.json("change", "list", "--router", "r1")
    return str(waiting["candidate_hash"])


def approve(site: Installation, expect: int = 0) -> str:
    done = site.run("change", "approve", "--router", "r1", "--hash", candidate_of(site), "--who", "anna", expect=expect)
    return done.stdout + done.stderr


def with_settings(site: Installation, old: str, new: str) -> None:
    content = site.settings.read_text()
    assert old in content
    site.settings.write_text(content.replace(old, new, 1))


LIMIT = "[gate]\ndelay_increase_ms = 0.9\n"
SETTINGS = {
    "the gate's limits changed since it was judged (delay_increase_ms 0.9, was 1.0): run hntes stage judge "
    "--router r1": (
        "[gate]\n", LIMIT,
    ),
    "the lengths or the seed of the gate's runs changed since it was judged (seed 7, was 1)": (
        "[gate]\n", "[gate]\nseed = 7\n",
    ),
    'the gate\'s limits changed since it was judged (tcp_profiles ["linux-2.6.33"], was ["linux-2.6.33", "linux-6"])': (
        "[gate]\n", '[gate]\ntcp_profiles = ["linux-2.6.33"]\n',
    ),
    "the gate's limits changed since it was judged (round_trips_ms [2.0, 20.0], was [2.0, 20.0, 80.0])": (
        'platform = "junos"\n', 'platform = "junos"\nround_trips_ms = [2.0, 20.0]\n',
    ),
    "the detection settings changed since it was judged (window_s 59, was 60)": (
        "[detection]\n", "[detection]\nwindow_s = 59\n",
    ),
    "the router's plan, interfaces or redirect changed since it was judged (plan": (
        'kind = "two_queue"', 'kind = "two_queue"\nalpha_share_pct = 29',
    ),
}  # fmt: skip


@pytest.mark.slow
def test_what_changed_since_the_judgement_is_named(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    as_judged = site.settings.read_text()
    for told, (old, new) in SETTINGS.items():
        with_settings(site, old, new)
        assert told in approve(site, expect=REFUSED)
        site.settings.write_text(as_judged)
    with monkeypatch.context() as patched:
        patched.setattr("hntes.workflow.judgement.engine_version", lambda: "another")
        assert "the simulator changed since it was judged (another, was" in approve(site, expect=REFUSED)
    engine = open_database(site.database_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE interface_load SET beta_bytes = beta_bytes + 1"))
    engine.dispose()
    assert "the measured traffic changed since it was judged (total_bytes" in approve(site, expect=REFUSED)
    assert site.json("change", "list", "--router", "r1")[0]["state"] == "pending"
    with_settings(site, "[gate]\n", LIMIT)
    site.run("stage", "judge", "--router", "r1")
    assert "approved by anna" in approve(site)


@pytest.mark.slow
def test_a_model_that_is_not_the_texts_is_refused(site: Installation) -> None:
    path = site.output / "r1" / "candidates" / f"{candidate_of(site)}.json"
    good = path.read_text()
    model = from_json(good)
    first = model.filters[0]
    swapped = [replace(term, source=term.destination, destination=term.source) for term in first.terms]
    path.write_text(to_json(replace(model, filters=(replace(first, terms=tuple(swapped)), *model.filters[1:]))))
    for command in (("stage", "judge"), ("change", "show")):
        assert "is not the model of the configuration" in site.run(*command, "--router", "r1", expect=1).stderr
    assert "is not the model of the configuration" in approve(site, expect=FAILED)
    path.write_text(good)
    assert "approved by anna" in approve(site)


@pytest.mark.slow
def test_an_edited_copy_draws_a_remark_and_decides_nothing(site: Installation) -> None:
    copy = site.output / "r1" / NIGHT / "candidate.conf"
    copy.write_text(copy.read_text().replace("accept", "discard"))
    told = f"{copy} differs from candidate {candidate_of(site)[:12]}: was it edited by hand?"
    assert told in site.run("stage", "judge", "--router", "r1").stdout
    assert told in site.run("change", "show", "--router", "r1", "--no-diff").stdout
    (judged,) = site.json("stage", "judge", "--router", "r1")
    assert told in judged["remarks"][-1]
    assert told in approve(site)


@pytest.mark.slow
def test_loosened_limits_show_wherever_a_verdict_does(site: Installation) -> None:
    loosened = '[gate]\ndelay_increase_ms = 5.0\ntcp_profiles = ["linux-2.6.33"]\nround_trips_ms = [2.0]\n'
    with_settings(site, "[gate]\n", loosened)
    told = (
        "limits loosened: delay_increase_ms 5 (default 1), hosts without linux-6 (default linux-2.6.33, linux-6), "
        "round_trips_ms up to 2 (default 80)"
    )
    assert told in site.run("stage", "judge", "--router", "r1").stdout
    assert told in site.run("change", "show", "--router", "r1", "--no-diff").stdout
    assert site.json("stage", "judge", "--router", "r1")[0]["remarks"] == [told, ALONE]
    report = site.output / "r1" / NIGHT
    for name in ("gate.md", "gate.html"):
        assert "Limits loosened: delay_increase_ms 5 (default 1)" in (report / name).read_text()
        assert ALONE.capitalize() in (report / name).read_text()


def test_a_verdict_without_the_running_configuration_says_so(site: Installation) -> None:
    assert ALONE in site.run("stage", "judge", "--router", "r1").stdout
    assert ALONE in site.run("change", "show", "--router", "r1", "--no-diff").stdout


@pytest.mark.slow
def test_a_list_takes_the_alpha_flows_from_the_judgement_and_an_approval_does_not(site: Installation) -> None:
    engine, day = open_database(site.database_url), date.fromisoformat(NIGHT)
    with transaction(engine) as session:
        seen = observations.history(session, "r1", day, day)
        observations.replace_day(session, "r1", day, [replace(one, flow_bytes=one.flow_bytes + 1) for one in seen])
    engine.dispose()
    assert site.json("change", "list", "--router", "r1")[0]["gate"] == "passed"
    assert "the measured traffic changed since it was judged (learned_bytes" in approve(site, expect=REFUSED)
    assert site.json("change", "list", "--router", "r1")[0]["state"] == "pending"


@pytest.mark.slow
def test_a_buffer_with_a_part_of_a_millisecond_is_proposed_judged_and_approved(site: Installation) -> None:
    with_settings(site, 'platform = "junos"\n', 'platform = "junos"\nport_buffer_ms = 100.5\n')
    site.run("stage", "propose", "--router", "r1", "--day", NIGHT)
    site.run("stage", "judge", "--router", "r1", "--day", NIGHT)
    assert "approved" in approve(site)
