"""Prefixes that no pair may hold, in the form of exclusions that always hold and win over pins.

The network's own lifelines, of the settings and of all routers' running configurations, and the addresses that no
router forwards: records that name them are wrong or forged.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from hntes.addresses import Address, Network
from hntes.platforms.errors import ParseError
from hntes.platforms.lifelines import Lifeline
from hntes.platforms.registry import platform_of
from hntes.rules.pairs import PairError, PrefixPair
from hntes.settings.model import Router
from hntes.sql.entries import ALL_ROUTERS, ExclusionEntry
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.running_configuration import running_text
from hntes.workflow.stage_log import warn

# RFC 6890 (IPv4 and IPv6 special addresses) and RFC 4291; documentation and private addresses are routed in places.
_MARTIANS = (
    ("0.0.0.0/8", "this network"),
    ("127.0.0.0/8", "loopback addresses"),
    ("169.254.0.0/16", "link-local addresses"),
    ("224.0.0.0/4", "multicast groups"),
    ("240.0.0.0/4", "reserved addresses"),
    ("::/127", "the unspecified and the loopback address"),
    ("::ffff:0:0/96", "IPv4 addresses in IPv6 form"),
    ("fe80::/10", "link-local addresses"),
    ("ff00::/8", "multicast groups"),
)
OWNER = "HNTES"


def built_in_exclusions(context: Context, *, must_know: bool = False) -> tuple[ExclusionEntry, ...]:
    """What no router may have pairs for, by prefix: martians, and the network's own lifelines.

    Raises:
        CommandError: as `protected_exclusions`.
    """
    martians = (_entry(ip_network(prefix), f"no router forwards {what}") for prefix, what in _MARTIANS)
    return (*martians, *protected_exclusions(context, must_know=must_know))


def protected_exclusions(context: Context, *, must_know: bool = False) -> tuple[ExclusionEntry, ...]:
    """The network's own lifelines: of the settings, and learned; each prefix once.

    A running configuration of which nothing can be learned is warned of, so that it stops no other router's night.
    `must_know`: it is refused, since something is about to arrive or to be promised.

    Raises:
        CommandError: a running configuration cannot be read; with `must_know` also, one cannot be understood.
    """
    chosen = context.settings.protected
    named = [(each, "protected.prefixes of the settings") for each in chosen.prefixes]
    learned = list(_learned(context, must_know=must_know)) if chosen.learned else []
    allowed = chosen.allowed
    kept = [each for each in learned if not any(_holds(one, each[0]) for one in allowed)]
    first: dict[Network, str] = {}
    for prefix, what in (*named, *kept):
        first.setdefault(prefix, what)
    return tuple(_entry(prefix, f"protected: {what}") for prefix, what in first.items())


def require_unprotected(context: Context, pair: PrefixPair) -> None:
    """Refuses a pair that holds a protected prefix.

    Raises:
        CommandError: what a running configuration protects is not known.
        PairError: with the prefix and the reason.
    """
    for entry in protected_exclusions(context, must_know=True):
        prefix = ip_network(entry.prefix)
        if prefix.version == pair.ip_version and (prefix.overlaps(pair.source) or prefix.overlaps(pair.destination)):
            raise PairError(
                f"{pair}: holds {prefix}, {entry.reason}; leave its packets to best effort. If a learned prefix may be "
                "part of pairs, name it in protected.allowed of the settings"
            )


def _learned(context: Context, *, must_know: bool) -> Iterator[tuple[Network, str]]:
    for router in context.settings.routers:
        yield from _of_settings(router)
        for each in _lifelines(router, must_know=must_know):
            yield each.prefix, f"{each.what} of {router.name} (line {each.line} of its running configuration)"


def _of_settings(router: Router) -> Iterator[tuple[Network, str]]:
    if router.delivery is not None and (address := _address(router.delivery.address)) is not None:
        yield ip_network(address), f"address by which HNTES reaches {router.name}"
    if router.flowspec is not None and not router.flowspec.neighbor.is_loopback:
        yield ip_network(router.flowspec.neighbor), f"BGP address of {router.name} at its speaker"


def _lifelines(router: Router, *, must_know: bool) -> Sequence[Lifeline]:
    text = running_text(router)
    if text is None:
        return ()
    try:
        return _parsed(router.platform, text)
    except ParseError as problem:
        what = f"router {router.name}: no protected prefixes were learned from its running configuration: {problem}"
        if must_know:
            raise CommandError(
                f"{what}. Store it again (`hntes router config --router {router.name} --store`) or leave its "
                "running_config out, and name its lifelines in protected.prefixes of the settings"
            ) from problem
        # the router's own night refuses it by the same line
        warn(what)
        return ()


@lru_cache(maxsize=64)
def _parsed(platform: str, text: str) -> tuple[Lifeline, ...]:
    return tuple(platform_of(platform).lifelines(text))


def _address(text: str) -> Address | None:
    """None for a name, which may have any address."""
    try:
        found: IPv4Address | IPv6Address = ip_address(text)
    except ValueError:
        return None
    return None if found.is_loopback else found


def _holds(one: Network, other: Network) -> bool:
    return one.version == other.version and one.prefixlen <= other.prefixlen and one.overlaps(other)


def _entry(prefix: Network, reason: str) -> ExclusionEntry:
    return ExclusionEntry(ALL_ROUTERS, "either", str(prefix), OWNER, reason, date.min, date.max)
