"""Transitions on IOS-XR: all commands are loaded into the target configuration and committed once.

A changed object is removed and written again, so that none of its earlier lines stay; a list changes entry by entry.
Unchanged objects are not touched: an in-place change resets counters, and may briefly leave an interface without its
policy.
"""

from collections.abc import Iterator

from hntes.platforms.cisco.attachments import by_slot, heads
from hntes.platforms.cisco.blocks import Blocks, read_blocks, without
from hntes.platforms.cisco.entries import edited, list_change


def iosxr_commands(delivered: str | None, approved: str | None) -> list[str]:
    """The commands between two texts, in reading order: built, used and removed objects.

    Raises:
        TransitionError: a text was not written by the renderer.
    """
    old, new = read_blocks(delivered), read_blocks(approved)
    return [*_lists(old, new), *_objects(old, new), *_interfaces(old, new), *_removed(old, new)]


def _lists(old: Blocks, new: Blocks) -> Iterator[str]:
    for each in new.of("list"):
        if each.head not in old:
            yield from each
            continue
        change, back = list_change(old.get(each.head), each), list_change(each, old.get(each.head))
        leaving = [*change.gone, *back.moved]
        coming = [*change.added, *change.moved, *change.late]
        yield from edited(each.head, [*(f" no {one.number}" for one in leaving), *(one.line for one in coming)])


def _objects(old: Blocks, new: Blocks) -> Iterator[str]:
    for each in (*new.of("class"), *new.of("policy")):
        if old.get(each.head) != each:
            if each.head in old:
                yield f"no {each.head}"
            yield from each


def _interfaces(old: Blocks, new: Blocks) -> Iterator[str]:
    for head in heads(old, new):
        before, after = by_slot(old, head), by_slot(new, head)
        gone = [f" no {line.strip()}" for slot, line in before.items() if after.get(slot) != line]
        yield from edited(head, [*gone, *(line for slot, line in after.items() if before.get(slot) != line)])


def _removed(old: Blocks, new: Blocks) -> Iterator[str]:
    for each in (*old.of("policy"), *old.of("class"), *old.of("list")):
        if each.head not in new:
            yield from without(each.head)
