"""Transitions of random histories on a router that refuses what its vendor's refuses."""

import copy
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given

from hntes.platforms.cisco import sequence
from hntes.platforms.transition import removal, transition
from hntes.platforms.transition_errors import TransitionError
from hntes.rules.pairs import PrefixPair
from tests.support.examples import examples
from tests.support.histories import EndState, histories
from tests.support.ios_lines import Configuration, committed, loaded, typed
from tests.support.ios_paths import permitting, queues, redirect
from tests.support.junos_statements import Router
from tests.support.operators import cisco_operators
from tests.support.qos_models import PORTS

# What an operator has beside what is ours.
OPERATOR_JUNOS = """\
apply-groups re0;
groups { re0 { system { host-name wr; } } }
firewall { family inet { filter PROTECT-RE { term all { then accept; } } } }
class-of-service { classifiers { dscp core { forwarding-class voice { loss-priority low code-points ef; } } } }
interfaces {
    xe-0/0/0 { unit 100 { description customer; family inet { address 192.0.2.1/30; } } }
    xe-0/0/1 { unit 0 { family inet { address 192.0.2.5/30; } family inet6; } }
}
routing-options { static { route 198.51.100.0/24 discard; } }
"""


@pytest.fixture(autouse=True, scope="module")
def _numbers_often_collide() -> Iterator[None]:
    """Bands hardly wider than the longest list, so that a pair that goes often moves another's line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequence, "BAND_WIDTH", 20)
        yield


TAKEN = ("alpha", "scavenger", "premium")
Place = tuple[str, str, str]
Way = tuple[frozenset[str], frozenset[str]]


def in_use(configuration: Configuration, pairs: frozenset[PrefixPair]) -> dict[Place, Way]:
    """Where each pair's packets go, by pair, edge and core interface: their queues and their redirect."""
    first, second, third = PORTS["iosxe"]
    found = {}
    for pair in pairs:
        lists = permitting(configuration, pair)
        for edge, core in product((f"{first}.100", second, third), (first, second, third)):
            way = redirect(configuration, lists, edge, pair.ip_version)
            found[str(pair), edge, core] = (queues(configuration, lists, edge, core), way)
    return found


def attachment(line: str) -> str:
    """The direction of a service policy's line, "" for others."""
    return line.rpartition(" ")[0].removeprefix(" no ").strip() if "service-policy" in line else ""


def attached(configuration: Configuration, place: Place) -> bool:
    """Whether a pair's edge interface has an input policy, and its core interface an output policy."""
    _, edge, core = place
    held = configuration.interfaces
    return "service-policy input" in held.get(edge, {}) and "service-policy output" in held.get(core, {})


def takes_over_a_group(old: EndState, new: EndState) -> bool:
    """Whether a class has the number that another one had: then no order of single lines keeps the two apart."""
    if old.model is None or new.model is None:
        return False
    had = {each.queue: each.name for each in old.model.forwarding_classes if each.name in TAKEN}
    has = {each.queue: each.name for each in new.model.forwarding_classes if each.name in TAKEN}
    return any(had.get(queue, name) != name for queue, name in has.items())


def marks(state: EndState) -> dict[str, set[str]]:
    """The classes of ours that each pair's packets get at the edge, by pair; what stands first decides."""
    assert state.model is not None
    beyond = {each.name: each.out_forwarding_class for each in state.model.policers}
    found: dict[str, set[str]] = {}
    for term in (term for each in state.model.filters for term in each.all_terms):
        classes = {term.forwarding_class, beyond.get(term.policer or "")}
        found.setdefault(f"{term.source} > {term.destination}", {each for each in classes if each in TAKEN})
    return found


def staying(old: EndState, new: EndState, slot: str) -> set[str]:
    """The interfaces with a statement of this kind in both."""
    held = [loaded(Configuration(), each.text).interfaces.items() for each in (old, new)]
    before, after = ({name for name, slots in each if slot in slots} for each in held)
    return before & after


def has_no_order(old: EndState, new: EndState) -> bool:
    """Whether pairs of both would be marked for a queue that is not there, whichever of marks and queues is first."""
    if old.model is None or new.model is None or not staying(old, new, "service-policy output"):
        return False
    if not staying(old, new, "service-policy input"):
        return False
    before, after = marks(old), marks(new)
    lost = [
        any(each[pair] - {one.name for one in model.forwarding_classes} for pair in before.keys() & after.keys())
        for each, model in ((before, new.model), (after, old.model))
    ]
    return all(lost)


def assert_valid_at_every_line(configuration: Configuration, text: str, old: EndState, new: EndState) -> Configuration:
    """Each line is taken, and between interfaces that keep a policy a pair is nowhere but where it was or will be.

    Only between the two lines of a swap an interface has no policy. Returns the configuration after all lines.
    """
    end, both = loaded(configuration, text), old.pairs & new.pairs
    before, after = in_use(configuration, both), in_use(end, both)
    kept = [place for place in before if attached(configuration, place) and attached(end, place)]
    lines = text.splitlines()
    running = copy.deepcopy(configuration)
    for index, (line, now) in enumerate(typed(running, text)):
        following = lines[index + 1] if index + 1 < len(lines) else ""
        is_swap = line.startswith(" no service-policy") and attachment(following) == attachment(line)
        if line.startswith("!") or is_swap:
            continue
        found = in_use(now, both)
        for place in kept:
            (queue, way), (queue_before, way_before), (queue_after, way_after) = (
                found[place],
                before[place],
                after[place],
            )
            assert queue <= queue_before | queue_after, (line, place)
            assert queue == queue_after or queue_before != queue_after, (line, place)
            assert way in (way_before, way_after), (line, place)
    return running


@given(history=histories("iosxe"), operator=cisco_operators("iosxe"))
@examples(0.25)
def test_iosxe_each_line_of_a_transition_is_valid_and_the_last_leaves_the_approved_text(
    history: list[EndState], operator: str
) -> None:
    start = loaded(Configuration(), operator)
    running, delivered = start, EndState("", frozenset())
    for approved in history:
        if takes_over_a_group(delivered, approved):
            with pytest.raises(TransitionError, match="takes over `match qos-group"):
                transition("iosxe", delivered.text or None, approved.text)
            continue
        if has_no_order(delivered, approved):
            with pytest.raises(TransitionError, match="one queue is added as another is removed"):
                transition("iosxe", delivered.text, approved.text)
            continue
        text = transition("iosxe", delivered.text or None, approved.text)
        running = assert_valid_at_every_line(running, text, delivered, approved)
        assert running.shown() == loaded(start, approved.text).shown()
        delivered = approved
    assert loaded(running, removal("iosxe", delivered.text)).shown() == start.shown()


@given(history=histories("iosxr"), operator=cisco_operators("iosxr"))
@examples(0.4)
def test_iosxr_a_commit_leaves_the_approved_text_and_a_removal_nothing(history: list[EndState], operator: str) -> None:
    start = committed(Configuration(), operator)
    running, delivered = start, None
    for approved in history:
        running = committed(running, transition("iosxr", delivered, approved.text))
        assert running.shown() == committed(start, without_rebuilding(approved.text)).shown()
        delivered = approved.text
    assert delivered is not None
    assert committed(running, removal("iosxr", delivered)).shown() == start.shown()


def without_rebuilding(text: str) -> str:
    """The text for a router without ours, where there is no list to remove first."""
    return "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("no "))


def operators_junos() -> Router:
    router = Router()
    router.load_replace(OPERATOR_JUNOS)
    return router


@given(history=histories("junos"))
@examples(0.4)
def test_junos_a_group_has_the_effect_of_the_approved_text_and_goes_as_a_whole(history: list[EndState]) -> None:
    running, delivered = operators_junos(), None
    for approved in history:
        running.load_replace(transition("junos", delivered, approved.text))
        wanted = operators_junos()
        wanted.load_replace(approved.text)
        assert running.effective() == wanted.effective()
        delivered = approved.text
    assert delivered is not None
    running.load_set(removal("junos", delivered))
    assert running.shown() == operators_junos().shown()


@given(xe=histories("iosxe", states=2), xr=histories("iosxr", states=2))
@examples(0.1)
def test_what_is_delivered_already_needs_no_command(xe: list[EndState], xr: list[EndState]) -> None:
    for platform, history in (("iosxe", xe), ("iosxr", xr)):
        text = transition(platform, history[0].text, history[0].text)
        assert [line for line in text.splitlines() if not line.startswith("!")] == []
