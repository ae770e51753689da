"""Limits of IOS-XR."""

from collections.abc import Iterator

from hntes.platforms.cisco import limits
from hntes.rules.qos.model import RouterModel

# Cisco, congestion avoidance on ASR 9000: a class has at most two pairs of thresholds.
MAX_DROPS = 2


def problems(model: RouterModel) -> Iterator[str]:
    """One line for each part of the model that IOS-XR does not support."""
    yield from limits.problems(model)
    for each in model.schedulers:
        if len(each.drops) > MAX_DROPS:
            yield (
                f"scheduler {each.name}: has {len(each.drops)} drop profiles; the maximum on iosxr is {MAX_DROPS}; "
                "drop one"
            )
