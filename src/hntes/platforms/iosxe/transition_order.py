"""IOS-XE: whether the queues change over first or the marks, so that every mark finds its queue at each line.

While interfaces change over, marks of one text meet queues of the other. The class-maps of queues know the marks of
both then, so packets come into best effort's queue only where the class of their mark has none in the policies that are
attached. What counts is an interface that has such a policy in both texts: elsewhere there is nothing to be kept.
"""

from collections.abc import Iterable

from hntes.platforms.cisco.attachments import by_slot, heads
from hntes.platforms.cisco.blocks import Block, Blocks
from hntes.platforms.cisco.entries import entries
from hntes.platforms.transition_errors import TransitionError

_NO_QUEUE_OF_OURS = "class-default"


def is_output_first(old: Blocks, new: Blocks) -> bool:
    """Whether output policies change over before input policies; both orders may be right.

    An order in which every mark finds its queue is preferred: where prefixes become wider or narrower, packets of a
    pair that goes are those of one that comes. Otherwise it is enough that the marks of pairs in both texts do.

    Raises:
        TransitionError: neither is.
    """
    strays: list[str] = []
    for is_any_pair in (True, False):
        if not _strays(old, new, marked_by=old, queued_by=new, is_any_pair=is_any_pair):
            return True
        strays = _strays(old, new, marked_by=new, queued_by=old, is_any_pair=is_any_pair)
        if not strays:
            return False
    raise TransitionError(
        f"pairs of {', '.join(strays)} would pass a queue that is not theirs between two lines, since one queue comes "
        "as another goes; withdraw what was delivered, then load what is approved"
    )


def _strays(old: Blocks, new: Blocks, *, marked_by: Blocks, queued_by: Blocks, is_any_pair: bool) -> list[str]:
    """The input classes, of pairs in both texts or of any, with a mark of the one for which the other has no queue."""
    edges, cores = _staying(old, new, "service-policy input"), _staying(old, new, "service-policy output")
    if not cores:
        return []
    both = _permits(old, edges) & _permits(new, edges)
    queues = _queue_of_group(old) | _queue_of_group(new)
    attached = {*_classes(_attached(queued_by, cores)), _NO_QUEUE_OF_OURS}
    return [
        name
        for name, groups in _marks(marked_by, edges).items()
        if any(queues.get(group, _NO_QUEUE_OF_OURS) not in attached for group in groups)
        and (is_any_pair or _decided(marked_by, edges)[name] & both)
    ]


def _staying(old: Blocks, new: Blocks, slot: str) -> dict[str, str]:
    """The interfaces that have a statement in this slot in both texts: all heads, each with the slot."""
    return {head: slot for head in heads(old, new) if slot in by_slot(old, head) and slot in by_slot(new, head)}


def _attached(blocks: Blocks, places: dict[str, str]) -> list[Block]:
    """The policies at some interfaces."""
    names = {by_slot(blocks, head)[slot].split()[-1] for head, slot in places.items()}
    return [each for each in blocks.of("policy") if each.name in names]


def _permits(blocks: Blocks, edges: dict[str, str]) -> set[str]:
    """What the classes that are marked at some interfaces match."""
    return set().union(*_decided(blocks, edges).values())


def _decided(blocks: Blocks, edges: dict[str, str]) -> dict[str, set[str]]:
    """What each class that is marked decides, by its name: what the classes before it leave."""
    found: dict[str, set[str]] = {}
    for name in _marks(blocks, edges):
        found[name] = _permitted(blocks, name) - set().union(*found.values())
    return found


def _permitted(blocks: Blocks, name: str) -> set[str]:
    """What the access lists of a class permit, whatever their numbers."""
    lines = [line for each in blocks.of("class") if each.name == name for line in each.lines]
    names = {line.split()[-1] for line in lines if line.startswith(" match access-group name ")}
    return {entry.permits for each in blocks.of("list") if each.name in names for entry in entries(each)}


def _classes(policies: Iterable[Block]) -> set[str]:
    return {line.split()[-1] for each in policies for line in each.lines if line.startswith(" class ")}


def _marks(blocks: Blocks, edges: dict[str, str]) -> dict[str, set[str]]:
    """The groups that each class of the input policies sets, by the class's name."""
    found: dict[str, set[str]] = {}
    for policy in _attached(blocks, edges):
        name = ""
        for line in policy.lines:
            words = line.split()
            if line.startswith(" class "):
                name = words[-1]
            elif "qos-group" in words or "set-qos-transmit" in words:
                found.setdefault(name, set()).add(words[-1])
    return found


def _queue_of_group(blocks: Blocks) -> dict[str, str]:
    """The class by whose map a group is known to queues."""
    return {
        line.split()[-1]: each.name
        for each in blocks.of("class")
        for line in each.lines
        if line.startswith(" match qos-group ")
    }
