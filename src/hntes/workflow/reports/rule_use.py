"""Rules that no packet matched, per the recorded counters; no router is contacted."""

from collections.abc import Sequence
from dataclasses import dataclass

from hntes.format import counted, minute
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import counter_readings
from hntes.sql.counter_readings import CountersInUse, KnownCounter
from hntes.sql.session import reading
from hntes.workflow.context import Context


@dataclass(frozen=True)
class UnusedRules:
    """The rules of one router that no packet matched, in a sentence."""

    router: str
    words: str


@dataclass(frozen=True)
class UnusedRule:
    """A counter that never counted a packet, and its readings in words.

    `pair` is empty if it counts all pairs, `interface` if it counts all interfaces.
    """

    pair: str
    interface: str
    words: str


def routers_with_unused_rules(context: Context, routers: Sequence[Router]) -> tuple[UnusedRules, ...]:
    """Those of these routers whose newest reading has counters that never counted a packet."""
    with reading(context.database) as session:
        found = counter_readings.counters_in_use(session)
    known = (found[router.name] for router in routers if router.name in found)
    return tuple(UnusedRules(use.router, _sentence(use)) for use in known if use.never_matched)


def unused_rules(context: Context, router: Router) -> tuple[UnusedRule, ...]:
    """The counters of a router's newest reading that never counted a packet, longest known first."""
    with reading(context.database) as session:
        found = counter_readings.never_matched(session, router.name)
    return tuple(UnusedRule(_pair(each), each.interface, _readings(each)) for each in found)


def use_of_pair(context: Context, router: Router, pair: PrefixPair) -> tuple[str, ...]:
    """The readings of a pair's rule, or of all pairs' if the router does not count per pair.

    One sentence per counter; empty if none was ever recorded.
    """
    with reading(context.database) as session:
        newest_ms = counter_readings.newest_read_ms(session, router.name)
        found = counter_readings.counters_of_pair(session, router.name, str(pair.source), str(pair.destination))
    sentences = []
    for each in found:
        where = f" on {each.interface}" if each.interface else ""
        if each.source is not None:
            gone = "" if each.last_read_ms == newest_ms else "; the newest reading has no such rule"
            sentences.append(f"this pair{where}: {_readings(each)}{gone}")
        elif each.last_read_ms == newest_ms:
            sentences.append(f"all pairs{where}: {_readings(each)}")
    return tuple(sentences)


def _sentence(use: CountersInUse) -> str:
    since = minute(use.unused_since_ms or use.read_ms)
    return (
        f"no packet matched {use.never_matched} of {counted(use.counters, 'counter')} in any reading, "
        f"the oldest from {since} UTC; newest reading {minute(use.read_ms)} UTC"
    )


def _pair(each: KnownCounter) -> str:
    return f"{each.source} > {each.destination}" if each.source else ""


def _readings(each: KnownCounter) -> str:
    first, last = minute(each.first_read_ms), minute(each.last_read_ms)
    if each.first_matched_ms is not None:
        return f"packets matched in the reading of {minute(each.first_matched_ms)} UTC"
    if first == last:
        return f"no packet matched in the reading of {last} UTC, the only one so far"
    return f"no packet matched in any reading from {first} to {last} UTC"
