"""Prefix pairs, the match condition of rules."""

from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network

from hntes.addresses import Address, Network, network
from hntes.errors import HntesError


class PairError(HntesError, ValueError):
    """A text or a pair of prefixes that is not a prefix pair; the message says what is wrong."""


@dataclass(frozen=True)
class PrefixPair:
    """A source and a destination prefix of one address family."""

    source: Network
    destination: Network

    def __post_init__(self) -> None:
        if self.source.version != self.destination.version:
            raise PairError(f"{self.source} and {self.destination} are of different address families")

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # networks compute theirs on every call, and sets look up pairs by the hundred thousand
        return hash((self.source, self.destination))

    def __str__(self) -> str:
        return f"{self.source} > {self.destination}"

    @property
    def ip_version(self) -> int:
        return self.source.version

    @cached_property
    def sort_key(self) -> tuple[int, int, int, int, int, int]:
        """IPv4 first, the most specific first, then by address: the order of filter terms."""
        return (
            self.ip_version,
            -(self.source.prefixlen + self.destination.prefixlen),
            int(self.source.network_address),
            int(self.destination.network_address),
            self.source.prefixlen,
            self.destination.prefixlen,
        )

    @classmethod
    def parse(cls, text: str) -> "PrefixPair":
        """A pair from `SOURCE>DESTINATION` (blanks around `>` allowed).

        Raises:
            PairError: not two prefixes, host bits set, or two families.
        """
        source, arrow, destination = text.partition(">")
        if not arrow:
            raise PairError(
                f"{text!r} is not a prefix pair; write SOURCE>DESTINATION, as 198.18.10.0/24>203.0.113.0/24"
            )
        return cls(_network(source.strip()), _network(destination.strip()))

    def contains(self, source: Address, destination: Address) -> bool:
        """Whether the pair matches a packet between these hosts."""
        return source in self.source and destination in self.destination


def prefix(address: Address, ipv4_length: int, ipv6_length: int) -> Network:
    """The prefix of its family's length that holds an address."""
    # not by ip_network(), which tries both families: four times slower, and this is done for every host seen
    if address.version == 4:
        return IPv4Network((address, ipv4_length), strict=False)
    return IPv6Network((address, ipv6_length), strict=False)


def _network(text: str) -> Network:
    try:
        return network(text)
    except ValueError as cause:
        raise PairError(f"{text!r} is not a prefix: {cause}") from cause
