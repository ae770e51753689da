"""An index of prefix pairs by the hosts that they contain: there may be thousands of both."""

from collections.abc import Iterable
from functools import cache
from socket import AF_INET, AF_INET6, inet_pton

from hntes.rules.pairs import PrefixPair

_WIDTH = {4: 32, 6: 128}


class PairIndex:
    """Lookup of the prefix pairs that match a packet; the cost grows only with the number of different lengths."""

    def __init__(self, pairs: Iterable[PrefixPair]) -> None:
        # (family, bits to drop of the source, of the destination) -> the remaining bits of both -> the pair
        self._shapes: dict[tuple[int, int, int], dict[tuple[int, int], PrefixPair]] = {}
        for pair in pairs:
            width = _WIDTH[pair.ip_version]
            drop = width - pair.source.prefixlen, width - pair.destination.prefixlen
            ends = int(pair.source.network_address) >> drop[0], int(pair.destination.network_address) >> drop[1]
            self._shapes.setdefault((pair.ip_version, *drop), {})[ends] = pair
        self._number = cache(_number)

    def holding(self, source: str, destination: str) -> list[PrefixPair]:
        """The pairs that match a packet between these hosts, given in canonical form."""
        version = 6 if ":" in source else 4
        one, other = self._number(source), self._number(destination)
        found = []
        for (family, drop_source, drop_destination), pairs in self._shapes.items():
            if family == version and (pair := pairs.get((one >> drop_source, other >> drop_destination))):
                found.append(pair)
        return found


def _number(host: str) -> int:
    # ip_address() takes several times as long
    return int.from_bytes(inet_pton(AF_INET6 if ":" in host else AF_INET, host), "big")
