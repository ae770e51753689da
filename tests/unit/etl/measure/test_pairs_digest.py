"""The digest of a set of pairs stays what was stored by earlier versions."""

import hashlib
from ipaddress import ip_network
from itertools import permutations

from hntes.etl.measure.measured_pairs import pairs_hash

# In the order in which their texts are hashed: by family, then as texts, a prefix before longer ones of its address.
ORDERED = (
    ("0.0.0.0/2", "203.0.113.0/24"),
    ("0.0.0.0/24", "203.0.113.0/24"),
    ("10.2.0.0/16", "203.0.113.0/24"),
    ("9.0.0.0/8", "203.0.113.0/24"),
    ("9.0.0.0/8", "203.0.114.0/24"),
    ("2001:db8::/32", "2001:db8:2::/64"),
)


def test_pairs_are_hashed_by_family_and_text_in_whatever_order_they_come() -> None:
    text = "\n".join(f"{source} > {destination}" for source, destination in ORDERED)
    pairs = [(ip_network(source), ip_network(destination)) for source, destination in ORDERED]
    for some in list(permutations(pairs))[::37]:
        assert pairs_hash(some) == hashlib.sha256(text.encode()).hexdigest()
