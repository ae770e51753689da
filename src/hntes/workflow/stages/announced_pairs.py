"""What others announced of the pairs of a router, with the names of the registry."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from ipaddress import ip_address

from hntes.etl.announced.experiments import Experiments
from hntes.rules.lifetime.announced_use import AnnouncedUse, purposes
from hntes.rules.pairs import PrefixPair, prefix
from hntes.settings.model import Router
from hntes.sql import announced as stored
from hntes.sql.announced import AnnouncedShare
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.stages.announced_transfers import experiments_of

# A change with more new pairs is read as a table: `hntes rules`.
_MAX_NOTED = 10


def announced_uses(
    context: Context, router: Router, pairs: Iterable[PrefixPair], until_day: date, days: int
) -> dict[PrefixPair, tuple[AnnouncedUse, ...]]:
    """What was announced of each pair's alpha flows on the last days through `until_day`; pairs without are left out.

    Raises:
        AnnouncedError: the registry of experiments cannot be read.
    """
    if context.settings.announced is None:
        return {}
    experiments = experiments_of(context)
    with reading(context.database) as session:
        shares = stored.shares(session, router.name, until_day - timedelta(days=days - 1), until_day)
    lengths = context.settings.detection.ipv4_prefix_length, context.settings.detection.ipv6_prefix_length
    learned: defaultdict[PrefixPair, list[AnnouncedShare]] = defaultdict(list)
    for share in shares:
        if not share.implausible:
            source, destination = (prefix(ip_address(host), *lengths) for host in (share.source, share.destination))
            learned[PrefixPair(source, destination)].append(share)
    mine = {pair: _of_pair(pair, learned, lengths) for pair in (pairs if learned else ())}
    return {pair: uses_of(found, experiments) for pair, found in mine.items() if found}


def _of_pair(
    pair: PrefixPair, learned: Mapping[PrefixPair, Sequence[AnnouncedShare]], lengths: tuple[int, int]
) -> Sequence[AnnouncedShare]:
    """Pairs that were learned are looked up; pinned ones may have other lengths."""
    length = lengths[0] if pair.ip_version == 4 else lengths[1]
    if (pair.source.prefixlen, pair.destination.prefixlen) == (length, length):
        return learned.get(pair, ())
    return [
        share
        for found in learned.values()
        for share in found
        if pair.contains(ip_address(share.source), ip_address(share.destination))
    ]


def uses_of(shares: Sequence[AnnouncedShare], experiments: Experiments) -> tuple[AnnouncedUse, ...]:
    """Alpha flows by source, experiment and activity, by their names; the most bytes first."""
    groups: defaultdict[tuple[str, str, str], list[AnnouncedShare]] = defaultdict(list)
    for share in shares:
        entry = share.entry
        name = "disputed" if entry.is_disputed else experiments.name(entry.experiment)
        groups[entry.source, name, experiments.activity_name(entry.experiment, entry.activity)].append(share)
    found = []
    for of, listed in groups.items():
        sizes = [share.entry.announced_bytes for share in listed if share.entry.announced_bytes is not None]
        flow_bytes = sum(share.flow_bytes for share in listed)
        found.append(AnnouncedUse(*of, len(listed), flow_bytes, sum(sizes) if sizes else None))
    return tuple(sorted(found, key=lambda use: (-use.alpha_bytes, use.source, use.experiment, use.activity)))


def announced_note(
    context: Context, router: Router, day: date, pairs: Sequence[PrefixPair], before: frozenset[PrefixPair]
) -> tuple[str, ...]:
    """One sentence on what the new ones among these pairs were announced as; empty if none was."""
    new = [pair for pair in pairs if pair not in before]
    uses = announced_uses(context, router, new, day, context.settings.ageing.days)
    if not uses:
        return ()
    named = [f"{pair} {purposes(uses[pair])}" for pair in new if pair in uses]
    more = [f"{len(named) - _MAX_NOTED} more"] if len(named) > _MAX_NOTED else []
    return (f"announced, not verified: {'; '.join([*named[:_MAX_NOTED], *more])}",)
