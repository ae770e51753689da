"""Pushes to an emulated EOS router: undisturbed, killed at every request, beside others, restarted, and taken back."""

from functools import partial
from pathlib import Path

import pytest

from hntes.platforms.device_errors import DeliveryError, NotStoredError, RefusedError
from hntes.platforms.transition import removal
from tests.support.devices.eos.cli import EosTerminal, typed
from tests.support.devices.farm import Farm
from tests.support.pushes import KilledError
from tests.support.pushes_eos import TEXTS, EosBench, eos_bench


@pytest.fixture
def routed(tmp_path: Path) -> EosBench:
    return eos_bench(tmp_path)


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")


def requests_of_a_push(folder: Path) -> int:
    folder.mkdir()
    routed = eos_bench(folder)
    routed.push()
    return routed.asked


def test_a_push_is_confirmed_and_saved_and_never_holds_anything_else(routed: EosBench) -> None:
    assert routed.push().outcome == "done"
    assert routed.holds == routed.starts_with == "after"
    assert {routed.name_of(each) for each in routed.commits()} == {"after"}
    assert routed.router.trial is None
    assert [each.state for each in routed.router.sessions.values()] == ["completed"]


def test_the_same_on_releases_up_to_4_31_which_list_a_trial_by_the_state_of_its_session(routed: EosBench) -> None:
    routed.router.names_trial = False
    assert routed.push().outcome == "done"
    assert routed.holds == routed.starts_with == "after"


def test_a_refused_line_leaves_no_session_behind(routed: EosBench) -> None:
    """Lines end below the top of the session, where `abort` alone leaves that mode."""
    device = routed.opened()
    with pytest.raises(RefusedError):
        device.load("interface Ethernet3/1\n   traffic-policy sideways x", is_removal=False)
    device.discard()
    assert list(routed.router.sessions) == []


def test_a_closed_connection_leaves_no_session_behind(routed: EosBench) -> None:
    device = routed.opened()
    device.load("interface Ethernet3/1\n   mtu 9000", is_removal=False)
    device.close()
    assert list(routed.router.sessions) == []


def test_the_same_over_ssh(farm: Farm, tmp_path: Path) -> None:
    routed = eos_bench(tmp_path, farm)
    assert routed.push().outcome == "done"
    assert routed.holds == routed.starts_with == "after"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_push_that_is_killed_at_any_request_is_taken_up_again(tmp_path: Path, side: str) -> None:
    """Most requests are lines of the session, of which every fourth is enough."""
    requests = requests_of_a_push(tmp_path / "all")
    for number in range(1, requests + 1):
        if 12 < number < requests - 18 and number % 4:
            continue
        folder = tmp_path / f"{number}"
        folder.mkdir()
        routed = eos_bench(folder)
        routed.killed_at = (number, side)
        with pytest.raises(KilledError):
            routed.push()
        routed.killed_at = None
        routed.served.stop()
        routed.served.start()
        assert routed.push().outcome in ("done", "held", "finished"), number
        assert routed.holds == routed.starts_with == "after", number
        assert {routed.name_of(each) for each in routed.commits()} <= {"before", "after"}, number
        assert [each.state for each in routed.router.sessions.values() if each.state == "pending"] == [], number


def _noted(routed: EosBench, began: list[int]) -> None:
    began.append(routed.asked)


def test_what_others_change_while_a_session_is_open_is_not_undone(tmp_path: Path) -> None:
    """At each request; but for that of the commit itself: EOS has no lock, and the last look was one request before."""
    requests = requests_of_a_push(tmp_path / "all")
    lost, refusals = [], []
    for number in range(1, requests + 1):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        routed = eos_bench(folder)
        began: list[int] = []
        routed.at["trial starts"] = partial(_noted, routed, began)
        routed.before_request[number] = partial(typed, routed.router, "ntp server 192.0.2.77")
        try:
            routed.push()
        except DeliveryError as refused:
            refusals.append(str(refused))
        if routed.router.running.get("ntp server 192.0.2.77") is None:
            lost.append(number - began[0])
    # the look at sessions is the first request after the step, that at the configuration the second, then the commit
    assert lost == [3]
    assert any("somebody else changed the configuration meanwhile" in each for each in refusals)
    assert any("unsaved change of somebody else" in each for each in refusals)


def test_a_trial_of_somebody_else_is_waited_for_and_not_confirmed(routed: EosBench) -> None:
    terminal = EosTerminal(routed.router, "alice")
    for line in ("configure session own", "ntp server 192.0.2.78", "commit timer 00:10:00"):
        terminal.enter(line)
    with pytest.raises(DeliveryError, match=r"awaits its confirmation \(Session with pending commit timer: own"):
        routed.push()
    assert routed.router.trial is not None


def left_session(routed: EosBench, name: str) -> None:
    terminal = EosTerminal(routed.router, "alice")
    terminal.enter(f"configure session {name}")
    terminal.end()


def test_nothing_is_delivered_while_somebody_is_in_a_session(tmp_path: Path) -> None:
    """At each request up to the commit. His commit would undo what was delivered; begun later, it has that in it."""
    requests = requests_of_a_push(tmp_path / "all")
    refused_at, delivered_at, began = [], [], list[int]()
    for number in range(1, requests + 1):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        routed = eos_bench(folder)
        began.clear()
        routed.at["trial starts"] = partial(_noted, routed, began)
        alice = EosTerminal(routed.router, "alice")
        routed.before_request[number] = partial(_entered, alice)
        said = ""
        try:
            assert routed.push().outcome == "done", number
            delivered_at.append(number - began[0])
        except DeliveryError as refused:
            said = str(refused)
            refused_at.append(number)
        if said:
            assert "in configuration session own (alice on vty5), whose commit would undo this delivery" in said
            assert routed.holds == "before", number
            alice.enter("abort")
            assert routed.push().outcome == "done", number
        assert routed.holds == "after", number
    # the sessions are asked for before the running configuration, which the commit follows
    assert delivered_at[0] == 2
    assert refused_at == list(range(1, requests + 1 - len(delivered_at)))


def _entered(terminal: EosTerminal) -> None:
    terminal.enter("configure session own")


def test_a_session_that_a_lost_push_left_is_ended_and_those_of_others_stay(routed: EosBench) -> None:
    for name in ("hntes-0badcafe", "own"):
        left_session(routed, name)
    assert routed.push().outcome == "done"
    assert routed.router.sessions["own"].state == "pending"
    assert "hntes-0badcafe" not in routed.router.sessions


def test_as_many_sessions_as_a_router_takes_are_told(routed: EosBench) -> None:
    for number in range(5):
        left_session(routed, f"own{number}")
    with pytest.raises(DeliveryError, match="began no configuration session: % Maximum number of pending sessions"):
        routed.push()
    assert routed.holds == "before"


def test_a_change_of_others_that_is_not_saved_is_not_saved_with_ours(routed: EosBench) -> None:
    typed(routed.router, "ntp server 192.0.2.77")
    with pytest.raises(DeliveryError, match=r"unsaved change of somebody else.*(?s:.)*\+ ntp server 192.0.2.77"):
        routed.push()
    assert routed.holds == "neither"


def test_a_router_that_restarts_during_a_trial_has_its_startup_configuration(routed: EosBench) -> None:
    routed.at["verified: to be confirmed"] = routed.served.restart
    with pytest.raises(DeliveryError):
        routed.push()
    assert routed.holds == routed.starts_with == "before"


def test_a_full_disk_is_told_and_the_text_stays(routed: EosBench) -> None:
    routed.router.full_disk = True
    with pytest.raises(NotStoredError, match="did not save it"):
        routed.push()
    assert (routed.holds, routed.starts_with) == ("after", "before")
    routed.router.full_disk = False
    assert routed.push().outcome in ("held", "finished")
    assert routed.starts_with == "after"


def test_a_removal_leaves_what_the_operator_had_byte_for_byte(routed: EosBench) -> None:
    typed(routed.router, removal("eos", TEXTS["before"]))
    assert routed.shown() == routed.operators_own()


def test_a_release_that_counts_no_bytes_is_told(routed: EosBench) -> None:
    routed.router.lists_bytes = False
    device = routed.opened()
    with pytest.raises(DeliveryError, match="without bytes"):
        device.counters(())
    device.close()
