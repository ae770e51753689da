"""Transitions line by line, on a router that refuses what its vendor's refuses."""

from dataclasses import replace
from itertools import combinations, pairwise

import pytest

from hntes.platforms.cisco import sequence
from hntes.platforms.render import render
from hntes.platforms.transition import removal, transition
from hntes.platforms.transition_errors import TransitionError
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from tests.support.ios_lines import Configuration, RefusedError, loaded, typed
from tests.support.ios_paths import permitting, queues, redirect
from tests.support.qos_models import PAIRS, PLANS, PORTS, RESERVED, model, router

EDGE, CORE = f"{PORTS['iosxe'][0]}.100", PORTS["iosxe"][1]
IPV4 = [pair for pair in PAIRS if pair.ip_version == 4]


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("!")]


@pytest.mark.parametrize(("old", "new"), [("two_queue", "scavenger_policer"), ("single_queue", "two_queue")])
def test_an_end_state_over_another_plans_is_refused_but_for_its_new_policies(old: str, new: str) -> None:
    """What was delivered before: a text that only adds. Its second service policy is refused; a transition is not."""
    running = loaded(Configuration(), render(model("iosxe", old)))
    with pytest.raises(RefusedError, match="attached already"):
        loaded(running, render(model("iosxe", new)))
    after = loaded(running, transition("iosxe", render(model("iosxe", old)), render(model("iosxe", new))))
    assert after.shown() == loaded(Configuration(), render(model("iosxe", new))).shown()


def test_shares_that_rise_one_by_one_exceed_the_link() -> None:
    """The router of these tests refuses what a policy in use would go through without a new name."""
    running = loaded(Configuration(), render(model("iosxe")))
    policy = next(line for line in render(model("iosxe")).splitlines() if line.startswith("policy-map hntes-out"))
    with pytest.raises(RefusedError, match="105 per cent"):
        loaded(running, f"{policy}\n class hntes-queue-alpha\n  bandwidth percent 60\n")


def test_the_last_pair_of_a_family_takes_its_match_and_then_its_list_away() -> None:
    old, new = render(model("iosxe")), render(model("iosxe", pairs=IPV4))
    assert commands(transition("iosxe", old, new)) == [
        "class-map match-any hntes-alpha",
        " no match access-group name hntes-alpha-v6",
        "no ipv6 access-list hntes-alpha-v6",
    ]


def test_lines_of_pairs_that_are_gone_are_removed_by_what_they_permit() -> None:
    old, new = render(model("iosxe", pairs=IPV4)), render(model("iosxe", pairs=IPV4[1:]))
    assert commands(transition("iosxe", old, new)) == [
        "ip access-list extended hntes-alpha-v4",
        " no permit ip 198.18.10.0 0.0.0.255 203.0.113.0 0.0.0.255",
    ]
    assert commands(transition("iosxe", new, old)) == [
        "ip access-list extended hntes-alpha-v4",
        " 134892620 permit ip 198.18.10.0 0.0.0.255 203.0.113.0 0.0.0.255",
    ]


def test_a_pair_whose_line_takes_another_number_never_leaves_its_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence, "BAND_WIDTH", 2)
    hosts = [PrefixPair.parse(f"198.18.0.{index}/32>198.51.100.1/32") for index in range(8)]
    gone, stays = next(
        (gone, stays)
        for one in combinations(hosts, 2)
        for gone, stays in (one, one[::-1])
        if sequence.sequence_numbers(one)[stays] != sequence.sequence_numbers([stays])[stays]
    )
    old = render(model("iosxe", redirect="next_hop", pairs=[gone, stays]))
    new = render(model("iosxe", redirect="next_hop", pairs=[stays]))
    text = transition("iosxe", old, new)
    assert "ip access-list extended hntes-alpha-v4-bridge" in commands(text)
    running = loaded(Configuration(), old)
    for line, now in typed(running, text):
        lists = permitting(now, stays)
        assert queues(now, lists, EDGE, CORE) == {"hntes-queue-alpha"}, line
        assert redirect(now, lists, EDGE, 4) == {"set ip next-hop 192.0.2.1"}, line
    assert running.shown() == loaded(Configuration(), new).shown()


def test_a_removal_leaves_an_empty_router() -> None:
    text = render(model("iosxe", "wred_policer", "lsp"))
    assert loaded(loaded(Configuration(), text), removal("iosxe", text)).shown() == ""


def test_a_policy_that_changes_under_its_name_is_refused() -> None:
    text = render(model("iosxe"))
    with pytest.raises(TransitionError, match="other lines under the same name"):
        transition("iosxe", text, text.replace("bandwidth percent 55", "bandwidth percent 50"))


@pytest.mark.parametrize("line", ["snmp-server community public", " permit ip any any"])
def test_a_text_that_was_not_rendered_is_refused(line: str) -> None:
    with pytest.raises(TransitionError, match="render the text again"):
        transition("iosxe", None, f"! head\n{line}\n")


def test_a_number_that_another_class_had_is_refused() -> None:
    """Typed line by line, the classes would know both numbers while packets of pairs still have the old one."""
    plan = PLANS["scavenger_policer"]
    before = render(build_model(router("iosxe"), plan, PAIRS))
    after = render(build_model(router("iosxe", queues={"alpha": 1, "scavenger": 4}), plan, PAIRS))
    with pytest.raises(TransitionError, match="scavenger takes over `match qos-group 4` of hntes-queue-alpha"):
        transition("iosxe", before, after)
    others = render(build_model(router("iosxe", queues={"alpha": 6, "scavenger": 7}), plan, PAIRS))
    for old, new in ((before, others), (others, after)):
        assert commands(transition("iosxe", old, new))


def test_a_reservation_comes_and_goes_and_the_others_stay_in_their_queues() -> None:
    first, second, third = RESERVED
    plan, pair = PLANS["premium"], IPV4[-1]
    states = [
        render(build_model(router("iosxe"), plan, PAIRS, reserved))
        for reserved in ([first], [first, second, third], [first, replace(third, rate_bps=90_000_000)], [first])
    ]
    running = loaded(Configuration(), states[0])
    for old, new in pairwise(states):
        for line, now in typed(running, transition("iosxe", old, new)):
            if line.startswith(" no service-policy"):
                continue
            assert queues(now, permitting(now, first.pair), EDGE, CORE) == {"hntes-queue-premium"}, line
            assert queues(now, permitting(now, pair), EDGE, CORE) == {"hntes-queue-alpha"}, line
        assert running.shown() == loaded(Configuration(), new).shown()


def test_the_first_reservation_and_the_plan_without_one() -> None:
    plain, reserved = render(model("iosxe")), render(model("iosxe", "premium"))
    running = loaded(Configuration(), plain)
    for old, new in ((plain, reserved), (reserved, plain)):
        running = loaded(running, transition("iosxe", old, new))
        assert running.shown() == loaded(Configuration(), new).shown()
    assert "premium" not in running.shown()
    assert loaded(loaded(Configuration(), reserved), removal("iosxe", reserved)).shown() == Configuration().shown()


@pytest.mark.parametrize("queues_of_the_other", [{}, {"alpha": 7}])
@pytest.mark.parametrize("to_scavenger", [True, False])
def test_a_queue_for_what_is_out_of_profile_comes_as_that_of_reservations_goes_or_the_other_way(
    to_scavenger: bool, queues_of_the_other: dict[str, int]
) -> None:
    """Also where alpha's queue gets another number at the same time: its marks are new, and known to both."""
    pair = IPV4[-1]
    other = router("iosxe", queues=queues_of_the_other)
    reserving = render(build_model(other, PLANS["premium"], PAIRS, RESERVED[:1]))
    policing = render(model("iosxe", "scavenger_policer"))
    old, new = (reserving, policing) if to_scavenger else (policing, reserving)
    allowed = {"hntes-queue-alpha", "hntes-queue-scavenger"}
    for line, now in typed(loaded(Configuration(), old), transition("iosxe", old, new)):
        if not line.startswith(" no service-policy"):
            assert queues(now, permitting(now, pair), EDGE, CORE) <= allowed, line


@pytest.mark.parametrize("to_scavenger", [True, False])
def test_a_reserved_pair_is_not_led_past_its_queues_where_plans_change_without_an_order_that_is_right(
    to_scavenger: bool,
) -> None:
    """Of reservation 1's pair one plan's policies know no premium queue, of others the other's know no scavenger's."""
    pairs = [*PAIRS, RESERVED[0].pair]
    reserving = render(build_model(router("iosxe"), PLANS["premium"], pairs, RESERVED[:1]))
    policing = render(build_model(router("iosxe"), PLANS["scavenger_policer"], pairs))
    old, new = (reserving, policing) if to_scavenger else (policing, reserving)
    with pytest.raises(TransitionError, match=r"pairs of hntes-.* would temporarily use a wrong queue"):
        transition("iosxe", old, new)
    alone = render(build_model(router("iosxe"), PLANS["scavenger_policer"], [RESERVED[0].pair]))
    states = (alone, reserving) if not to_scavenger else (reserving, alone)
    with pytest.raises(TransitionError, match="would temporarily use a wrong queue"):
        transition("iosxe", *states)


def test_a_pair_that_a_wider_one_takes_in_is_not_led_past_its_queues() -> None:
    """Packets of the narrower pair are the wider one's afterwards: queues that go are left after the marks have."""
    narrow = PrefixPair.parse("198.18.10.0/25>203.0.113.0/24")
    wide = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")
    old = render(build_model(router("iosxe"), PLANS["scavenger_policer"], [narrow]))
    new = render(build_model(router("iosxe"), PLANS["two_queue"], [wide]))
    for line, now in typed(loaded(Configuration(), old), transition("iosxe", old, new)):
        if not line.startswith(" no service-policy"):
            found = queues(now, permitting(now, narrow), EDGE, CORE)
            assert found <= {"hntes-queue-alpha", "hntes-queue-scavenger"}, line
