"""Transitions on IOS-XE: each line takes effect as it is typed, so each line must leave a valid configuration.

New objects are built next to those in use, then the interfaces change over, then unused objects are removed: a policy
before its classes, a match before its list. Policies and route-maps have a digest of their content in their names and
never change; class-maps and lists grow before the changeover and shrink after it.
"""

from collections.abc import Iterable, Iterator

from hntes.platforms.cisco.attachments import by_slot, heads
from hntes.platforms.cisco.blocks import Block, Blocks, read_blocks, without
from hntes.platforms.cisco.entries import Entry, edited, list_change
from hntes.platforms.iosxe.transition_order import is_output_first
from hntes.platforms.transition_errors import TransitionError

_BRIDGE = "-bridge"
_GROUP = " match qos-group "
_CLAUSE, _SECOND_CLAUSE = "permit 10", "permit 20"


def iosxe_commands(delivered: str | None, approved: str | None) -> list[str]:
    """The commands between two texts, each valid at its place; None is nothing of HNTES.

    Raises:
        TransitionError: a text was not written by the renderer, a policy or route-map changes under the same name, a
            class takes over the group of another, or neither order of queues and marks keeps pairs in their queues.
    """
    old, new = read_blocks(delivered), read_blocks(approved)
    _check_names(old, new)
    _check_groups(old, new)
    return [
        *_grown_lists(old, new),
        *_grown_classes(old, new),
        *_built(old, new),
        *_changed_over(old, new),
        *_unused(old, new),
        *_shrunk_lists(old, new),
        *(line for each in old.of("list") if each.head not in new for line in without(each.head)),
    ]


def _check_names(old: Blocks, new: Blocks) -> None:
    for each in (*new.of("policy"), *new.of("route")):
        if each.head in old and old.get(each.head) != each:
            raise TransitionError(
                f"`{each.head}` has other lines under the same name and cannot change while it is in use; remove "
                "the delivered configuration, then load the approved one"
            )


def _check_groups(old: Blocks, new: Blocks) -> None:
    """Requires that each QoS group means one class: during the changeover classes match old and new groups."""
    holders = {line: each.name for each in old.of("class") for line in each.lines if line.startswith(_GROUP)}
    for each in new.of("class"):
        for line in each.lines:
            holder = holders.get(line, each.name)
            if holder != each.name:
                raise TransitionError(
                    f"class-map {each.name} takes over `{line.strip()}` of {holder}: pairs would temporarily use its "
                    "queue. Set [routers.queues] to numbers that no other class had, or first remove the delivered "
                    "first"
                )


def _grown_lists(old: Blocks, new: Blocks) -> Iterator[str]:
    for each in new.of("list"):
        if each.head in old:
            yield from edited(each.head, [one.line for one in list_change(old.get(each.head), each).added])
        else:
            yield from each


def _grown_classes(old: Blocks, new: Blocks) -> Iterator[str]:
    for each in new.of("class"):
        known = old.get(each.head).lines
        yield from edited(each.head, [line for line in each.lines if line not in known])


def _built(old: Blocks, new: Blocks) -> Iterator[str]:
    for each in (*new.of("policy"), *new.of("route")):
        if each.head not in old:
            yield from each


def _changed_over(old: Blocks, new: Blocks) -> Iterator[str]:
    comes_first = is_output_first(old, new)
    for is_output in (comes_first, not comes_first):
        for head in heads(old, new):
            before, after = by_slot(old, head), by_slot(new, head)
            slots = [slot for slot in {**before, **after} if (slot == "service-policy output") is is_output]
            yield from edited(head, (line for slot in slots for line in _swap(before.get(slot), after.get(slot))))


def _swap(before: str | None, after: str | None) -> Iterator[str]:
    """The commands of one slot: a second service policy is refused, a policy route-map replaces the earlier one."""
    if before == after:
        return
    if before is not None and (after is None or before.startswith(" service-policy ")):
        yield f" no {before.strip()}"
    if after is not None:
        yield after


def _unused(old: Blocks, new: Blocks) -> Iterator[str]:
    for each in (*old.of("policy"), *old.of("route")):
        if each.head not in new:
            yield from without(each.head)
    for each in old.of("class"):
        if each.head not in new:
            yield from without(each.head)
        else:
            known = new.get(each.head).lines
            yield from edited(each.head, [f" no {line.strip()}" for line in each.lines if line not in known])


def _shrunk_lists(old: Blocks, new: Blocks) -> Iterator[str]:
    """Removes entries by their permit statement: a router may renumber a list when it starts."""
    for each in new.of("list"):
        if each.head not in old:
            continue
        change = list_change(old.get(each.head), each)
        gone = [f" no {one.permits}" for one in (*change.gone, *change.moved)]
        late = [one.line for one in (*change.moved, *change.late)]
        lines = edited(each.head, [*gone, *late])
        yield from _bridged(new, each, change.moved, lines) if change.moved else lines


def _bridged(new: Blocks, each: Block, moved: Iterable[Entry], lines: list[str]) -> Iterator[str]:
    """Wraps lines in a temporary second list that keeps the moved pairs in their class."""
    bridge = Block(f"{each.head}{_BRIDGE}", tuple(one.line for one in moved))
    users = list(_bridge_users(new, each.name, bridge.name))
    yield from bridge
    for head, added, _ in users:
        yield from (head, *added, "!")
    yield from lines
    for _, _, removal in users:
        yield from (*removal, "!")
    yield from without(bridge.head)


def _bridge_users(new: Blocks, name: str, bridge: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """For each user of a list: its head, the lines that also refer to the bridge list, and those that end that."""
    for each in (*new.of("class"), *new.of("route")):
        matches = [line for line in each.lines if line.split()[-1] == name]
        if not matches:
            continue
        second = [line.replace(name, bridge) if line in matches else line for line in each.lines]
        if each.kind == "route":
            head = each.head.replace(_CLAUSE, _SECOND_CLAUSE)
            yield head, second, [f"no {head}"]
        else:
            added = [line for line in second if line not in each.lines]
            yield each.head, added, [each.head, *(f" no {line.strip()}" for line in added)]
