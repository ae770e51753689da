"""A digest of the set of pairs that a load measurement excludes."""

import hashlib
from collections.abc import Iterable

from hntes.addresses import Network

Pairs = Iterable[tuple[Network, Network]]


def pairs_hash(pairs: Pairs) -> str:
    """The digest of a set of pairs in `LoadDayEntry`: equal for the same pairs in any order."""
    listed = sorted(set(pairs), key=str)
    return hashlib.sha256("\n".join(f"{source} > {destination}" for source, destination in listed).encode()).hexdigest()
