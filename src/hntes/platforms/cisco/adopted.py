"""An operator's classes that stay on a Cisco router: the class that takes the pairs, and whether it may.

The output policy of each core port stays. The pairs get the QoS group or traffic class by which one of its classes
takes packets (docs/decisions/0068-adopted-classes-on-cisco.md).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from hntes.platforms.adopted import allowed_marks, waiting_reason
from hntes.platforms.cisco.own_objects import is_own_object
from hntes.platforms.cisco.parser.operator_policy import Condition, Match, OperatorClass, carrier_of, classes_of
from hntes.platforms.cisco.parser.tree import Section, below, interface_name, read_sections
from hntes.platforms.conflict import Collision
from hntes.platforms.effective import BEST_EFFORT
from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME
from hntes.rules.qos.model import Adopted, Carrier, ForwardingClass, RouterModel

# Of the class of the pairs: what the gate does not simulate, since thresholds and limits differ from flow to flow.
_UNFIT = {
    "random-detect": "drops packets before the queue is full, which the gate does not simulate",
    "fair-queue": "divides the queue among flows, which the gate does not simulate",
}
_BY_ROUTE = ("route-map", "route-policy", "table-map")


@dataclass(frozen=True)
class PairsClass:
    """The class of an output policy that takes the pairs, one number by which it does, and the classes before it."""

    found: OperatorClass
    carrier: Carrier
    number: int
    before: tuple[OperatorClass, ...]


def policies_of(root: Section, ports: Iterable[str]) -> Mapping[str, Section | None]:
    """The line that attaches an output policy of the operator to each port; None where there is none."""
    found: dict[str, Section | None] = dict.fromkeys(ports)
    for section in root:
        name = interface_name(section.words)
        if name not in found:
            continue
        for line in section:
            if line.begins("service-policy", "output") and not OWN_NAME.fullmatch(line.words[-1]):
                found[name] = line
    return found


def queueing_classes(root: Section, policy: str, user: Section, default_match: Match) -> tuple[OperatorClass, ...]:
    """The classes of a policy, or of the one below a class-default that shapes the port.

    Raises:
        ParseError: as `classes_of`.
    """
    classes = classes_of(root, policy, user, default_match)
    child = next((line for line in classes[-1].section if line.begins("service-policy")), None)
    if len(classes) > 1 or child is None:
        return classes
    return classes_of(root, child.words[-1], child, default_match)


def way_to_keep(root: Section, attached: Section, default_match: Match) -> str:
    """What an operator has to do so that the output policy that a line attaches can stay."""
    try:
        classes = queueing_classes(root, attached.words[-1], attached, default_match)
        carrier = carrier_of(classes, attached)
    except ParseError as problem:
        return f"[routers.adopt] cannot keep it: line {problem.line}: {problem.text}: {problem.reason}"
    for each in classes:
        child = next((line for line in each.section if line.begins("service-policy")), None)
        if child is not None:
            return (
                f"[routers.adopt] cannot keep it: line {child.line}: class {each.name} has a policy of its own, and "
                "HNTES reads one policy per port, below class-default alone; leave this port out of the settings"
            )
    if any(each.numbers(carrier) - {BEST_EFFORT} for each in classes):
        return "keep it by [routers.adopt], with the class of it that takes the pairs"
    names = ", ".join(each.name for each in classes[:-1]) or "there is none but class-default"
    return (
        f"no class of it takes packets by a QoS group or traffic class ({names}): give one for bulk transfers a "
        "class-map (match-any) with `match qos-group N`, and keep the policy by [routers.adopt]"
    )


def pairs_class(root: Section, attached: Section, name: str, default_match: Match) -> PairsClass:
    """The class of that name in the policy that a line attaches.

    Raises:
        ParseError: there is none, or no number brings packets into it.
    """
    classes = queueing_classes(root, attached.words[-1], attached, default_match)
    carrier = carrier_of(classes, attached)
    for index, each in enumerate(classes):
        if each.name == name:
            numbers = sorted(each.numbers(carrier) - {BEST_EFFORT})
            fits = [number for number in numbers if each.takes(carrier, number)]
            if not fits:
                raise each.section.refused(
                    "takes no packets by a QoS group or traffic class alone: add `match qos-group N` to its class-map "
                    "(match-any), with an N that is free"
                )
            return PairsClass(each, carrier, fits[0], classes[:index])
    names = ", ".join(each.name for each in classes[:-1]) or "none but class-default"
    raise attached.refused(f"has no class {name}: set adopt.forwarding_class to one of its classes ({names})")


def with_adopted_class(model: RouterModel, running: str, default_match: Match) -> RouterModel:
    """The model with the number by which the class of the pairs takes them; unchanged if the model adopts none.

    Raises:
        ParseError: the text is not a configuration of the platform, or has no such class.
    """
    adopted = model.adopted
    if adopted is None or adopted.forwarding_class is None:
        return model
    root = read_sections(running)
    for attached in policies_of(root, _cores(model)).values():
        if attached is not None:
            found = pairs_class(root, attached, adopted.forwarding_class, default_match)
            classes = (ForwardingClass(adopted.forwarding_class, found.number),)
            return replace(model, adopted=replace(adopted, carrier=found.carrier), forwarding_classes=classes)
    return model


def adopted_collisions(
    model: RouterModel, adopted: Adopted, root: Section, default_match: Match
) -> Iterator[Collision]:
    """What of the operator's classes is in the way of the plan."""
    found: list[tuple[Section, PairsClass]] = []
    for name, attached in policies_of(root, _cores(model)).items():
        if attached is None:
            reason = "has no output policy that adopt could keep: leave adopt out"
            yield Collision(0, f"interface {name}", reason)
        elif adopted.policy is not None and attached.words[-1] != adopted.policy:
            yield _at(attached, f"is not the policy of adopt.policy, {adopted.policy}: set it to this name")
        else:
            try:
                found.append((attached, pairs_class(root, attached, adopted.forwarding_class or "", default_match)))
            except ParseError as problem:
                yield Collision(problem.line, problem.text, problem.reason)
    for attached, each in found:
        if (each.carrier, each.number) != (found[0][1].carrier, found[0][1].number):
            yield _at(attached, f"takes the class by {each.carrier} {each.number}, another port by a different number")
    allowed = allowed_marks(adopted)
    seen: set[int] = set()
    for _, each in found:
        if each.found.section.line not in seen:
            seen.add(each.found.section.line)
            yield from _unfit(each, allowed)
    if found:
        yield from _others(root, found[0][1], allowed, default_match)


def _cores(model: RouterModel) -> list[str]:
    return sorted({each.name for each in model.interfaces if each.is_core})


def _unfit(pairs: PairsClass, allowed: frozenset[str]) -> Iterator[Collision]:
    """What keeps a class from taking the pairs: classes before it, other packets in it, and its own statements."""
    for each in pairs.before:
        if each.takes(pairs.carrier, pairs.number) is not False:
            yield _at(
                each.section, f"may take packets of the pairs before class {pairs.found.name} does: move it behind"
            )
    for condition in pairs.found.conditions:
        reason = _mixing(condition, pairs, allowed)
        if reason is not None:
            yield _at(condition.section, reason)
    for line in pairs.found.section:
        if line.words[0] in _UNFIT:
            yield _at(line, f"{_UNFIT[line.words[0]]}: name a class without it")


def _mixing(condition: Condition, pairs: PairsClass, allowed: frozenset[str]) -> str | None:
    """Why a condition of the pairs' class lets in packets that must not wait behind the pairs."""
    if condition.carrier == pairs.carrier:
        if BEST_EFFORT in (condition.values or ()):
            return f"takes unmarked traffic, too ({pairs.carrier} 0): it would wait behind the pairs"
        return None
    marks = condition.marks()
    if marks is None:
        return waiting_reason(pairs.found.name, frozenset())
    return waiting_reason(pairs.found.name, marks - allowed) if marks - allowed else None


def _others(root: Section, pairs: PairsClass, allowed: frozenset[str], default_match: Match) -> Iterator[Collision]:
    """Statements that put packets other than bulk transfers into the class of the pairs by its numbers."""
    for line, marks in _putting(root, pairs, default_match):
        if marks is None or marks - allowed:
            yield _at(line, waiting_reason(pairs.found.name, frozenset() if marks is None else marks - allowed))


def marks_beside(root: Section, pairs: PairsClass, default_match: Match) -> frozenset[str] | None:
    """The marks of other traffic in the class of the pairs, as names where they have one; None: other packets, too."""
    found = [each.marks() for each in pairs.found.conditions if each.carrier != pairs.carrier]
    found += [marks for _, marks in _putting(root, pairs, default_match)]
    if None in found or any(BEST_EFFORT in (each.values or ()) for each in pairs.found.conditions if each.carrier):
        return None
    return frozenset(mark for each in found for mark in each or ())


def _putting(root: Section, pairs: PairsClass, default_match: Match) -> Iterator[tuple[Section, frozenset[str] | None]]:
    """Statements that put packets into the class of the pairs by its numbers, and the marks of these; None: any."""
    numbers = pairs.found.numbers(pairs.carrier)
    used = {word for line in below(root) if line.words[0] == "service-policy" for word in line.words[1:]}
    for section in root:
        if is_own_object(section):
            continue
        if section.words[0] in _BY_ROUTE:
            yield from ((line, None) for line in below(section) if _sets(line.words, pairs.carrier) & {*numbers, None})
        elif section.words[0] == "policy-map" and section.words[-1] in used:
            for each in section:
                for line in below(each):
                    if _sets(line.words, pairs.carrier) & {*numbers, None}:
                        yield line, _marks_of(root, each, default_match)


def _marks_of(root: Section, section: Section, default_match: Match) -> frozenset[str] | None:
    """The marks that a class of an input policy takes; None if it takes other packets, too."""
    maps = [each for each in root if each.words[0] == "class-map" and each.words[-1:] == section.words[1:2]]
    if len(maps) != 1:
        return None
    policy = Section(("policy-map", "one"), section.line, 0, [section])
    (found, _) = classes_of(Section((), 0, -1, [policy, *maps]), "one", section, default_match)
    marks = [each.marks() for each in found.conditions]
    known = frozenset(each for one in marks for each in one or ())
    return None if None in marks or not known else known


def _sets(words: tuple[str, ...], carrier: Carrier) -> set[int | None]:
    """The numbers that a statement sets; None is one that depends on something else."""
    found: set[int | None] = set()
    names = (carrier, *(("set-qos-transmit",) if carrier == "qos-group" else ()))
    for index, word in enumerate(words):
        if word in names and "match" not in words[:index]:
            value = words[index + 1] if index + 1 < len(words) else ""
            found.add(int(value) if value.isdigit() else None)
    return found


def _at(section: Section, reason: str) -> Collision:
    return Collision(section.line, section.text, reason)
