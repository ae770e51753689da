"""Forwarding classes and levels of SR OS, which the router itself names.

Sources: nokia-types-sros, typedef fc-name (be 0, l2 1, af 2, l1 3, h2 4, ef 5, h1 6, nc 7); 7750 SR Quality of Service
Guide, "Forwarding classes": nc and h1 carry the router's own control packets.
"""

from typing import NamedTuple

from hntes.settings.terms import Priority

CLASSES = ("be", "l2", "af", "l1", "h2", "ef", "h1", "nc")
# Classes of the router's own packets: routing protocols are nc, and h1 in some defaults.
CONTROL_CLASSES = (6, 7)


class Levels(NamedTuple):
    """The port priority of a queue within its guaranteed rate (cir-level) and above it (level)."""

    within: int
    above: int


# Within its share a queue is served before those of lower priority; what is left is shared by weight. Strict-high is
# served before all others above its share, too.
LEVELS: dict[Priority, Levels] = {
    "low": Levels(1, 1),
    "medium-low": Levels(2, 1),
    "medium-high": Levels(3, 1),
    "high": Levels(4, 1),
    "strict-high": Levels(8, 8),
}


def queue_id(number: int) -> int:
    """The queue in a policy for a class: queue 1, which every policy has, is that of best effort."""
    return number + 1
