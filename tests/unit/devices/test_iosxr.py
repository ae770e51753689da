"""An emulated IOS-XR router: target configurations, commits and trials, held against the vendor's guides."""

import pytest

from tests.support.devices.cisco.iosxr import XrRouter
from tests.support.devices.cisco.iosxr_cli import XrTerminal

SHUT = "interface TenGigE0/0/0/0\nshutdown\nroot"
POLICY = """class-map match-any a
match dscp cs6
end-class-map
policy-map p
class a
bandwidth percent 60
class class-default
bandwidth percent {rest}
end-policy-map
interface TenGigE0/0/0/0
service-policy output p
root"""


@pytest.fixture
def router() -> XrRouter:
    return XrRouter("r1")


@pytest.fixture
def terminal(router: XrRouter) -> XrTerminal:
    return configuring(router)


def configuring(router: XrRouter, user: str = "hntes", how: str = "configure") -> XrTerminal:
    terminal = XrTerminal(router, user)
    terminal.enter(how)
    return terminal


def enter(terminal: XrTerminal, text: str) -> str:
    return "".join(terminal.enter(line) for line in text.splitlines())


def shut(router: XrRouter) -> bool:
    router.settle()
    return router.running.get("interface TenGigE0/0/0/0", "shutdown") is not None


def test_nothing_is_in_effect_before_the_commit_and_all_of_it_after(router: XrRouter, terminal: XrTerminal) -> None:
    enter(terminal, SHUT)
    assert not shut(router)
    assert "+interface TenGigE0/0/0/0\n+ shutdown" in terminal.enter("show commit changes diff")
    terminal.enter("commit")
    assert shut(router)
    assert "No configuration changes to commit" in terminal.enter("commit")


def test_a_commit_with_one_error_does_nothing_and_says_where_it_is(router: XrRouter, terminal: XrTerminal) -> None:
    enter(terminal, SHUT + "\n" + POLICY.format(rest=41))
    assert "% Failed to commit one or more configuration items" in terminal.enter("commit")
    assert not shut(router)
    failed = terminal.enter("show configuration failed")
    assert "!! SEMANTIC ERRORS" in failed
    assert "policy-map p\n class class-default\n  bandwidth percent 41\n!!% 'qos-ma' detected" in failed
    enter(terminal, "policy-map p\nclass class-default\nbandwidth percent 40")
    assert "Failed" not in terminal.enter("commit")
    assert shut(router)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("policy-map p\nclass absent\nbandwidth percent 1", "Class-map absent not configured"),
        ("interface TenGigE0/0/0/0\nservice-policy input absent", "Policy-map absent not configured"),
        ("class-map match-any a\nmatch access-group ipv4 absent", "ACL absent not configured"),
    ],
)
def test_names_that_nothing_defines_are_refused_at_the_commit(
    router: XrRouter, terminal: XrTerminal, lines: str, message: str
) -> None:
    assert "%" not in enter(terminal, lines)
    assert "% Failed to commit" in terminal.enter("commit")
    assert message in terminal.enter("show configuration failed")
    assert router.commits == []


def test_what_is_in_use_cannot_be_removed_unless_its_use_goes_in_the_same_commit(
    router: XrRouter, terminal: XrTerminal
) -> None:
    enter(terminal, POLICY.format(rest=40) + "\ncommit\nno policy-map p")
    assert "% Failed to commit" in terminal.enter("commit")
    enter(terminal, "interface TenGigE0/0/0/0\nno service-policy output p")
    assert "Failed" not in terminal.enter("commit")
    assert router.running.get("policy-map p") is None


def test_a_list_that_is_removed_and_built_again_in_one_commit_is_never_missing(
    router: XrRouter, terminal: XrTerminal
) -> None:
    name = "ipv4 access-list l"
    enter(terminal, f"{name}\n10 permit ipv4 host 10.0.0.1 any\n20 permit ipv4 host 10.0.0.2 any\ncommit")
    enter(terminal, f"no {name}\n{name}\n20 permit ipv4 host 10.0.0.3 any\n")
    assert len(list(router.running.below[name].lines())) == 2
    terminal.enter("commit")
    assert list(router.running.below[name].lines()) == ["20 permit ipv4 host 10.0.0.3 any"]


def test_a_trial_goes_back_when_its_time_is_over_unless_its_own_session_commits(router: XrRouter) -> None:
    for confirmed in (False, True):
        terminal = configuring(router)
        enter(terminal, SHUT + "\ncommit confirmed 30")
        if confirmed:
            assert "Confirming commit for trial session" in terminal.enter("commit")
        router.clock.advance(29)
        assert shut(router)
        router.clock.advance(2)
        assert shut(router) == confirmed


def test_no_other_session_can_confirm_a_trial_or_commit_while_it_runs(router: XrRouter, terminal: XrTerminal) -> None:
    """As seen on an IOS XRv 9000: see the module of the router."""
    enter(terminal, SHUT + "\ncommit confirmed 60")
    other = configuring(router, "alice")
    assert "No configuration changes to commit" in other.enter("commit")
    enter(other, "interface TenGigE0/0/0/1\nshutdown")
    assert "unexpired trial/rollback session" in other.enter("commit")
    assert "trial commit is underway" in XrTerminal(router, "bob").enter("configure exclusive")
    router.clock.advance(61)
    assert not shut(router)


def test_a_trial_whose_session_was_cut_goes_back_by_its_timer_and_not_before(
    router: XrRouter, terminal: XrTerminal
) -> None:
    enter(terminal, SHUT + "\ncommit confirmed 60")
    terminal.end()
    assert shut(router)
    assert "No configuration changes to commit" in configuring(router).enter("commit")
    router.clock.advance(61)
    assert not shut(router)


def test_leaving_configuration_mode_asks_and_ends_the_trial(router: XrRouter, terminal: XrTerminal) -> None:
    enter(terminal, SHUT + "\ncommit confirmed 60")
    assert terminal.enter("end").endswith("Do you wish to exit? [no]: ")
    terminal.enter("no")
    assert shut(router)
    terminal.enter("end")
    assert terminal.enter("yes") == "RP/0/RSP0/CPU0:r1#"
    assert not shut(router)


@pytest.mark.parametrize(
    "line", ["commit confirmed 29", "commit confirmed 65536", "commit confirmed minutes 1025", "commit x"]
)
def test_a_trial_takes_from_30_to_65535_seconds(router: XrRouter, terminal: XrTerminal, line: str) -> None:
    enter(terminal, SHUT)
    assert "% Invalid input" in terminal.enter(line)
    assert not shut(router)


def test_leaving_with_changes_asks_what_to_do_with_them(router: XrRouter, terminal: XrTerminal) -> None:
    enter(terminal, SHUT)
    assert "Uncommitted changes found" in terminal.enter("end")
    assert terminal.enter("cancel") == "RP/0/RSP0/CPU0:r1(config)#"
    terminal.enter("end")
    assert terminal.enter("no") == "RP/0/RSP0/CPU0:r1#"
    assert not shut(router)


def test_changes_are_thrown_away_by_abort_and_clear(router: XrRouter, terminal: XrTerminal) -> None:
    enter(terminal, SHUT + "\nclear")
    assert "No configuration changes" in terminal.enter("commit")
    enter(terminal, SHUT)
    assert terminal.enter("abort") == "RP/0/RSP0/CPU0:r1#"
    assert not shut(router)


def test_an_exclusive_session_keeps_others_from_committing(router: XrRouter) -> None:
    alice = configuring(router, "alice", "configure exclusive")
    assert "locked by another agent" in XrTerminal(router, "hntes").enter("configure exclusive")
    terminal = configuring(router)
    enter(terminal, SHUT)
    assert "% Failed to commit" in terminal.enter("commit")
    alice.enter("abort")
    assert "%" not in terminal.enter("commit")
    assert shut(router)


def test_a_commit_of_others_in_between_is_asked_about_and_kept(router: XrRouter, terminal: XrTerminal) -> None:
    enter(terminal, SHUT)
    enter(configuring(router, "alice"), "interface TenGigE0/0/0/1\nshutdown\ncommit")
    assert "Do you wish to proceed with this commit anyway? [no]: " in terminal.enter("commit")
    terminal.enter("no")
    assert not shut(router)
    terminal.enter("commit")
    terminal.enter("yes")
    assert shut(router)
    assert router.running.get("interface TenGigE0/0/0/1", "shutdown") is not None


def test_the_last_commit_can_be_rolled_back(router: XrRouter, terminal: XrTerminal) -> None:
    enter(terminal, SHUT + "\ncommit label hntes-1\nend")
    assert "hntes-1" in terminal.enter("show configuration commit list")
    assert "Updated Commit database" in terminal.enter("rollback configuration last 1")
    assert not shut(router)
    assert "% Failed to rollback" in terminal.enter("rollback configuration last 9")


def test_a_full_disk_refuses_the_commit(router: XrRouter, terminal: XrTerminal) -> None:
    router.full_disk = True
    enter(terminal, SHUT)
    assert "No space left on device" in terminal.enter("commit")
    assert not shut(router)


@pytest.mark.parametrize("kept", [False, True])
def test_a_restart_during_a_trial_does_what_the_router_is_made_to_do(
    router: XrRouter, terminal: XrTerminal, kept: bool
) -> None:
    router.restart_confirms = kept
    enter(terminal, SHUT + "\ncommit confirmed 60")
    router.restart()
    router.clock.advance(61)
    assert shut(router) == kept
