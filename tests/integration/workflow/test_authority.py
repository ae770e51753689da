"""What was approved is looked at again at the moment of its delivery."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hntes.sql import day_status, observations
from hntes.sql.session import transaction
from hntes.workflow.context import opened
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights

FOR_GOOD = "2199-12-31"


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site", router="r1")


def approved(site: Installation) -> str:
    (entry,) = site.json("change", "list")
    site.run("change", "approve", "--router", "r1", "--hash", entry["candidate_hash"], "--who", "anna")
    return str(entry["candidate_hash"])


def rules_of(site: Installation, day: str) -> list[dict[str, Any]]:
    return list(site.json("rules", "--day", day)["r1"]["rules"])


def pairs(site: Installation) -> list[tuple[str, str]]:
    return [(each["pair"]["source"], each["pair"]["destination"]) for each in rules_of(site, NIGHT)]


def refused(site: Installation, *names: str) -> None:
    said = site.run("router", "deliver", "--router", "r1", expect=3)
    text = said.stdout + said.stderr
    for name in (*names, "may no longer be delivered", "Propose again"):
        assert name in text, text
    assert not (site.output / "r1" / "approved" / "manifest.json").exists()


def delivered(site: Installation) -> None:
    site.run("router", "deliver", "--router", "r1")
    assert (site.output / "r1" / "approved" / "manifest.json").exists()


def exclude(site: Installation, prefix: str, *more: str) -> None:
    by = ("--owner", "anna", "--reason", "a mistake", "--from-day", NIGHT, "--until", FOR_GOOD)
    site.run("override", "exclude", "add", prefix, *by, *more)


def with_settings(site: Installation, text: str, **replaced: str) -> None:
    content = site.settings.read_text(encoding="utf-8")
    for old, new in replaced.items():
        assert old in content
        content = content.replace(old, new, 1)
    site.settings.write_text(text + content, encoding="utf-8")


@pytest.mark.parametrize("side", ["source", "destination", "either"])
def test_an_exclusion_after_the_approval_stops_the_delivery_until_it_is_withdrawn(
    site: Installation, side: str
) -> None:
    source, destination = pairs(site)[0]
    approved(site)
    prefix = destination if side == "destination" else source
    exclude(site, prefix, "--side", side)
    refused(site, f"{source} > {destination}", prefix, "a mistake")
    site.run("override", "exclude", "withdraw", prefix, "--side", side, "--day", NIGHT)
    delivered(site)


def test_an_exclusion_of_another_router_or_prefix_stops_nothing(site: Installation) -> None:
    source, _ = pairs(site)[0]
    approved(site)
    exclude(site, source, "--router", "r2")
    exclude(site, "100.64.0.0/10")
    delivered(site)


def test_rules_that_the_router_runs_do_not_arrive_again(site: Installation) -> None:
    source, _ = pairs(site)[0]
    candidate = approved(site)
    delivered(site)
    site.run("router", "loaded", "--router", "r1", "--hash", candidate)
    exclude(site, source)
    delivered(site)


def test_a_pin_that_has_ended_takes_its_pair_with_it(site: Installation) -> None:
    pair = "192.0.2.0/24>203.0.113.0/24"
    site.pin(pair, NIGHT)
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    approved(site)
    site.run("override", "pin", "withdraw", pair, "--router", "r1", "--day", NIGHT)
    refused(site, "192.0.2.0/24 > 203.0.113.0/24", "the pin of anna")
    site.pin(pair, NIGHT)
    delivered(site)


def test_a_pin_of_a_pair_that_was_seen_may_end(site: Installation) -> None:
    source, destination = pairs(site)[0]
    site.pin(f"{source}>{destination}", NIGHT)
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    approved(site)
    site.run("override", "pin", "withdraw", f"{source}>{destination}", "--router", "r1", "--day", NIGHT)
    delivered(site)


def test_a_pair_that_a_later_night_has_seen_needs_its_pin_no_longer(site: Installation) -> None:
    """The next proposal has it too: were the delivery refused, nothing that could be approved would end that."""
    pair = "192.0.2.0/24>203.0.113.0/24"
    site.pin(pair, NIGHT)
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    approved(site)
    site.run("override", "pin", "withdraw", pair, "--router", "r1", "--day", NIGHT)
    refused(site, "192.0.2.0/24 > 203.0.113.0/24", "the pin of anna")
    see(site, "192.0.2.9", "203.0.113.9", date(2026, 11, 21))
    delivered(site)


def see(site: Installation, source: str, destination: str, day: date) -> None:
    """As a night of that day would: an alpha flow between two hosts, of a day that is complete."""
    with opened(site.settings) as context, transaction(context.database) as session:
        first, *_ = observations.history(session, "r1", date.fromisoformat(NIGHT))
        flow = replace(first, day=day, flow_id="seen later", source=source, destination=destination, implausible=False)
        observations.replace_day(session, "r1", day, [flow])
        known = day_status.day_status(session, "r1", date.fromisoformat(NIGHT))
        assert known is not None
        day_status.replace_day_status(session, replace(known, day=day))


def test_a_prefix_that_is_protected_since_stops_the_delivery(site: Installation) -> None:
    source, destination = pairs(site)[0]
    approved(site)
    host = destination.replace(".0/24", ".53/32")
    with_settings(site, f'[protected]\nprefixes = ["{host}"]\n\n')
    refused(site, f"{source} > {destination}", host, "protected.prefixes")


def test_a_running_configuration_teaches_what_is_protected(site: Installation, tmp_path: Path) -> None:
    source, destination = pairs(site)[0]
    approved(site)
    host = destination.replace(".0/24", ".53")
    running = tmp_path / "r2.conf"
    running.write_text(f"interface Loopback0\n ipv4 address {host} 255.255.255.255\n!\n")
    r2 = 'name = "r2"\n'
    with_settings(site, "", **{r2: f'{r2}running_config = "{running}"\n'})
    refused(site, f"{source} > {destination}", f"{host}/32", "loopback of r2 (line 2 of its running configuration)")
    with_settings(site, f'[protected]\nallowed = ["{host}/32"]\n\n')
    delivered(site)


def test_a_running_configuration_that_is_not_understood_protects_what_nobody_knows(
    site: Installation, tmp_path: Path
) -> None:
    """Another router's: its lifelines might lie in a pair, so that nothing arrives and nothing is pinned."""
    approved(site)
    running = tmp_path / "r2.conf"
    running.write_text("\n".join(" " * depth + f"group {depth}" for depth in range(150)) + "\n")
    r2 = 'name = "r2"\n'
    with_settings(site, "", **{r2: f'{r2}running_config = "{running}"\n'})
    for command in (
        ("router", "deliver", "--router", "r1"),
        ("override", "pin", "add", "192.0.2.0/24>203.0.113.0/24", "--router", "r1", "--owner", "anna",
         "--reason", "weekly copy", "--from-day", NIGHT),
    ):  # fmt: skip
        said = site.run(*command, expect=1 if command[0] == "override" else 3)
        text = said.stdout + said.stderr
        assert "router r2: no protected prefixes were learned" in text, text
        assert "hntes router config --router r2 --store" in text, text
    with_settings(site, "", **{f'running_config = "{running}"\n': ""})
    delivered(site)


@pytest.mark.parametrize(
    ("section", "replaced", "name"),
    [
        ("", {'name = "r1"\n': 'name = "r1"\nterm_budget = 1\n'}, "the term budget is 1 now"),
        ("", {"[gate]\n": "[gate]\nreach_pct = 3\n"}, "the gate's limits changed since it was judged (reach_pct 3"),
        ("", {'kind = "two_queue"\n': 'kind = "two_queue"\nalpha_share_pct = 20\nbeta_share_pct = 75\n'}, "plan"),
    ],
    ids=["term_budget", "limits", "plan"],
)
def test_settings_of_now_decide(site: Installation, section: str, replaced: dict[str, str], name: str) -> None:
    approved(site)
    with_settings(site, section, **replaced)
    refused(site, name)


def test_a_text_that_passes_under_the_limits_of_now_is_delivered_after_another_judgement(site: Installation) -> None:
    approved(site)
    with_settings(site, "", **{"[gate]\n": "[gate]\nreach_pct = 60\n"})
    refused(site, "reach_pct 60")
    site.run("stage", "judge", "--router", "r1", "--day", NIGHT)
    delivered(site)


def test_a_running_configuration_with_which_the_text_collides_since_stops_the_delivery(
    site: Installation, tmp_path: Path
) -> None:
    approved(site)
    running = tmp_path / "r1.conf"
    running.write_text("class-of-service { interfaces { xe-0/1/0 { scheduler-map ours; } } }\n")
    with_settings(site, "", **{'name = "r1"\n': f'name = "r1"\nrunning_config = "{running}"\n'})
    refused(site, "the running configuration has changed since it was judged", "line 1")
