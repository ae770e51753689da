"""Limits common to IOS-XR and IOS-XE."""

from collections.abc import Iterator

from hntes.platforms.capabilities import NameLengths
from hntes.rules.qos.model import DropProfile, RouterModel, Scheduler

BURST_BYTES = range(1_000, 512_000_001)
OUTPUT_CLASS_PREFIX = "hntes-queue-"
RESERVED_CLASS_PREFIX = "hntes-"
# The maximum access-list name minus the suffix of a forwarding list.
MAX_ACCESS_LIST_NAME = 60
# `-v4` or `-v6`, at the end of a reservation's access list.
FAMILY_SUFFIX_LENGTH = 3
# IOS 12.4 refuses a 256th class of a policy map ("Max limit of 255 classes in a policy reached"). Later releases may
# allow more, and no figure was found for ASR 9000, so this limit applies to both.
MAX_POLICY_CLASSES = 255
# The class of the pairs and class-default.
OTHER_INPUT_CLASSES = 2
# Each reservation has its own class, since a class has one policer.
MAX_RESERVATIONS = MAX_POLICY_CLASSES - OTHER_INPUT_CLASSES


def name_lengths(class_map: int) -> NameLengths:
    """The maximum lengths of names on a platform that limits class-map names to `class_map` characters."""
    reserved = min(class_map, MAX_ACCESS_LIST_NAME - FAMILY_SUFFIX_LENGTH) - len(RESERVED_CLASS_PREFIX)
    return NameLengths(class_map - len(OUTPUT_CLASS_PREFIX), MAX_ACCESS_LIST_NAME, reserved)


def early_drop_line(profile: DropProfile) -> tuple[int, int] | None:
    """(fill level where dropping starts, fill level where all is dropped), per cent; None if it is not one line.

    Cisco's random-detect has a minimum and a maximum threshold with one straight line between them.

    Example:
        >>> from hntes.rules.qos.build import UPPER_HALF
        >>> early_drop_line(UPPER_HALF)
        (50, 100)
    """
    points = [(point.fill_pct, point.drop_pct) for point in profile.points]
    while len(points) > 2 and points[0][1] == points[1][1] == 0:
        del points[0]
    if len(points) == 2 and points[0][1] == 0 and points[1][1] == 100:
        return points[0][0], points[1][0]
    return None


def problems(model: RouterModel) -> Iterator[str]:
    """One line for each part of the model that neither platform supports."""
    for scheduler in model.schedulers:
        yield from _strict(model, scheduler)
    for profile in model.drop_profiles:
        if early_drop_line(profile) is None:
            yield (
                f"drop profile {profile.name}: random-detect supports only one straight line from 0 to 100%; "
                f"use two points, or another platform than {model.platform}"
            )
    if len({_action(model, version) for version in (4, 6)} - {None}) > 1 or _mixed(model):
        yield f"terms differ in class or policer; {model.platform} has one class-map for all pairs; unify them"


def _strict(model: RouterModel, scheduler: Scheduler) -> Iterator[str]:
    if scheduler.priority != "strict-high":
        return
    if any(each.name == scheduler.forwarding_class and each.queue == 0 for each in model.forwarding_classes):
        yield f"scheduler {scheduler.name}: class-default cannot be strict-high on {model.platform}; lower its priority"
    if scheduler.drops:
        yield (
            f"scheduler {scheduler.name}: a strict-high class has no random-detect on {model.platform}; "
            "lower its priority or use a plan without early drops"
        )


def _action(model: RouterModel, version: int) -> tuple[str, str | None, bool] | None:
    for each in model.filters:
        if each.ip_version == version and each.terms:
            term = each.terms[0]
            return term.forwarding_class, term.policer, term.redirect
    return None


def _mixed(model: RouterModel) -> bool:
    return any(
        (term.forwarding_class, term.policer, term.redirect) != _action(model, each.ip_version)
        for each in model.filters
        for term in each.terms
    )
