"""Who a pair of a change belongs to, as far as somebody has said so: a pin, a reservation, an announced transfer."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from ipaddress import ip_network

from hntes import clock
from hntes.rules.pairs import PrefixPair
from hntes.rules.sites import Sites
from hntes.settings.model import Router
from hntes.sql import overrides, reservations
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.stages.announced_pairs import announced_uses

__all__ = ["NOBODY", "Sites", "pair_owners", "sites_of"]

NOBODY = "nobody named"


def sites_of(context: Context) -> Sites:
    """The named sites of the settings."""
    return Sites.of((each, site.name) for site in context.settings.sites for each in site.prefixes)


def pair_owners(
    context: Context, router: Router, pairs: Sequence[PrefixPair], day: date
) -> dict[PrefixPair, tuple[str, ...]]:
    """The owners of pairs as of a day; pairs without are left out.

    Owners are those of pins that are active on the day, of reservations that stand now, and experiments that announced
    the pair's alpha flows on the days before; the last are not verified.

    Raises:
        AnnouncedError: the registry of experiments cannot be read.
    """
    found: defaultdict[PrefixPair, list[str]] = defaultdict(list)
    with reading(context.database) as session:
        pins = [each for each in overrides.pins(session, router.name) if each.active_on(day)]
        standing = reservations.standing(session, clock.now_s(), {router.name})
    for pin in pins:
        found[_pair(pin.source, pin.destination)].append(f"pinned by {pin.owner}")
    for each in standing:
        pair = _pair(each.entry.source, each.entry.destination)
        for one in {pair, _widened(context, pair)}:
            found[one].append(f"reserved by {each.entry.owner}")
    for pair, uses in announced_uses(context, router, pairs, day, context.settings.ageing.days).items():
        found[pair] += [f"announced by {use.experiment}" for use in uses]
    return {pair: tuple(dict.fromkeys(found[pair])) for pair in pairs if pair in found}


def _pair(source: str, destination: str) -> PrefixPair:
    return PrefixPair(ip_network(source), ip_network(destination))


def _widened(context: Context, pair: PrefixPair) -> PrefixPair:
    """The pair that alpha flows of these hosts are learned as."""
    chosen = context.settings.detection
    length = chosen.ipv4_prefix_length if pair.ip_version == 4 else chosen.ipv6_prefix_length
    source, destination = (
        side if side.prefixlen <= length else side.supernet(new_prefix=length)
        for side in (pair.source, pair.destination)
    )
    return PrefixPair(source, destination)
