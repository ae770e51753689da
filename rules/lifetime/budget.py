"""The term budget: selection of the rules that get a term in a router's filter.

docs/decisions/0017-evidence-and-hysteresis.md has the reasons for the order.
"""

from dataclasses import dataclass

import numpy as np

from hntes.rules.columns import Mask, Whole

# Weight of the recent bytes of a pair in force: a replacement must be clearly larger, so that two pairs of similar size
# do not alternate.
IN_FORCE_WEIGHT = 2
# Days of sightings after which a pair may displace one in force.
ESTABLISHED_DAYS = 2


@dataclass(frozen=True)
class Claims:
    """One row per rule that qualifies for a term; `place` is the pair's in filter order.

    `held`: in force on a night with incomplete data.
    """

    held: Mask
    pinned: Mask
    in_force: Mask
    days_seen: Whole
    recent_bytes: Whole
    place: Whole


def ranked(claims: Claims) -> Whole:
    """The rows of all claims, by descending priority.

    Those held on a night with incomplete data, then pinned ones, then those in force or seen on two days or more,
    by recent bytes, those in force counting IN_FORCE_WEIGHT times; then the others by recent bytes. Equals go by filter
    order.
    """
    established = claims.in_force | (claims.days_seen >= ESTABLISHED_DAYS)
    weight = np.where(claims.in_force, claims.recent_bytes * IN_FORCE_WEIGHT, claims.recent_bytes)
    rank = ~claims.held * np.uint8(4) + ~claims.pinned * np.uint8(2) + ~established * np.uint8(1)
    return np.lexsort((claims.place, -weight, rank))
