"""IOS-XE: each line is in force as it is typed, so each line leaves a configuration that is right.

What is new is built beside what is in use, then the interfaces change over, then what nobody uses any more is removed:
a policy before the classes that it names, a match before its list. Policies and route-maps carry a digest of their
content in their names and never change; class-maps and lists grow before the change over and shrink after it.
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
    """The commands between two texts, each valid where it stands; None is nothing of HNTES.

    Raises:
        TransitionError: a text is not as the renderer writes it, a policy or a route-map changes under its name, a
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
                f"`{each.head}` has other lines under the same name, and cannot change while it is in use; withdraw "
                "what was delivered, then load what is approved"
            )


def _check_groups(old: Blocks, new: Blocks) -> None:
    """While classes know old and new groups, and marks are still the old ones, a group must mean one class."""
    holders = {line: each.name for each in old.of("class") for line in each.lines if line.startswith(_GROUP)}
    for each in new.of("class"):
        for line in each.lines:
            holder = holders.get(line, each.name)
            if holder != each.name:
                raise TransitionError(
                    f"class-map {each.name} takes over `{line.strip()}` of {holder}: on the way pairs would be in its "
                    "queue. Set [routers.queues] to numbers that no other class had, or withdraw what was delivered "
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
    """A second service policy is refused where one is attached; a policy route-map takes the earlier one's place."""
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
    """Entries are removed by what they permit: a router may number a list anew when it starts."""
    for each in new.of("list"):
        if each.head not in old:
            continue
        change = list_change(old.get(each.head), each)
        gone = [f" no {one.permits}" for one in (*change.gone, *change.moved)]
        late = [one.line for one in (*change.moved, *change.late)]
        lines = edited(each.head, [*gone, *late])
        yield from _bridged(new, each, change.moved, lines) if change.moved else lines


def _bridged(new: Blocks, each: Block, moved: Iterable[Entry], lines: list[str]) -> Iterator[str]:
    """The lines between the building and the removal of a second list, which keeps the moving pairs in their class."""
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
    """Whoever refers to a list: the head and lines with which it refers to the bridge, too, and how that ends."""
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
