"""Reservations in the model: a pair, a rate, and the treatment of packets above it.

Source of the service: the GARA study of differentiated services for high-performance TCP. A premium flow is policed at
the edge, and has a queue of its own behind it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from hntes.addresses import Network
from hntes.format import exact_rate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import FilterTerm, ModelError, RouterModel, TwoColorPolicer, scheduler_name
from hntes.settings.terms import PREMIUM

TERM_PREFIX = "premium-"
OWN_PREFIX = "hntes-premium-"


@dataclass(frozen=True)
class Reserved:
    """A reservation in force on a router: `rate_bps` for packets of the pair, and a bucket of `burst_bytes`.

    `name` is unique on the router: letters, digits and hyphens.
    """

    name: str
    source: Network
    destination: Network
    rate_bps: int
    burst_bytes: int

    @property
    def pair(self) -> PrefixPair:
        """The prefix pair that it is for.

        Raises:
            PairError: its prefixes are of different families.
        """
        return PrefixPair(self.source, self.destination)


def in_order(reserved: Iterable[Reserved]) -> list[Reserved]:
    """Reservations in the order of their terms: the most specific first.

    Raises:
        ModelError: one of them is no pair.
    """
    known = list(reserved)
    mixed = [each for each in known if each.source.version != each.destination.version]
    if mixed:
        raise ModelError(
            [f"reservation {each.name}: {each.source} and {each.destination} are of two families" for each in mixed]
        )
    return sorted(known, key=lambda each: (each.pair.sort_key, each.name))


def reserved_terms(
    reserved: Iterable[Reserved], ip_version: Literal[4, 6], forwarding_class: str
) -> tuple[FilterTerm, ...]:
    """One term for each reservation of a family, in the order given."""
    return tuple(
        FilterTerm(
            name=f"{TERM_PREFIX}{each.name}",
            source=each.source,
            destination=each.destination,
            forwarding_class=forwarding_class,
            counter=f"{TERM_PREFIX}{each.name}",
            policer=f"{OWN_PREFIX}{each.name}",
            redirect=False,
        )
        for each in reserved
        if each.source.version == ip_version
    )


def reserved_policers(reserved: Iterable[Reserved], excess_class: str | None) -> tuple[TwoColorPolicer, ...]:
    """One policer for each reservation: its excess goes to `excess_class`, or is discarded where that is None."""
    return tuple(
        TwoColorPolicer(
            name=f"{OWN_PREFIX}{each.name}",
            rate_bps=each.rate_bps,
            burst_bytes=each.burst_bytes,
            out_forwarding_class=excess_class,
            out_loss_priority=None,
            out_discard=excess_class is None,
        )
        for each in reserved
    )


def with_reserved(model: RouterModel, reserved: Iterable[Reserved], excess_class: str | None) -> RouterModel:
    """The model with its reservations replaced by these; everything else is unchanged.

    Args:
        model: Of a plan with a class for reservations, unless there are none.
        reserved: The new ones, in any order.
        excess_class: As for `reserved_policers`.

    Raises:
        ModelError: the model has no class for them, or one is of two address families.
    """
    promised, rest = in_order(reserved), without_reserved(model)
    if not promised:
        return rest
    names = [one.forwarding_class for one in model.schedulers if one.name == scheduler_name(PREMIUM)]
    if not names:
        raise ModelError([f"router {model.router!r}: {len(promised)} reservations, but its text has no premium queue"])
    filters = tuple(
        replace(each, reserved=reserved_terms(promised, each.ip_version, names[0])) for each in rest.filters
    )
    return replace(rest, filters=filters, policers=(*rest.policers, *reserved_policers(promised, excess_class)))


def without_reserved(model: RouterModel) -> RouterModel:
    """The model without any reservation."""
    theirs = {term.policer for each in model.filters for term in each.reserved}
    return replace(
        model,
        filters=tuple(replace(each, reserved=()) for each in model.filters),
        policers=tuple(each for each in model.policers if each.name not in theirs),
    )


def reserved_of(model: RouterModel) -> tuple[Reserved, ...]:
    """The reservations that a model holds, by name.

    Raises:
        KeyError: a term names no policer of the model.
    """
    policers = {each.name: each for each in model.policers}
    found = []
    for term in (term for each in model.filters for term in each.reserved):
        policer = policers[term.policer or ""]
        name = term.name.removeprefix(TERM_PREFIX)
        found.append(Reserved(name, term.source, term.destination, policer.rate_bps, policer.burst_bytes))
    return tuple(sorted(found, key=lambda one: one.name))


def reserved_problems(model: RouterModel) -> Iterator[str]:
    """Additional requirements of a model with reservations: one line per problem."""
    terms = [term for each in model.filters for term in each.reserved]
    if not terms:
        return
    for term in terms:
        if term.policer is None:
            yield f"term {term.name}: a reservation without a policer; give it one"
        elif [each.policer for each in terms].count(term.policer) > 1:
            yield f"term {term.name}: shares policer {term.policer} with another reservation; give each its own"
    if model.redirect is not None:
        yield (
            "reservations on a router with a redirect: admission does not cover the redirect's path; "
            "remove the redirect or the reservations"
        )
    if model.flowspec is not None:
        yield "reservations with FlowSpec, which has no policers here; use [routers.delivery], or remove them"
    yield from _cap(model, {term.policer for term in terms})


def _cap(model: RouterModel, names: set[str | None]) -> Iterator[str]:
    if model.premium_cap_pct is None:
        yield "reservations under a plan without a premium class; give it premium_share_pct"
        return
    reserved_bps = sum(each.rate_bps for each in model.policers if each.name in names)
    slowest = min((each for each in model.interfaces if each.is_core), key=lambda each: each.rate_bps, default=None)
    if slowest is not None and reserved_bps * 100 > model.premium_cap_pct * slowest.rate_bps:
        yield (
            f"reservations add up to {exact_rate(reserved_bps)}, above premium_cap_pct {model.premium_cap_pct} of "
            f"{slowest.name}, the slowest core port ({exact_rate(slowest.rate_bps)}); cancel one or raise the cap"
        )
