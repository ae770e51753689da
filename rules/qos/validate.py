"""Validity of a model on every platform, checked before rendering. All problems are reported at once."""

from collections import Counter
from collections.abc import Iterable, Iterator
from ipaddress import IPv6Address
from itertools import pairwise
from typing import get_args

from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import (
    DropProfile,
    Filter,
    FilterTerm,
    LossPriority,
    RouterModel,
    Scheduler,
    ThreeColorPolicer,
    TwoColorPolicer,
)
from hntes.rules.qos.names import name_problems
from hntes.rules.qos.overlap import crossing_pairs
from hntes.rules.qos.reserved import reserved_problems
from hntes.settings.own_configuration import HIGHEST_GROUP
from hntes.settings.terms import Priority

# Two 1500-byte packets: a shallower bucket can refuse packets at any rate at all.
MIN_BURST_BYTES = 3_000
MIN_RATE_BPS = 8_000
MAX_DROP_POINTS = 64


def problems(model: RouterModel) -> list[str]:
    """All problems of the model itself, one line each; `platforms.validate` adds those of its platform."""
    return [
        f"router {model.router!r}: {line}"
        for check in (
            name_problems,
            _queues,
            _schedulers,
            _drop_profiles,
            _policers,
            _interfaces,
            _filters,
            _redirect,
            reserved_problems,
        )
        for line in check(model)
    ]


def _duplicates(what: str, names: Iterable[object]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{what} {name} is defined {count} times; keep one"


def _queues(model: RouterModel) -> Iterator[str]:
    yield from _duplicates("forwarding class", (each.name for each in model.forwarding_classes))
    for each in model.forwarding_classes:
        if not 0 <= each.queue <= HIGHEST_GROUP:
            yield f"forwarding class {each.name}: queue {each.queue} is out of 0..{HIGHEST_GROUP}; choose another"
    for queue, count in Counter(each.queue for each in model.forwarding_classes).items():
        if count > 1:
            names = ", ".join(each.name for each in model.forwarding_classes if each.queue == queue)
            yield f"forwarding classes {names} share queue {queue}; give each its own"
    if model.adopted is None and not any(each.queue == 0 for each in model.forwarding_classes):
        yield "no forwarding class has queue 0, where unclassified traffic goes; define one"


def _schedulers(model: RouterModel) -> Iterator[str]:
    yield from _duplicates("scheduler", (each.name for each in model.schedulers))
    served = Counter(each.forwarding_class for each in model.schedulers)
    known = {each.name for each in model.forwarding_classes}
    for name in sorted(known | set(served)):
        if name not in known:
            yield f"a scheduler serves forwarding class {name}, which is not defined; define it or drop the scheduler"
        elif served[name] != 1 and not (model.adopted is not None and served[name] == 0):
            yield f"forwarding class {name} has {served[name]} schedulers; give it exactly one, or it gets no bandwidth"
    for label, shares in (
        ("transmit", [each.transmit_share_pct for each in model.schedulers]),
        ("buffer", [each.buffer_share_pct for each in model.schedulers]),
    ):
        if sum(shares) > 100:
            yield f"{label} shares add up to {sum(shares)}%, more than 100%; lower one"
    yield from _scheduler_values(model)
    strict = [each.name for each in model.schedulers if each.priority == "strict-high"]
    if len(strict) > 1:
        yield f"schedulers {', '.join(strict)} are all strict-high; an interface can have one such queue"


def _scheduler_values(model: RouterModel) -> Iterator[str]:
    profiles = {each.name for each in model.drop_profiles}
    for each in model.schedulers:
        for label, share in (("transmit", each.transmit_share_pct), ("buffer", each.buffer_share_pct)):
            if not 1 <= share <= 100:
                yield f"scheduler {each.name}: {label} share {share}% is out of 1..100"
        if each.priority not in get_args(Priority):
            yield f"scheduler {each.name}: priority {each.priority!r} is none of {', '.join(get_args(Priority))}"
        yield from _duplicates(
            f"scheduler {each.name}: drop profile of loss priority", (drop.loss_priority for drop in each.drops)
        )
        for drop in each.drops:
            if drop.drop_profile not in profiles:
                yield f"scheduler {each.name}: drop profile {drop.drop_profile} is not defined; define it"
            yield from _loss_priority(f"scheduler {each.name}", drop.loss_priority)
        yield from _marks(each)


def _marks(scheduler: Scheduler) -> Iterator[str]:
    """Juniper, ECN: it marks by the queue's drop profile, and is not for queues of strict-high priority."""
    if scheduler.ecn and not scheduler.drops:
        yield f"scheduler {scheduler.name}: marks packets (ECN), but no drop profile says when; bind one"
    if scheduler.ecn and scheduler.priority == "strict-high":
        yield f"scheduler {scheduler.name}: a strict-high queue does not mark packets (ECN); lower its priority"


def _loss_priority(where: str, word: str | None) -> Iterator[str]:
    if word is not None and word not in get_args(LossPriority):
        yield f"{where}: loss priority {word!r} is none of {', '.join(get_args(LossPriority))}"


def _drop_profiles(model: RouterModel) -> Iterator[str]:
    yield from _duplicates("drop profile", (each.name for each in model.drop_profiles))
    for each in model.drop_profiles:
        yield from _drop_points(each)


def _drop_points(profile: DropProfile) -> Iterator[str]:
    fills = [point.fill_pct for point in profile.points]
    drops = [point.drop_pct for point in profile.points]
    if not 2 <= len(fills) <= MAX_DROP_POINTS:
        yield f"drop profile {profile.name}: has {len(fills)} points; give 2 to {MAX_DROP_POINTS}"
    if any(not 0 <= value <= 100 for value in fills + drops):
        yield f"drop profile {profile.name}: a fill level or drop probability is out of 0..100"
    if any(right <= left for left, right in pairwise(fills)):
        yield f"drop profile {profile.name}: fill levels {fills} do not ascend; sort them and drop repeats"
    if any(right < left for left, right in pairwise(drops)):
        yield f"drop profile {profile.name}: drop probabilities {drops} fall as the queue fills"


def _policers(model: RouterModel) -> Iterator[str]:
    yield from _duplicates("policer", model.policer_names)
    classes = {each.name for each in model.forwarding_classes}
    for two in model.policers:
        yield from _rates(two.name, [two.rate_bps], [two.burst_bytes])
        yield from _two_color(two, classes)
    for three in model.three_color_policers:
        yield from _three_color(three)


def _rates(name: str, rates_bps: list[int], bursts_bytes: list[int]) -> Iterator[str]:
    for rate in rates_bps:
        if rate < MIN_RATE_BPS:
            yield f"policer {name}: rate {rate} bit/s is below {MIN_RATE_BPS}"
    for burst in bursts_bytes:
        if burst < MIN_BURST_BYTES:
            yield f"policer {name}: burst {burst} bytes is below {MIN_BURST_BYTES}, two full packets; raise it"


def _two_color(policer: TwoColorPolicer, classes: set[str]) -> Iterator[str]:
    remarks = policer.out_forwarding_class is not None or policer.out_loss_priority is not None
    if policer.out_discard == remarks:
        yield f"policer {policer.name}: out of profile it must either discard, or change class or loss priority"
    if policer.out_forwarding_class is not None and policer.out_forwarding_class not in classes:
        yield f"policer {policer.name}: forwarding class {policer.out_forwarding_class} is not defined; define it"
    yield from _loss_priority(f"policer {policer.name}", policer.out_loss_priority)


def _three_color(policer: ThreeColorPolicer) -> Iterator[str]:
    bursts = [policer.committed_burst_bytes, policer.excess_burst_bytes]
    peak = policer.peak_rate_bps
    yield from _rates(policer.name, [policer.committed_rate_bps] + ([] if peak is None else [peak]), bursts)
    if (peak is None) == (policer.marker == "two_rate"):
        yield f"policer {policer.name}: a peak rate belongs to a two_rate marker (RFC 2698) and to no other"
    if peak is not None and peak < policer.committed_rate_bps:
        yield f"policer {policer.name}: peak rate {peak} is below the committed rate {policer.committed_rate_bps}"


def _interfaces(model: RouterModel) -> Iterator[str]:
    yield from _duplicates("interface", (f"{each.name} unit {each.unit}" for each in model.interfaces))
    for each in model.interfaces:
        if each.unit < 0 or each.rate_bps < MIN_RATE_BPS:
            yield f"interface {each.name} unit {each.unit}: unit or rate {each.rate_bps} bit/s is too small"
    if not any(each.is_edge for each in model.interfaces):
        yield "no interface has role edge or both for the filter; add one"
    if not any(each.is_core for each in model.interfaces):
        yield "no interface has role core or both for the schedulers; add one"
    yield from _port_rates(model)


def _port_rates(model: RouterModel) -> Iterator[str]:
    rates: dict[str, int] = {}
    for each in model.interfaces:
        if each.is_core and rates.setdefault(each.name, each.rate_bps) != each.rate_bps:
            yield (
                f"interface {each.name}: its core units have rates {rates[each.name]} and {each.rate_bps} bit/s, but "
                "the queues are the port's; give both the port's rate"
            )


def _filters(model: RouterModel) -> Iterator[str]:
    if [each.ip_version for each in model.filters] != [4, 6]:
        yield "needs one filter for IPv4 and then one for IPv6, even where they are empty"
    yield from _duplicates("filter", (each.name for each in model.filters))
    yield from _duplicates("term", (term.name for each in model.filters for term in each.all_terms))
    for each in model.filters:
        if each.final_action != "accept":
            yield f"filter {each.name}: ends with {each.final_action}; beta traffic would be lost; end it with accept"
        yield from _terms(model, each)


def _terms(model: RouterModel, each: Filter) -> Iterator[str]:
    classes = {one.name for one in model.forwarding_classes}
    if model.adopted is not None and model.adopted.forwarding_class is not None:
        classes.add(model.adopted.forwarding_class)
    policers = set(model.policer_names)
    for term in each.all_terms:
        if term.forwarding_class not in classes:
            yield f"term {term.name}: forwarding class {term.forwarding_class} is not defined; define it"
        if term.policer is not None and term.policer not in policers:
            yield f"term {term.name}: policer {term.policer} is not defined; define it"
        if not _of_family(term, each.ip_version):
            yield f"term {term.name}: {term.source} and {term.destination} are not both IPv{each.ip_version}; fix it"
    for terms in (each.reserved, each.terms):
        yield from _order(each.name, [term.pair for term in terms if _of_family(term, each.ip_version)])


def _of_family(term: FilterTerm, ip_version: int) -> bool:
    return term.source.version == term.destination.version == ip_version


def _order(filter_name: str, pairs: list[PrefixPair]) -> Iterator[str]:
    yield from _duplicates(f"filter {filter_name}: pair", pairs)
    for left, right in pairwise(pairs):
        if right.sort_key < left.sort_key:
            yield (
                f"filter {filter_name}: {left} precedes {right}, against the order of most specific first, then "
                "by address; sort the terms"
            )
    for wide_source, wide_destination in crossing_pairs(pairs):
        yield (
            f"filter {filter_name}: {wide_source} and {wide_destination} cross: they share packets and neither "
            "contains the other, so no order gives each its own; exclude one or change a prefix length"
        )


def _redirect(model: RouterModel) -> Iterator[str]:
    redirect = model.redirect
    for each in model.filters:
        redirected = any(term.redirect for term in each.terms)
        if redirected and redirect is None:
            yield f"filter {each.name}: terms redirect, but the router has no redirect; set one"
        elif redirected and redirect is not None and redirect.kind == "next_hop":
            hop = redirect.ipv4 if each.ip_version == 4 else redirect.ipv6
            if isinstance(hop, IPv6Address) and hop.is_link_local:
                yield f"redirect: next hop {hop} is link-local and would need an interface; use a global address"
            if hop is None:
                yield (
                    f"redirect: there are IPv{each.ip_version} pairs but no IPv{each.ip_version} next hop; "
                    f"set ipv{each.ip_version}"
                )
