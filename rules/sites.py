"""The site of a prefix or of hosts: that of the longest named prefix which holds it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hntes.addresses import Network
from hntes.rules.columns import WIDTHS, Addresses, Whole

ELSEWHERE = "elsewhere"


@dataclass(frozen=True)
class Sites:
    """Named prefixes. `_by_length` has them by IP version and length, the longest first."""

    named: tuple[tuple[Network, str], ...]
    _by_length: Mapping[tuple[int, int], Mapping[int, str]]

    @classmethod
    def of(cls, named: Iterable[tuple[Network, str]]) -> "Sites":
        """Sites from prefixes with their names; each prefix once."""
        ordered = tuple(sorted(named, key=lambda each: -each[0].prefixlen))
        by_length: dict[tuple[int, int], dict[int, str]] = {}
        for prefix, name in ordered:
            by_length.setdefault((prefix.version, prefix.prefixlen), {})[int(prefix.network_address)] = name
        return cls(ordered, by_length)

    def name(self, prefix: Network) -> str:
        """The site of all hosts of a prefix; ELSEWHERE if no named prefix holds them all."""
        address = int(prefix.network_address)
        for (version, length), names in self._by_length.items():
            if version == prefix.version and length <= prefix.prefixlen:
                drop = prefix.max_prefixlen - length
                if found := names.get(address >> drop << drop):
                    return found
        return ELSEWHERE

    def numbers(self, version: Whole, hosts: Addresses) -> Whole:
        """The site of each host, as a number in `names`."""
        known = {name: number for number, name in enumerate(self.names)}
        found = np.full(len(version), known[ELSEWHERE], dtype=np.int64)
        for prefix, name in reversed(self.named):  # the longest last, over shorter ones
            masked = hosts.masked(prefix.prefixlen, WIDTHS[prefix.version])
            wanted = Addresses.of([int(prefix.network_address)])
            inside = (version == prefix.version) & (masked.hi == wanted.hi[0]) & (masked.lo == wanted.lo[0])
            found[inside] = known[name]
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sites, ELSEWHERE last."""
        return (*sorted({name for _, name in self.named}), ELSEWHERE)
