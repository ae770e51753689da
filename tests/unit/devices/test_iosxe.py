"""An emulated IOS-XE router, line by line, held against the vendor's guides."""

import pytest

from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal

POLICY = """class-map match-any a
match dscp cs6
class-map match-any b
match qos-group 4
policy-map p
class a
bandwidth percent 60
class class-default
bandwidth percent 40
interface TenGigabitEthernet0/0/1
service-policy output p"""


@pytest.fixture
def router() -> XeRouter:
    return XeRouter("r1")


@pytest.fixture
def terminal(router: XeRouter) -> XeTerminal:
    each = XeTerminal(router, "hntes")
    each.enter("configure terminal")
    return each


def enter(terminal: XeTerminal, text: str) -> str:
    """What all lines printed, without prompts."""
    printed = [terminal.enter(line).rsplit("\n", 1) for line in text.splitlines()]
    return "".join(part[0] for part in printed if len(part) == 2)


def shown(router: XeRouter, *keys: str) -> list[str]:
    section = router.running.get(*keys)
    assert section is not None
    return list(section.lines())


def test_each_line_is_in_effect_when_it_has_been_entered(router: XeRouter, terminal: XeTerminal) -> None:
    assert terminal.enter("interface TenGigabitEthernet0/0/1") == "r1(config-if)#"
    terminal.enter("shutdown")
    assert shown(router, "interface TenGigabitEthernet0/0/1") == ["shutdown"]
    terminal.end()
    assert shown(router, "interface TenGigabitEthernet0/0/1") == ["shutdown"]


def test_the_prompt_follows_the_modes_and_a_line_of_an_outer_mode_leaves_the_inner(terminal: XeTerminal) -> None:
    lines = ("class-map match-any a", "policy-map p", "class a", "class class-default", "exit", "exit", "end")
    assert [terminal.enter(line) for line in lines] == [
        "r1(config-cmap)#", "r1(config-pmap)#", "r1(config-pmap-c)#", "r1(config-pmap-c)#", "r1(config-pmap)#",
        "r1(config)#", "r1#",
    ]  # fmt: skip


def test_a_line_that_is_not_understood_gets_a_caret_under_the_first_wrong_word(terminal: XeTerminal) -> None:
    terminal.enter("interface Gi1")
    assert terminal.enter("service-policy sideways p") == (
        " " * len("r1(config-if)#service-policy ") + "^\n% Invalid input detected at '^' marker.\n\nr1(config-if)#"
    )
    assert terminal.enter("service-policy input") == "% Incomplete command.\n\nr1(config-if)#"


def test_lines_before_and_after_a_wrong_one_are_in_effect(router: XeRouter, terminal: XeTerminal) -> None:
    assert "Invalid" in enter(terminal, "class-map match-any a\nmatch dscpp cs6\nmatch dscp cs7")
    assert shown(router, "class-map match-any a") == ["match dscp cs7"]


def test_a_class_that_is_added_later_stands_last_but_before_class_default(
    router: XeRouter, terminal: XeTerminal
) -> None:
    enter(terminal, POLICY + "\npolicy-map p\nclass b")
    assert [line for line in shown(router, "policy-map p") if not line.startswith(" ")] == [
        "class a", "class b", "class class-default",
    ]  # fmt: skip


def test_shares_above_a_hundred_per_cent_are_refused_and_the_line_before_stays(
    router: XeRouter, terminal: XeTerminal
) -> None:
    assert enter(terminal, POLICY) == ""
    refused = "Sum total of class bandwidths exceeds 100 percent"
    assert enter(terminal, "policy-map p\nclass b\nbandwidth percent 1") == refused
    assert enter(terminal, "class a\nbandwidth percent 61") == refused
    assert enter(terminal, "class b\npriority percent 1") == refused
    assert shown(router, "policy-map p", "class a") == ["bandwidth percent 60"]
    # To move share from one class to another, the one that gives has to come first.
    assert enter(terminal, "class a\nbandwidth percent 50\nclass class-default\nbandwidth percent 50") == ""


def test_what_does_not_exist_cannot_be_named(terminal: XeTerminal) -> None:
    assert enter(terminal, "policy-map p\nclass absent") == "class map absent not configured"
    assert enter(terminal, "interface Gi1\nservice-policy output absent") == "% policy map absent not configured"


def test_a_second_policy_has_to_wait_until_the_first_is_taken_off(router: XeRouter, terminal: XeTerminal) -> None:
    enter(terminal, POLICY + "\npolicy-map q\nclass class-default\ninterface TenGigabitEthernet0/0/1")
    assert enter(terminal, "service-policy output q") == "Policy map p is already attached"
    assert enter(terminal, "no service-policy output p\nservice-policy output q") == ""
    assert shown(router, "interface TenGigabitEthernet0/0/1") == ["service-policy output q"]


def test_what_is_in_use_stays_but_an_access_list_goes(router: XeRouter, terminal: XeTerminal) -> None:
    enter(terminal, POLICY + "\nip access-list extended l\n10 permit ip any any")
    enter(terminal, "class-map match-any a\nmatch access-group name l")
    assert enter(terminal, "no class-map match-any a") == "% Class-map a is being used"
    assert enter(terminal, "no policy-map p") == "% Policy-map p is being used"
    assert enter(terminal, "no ip access-list extended l") == ""
    assert router.running.get("ip access-list extended l") is None
    assert "match access-group name l" in shown(router, "class-map match-any a")


def test_entries_of_an_access_list_stand_by_number_and_are_never_there_twice(
    router: XeRouter, terminal: XeTerminal
) -> None:
    list_name = "ip access-list extended l"
    printed = enter(
        terminal,
        f"{list_name}\n20 permit ip host 10.0.0.2 any\n10 permit ip host 10.0.0.1 any\npermit ip host 10.0.0.3 any\n"
        "40 permit ip host 10.0.0.1 any",
    )
    assert printed == ""
    entries = ["10 permit ip host 10.0.0.1 any", "20 permit ip host 10.0.0.2 any", "30 permit ip host 10.0.0.3 any"]
    assert shown(router, list_name) == entries
    assert "% Duplicate sequence number" in enter(terminal, "10 permit ip host 10.0.0.9 any")
    assert enter(terminal, "no 20\nno permit ip host 10.0.0.3 any") == ""
    assert shown(router, list_name) == entries[:1]


def test_without_a_confirmation_the_router_goes_back_and_with_it_stays(router: XeRouter, terminal: XeTerminal) -> None:
    enter(terminal, "archive\npath bootflash:backup\nend")
    for confirmed in (False, True):
        assert "Backing up current running config to bootflash:backup" in terminal.enter(
            "configure terminal revert timer 2"
        )
        enter(terminal, "interface Gi1\nshutdown\nend" + "\nconfigure confirm" * confirmed)
        router.clock.advance(119)
        terminal.enter("")
        assert router.running.get("interface Gi1") is not None
        router.clock.advance(2)
        terminal.enter("")
        assert (router.running.get("interface Gi1") is not None) == confirmed
    assert enter(terminal, "configure confirm") == "%No Rollback Confirmed Change pending"


def test_a_revert_timer_needs_an_archive_and_a_place_on_the_disk(router: XeRouter, terminal: XeTerminal) -> None:
    terminal.enter("end")
    assert "Please turn config archive on" in terminal.enter("configure terminal revert timer 2")
    enter(terminal, "configure terminal\narchive\npath bootflash:backup\nend")
    router.full_disk = True
    assert "No space left on device" in terminal.enter("configure terminal revert timer 2")
    assert router.revert is None


def test_only_who_set_the_timer_confirms_and_is_warned_a_minute_before(router: XeRouter, terminal: XeTerminal) -> None:
    enter(terminal, "archive\npath bootflash:backup\nend")
    timer = "show archive config rollback timer"
    assert enter(terminal, timer) == "%No Rollback Confirmed Change pending"
    enter(terminal, "configure terminal revert timer 3\nend")
    alice = XeTerminal(router, "alice")
    assert "Timer value: 3 min\nUser: hntes" in alice.enter(timer)
    assert "was set by user hntes" in alice.enter("configure confirm")
    router.clock.advance(120)
    assert "begin in one minute" not in alice.enter(timer)
    assert "begin in one minute" in terminal.enter(timer)
    assert "begin in one minute" not in terminal.enter(timer)
    assert enter(terminal, "configure confirm") == ""
    assert router.revert is None


def test_numbers_of_entries_are_not_stored_where_a_release_does_not(router: XeRouter, terminal: XeTerminal) -> None:
    router.stores_numbers = False
    enter(terminal, "ip access-list extended l\n7 permit ip host 10.0.0.1 any\n9 permit ip host 10.0.0.2 any")
    enter(terminal, "ipv6 access-list m\nsequence 7 permit ipv6 any any\nend\nwrite memory")
    router.restart()
    entries = ["10 permit ip host 10.0.0.1 any", "20 permit ip host 10.0.0.2 any"]
    assert shown(router, "ip access-list extended l") == entries
    assert shown(router, "ipv6 access-list m") == ["sequence 10 permit ipv6 any any"]


def test_a_configuration_of_another_release_is_stored_after_a_question(router: XeRouter, terminal: XeTerminal) -> None:
    router.asks_before_saving = True
    enter(terminal, "interface Gi1\nend")
    assert terminal.enter("write memory").endswith("[confirm]")
    assert router.startup.get("interface Gi1") is None
    assert "[OK]" in terminal.enter("")
    assert router.startup.get("interface Gi1") is not None


def test_a_restart_forgets_what_was_not_saved_and_the_timer(router: XeRouter, terminal: XeTerminal) -> None:
    enter(terminal, "archive\npath bootflash:backup\nend\nwrite memory\nconfigure terminal revert timer 5")
    enter(terminal, "interface Gi1\nend")
    router.restart()
    assert router.revert is None
    assert router.running.get("interface Gi1") is None
    assert router.archive_path() == "bootflash:backup"


def test_saving_asks_for_a_name_and_fails_on_a_full_disk(router: XeRouter, terminal: XeTerminal) -> None:
    enter(terminal, "interface Gi1\nend")
    assert terminal.enter("copy running-config startup-config") == "Destination filename [startup-config]? "
    assert terminal.enter("") == "Building configuration...\n[OK]\nr1#"
    router.full_disk = True
    enter(terminal, "configure terminal\ninterface Gi2\nend")
    assert "Not enough space" in terminal.enter("write memory")
    assert "+interface Gi2" in terminal.enter("show archive config differences")


def test_replacing_brings_a_stored_configuration_back_as_a_whole(router: XeRouter, terminal: XeTerminal) -> None:
    enter(terminal, "interface Gi1\nend\nwrite memory\nconfigure terminal\nno interface Gi1\nend")
    assert "Rollback Done" in terminal.enter("configure replace nvram:startup-config force")
    assert router.running.get("interface Gi1") is not None
    assert "No such file" in terminal.enter("configure replace bootflash:absent force")


def test_another_users_exclusive_mode_keeps_others_out(router: XeRouter, terminal: XeTerminal) -> None:
    terminal.enter("end")
    router.locked_by = "alice"
    assert "locked exclusively by user 'alice'" in terminal.enter("configure terminal")
    assert terminal.enter("") == "r1#"


def test_the_entries_of_a_route_map_are_modes_of_their_own(router: XeRouter, terminal: XeTerminal) -> None:
    assert enter(terminal, "route-map m permit 10\nmatch ip address l\nroute-map m permit 20\nset ip df 0") == ""
    assert shown(router, "route-map m permit 10") == ["match ip address l"]
    assert shown(router, "route-map m permit 20") == ["set ip df 0"]
