"""Builds the vendor-neutral model from a router's settings, its plan and its prefix pairs."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Literal

from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.hardware_fit import HardwareFit
from hntes.rules.qos.model import (
    KEPT_SCHEDULER,
    Adopted,
    DropBinding,
    DropPoint,
    DropProfile,
    Filter,
    FilterTerm,
    ForwardingClass,
    InterfaceBinding,
    Marking,
    ModelError,
    Redirect,
    RouterModel,
    Scheduler,
    ThreeColorPolicer,
    TwoColorPolicer,
    scheduler_name,
)
from hntes.rules.qos.reserved import Reserved, in_order, reserved_policers, reserved_terms
from hntes.settings.adopt import KeptClass
from hntes.settings.model import Router
from hntes.settings.plans import Plan, ScavengerPolicer, SingleQueue, ThreeColorMarker, TwoQueue, WredPolicer
from hntes.settings.redirect import NextHopRedirect
from hntes.settings.terms import ALPHA, BETA, NETWORK_CONTROL, PREMIUM, SCAVENGER, Priority

# Routing protocols must get through under any load; their 5% share limits what the priority can take.
NETWORK_CONTROL_PRIORITY: Priority = "high"

OCCUPANCY = DropProfile("hntes-occupancy", (DropPoint(0, 0), DropPoint(100, 100)))
ECN = "hntes-ecn"
UPPER_HALF = DropProfile("hntes-upper-half", (DropPoint(0, 0), DropPoint(50, 0), DropPoint(100, 100)))
_ALPHA_SCHEDULER = scheduler_name(ALPHA)
SCAVENGER_POLICER, WRED_POLICER, MARKER = "hntes-scavenger", "hntes-wred", "hntes-marker"


def build_model(
    router: Router,
    plan: Plan,
    pairs: Iterable[PrefixPair],
    reserved: Iterable[Reserved] = (),
    fit: HardwareFit | None = None,
) -> RouterModel:
    """The model of `router` for these pairs and reservations under this plan; their order does not matter.

    `fit` is what the hardware gives where the settings say nothing (`hntes.platforms.hardware_fit`).

    The result is not validated: `hntes.platforms.validate` does that, and `hntes.platforms.render` calls it.

    Raises:
        ModelError: there are reservations and the plan has no class for them, or one is of two address families.
    """
    ordered = sorted(pairs, key=lambda pair: pair.sort_key)
    promised = in_order(reserved)
    if promised and _premium_of(plan) is None:
        raise ModelError(
            [f"router {router.name!r}: {len(promised)} reservations, but its plan has no premium_share_pct"]
        )
    adopt = router.adopt
    adopted = None
    if adopt is not None:
        adopted = Adopted(adopt.forwarding_class, adopt.policy, shares_with=tuple(sorted(adopt.shares_with)))
    router, buffer_ms = _on_hardware(router, fit)
    schedulers = _schedulers(router, plan, {} if fit is None else fit.priorities)
    if router.adopt is not None:
        schedulers = tuple(
            each for each in schedulers if router.adopt.forwarding_class is None and each.name == _ALPHA_SCHEDULER
        )
    return RouterModel(
        router=router.name,
        platform=router.platform,
        plan_kind=plan.kind,
        forwarding_classes=_forwarding_classes(router, plan),
        schedulers=schedulers,
        drop_profiles=_drop_profiles(plan),
        policers=_policers(router, plan, promised),
        three_color_policers=_three_color_policers(plan),
        filters=(_filter(router, plan, 4, ordered, promised), _filter(router, plan, 6, ordered, promised)),
        interfaces=interface_bindings(router),
        redirect=_redirect(router),
        port_buffer_ms=buffer_ms,
        fast_lookup=router.fast_lookup_filter,
        flowspec=Marking(router.flowspec.dscp, router.flowspec.redirect) if router.flowspec else None,
        premium_cap_pct=premium.premium_cap_pct if (premium := _premium_of(plan)) is not None else None,
        adopted=adopted,
        hardware=fit.name if fit is not None else None,
    )


def _on_hardware(router: Router, fit: HardwareFit | None) -> tuple[Router, int | float]:
    """The router with the queue of network control, and the buffer of its ports: as set, else those of the hardware.

    Raises:
        ModelError: the hardware has no published buffer, and none is set.
    """
    if fit is None:
        return router, router.port_buffer_ms
    if fit.control_queue is not None and "network_control" not in router.queues.model_fields_set:
        queues = router.queues.model_copy(update={"network_control": fit.control_queue})
        router = router.model_copy(update={"queues": queues})
    if "port_buffer_ms" in router.model_fields_set:
        return router, router.port_buffer_ms
    if fit.port_buffer_ms is None:
        unknown = f"the buffer of ports of hardware {fit.name} is not published for all rates: set port_buffer_ms"
        raise ModelError([f"router {router.name!r}: {unknown}"])
    return router, fit.port_buffer_ms


def _forwarding_classes(router: Router, plan: Plan) -> tuple[ForwardingClass, ...]:
    """The classes of the plan and those that are kept, by queue; with `adopt` the one that takes the pairs.

    The queue of an adopted Junos class is in the running configuration alone: `platforms.check_conflicts` adds it.
    """
    names, queues = router.class_names.by_class(), router.queues.by_class()
    adopt = router.adopt
    if adopt is not None:
        if adopt.forwarding_class is not None:
            return ()
        return (ForwardingClass(names[ALPHA], queues[ALPHA]),)
    found = [ForwardingClass(names[each], queues[each]) for each in plan.shares_pct()]
    found += [ForwardingClass(each.forwarding_class, each.queue) for each in router.kept_classes]
    return tuple(sorted(found, key=lambda one: one.queue))


def interface_bindings(router: Router) -> tuple[InterfaceBinding, ...]:
    """The router's interfaces, by name and unit."""
    ordered = sorted(router.interfaces, key=lambda each: (each.name, each.unit))
    return tuple(
        InterfaceBinding(each.name, each.unit, each.role, each.rate_bps, each.ip_versions, logical=each.logical)
        for each in ordered
    )


def term_name(pair: PrefixPair) -> str:
    """A name that depends only on the pair, so that a term keeps it when others are added or removed.

    Example:
        >>> term_name(PrefixPair.parse("198.18.10.0/24>203.0.113.0/24"))
        'alpha-67f57fd0b6e2'
    """
    return "alpha-" + hashlib.sha256(str(pair).encode("ascii")).hexdigest()[:12]


def _premium_of(plan: Plan) -> TwoQueue | None:
    """The plan, if it has a class for reservations."""
    return plan if isinstance(plan, TwoQueue) and plan.premium_share_pct is not None else None


def _filter(
    router: Router, plan: Plan, ip_version: Literal[4, 6], ordered: list[PrefixPair], promised: list[Reserved]
) -> Filter:
    names = router.class_names.by_class()
    forwarding_class = names[BETA if isinstance(plan, SingleQueue) else ALPHA]
    if router.adopt is not None and router.adopt.forwarding_class is not None:
        forwarding_class = router.adopt.forwarding_class
    terms = []
    for pair in ordered:
        if pair.ip_version != ip_version:
            continue
        name = term_name(pair)
        terms.append(
            FilterTerm(
                name=name,
                source=pair.source,
                destination=pair.destination,
                forwarding_class=forwarding_class,
                counter=name,
                policer=_policer_name(plan),
                redirect=router.redirect is not None,
            )
        )
    reserved = reserved_terms(promised, ip_version, names[PREMIUM])
    return Filter(f"hntes-alpha-v{ip_version}", ip_version, tuple(terms), "accept", reserved)


def _schedulers(router: Router, plan: Plan, of_hardware: Mapping[str, Priority]) -> tuple[Scheduler, ...]:
    shares = plan.shares_pct()
    buffers = plan.buffers_pct() if isinstance(plan, TwoQueue) else shares
    if router.kept_classes:
        shares = shares | {ALPHA: shares[ALPHA] - sum(each.share_pct for each in router.kept_classes)}
        buffers = buffers | {ALPHA: buffers[ALPHA] - sum(_buffer_pct(each) for each in router.kept_classes)}
    if router.adopt is not None and isinstance(plan, TwoQueue) and plan.alpha_buffer_pct is None:
        buffers = buffers | {ALPHA: shares[ALPHA]}  # the published buffers are for a port without other classes
    names, queues = router.class_names.by_class(), router.queues.by_class()
    priorities = _priorities(router, plan) | _unset(plan, of_hardware)
    own = [
        Scheduler(
            name=scheduler_name(name),
            forwarding_class=names[name],
            transmit_share_pct=shares[name],
            buffer_share_pct=buffers[name],
            priority=priorities[name],
            drops=_drops(plan) if name == ALPHA else (),
            ecn=plan.alpha_ecn and name == ALPHA,
        )
        for name in sorted(shares, key=lambda name: queues[name])
    ]
    return (*own, *_kept_schedulers(router))


def _priorities(router: Router, plan: Plan) -> dict[str, Priority]:
    """Class, in the words of plans -> priority, by the plan."""
    found: dict[str, Priority] = {BETA: plan.beta_priority, NETWORK_CONTROL: NETWORK_CONTROL_PRIORITY}
    if not isinstance(plan, SingleQueue):
        found[ALPHA] = plan.alpha_priority
        if router.adopt is not None and "alpha_priority" not in plan.model_fields_set:
            found[ALPHA] = "low"  # it must not rank above the operator's best effort
    if isinstance(plan, ScavengerPolicer):
        found[SCAVENGER] = plan.scavenger_priority
    if isinstance(plan, TwoQueue):
        found[PREMIUM] = plan.premium_priority
    return found


def _unset(plan: Plan, of_hardware: Mapping[str, Priority]) -> dict[str, Priority]:
    """The hardware's priorities of the classes for which the settings name none."""
    return {name: word for name, word in of_hardware.items() if f"{name}_priority" not in plan.model_fields_set}


def _kept_schedulers(router: Router) -> tuple[Scheduler, ...]:
    return tuple(
        Scheduler(
            f"{KEPT_SCHEDULER}{each.queue}", each.forwarding_class, each.share_pct, _buffer_pct(each), each.priority, ()
        )
        for each in sorted(router.kept_classes, key=lambda each: each.queue)
    )


def _buffer_pct(kept: KeptClass) -> int:
    return kept.share_pct if kept.buffer_pct is None else kept.buffer_pct


def _drops(plan: Plan) -> tuple[DropBinding, ...]:
    if isinstance(plan, WredPolicer):
        return (DropBinding("high", OCCUPANCY.name),)
    if isinstance(plan, ThreeColorMarker):
        return (DropBinding("medium-high", UPPER_HALF.name), DropBinding("high", OCCUPANCY.name))
    if isinstance(plan, TwoQueue) and plan.alpha_ecn:
        return (DropBinding("low", ECN),)
    return ()


def _drop_profiles(plan: Plan) -> tuple[DropProfile, ...]:
    known = {OCCUPANCY.name: OCCUPANCY, UPPER_HALF.name: UPPER_HALF}
    if isinstance(plan, TwoQueue):
        points = (DropPoint(0, 0), DropPoint(plan.alpha_ecn_from_pct, 0), DropPoint(100, 100))
        known[ECN] = DropProfile(ECN, points)
    return tuple(known[name] for name in sorted({drop.drop_profile for drop in _drops(plan)}))


def _policer_name(plan: Plan) -> str | None:
    match plan:
        case ScavengerPolicer():
            return SCAVENGER_POLICER
        case WredPolicer():
            return WRED_POLICER
        case ThreeColorMarker():
            return MARKER
        case SingleQueue() | TwoQueue():
            return None


def _policers(router: Router, plan: Plan, promised: list[Reserved]) -> tuple[TwoColorPolicer, ...]:
    if isinstance(plan, TwoQueue):
        return reserved_policers(promised, router.class_names.beta if plan.premium_excess == "best_effort" else None)
    if isinstance(plan, ScavengerPolicer):
        rate_bps, burst_bytes = plan.policer_rate_bps, plan.policer_burst_bytes
        scavenger = router.class_names.scavenger
        return (TwoColorPolicer(SCAVENGER_POLICER, rate_bps, burst_bytes, scavenger, None, False),)
    if isinstance(plan, WredPolicer):
        return (TwoColorPolicer(WRED_POLICER, plan.policer_rate_bps, plan.policer_burst_bytes, None, "high", False),)
    return ()


def _three_color_policers(plan: Plan) -> tuple[ThreeColorPolicer, ...]:
    if not isinstance(plan, ThreeColorMarker):
        return ()
    return (
        ThreeColorPolicer(
            name=MARKER,
            marker=plan.marker,
            committed_rate_bps=plan.committed_rate_bps,
            committed_burst_bytes=plan.committed_burst_bytes,
            peak_rate_bps=plan.peak_rate_bps if plan.marker == "two_rate" else None,
            excess_burst_bytes=plan.excess_burst_bytes,
            discard_red=plan.red_action == "discard",
        ),
    )


def _redirect(router: Router) -> Redirect | None:
    if router.redirect is None:
        return None
    if isinstance(router.redirect, NextHopRedirect):
        hops = router.redirect
        return Redirect("next_hop", hops.ipv4, hops.ipv6, None, None, hops.fallback_ipv4, hops.fallback_ipv6)
    return Redirect("lsp", None, None, router.redirect.name, router.redirect.tunnel, routes=router.redirect.routes)
