"""Lifelines: the addresses without which a network is neither reached nor seen, as a running configuration has them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_interface, ip_network
from re import Pattern

from hntes.addresses import Network


@dataclass(frozen=True)
class Lifeline:
    """A prefix that no pair may hold, what it is, and the line of the running configuration that names it."""

    prefix: Network
    what: str
    line: int


@dataclass(frozen=True)
class LifelineKind:
    """Statements that name lifelines of one kind.

    `statement` finds them in a statement's words from the top level on, with a group `address`, and `mask` where that
    is apart. `whole`: the network of the address counts, rather than the address alone.
    """

    what: str
    statement: Pattern[str]
    whole: bool = False


def lifelines_of(statements: Iterable[tuple[int, str]], kinds: Iterable[LifelineKind]) -> Iterator[Lifeline]:
    """The lifelines that statements name, given by line and words; each once, at the first statement."""
    known, seen = tuple(kinds), set()
    for line, words in statements:
        for kind in known:
            for found in kind.statement.finditer(words):
                named = found.groupdict()
                prefix = _prefix(named["address"], named.get("mask"), whole=kind.whole)
                if prefix is not None and (prefix, kind.what) not in seen:
                    seen.add((prefix, kind.what))
                    yield Lifeline(prefix, kind.what, line)


def _prefix(address: str, mask: str | None, *, whole: bool) -> Network | None:
    """None for a name, and for addresses that no other router routes: unspecified, loopback, link-local."""
    try:
        interface = ip_interface(f"{address}/{mask}" if mask else address)
    except ValueError:
        return None
    if interface.is_unspecified or interface.is_loopback or interface.is_link_local:
        return None
    return interface.network if whole else ip_network(interface.ip)
