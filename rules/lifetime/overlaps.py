"""Which of many exclusions hit a pair, without looking at each: there may be 60,000 pairs in a night."""

from collections import defaultdict
from collections.abc import Sequence
from ipaddress import ip_network

from hntes.addresses import Network
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry


class PrefixIndex:
    """Numbered prefixes of both families; finds those that overlap a given one, whichever contains the other.

    Two prefixes overlap if they agree in as many bits as the shorter one has.
    """

    def __init__(self, prefixes: Sequence[tuple[int, Network]]) -> None:
        self._prefixes = prefixes
        # (family, length of the prefix asked for) -> bits compared -> those bits -> numbers
        self._tables: dict[tuple[int, int], dict[int, dict[int, list[int]]]] = {}

    def overlapping(self, prefix: Network) -> list[int]:
        """The numbers of the prefixes that overlap this one; the cost grows with the different lengths among them."""
        key = (prefix.version, prefix.prefixlen)
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = self._table(*key)
        address, width = int(prefix.network_address), prefix.max_prefixlen
        return [number for bits, found in table.items() for number in found.get(address >> (width - bits), ())]

    def _table(self, version: int, length: int) -> dict[int, dict[int, list[int]]]:
        table: defaultdict[int, dict[int, list[int]]] = defaultdict(dict)
        for number, prefix in self._prefixes:
            if prefix.version == version:
                bits = min(length, prefix.prefixlen)
                head = int(prefix.network_address) >> (prefix.max_prefixlen - bits)
                table[bits].setdefault(head, []).append(number)
        return dict(table)


class ExclusionIndex:
    """The exclusions that hold on a day, to be asked for those that hit a pair."""

    def __init__(self, exclusions: Sequence[ExclusionEntry]) -> None:
        self._exclusions = exclusions
        prefixes = [(number, ip_network(entry.prefix)) for number, entry in enumerate(exclusions)]
        self._of_source, self._of_destination = (
            PrefixIndex([(n, prefix) for n, prefix in prefixes if exclusions[n].side in (side, "either")])
            for side in ("source", "destination")
        )

    def hits(self, pair: PrefixPair) -> list[ExclusionEntry]:
        """The exclusions that hit the pair, in their order."""
        numbers = {*self._of_source.overlapping(pair.source), *self._of_destination.overlapping(pair.destination)}
        return [self._exclusions[number] for number in sorted(numbers)]
