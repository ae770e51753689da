"""Delivery by FlowSpec: the commands with a speaker in memory, and a few rules through GoBGP to BIRD or FRR."""

import json
import re
from collections.abc import Sequence
from ipaddress import IPv4Network
from pathlib import Path
from random import Random
from typing import NoReturn

import pytest

from hntes.delivery.flowspec.announce import Announcement, announce, withdraw
from hntes.delivery.flowspec.nlri import Community, nlri
from hntes.delivery.flowspec.path import Change
from hntes.delivery.flowspec.rib import held_by
from hntes.delivery.flowspec.rule import FlowSpecRule, RouteTarget, in_order, parse_rules, rules_hash
from hntes.platforms.device_errors import UnclearError
from tests.support import bgp
from tests.support.flowspec import MonotonicTimer, random_rules, spoken
from tests.support.flowspec_site import COMMUNITY, SECTION, approve, log
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.speakers import MemorySpeaker
from tests.support.waiting import wait_until


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    """A night of r1, proposed again for FlowSpec."""
    made = prepared_nights.site(tmp_path / "site", router="r1")
    text = made.settings.read_text(encoding="utf-8")
    following = '[[routers]]\nname = "r2"'
    assert following in text
    made.settings.write_text(text.replace(following, f"{SECTION}\n{following}"), encoding="utf-8")
    made.run("nightly", "--day", NIGHT, "--router", "r1")
    return made


@pytest.fixture
def speaker(monkeypatch: pytest.MonkeyPatch) -> MemorySpeaker:
    there = MemorySpeaker()
    for module in ("flowspec_delivery", "removal"):
        monkeypatch.setattr(f"hntes.workflow.delivery.{module}.speaker_of", lambda *_: there)
    return there


def test_an_approved_text_is_announced_checked_and_withdrawn(site: Installation, speaker: MemorySpeaker) -> None:
    candidate_hash = approve(site)
    shown = site.run("router", "deliver", "--router", "r1").stdout
    assert (speaker.table, "would change as follows" in shown) == ({}, True)

    folder = site.output / "r1" / "approved"
    rules = parse_rules((folder / f"{candidate_hash}.flowspec").read_text(encoding="ascii"))
    assert rules
    assert all(f"+ {rule}\n" in shown for rule in rules)
    text = (folder / f"{candidate_hash}.conf").read_text(encoding="utf-8")
    assert text.count("/* ") == len(rules)
    assert all(f"/* {rule.pair} */" in text for rule in rules)
    assert "announces the pairs with DSCP 10" in text
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["flowspec"]
    assert manifest["rules"] == {"file": f"{candidate_hash}.flowspec", "sha256": rules_hash(rules)}
    assert "code-points 001010" in (folder / manifest["queues"]["file"]).read_text(encoding="utf-8")

    assert "delivered: verified" in site.run("router", "deliver", "--router", "r1", "--commit").stdout
    assert held_by(speaker, COMMUNITY).own == set(rules)
    assert log(site) == [
        f"push announcement starts: {len(rules)} added, 0 withdrawn, to rules {rules_hash(rules)}", "push kept",
        "loaded", "verified",
    ]  # fmt: skip
    assert "equal" in site.run("router", "drift", "--router", "r1").stdout
    assert "up to date" in site.run("router", "deliver", "--router", "r1", "--commit").stdout

    speaker.table.clear()  # it was started anew
    assert f"behind ({candidate_hash[:12]}" in site.run("router", "drift", "--router", "r1", expect=3).stdout
    site.run("router", "deliver", "--router", "r1", "--commit")
    assert held_by(speaker, COMMUNITY).own == set(rules)

    assert "would be removed" in site.run("router", "remove", "--router", "r1").stdout
    assert "withdrawn" in site.run("router", "remove", "--router", "r1", "--commit").stdout
    assert speaker.table == {}
    assert log(site)[-3:] == [f"push withdrawal of {len(rules)} FlowSpec rules starts", "push kept", "remove"]
    refused = site.run("router", "deliver", "--router", "r1", "--commit", expect=3)
    assert "was removed from the router" in refused.stdout + refused.stderr


def test_a_speaker_that_has_lost_its_rules_is_not_told_what_is_excluded_since(
    site: Installation, speaker: MemorySpeaker
) -> None:
    approve(site)
    deliver = ("router", "deliver", "--router", "r1", "--commit")
    site.run(*deliver)
    announced = held_by(speaker, COMMUNITY).own
    prefix = str(in_order(announced)[0].source)
    by = ("--owner", "noc", "--reason", "ticket 4711", "--from-day", NIGHT, "--until", "2199-12-31")
    site.run("override", "exclude", "add", prefix, *by)
    site.run(*deliver)
    assert held_by(speaker, COMMUNITY).own == announced, "what runs stays"
    speaker.table.clear()  # it was started anew
    said = site.run(*deliver, expect=3)
    assert "excluded now by noc" in said.stdout + said.stderr
    assert held_by(speaker, COMMUNITY).own == frozenset()


def test_what_a_cut_call_announced_does_not_stay_if_it_is_excluded_since(
    site: Installation, speaker: MemorySpeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    approve(site)
    deliver = ("router", "deliver", "--router", "r1")

    def lost(*_: object) -> NoReturn:
        raise UnclearError("the speaker went away")

    with monkeypatch.context() as patched:
        patched.setattr(speaker, "sent", lost)
        site.run(*deliver, "--commit", expect=3)
    announced = held_by(speaker, COMMUNITY).own
    prefix = str(in_order(announced)[0].source)
    by = ("--owner", "noc", "--reason", "ticket 4711", "--from-day", NIGHT, "--until", "2199-12-31")
    site.run("override", "exclude", "add", prefix, *by)
    assert [each["outcome"] for each in site.json(*deliver).values()] == ["unfinished"]
    assert held_by(speaker, COMMUNITY).own == announced, "nothing is changed without --commit"
    for _ in range(2):
        said = site.run(*deliver, "--commit", expect=3)
        assert "excluded now by noc" in said.stdout + said.stderr
        assert held_by(speaker, COMMUNITY).own == frozenset()
    assert log(site)[-1] == "push not verified: the earlier rules are announced again"
    assert [each["outcome"] for each in site.json(*deliver, expect=3).values()] == ["failed"]


def test_what_a_cut_call_announced_is_known_to_the_next_approval(site: Installation, speaker: MemorySpeaker) -> None:
    first = approve(site)
    site.run("router", "deliver", "--router", "r1")
    folder = site.output / "r1" / "approved"
    before = parse_rules((folder / f"{first}.flowspec").read_text(encoding="ascii"))
    speaker.fails_after = len(before) - 1
    failed = site.run("router", "deliver", "--router", "r1", "--commit", expect=3)
    assert "the speaker went away" in failed.stdout
    cut = held_by(speaker, COMMUNITY).own
    assert len(cut) == len(before) - 1
    speaker.fails_after = None

    for day in ("2026-11-21", "2026-11-22", "2026-11-23"):
        site.run("nightly", "--day", day, "--router", "r1")
    second = approve(site)
    assert second != first
    site.run("router", "deliver", "--router", "r1", "--commit")
    after = set(parse_rules((folder / f"{second}.flowspec").read_text(encoding="ascii")))
    assert cut - after, "no pair of the first night was gone in the last"
    assert held_by(speaker, COMMUNITY).own == after


def test_what_a_cut_call_announced_is_not_recorded_before_the_probes_succeed(
    site: Installation, speaker: MemorySpeaker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    well = tmp_path / "well"
    text = site.settings.read_text(encoding="utf-8")
    probed = text.replace("  dscp = 10\n", f'  dscp = 10\n  probes = [["test", "-e", "{well}"]]\n')
    site.settings.write_text(probed, encoding="utf-8")
    approve(site)

    def lost(*_: object) -> NoReturn:
        raise UnclearError("the speaker went away")

    with monkeypatch.context() as patched:
        patched.setattr(speaker, "sent", lost)
        site.run("router", "deliver", "--router", "r1", "--commit", expect=3)
    assert held_by(speaker, COMMUNITY).own
    failed = site.run("router", "deliver", "--router", "r1", "--commit", expect=3)
    assert "probe `test` exited with status 1" in failed.stdout
    assert (speaker.table, {"loaded", "verified"} & set(log(site))) == ({}, set())
    well.touch()
    site.run("router", "deliver", "--router", "r1", "--commit")
    assert log(site)[-3:] == ["push kept", "loaded", "verified"]
    with monkeypatch.context() as patched:
        patched.setattr(speaker, "change", lost)
        assert "up to date" in site.run("router", "deliver", "--router", "r1", "--commit").stdout


def test_a_rule_that_nobody_approved_is_shown_and_left(site: Installation, speaker: MemorySpeaker) -> None:
    approve(site)
    site.run("router", "deliver", "--router", "r1", "--commit")
    foreign = FlowSpecRule(IPv4Network("192.0.2.0/25"), IPv4Network("192.0.2.128/25"), 10)
    speaker.told([foreign], COMMUNITY)
    assert f"+ {foreign}" in site.run("router", "drift", "--router", "r1", expect=3).stdout
    failed = site.run("router", "deliver", "--router", "r1", "--commit", expect=3)
    assert "were not approved" in failed.stdout + failed.stderr
    assert foreign in held_by(speaker, COMMUNITY).own


def test_a_rule_in_the_place_of_an_approved_one_is_shown(site: Installation, speaker: MemorySpeaker) -> None:
    approve(site)
    site.run("router", "deliver", "--router", "r1", "--commit")
    ours = sorted(held_by(speaker, COMMUNITY).own, key=str)[0]
    speaker.told([ours], Community(64512, 18))
    said = site.run("router", "drift", "--router", "r1", expect=3).stdout
    assert "r1: changed" in said
    assert f"- {ours}" in said
    assert f"+ {ours.pair}: another rule, not of HNTES, stands in its place" in said


@pytest.mark.parametrize("is_up", [True, False])
def test_rules_that_the_router_is_not_sent_are_neither_up_to_date_nor_equal(
    site: Installation, speaker: MemorySpeaker, monkeypatch: pytest.MonkeyPatch, is_up: bool
) -> None:
    monkeypatch.setattr("hntes.delivery.flowspec.announce.SENDING_S", 0.0)
    approve(site)
    site.run("router", "deliver", "--router", "r1", "--commit")
    rules = in_order(held_by(speaker, COMMUNITY).own)
    lost = rules[:1] if is_up else rules
    speaker.is_up, speaker.held_back = is_up, {nlri(rules[0].pair)}

    failed = site.run("router", "deliver", "--router", "r1", "--commit", expect=3)
    assert ("is not sent the announced rules" if is_up else "192.0.2.1 is not up") in failed.stdout + failed.stderr
    assert "up to date" not in failed.stdout
    (found,) = site.json("router", "drift", "--router", "r1", expect=3)
    assert found["state"] == "behind"
    down = [] if is_up else ["! the speaker's session with 192.0.2.1 is not up"]
    assert found["statements"] == [*down, *(f"- {rule}" for rule in lost)][:20]
    assert [each["outcome"] for each in site.json("audit", "--kind", "drift")] == ["behind"]

    speaker.is_up, speaker.held_back = True, set()
    assert "equal" in site.run("router", "drift", "--router", "r1").stdout
    assert "up to date" in site.run("router", "deliver", "--router", "r1", "--commit").stdout


def test_a_rule_that_is_sent_otherwise_than_announced_is_a_change(
    site: Installation, speaker: MemorySpeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hntes.delivery.flowspec.announce.SENDING_S", 0.0)
    approve(site)
    site.run("router", "deliver", "--router", "r1", "--commit")
    rule = in_order(held_by(speaker, COMMUNITY).own)[0]
    other = FlowSpecRule(rule.source, rule.destination, 12)
    policy = MemorySpeaker(dict(speaker.table))
    policy.told([other], COMMUNITY)
    monkeypatch.setattr(speaker, "sent", policy.sent)
    (found,) = site.json("router", "drift", "--router", "r1", expect=3)
    assert (found["state"], found["statements"]) == ("changed", [f"- {rule}", f"+ {other}"])


def test_one_pair_is_withdrawn_and_what_is_left_counts_as_delivered(site: Installation, speaker: MemorySpeaker) -> None:
    approve(site)
    site.run("router", "deliver", "--router", "r1", "--commit")
    rules = held_by(speaker, COMMUNITY).own
    gone = in_order(rules)[-1]
    withdraw_pair = ("router", "remove", "--router", "r1", "--pair", str(gone.pair).replace(" ", ""))

    assert f"- {gone}\n" in site.run(*withdraw_pair).stdout
    assert held_by(speaker, COMMUNITY).own == rules
    assert "the pair is removed" in site.run(*withdraw_pair, "--commit").stdout
    assert held_by(speaker, COMMUNITY).own == rules - {gone}
    assert [len(each) for each in speaker.requests[1:]] == [1]
    assert "equal" in site.run("router", "drift", "--router", "r1").stdout
    assert "has no term for exactly" in site.run(*withdraw_pair, "--commit").stdout

    failed = site.run("router", "deliver", "--router", "r1", "--commit", "--again", expect=3)
    (accepted,) = re.findall(r"the present one (\w+) from", failed.stderr)
    site.run("router", "approve-transition", "--router", "r1", "--hash", accepted, "--who", "anna")
    site.run("router", "deliver", "--router", "r1", "--commit", "--again")
    assert held_by(speaker, COMMUNITY).own == rules


def test_a_pairs_removal_that_was_cut_is_ended_by_the_next_call(
    site: Installation, speaker: MemorySpeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    approve(site)
    site.run("router", "deliver", "--router", "r1", "--commit")
    rules = held_by(speaker, COMMUNITY).own
    gone = in_order(rules)[-1]
    withdraw_pair = ("router", "remove", "--router", "r1", "--pair", str(gone.pair).replace(" ", ""), "--commit")

    change = speaker.change

    def lost(changes: Sequence[Change]) -> NoReturn:
        change(changes)
        raise UnclearError("the speaker went away")

    with monkeypatch.context() as patched:
        patched.setattr(speaker, "change", lost)
        assert "the speaker went away" in site.run(*withdraw_pair, expect=3).stderr
    assert held_by(speaker, COMMUNITY).own == rules - {gone}
    assert "the change of an earlier call was confirmed" in site.run(*withdraw_pair).stdout
    assert log(site)[-2:] == ["push kept", "verified"]


@pytest.mark.parametrize("is_up", [True, False])
def test_a_pair_that_is_withdrawn_does_not_come_back(site: Installation, speaker: MemorySpeaker, is_up: bool) -> None:
    """Whatever else the router is not sent since, and without a session."""
    approve(site)
    site.run("router", "deliver", "--router", "r1", "--commit")
    rules = in_order(held_by(speaker, COMMUNITY).own)
    speaker.held_back.add(nlri(rules[0].pair))
    speaker.is_up = is_up
    site.run("router", "remove", "--router", "r1", "--pair", str(rules[-1].pair).replace(" ", ""), "--commit")
    assert held_by(speaker, COMMUNITY).own == set(rules) - {rules[-1]}


def test_a_pair_is_not_withdrawn_from_rules_that_were_never_delivered(
    site: Installation, speaker: MemorySpeaker
) -> None:
    approve(site)
    site.run("router", "deliver", "--router", "r1", "--commit")
    rules = held_by(speaker, COMMUNITY).own
    stranger = FlowSpecRule(IPv4Network("198.18.0.0/24"), IPv4Network("198.18.1.0/24"), 10)
    speaker.told([stranger], COMMUNITY)
    said = site.run(
        "router", "remove", "--router", "r1", "--pair", str(in_order(rules)[-1].pair), "--commit", expect=3
    ).stderr
    assert "announces rules that match no delivered configuration" in said
    assert held_by(speaker, COMMUNITY).own == rules | {stranger}


def test_a_text_that_was_approved_for_loading_is_not_announced(
    tmp_path: Path, prepared_nights: PreparedNights, speaker: MemorySpeaker
) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    approve(site)
    text = site.settings.read_text(encoding="utf-8")
    following = '[[routers]]\nname = "r2"'
    site.settings.write_text(text.replace(following, f"{SECTION}\n{following}"), encoding="utf-8")
    failed = site.run("router", "deliver", "--router", "r1", "--commit", expect=3)
    assert "was rendered to be loaded as text" in failed.stdout + failed.stderr
    assert speaker.table == {}


def test_the_commands_reach_a_receiver_which_loses_all_with_the_session(tmp_path: Path, site: Installation) -> None:
    if reason := bgp.missing("gobgpd", "bird", "birdc"):
        pytest.skip(reason)
    pytest.importorskip("hntes.delivery.flowspec.gobgp", reason="grpcio is missing")
    candidate_hash = approve(site)
    unreached = site.run("router", "deliver", "--router", "r1", "--commit", expect=3)
    assert "is gobgpd (version 3) running there?" in unreached.stdout
    with bgp.bench(tmp_path / "bgp", bgp.Bird) as bench:
        text = site.settings.read_text(encoding="utf-8").replace("127.0.0.1:50051", bench.speaker.api)
        site.settings.write_text(text.replace('"192.0.2.1"', f'"{bgp.Bird.address}"'), encoding="utf-8")
        site.run("router", "deliver", "--router", "r1", "--commit")
        written = (site.output / "r1" / "approved" / f"{candidate_hash}.flowspec").read_text(encoding="ascii")
        bench.wait_for(spoken(parse_rules(written)))
        assert "equal" in site.run("router", "drift", "--router", "r1").stdout
        (bird,) = bench.receivers
        assert isinstance(bird, bgp.Bird)
        bird.end_session()
        bench.wait_for(set())
        lost = site.run("router", "drift", "--router", "r1", expect=3).stdout
        assert "behind" in lost
        assert f"! the speaker's session with {bird.address} is not up" in lost
        assert "is not up" in site.run("router", "deliver", "--router", "r1", "--commit", expect=3).stdout
        bird.begin_session()
        assert "up to date" in site.run("router", "deliver", "--router", "r1", "--commit").stdout
        bench.wait_for(spoken(parse_rules(written)))
        bench.speaker.kill()
        bench.wait_for(set())
        bench.speaker.start()
        wait_until(bird.has_session, "the session after a restart")
        site.run("router", "deliver", "--router", "r1", "--commit")
        bench.wait_for(spoken(parse_rules(written)))
        site.run("router", "remove", "--router", "r1", "--commit")
        bench.wait_for(set())


OTHERS_RULE = "global rib add -a ipv4-flowspec match source 192.0.2.0/25 destination 192.0.2.128/25 then mark 20"


@pytest.mark.parametrize(
    ("kind", "programs"), [(bgp.Bird, ("bird", "birdc")), (bgp.Frr, ("bgpd",))], ids=["bird", "frr"]
)
def test_a_few_rules_reach_a_receiver_beside_those_of_others(
    tmp_path: Path, kind: type[bgp.Bird], programs: tuple[str, ...]
) -> None:
    if reason := bgp.missing("gobgpd", "gobgp", *programs):
        pytest.skip(reason)
    gobgp = pytest.importorskip(
        "hntes.delivery.flowspec.gobgp", reason="grpcio is missing: pip install 'hntes[flowspec]'"
    )
    rules = random_rules(Random(17), 3, 10, RouteTarget(64512, 100))
    some = {rule for rule in rules if rule.source.prefixlen % 2}
    with bgp.bench(tmp_path, kind) as bench:
        speaker = gobgp.GoBgp(bench.speaker.api, 20.0)
        others = {("192.0.2.0/25", "192.0.2.128/25", 20, None)}
        bench.speaker.command(*OTHERS_RULE.split())
        for before, after in ((set(), rules), (rules, some)):
            request = Announcement(
                "r1", frozenset(before), frozenset(after), COMMUNITY, kind.address, lambda _: None
            )  # fmt: skip
            assert announce(request, speaker, MonotonicTimer(), commit=True).outcome == "done"
            bench.wait_for(spoken(after) | others)
        assert withdraw("r1", COMMUNITY, speaker, lambda _: None, commit=True).outcome == "done"
        bench.wait_for(others)
        speaker.close()
