"""A digest of the set of pairs that a load measurement excludes."""

import hashlib
from collections.abc import Iterable

from hntes.addresses import Network

Pairs = Iterable[tuple[Network, Network]]


def pairs_hash(pairs: Pairs) -> str:
    """The digest of a set of pairs in `LoadDayEntry`: equal for the same pairs in any order."""
    # stored digests are of this order: IPv4 first, then by text
    listed = sorted((source.version, f"{source} > {destination}") for source, destination in set(pairs))
    return hashlib.sha256("\n".join(text for _, text in listed).encode()).hexdigest()
