"""From one set of announced rules to another: what is refused, what is cut, what goes back."""

from dataclasses import dataclass, field, replace

import pytest

from hntes.delivery.flowspec.announce import Announcement, announce, verify, withdraw
from hntes.delivery.flowspec.nlri import Community, attributes, nlri
from hntes.delivery.flowspec.path import Path
from hntes.delivery.flowspec.rib import announced, held_by
from hntes.delivery.flowspec.rule import FlowSpecRule
from hntes.delivery.load_watch import LoadError
from hntes.platforms.device_errors import DeliveryError, DriftError, NotKeptError, StuckError, UnclearError
from hntes.rules.pairs import PrefixPair
from tests.support.speakers import MemorySpeaker

OURS, THEIRS = Community(64512, 17), Community(64512, 99)


def rule(number: int, dscp: int = 10, ip_version: int = 4) -> FlowSpecRule:
    text = "198.18.{0}.0/24>203.0.113.0/24" if ip_version == 4 else "2001:db8:{0}::/64>2001:db8:ffff::/64"
    pair = PrefixPair.parse(text.format(number))
    return FlowSpecRule(pair.source, pair.destination, dscp)


BEFORE = frozenset({rule(1), rule(2), rule(3), rule(1, ip_version=6)})
AFTER = frozenset({rule(2), rule(3, dscp=12), rule(4), rule(2, ip_version=6)})


@dataclass
class Timer:
    passed_s: float = 0.0

    def now_s(self) -> float:
        return self.passed_s

    def sleep(self, seconds: float) -> None:
        self.passed_s += seconds


@dataclass
class Bench:
    """A speaker that holds the rules before, and the log."""

    speaker: MemorySpeaker = field(default_factory=MemorySpeaker)
    log: list[str] = field(default_factory=list)
    timer: Timer = field(default_factory=Timer)

    def __post_init__(self) -> None:
        self.speaker.told(list(BEFORE), OURS)
        self.request = Announcement("r1", BEFORE, AFTER, OURS, "192.0.2.1", self.log.append)

    def announced(self, *, commit: bool = True) -> str:
        return announce(self.request, self.speaker, self.timer, commit=commit).outcome

    @property
    def holds(self) -> frozenset[FlowSpecRule]:
        return held_by(self.speaker, OURS).own


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_the_speaker_is_told_what_differs_and_nothing_else(bench: Bench) -> None:
    shown = announce(bench.request, bench.speaker, bench.timer, commit=False)
    assert (shown.outcome, bench.holds, bench.speaker.requests) == ("shown", BEFORE, [])
    assert sorted(shown.difference.splitlines()) == sorted(
        [*(f"- {each}" for each in BEFORE - AFTER), *(f"+ {each}" for each in AFTER - BEFORE)]
    )
    assert bench.announced() == "done"
    assert bench.holds == AFTER
    (request,) = bench.speaker.requests
    # what leaves goes first; a rule with another mark is replaced in one step
    assert [bool(each.attributes) for each in request] == [False, False, True, True, True]
    assert [line.split(":")[0] for line in bench.log] == ["announcement starts", "kept"]
    assert bench.announced() == "held"
    assert len(bench.speaker.requests) == 1


def test_rules_that_are_not_allowed_do_not_come_and_others_still_leave(bench: Bench) -> None:
    def refused() -> None:
        raise DeliveryError("excluded now by noc")

    bench.request = replace(bench.request, require_allowed=refused)
    for commit in (False, True):
        with pytest.raises(DeliveryError, match="excluded now by noc"):
            bench.announced(commit=commit)
    assert (bench.holds, bench.speaker.requests, bench.log) == (BEFORE, [], [])
    bench.request = replace(bench.request, after=BEFORE - {rule(1)})
    assert bench.announced() == "done"
    assert bench.holds == BEFORE - {rule(1)}


def _refused() -> None:
    raise DeliveryError("excluded now by noc")


def test_rules_that_are_excluded_while_the_load_is_watched_are_taken_back(bench: Bench) -> None:
    excluded: list[bool] = []

    def allowed() -> None:
        if excluded:
            _refused()

    bench.request = replace(bench.request, require_allowed=allowed, on_trial=lambda: excluded.append(True))
    with pytest.raises(NotKeptError, match="excluded now by noc; the earlier rules are announced again"):
        bench.announced()
    assert bench.holds == BEFORE
    assert "kept" not in bench.log


@pytest.mark.parametrize("held", [AFTER, AFTER | BEFORE, (AFTER - {rule(4)}) | {rule(1)}])
@pytest.mark.parametrize("is_up", [True, False])
def test_rules_of_a_cut_call_do_not_stay_if_they_are_excluded_since(
    bench: Bench, held: frozenset[FlowSpecRule], is_up: bool
) -> None:
    bench.speaker.table.clear()
    bench.speaker.told(list(held), OURS)
    bench.speaker.is_up = is_up
    bench.request = replace(bench.request, unverified_since=BEFORE, require_allowed=_refused)
    left = bench.holds
    with pytest.raises(DeliveryError, match="excluded now by noc"):
        bench.announced(commit=False)
    assert bench.holds == left
    with pytest.raises(NotKeptError, match="excluded now by noc; the earlier rules are announced again"):
        bench.announced()
    assert bench.holds == BEFORE


def test_a_refusal_brings_back_no_rules_that_a_speaker_has_lost(bench: Bench) -> None:
    bench.speaker.table.clear()
    bench.request = replace(bench.request, unverified_since=BEFORE, require_allowed=_refused)
    with pytest.raises(DeliveryError, match="excluded now by noc"):
        bench.announced()
    assert (bench.holds, bench.log) == (frozenset(), [])


def test_what_leaves_is_not_brought_back_by_a_refusal(bench: Bench) -> None:
    bench.request = replace(bench.request, after=BEFORE - {rule(1)}, require_allowed=_refused)
    bench.request = replace(bench.request, unverified_since=BEFORE)
    assert bench.announced() == "done"
    assert bench.holds == BEFORE - {rule(1)}


def test_a_router_that_is_loaded_already_is_told_nothing(bench: Bench) -> None:
    def loaded() -> None:
        raise LoadError("processor RE0 at 97 %")

    bench.request = replace(bench.request, before_push=loaded)
    with pytest.raises(LoadError, match="RE0 at 97 %"):
        bench.announced()
    assert (bench.holds, bench.speaker.requests, bench.log) == (BEFORE, [], [])
    assert bench.announced(commit=False) == "shown"


def test_rules_that_load_a_router_are_taken_back(bench: Bench) -> None:
    held: list[frozenset[FlowSpecRule]] = []

    def loaded() -> None:
        held.append(bench.holds)
        raise LoadError("memory FPC 0 at 99 %")

    bench.request = replace(bench.request, on_trial=loaded)
    with pytest.raises(NotKeptError, match="memory FPC 0 at 99 %; the earlier rules are announced again"):
        bench.announced()
    assert (held, bench.holds) == ([AFTER], BEFORE)
    assert "kept" not in bench.log


@pytest.mark.parametrize("done", range(5))
def test_a_call_that_was_cut_is_ended_by_the_next(bench: Bench, done: int) -> None:
    bench.speaker.fails_after = done
    with pytest.raises(UnclearError):
        bench.announced()
    assert bench.holds <= BEFORE | AFTER
    bench.speaker.fails_after = None
    assert bench.announced() == "done"
    assert bench.holds == AFTER


def test_a_speaker_that_was_started_anew_gets_all(bench: Bench) -> None:
    bench.speaker.table.clear()
    assert bench.announced() == "done"
    assert bench.holds == AFTER


def test_a_rule_that_was_not_approved_stops_it(bench: Bench) -> None:
    bench.speaker.told([rule(9)], OURS)
    for commit in (False, True):
        with pytest.raises(DriftError, match=r"(?s)not approved.*\+ 198.18.9.0/24 > 203.0.113.0/24 dscp 10"):
            bench.announced(commit=commit)
    assert (bench.speaker.requests, bench.log) == ([], [])


def test_a_rule_of_ours_that_does_more_stops_it(bench: Bench) -> None:
    value = bytes.fromhex("8006000000000000")
    path_attributes = (*attributes(rule(2), OURS)[:3], bytes([0xC0, 16, 8]) + value)
    bench.speaker.table[4, nlri(rule(2).pair)] = Path(4, nlri(rule(2).pair), path_attributes, is_local=True)
    with pytest.raises(DriftError, match="has action 8006"):
        bench.announced()
    assert bench.speaker.requests == []


def test_what_others_announced_stays_and_is_told(bench: Bench) -> None:
    bench.speaker.told([rule(7)], THEIRS)
    heard = announced(rule(8), OURS)
    bench.speaker.heard = [Path(4, heard.nlri, heard.attributes, is_local=False)]
    shown = announce(bench.request, bench.speaker, bench.timer, commit=True)
    assert shown.difference.endswith("2 foreign rules are not touched")
    assert rule(7) in held_by(bench.speaker, THEIRS).own
    assert withdraw("r1", OURS, bench.speaker, bench.log.append, commit=True).outcome == "done"
    assert held_by(bench.speaker, THEIRS).own == {rule(7)}
    assert bench.holds == frozenset()


def test_a_pair_that_somebody_else_announces_there_is_not_replaced(bench: Bench) -> None:
    bench.speaker.told([rule(4)], THEIRS)
    with pytest.raises(DeliveryError, match=r"the speaker has foreign rules for 198\.18\.4\.0/24"):
        bench.announced()
    assert bench.speaker.requests == []


def test_without_a_session_nothing_is_begun(bench: Bench) -> None:
    bench.speaker.is_up = False
    for commit in (False, True):
        with pytest.raises(DeliveryError, match="is not up; nothing was changed"):
            bench.announced(commit=commit)
    assert (bench.speaker.requests, bench.log) == ([], [])


@pytest.mark.parametrize("is_up", [True, False])
@pytest.mark.parametrize("commit", [True, False])
def test_what_the_speaker_holds_and_does_not_send_is_not_held(bench: Bench, is_up: bool, commit: bool) -> None:
    assert bench.announced() == "done"
    bench.speaker.is_up = is_up
    bench.speaker.held_back = {nlri(rule(4).pair)}
    said = "192.0.2.1 is not sent the announced rules: 1 rules are missing" if is_up else "192.0.2.1 is not up"
    with pytest.raises(DeliveryError, match=said):
        bench.announced(commit=commit)
    bench.speaker.is_up, bench.speaker.held_back = True, set()
    assert bench.announced(commit=commit) == "held"


def test_unverified_rules_that_are_not_sent_are_left_to_the_call_that_takes_them_back(bench: Bench) -> None:
    bench.speaker.table.clear()
    bench.speaker.told(list(AFTER), OURS)
    bench.request = replace(bench.request, unverified_since=BEFORE)
    bench.speaker.held_back = {nlri(rule(4).pair)}
    assert bench.announced(commit=False) == "held"
    with pytest.raises(NotKeptError, match="1 rules are missing"):
        bench.announced()
    assert bench.holds == BEFORE


def test_what_the_neighbor_is_not_sent_goes_back(bench: Bench) -> None:
    bench.speaker.held_back = {nlri(rule(4).pair)}
    with pytest.raises(NotKeptError, match="1 rules are missing"):
        bench.announced()
    assert bench.holds == BEFORE
    assert bench.log[-1] == "not verified: the earlier rules are announced again"


def test_probes_that_fail_bring_the_earlier_rules_back(bench: Bench) -> None:
    def failing() -> None:
        raise DeliveryError("probe `ping` ended with status 1")

    bench.request = replace(bench.request, verify=failing)
    with pytest.raises(NotKeptError, match="probe `ping`"):
        bench.announced()
    assert bench.holds == BEFORE


def test_a_log_that_cannot_be_written_keeps_it_from_beginning(bench: Bench) -> None:
    def refusing(_: str) -> None:
        raise OSError("disk full")

    bench.request = replace(bench.request, record=refusing)
    with pytest.raises(OSError, match="disk full"):
        bench.announced()
    assert bench.speaker.requests == []


def test_a_verification_asks_for_all_three(bench: Bench) -> None:
    with pytest.raises(DeliveryError, match="does not hold the approved rules"):
        verify(bench.request, bench.speaker, bench.timer)
    bench.announced()
    verify(bench.request, bench.speaker, bench.timer)
    bench.speaker.is_up = False
    with pytest.raises(DeliveryError, match="is not sent the announced rules"):
        verify(bench.request, bench.speaker, bench.timer)


def test_a_withdrawal_removes_whatever_has_the_community(bench: Bench) -> None:
    odd = Path(4, bytes.fromhex("05 01 18 c00002"), tuple(attributes(rule(1), OURS)), is_local=True)
    bench.speaker.table[4, odd.nlri] = odd
    shown = withdraw("r1", OURS, bench.speaker, bench.log.append, commit=False)
    assert (shown.outcome, len(shown.difference.splitlines()), bench.log) == ("shown", 5, [])
    assert withdraw("r1", OURS, bench.speaker, bench.log.append, commit=True).outcome == "done"
    assert bench.speaker.table == {}
    assert bench.log == ["withdrawal of 5 FlowSpec rules starts", "kept"]
    assert withdraw("r1", OURS, bench.speaker, bench.log.append, commit=True).outcome == "held"


def test_a_speaker_that_keeps_rules_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.speaker, "_done", lambda _: None)
    with pytest.raises(StuckError, match="still holds 4 rules"):
        withdraw("r1", OURS, bench.speaker, bench.log.append, commit=True)


def _probe_fails() -> None:
    raise DeliveryError("probe `ping` ended with status 1")


@pytest.mark.parametrize("is_well", [True, False])
def test_what_a_call_announced_that_was_cut_is_verified_by_the_next(bench: Bench, is_well: bool) -> None:
    bench.speaker.table.clear()
    bench.speaker.told(list(AFTER), OURS)
    bench.request = replace(bench.request, unverified_since=BEFORE, verify=(lambda: None) if is_well else _probe_fails)
    assert bench.announced(commit=False) == "held"
    if is_well:
        assert bench.announced() == "finished"
        assert bench.log == ["kept"]
    else:
        with pytest.raises(NotKeptError, match="probe `ping`"):
            bench.announced()
        assert bench.holds == BEFORE
