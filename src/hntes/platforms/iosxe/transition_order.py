"""Order of policy changes in an IOS-XE transition: queues or marks first, so that each mark has its queue at each line.

While interfaces change over, marks of one text meet queues of the other. The class-maps of queues match the marks of
both texts meanwhile, so packets fall into the best-effort queue only if the class of their mark has no queue in the
attached policies. Only interfaces with such a policy in both texts matter.
"""

from collections.abc import Iterable

from hntes.platforms.cisco.attachments import by_slot, heads
from hntes.platforms.cisco.blocks import Block, Blocks
from hntes.platforms.cisco.entries import entries
from hntes.platforms.transition_errors import TransitionError

_NO_QUEUE_OF_OURS = "class-default"


def is_output_first(old: Blocks, new: Blocks) -> bool:
    """Whether output policies change before input policies; both orders may be valid.

    An order in which every mark has its queue is preferred: if prefix lengths change, a removed and an added pair share
    packets. Otherwise it is enough that the marks of pairs in both texts have their queues.

    Raises:
        TransitionError: neither order is valid.
    """
    strays: list[str] = []
    for is_any_pair in (True, False):
        if not _strays(old, new, marked_by=old, queued_by=new, is_any_pair=is_any_pair):
            return True
        strays = _strays(old, new, marked_by=new, queued_by=old, is_any_pair=is_any_pair)
        if not strays:
            return False
    raise TransitionError(
        f"pairs of {', '.join(strays)} would temporarily use a wrong queue, since one queue is added as another is "
        "removed; remove the delivered configuration, then load the approved one"
    )


def _strays(old: Blocks, new: Blocks, *, marked_by: Blocks, queued_by: Blocks, is_any_pair: bool) -> list[str]:
    """The input classes, of pairs in both texts or of any, whose mark in one text has no queue in the other."""
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
    """The interfaces that have a statement in this slot in both texts, with the slot."""
    return {head: slot for head in heads(old, new) if slot in by_slot(old, head) and slot in by_slot(new, head)}


def _attached(blocks: Blocks, places: dict[str, str]) -> list[Block]:
    """The policies attached to these interfaces."""
    names = {by_slot(blocks, head)[slot].split()[-1] for head, slot in places.items()}
    return [each for each in blocks.of("policy") if each.name in names]


def _permits(blocks: Blocks, edges: dict[str, str]) -> set[str]:
    """The matches of the marked classes on these interfaces."""
    return set().union(*_decided(blocks, edges).values())


def _decided(blocks: Blocks, edges: dict[str, str]) -> dict[str, set[str]]:
    """The effective matches of each marked class, by name: those that earlier classes leave."""
    found: dict[str, set[str]] = {}
    for name in _marks(blocks, edges):
        found[name] = _permitted(blocks, name) - set().union(*found.values())
    return found


def _permitted(blocks: Blocks, name: str) -> set[str]:
    """The permit statements of a class's access lists, without numbers."""
    lines = [line for each in blocks.of("class") if each.name == name for line in each.lines]
    names = {line.split()[-1] for line in lines if line.startswith(" match access-group name ")}
    return {entry.permits for each in blocks.of("list") if each.name in names for entry in entries(each)}


def _classes(policies: Iterable[Block]) -> set[str]:
    return {line.split()[-1] for each in policies for line in each.lines if line.startswith(" class ")}


def _marks(blocks: Blocks, edges: dict[str, str]) -> dict[str, set[str]]:
    """The QoS groups set by each class of the input policies, by class name."""
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
    """The output class of each QoS group."""
    return {
        line.split()[-1]: each.name
        for each in blocks.of("class")
        for line in each.lines
        if line.startswith(" match qos-group ")
    }
