"""The sums of a file's counters, by its own statistics and by its records.

nfdump writes the statistics when it writes the records, and reads each from its own place in the file, so damage to
one of them shows. Source: UpdateStatRecord and the v5, v9 and IPFIX collectors of nfdump 1.6 and 1.7: the totals hold
the counters of both directions; the sums by protocol those of the first direction where nfcapd wrote the file, of both
where nfdump did. Seen equal in every good file of both layouts and of all compressions.
"""

import re
from collections.abc import Iterable

from hntes.etl.sources.source import Sums

# nfdump adds up in unsigned 64-bit numbers
WRAP = 1 << 64
KINDS = ("all", "tcp", "udp", "other")
COUNTERS = ("packets", "bytes")
_LINES = {"all": ("",), "tcp": ("_tcp",), "udp": ("_udp",), "other": ("_icmp", "_other")}


def promised_sums(statistics: str) -> Sums | None:
    """The sums that `nfdump -I` prints; None where one is missing."""
    found = dict(re.findall(r"^(\w+): (\d+)$", statistics, re.MULTILINE))
    of = {}
    for kind, counter in sum_keys():
        names = [f"{counter.capitalize()}{suffix}" for suffix in _LINES[kind]]
        if any(name not in found for name in names):
            return None
        of[kind, counter] = sum(int(found[name]) for name in names) % WRAP
    return Sums(of)


def sum_keys() -> Iterable[tuple[str, str]]:
    """Each kind with each counter."""
    return [(kind, counter) for kind in KINDS for counter in COUNTERS]
