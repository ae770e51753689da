"""Damaged texts at the gate: each is refused, is a finding, is not judged, or gives the simulator something else.

A damage that does none of these, though it changes what the text does, must be explained. For a candidate all of them
are findings, since its effective model is compared with the one it was rendered for.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from hntes.addresses import Address, Network
from hntes.gate import NotJudgedError, planned_ports
from hntes.gate.criteria.structure import STRUCTURE
from hntes.gate.ports import PlannedPort
from hntes.gate.treatment import alpha_queue_of
from hntes.gate.verdict import Verdict
from hntes.platforms.compare import differences
from hntes.platforms.effective import Action, DropCurve, Edge, Policer, Port, Program
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import EffectiveModel
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import RouterModel
from tests.support.damaged_texts import Original, damaged_texts
from tests.support.qos_models import PAIRS, PLATFORMS

# What a port's queues may say otherwise while the simulated experiments stay the same, and why they may.
UNSIMULATED = {
    r"\.forwarding_classes": "a class's name, while queues stay the same",
    r"\.code_points": "which network control has a queue of its own; the experiments have none",
    r"\.priority:": "another word for a rank that stays the same",
    r"\.buffer\.amount:": "less than a tenth of a per cent of the port's buffer",
}


def gate_input(found: EffectiveModel, made_from: RouterModel, redirect: str) -> list[tuple[object, ...]] | str:
    """What is simulated of a text, or why nothing is."""
    verdict = STRUCTURE.verdict(
        found, PAIRS, alpha_queue=alpha_queue_of(found, PAIRS, 4), is_redirected=redirect != "none",
        port_buffer_ms=made_from.port_buffer_ms, expected=None,
    )  # fmt: skip
    if verdict.outcome == "failed":
        return "finding"
    try:
        ports = planned_ports(found, PAIRS, alpha_queue=4, port_buffer_ms=made_from.port_buffer_ms)
    except NotJudgedError:
        return "not judged"
    return [_without_lines(port) for port in ports]


def _without_lines(port: PlannedPort) -> tuple[object, ...]:
    return port.ports, port.plan


@pytest.mark.parametrize("platform", PLATFORMS)
def test_no_damage_passes_the_gate_unexplained(platform: str) -> None:
    fates: Counter[str] = Counter()
    unexplained = []
    for original, damages in damaged_texts(platform):
        expected = effective_of(original.made_from)
        base = gate_input(original.found, original.made_from, original.redirect)
        for damage in damages:
            if damage.found is None:
                fates["refused"] += 1
                continue
            changed = differences(damage.found, expected)
            fate = _fate(damage.found, original, base, is_changed=bool(changed))
            fates[fate] += 1
            if fate == "the same simulation":
                why = explanations(damage.found, expected)
                fates.update(f"  {reason}" for reason in why)
                if None in why:
                    unexplained.append((original.plan, original.redirect, damage.mutant.kind, changed[:4]))
            # a candidate's text may not differ from what it was rendered for
            if changed:
                assert _verdict(damage.found, original, expected).outcome == "failed"
    assert fates["another simulation"] > 0
    assert unexplained == []


def _fate(found: EffectiveModel, original: Original, base: object, *, is_changed: bool) -> str:
    what = gate_input(found, original.made_from, original.redirect)
    if isinstance(what, str):
        return what
    if what != base:
        return "another simulation"
    return "the same simulation" if is_changed else "means the same"


def _verdict(found: EffectiveModel, original: Original, expected: EffectiveModel) -> Verdict:
    return STRUCTURE.verdict(
        found, PAIRS, alpha_queue=4, is_redirected=original.redirect != "none",
        port_buffer_ms=original.made_from.port_buffer_ms, expected=expected,
    )  # fmt: skip


def explanations(found: EffectiveModel, expected: EffectiveModel) -> set[str | None]:
    """Why the experiments meet the same in both, told without the code that makes plans; None: nothing explains it."""
    why: set[str | None] = set()
    for left, right in zip(found.edges, expected.edges, strict=True):
        if left != right:
            same = all(_met(left, packet) == _met(right, packet) for packet in _packets(left.ip_version))
            why.add("each packet tried meets the same queue and policer" if same else None)
    groups = _groups(found) | _groups(expected) if found.platform != "junos" else set(range(8))
    for mine, other in zip(found.ports, expected.ports, strict=True):
        why |= _of_port(mine, other, groups)
    if found.classes != expected.classes or found.class_paths != expected.class_paths:
        why.add("names of classes, and where packets go next: not how they are queued")
    return why or {None}


def _of_port(mine: Port, other: Port, groups: set[int]) -> set[str | None]:
    """The same of one port; `groups` are the queue numbers that packets can have."""
    why: set[str | None] = set()
    if mine != other and _of_groups(mine, groups) == _of_groups(other, groups):
        return {"a QoS group that no entry gives a packet: that of premium without reservations"}
    if mine != other and _nameless(_of_groups(mine, groups)) == _nameless(_of_groups(other, groups)):
        return {"a class that no entry gives a packet: that of packets marked elsewhere; the experiments have none"}
    if mine != other and _without_tails(mine) == _without_tails(other):
        why.add("a curve that drops nothing before the last per cent of the queue, as a queue without curves does")
    mine_coarse, other_coarse = (
        _without_tenths(_without_tails(_sorted(_without_taken(port)))) for port in (mine, other)
    )
    for line in differences(mine_coarse, other_coarse):
        why.add(next((reason for pattern, reason in UNSIMULATED.items() if re.search(pattern, line)), None))
    if mine != other and _without_tenths(mine) == _without_tenths(other):
        why.add("marks that begin less than a tenth of a per cent of the queue earlier or later")
    if mine != other and _sorted(mine) == _sorted(other):
        why.add("the same queues in another order")
    if mine != other and _without_taken(mine) == _without_taken(other):
        why.add("a queue number that a class before it takes already")
    return why


def _groups(model: EffectiveModel) -> set[int]:
    """The queue numbers that packets are given on their way in."""
    found = {0}
    for program in (each for edge in model.edges for each in edge.programs):
        for action in (*(entry.action for entry in program.entries), program.final):
            policer = action.policer
            colours = (policer.conform, policer.exceed, policer.violate) if policer is not None else ()
            numbers = (action.queue, *(each.queue for each in colours if each is not None))
            found |= {number for number in numbers if number is not None}
    return found


def _of_groups(port: Port, groups: set[int]) -> Port:
    """The port without queue numbers that no packet has."""
    kept = (replace(each, numbers=tuple(one for one in each.numbers if one in groups)) for each in port.queues)
    return replace(port, queues=tuple(kept))


def _nameless(port: Port) -> Port:
    return replace(port, queues=tuple(replace(each, forwarding_classes=()) for each in port.queues))


def _sorted(port: Port) -> Port:
    return replace(port, queues=tuple(sorted(port.queues, key=lambda queue: (queue.numbers, queue.code_points))))


def _without_taken(port: Port) -> Port:
    """Each queue without what one before it takes: a packet goes to the first class that matches."""
    queues, numbers, code_points = [], set[int](), set[int]()
    for queue in port.queues:
        left = tuple(each for each in queue.numbers if each not in numbers)
        queues.append(
            replace(
                queue, numbers=left, code_points=tuple(each for each in queue.code_points if each not in code_points)
            )
        )
        numbers.update(queue.numbers)
        code_points.update(queue.code_points)
    return replace(port, queues=tuple(queues))


def _without_tails(port: Port) -> Port:
    return replace(
        port,
        queues=tuple(
            replace(queue, drops=tuple(curve for curve in queue.drops if not _drops_the_tail(curve)))
            for queue in port.queues
        ),
    )


def _without_tenths(port: Port) -> Port:
    """Thresholds of marking queues in whole tenths of a per cent of the queue, where that is a number of packets."""
    return replace(
        port,
        queues=tuple(
            replace(queue, drops=tuple(_in_tenths(curve, queue.buffer.amount) for curve in queue.drops))
            if queue.ecn and queue.buffer is not None and queue.buffer.unit == "packets"
            else queue
            for queue in port.queues
        ),
    )


def _in_tenths(curve: DropCurve, full: int) -> DropCurve:
    return replace(curve, points=tuple((round(1000 * length / full), drop) for length, drop in curve.points))


def _drops_the_tail(curve: DropCurve) -> bool:
    """Straight lines between points: no drop before the last point but one at which there is none."""
    end = curve.points[-1][0]
    return all(drop == 0 for _, drop in curve.points[:-1]) and curve.points[-2][0] >= 0.99 * end


def _packets(ip_version: int) -> list[tuple[Address, Address]]:
    """From and to the first, the last and the neighbouring addresses of every pair's prefixes."""
    pairs = [pair for pair in PAIRS if pair.ip_version == ip_version]
    sources, destinations = ({a for pair in pairs for a in _around(side(pair))} for side in (_source, _destination))
    return list(itertools.product(sorted(sources), sorted(destinations)))


def _source(pair: PrefixPair) -> Network:
    return pair.source


def _destination(pair: PrefixPair) -> Network:
    return pair.destination


def _around(prefix: Network) -> list[Address]:
    first, last = prefix.network_address, prefix.broadcast_address
    return [first - 1, first, last, last + 1]


def _met(edge: Edge, packet: tuple[Address, Address]) -> tuple[int, tuple[Policer, ...], bool]:
    """Queue, policers and whether it is discarded: entry after entry, as a router walks them."""
    queue, policers, discarded = 0, [], False
    for program in edge.programs:
        for action in _actions(program, packet):
            discarded |= action.disposition == "discard"
            queue = queue if action.queue is None else action.queue
            if action.policer is not None:
                policers.append(replace(action.policer, per_interface=True))
                conform = action.policer.conform.queue
                queue = queue if conform is None else conform
    return queue, tuple(policers), discarded


def _actions(program: Program, packet: tuple[Address, Address]) -> Iterator[Action]:
    for entry in program.entries:
        if _in(packet[0], entry.sources) and _in(packet[1], entry.destinations):
            yield entry.action
            if entry.action.disposition != "next":
                return
    yield program.final


def _in(address: Address, prefixes: tuple[Network, ...]) -> bool:
    return not prefixes or any(address in prefix for prefix in prefixes)
