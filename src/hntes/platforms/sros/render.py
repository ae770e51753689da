"""Template views of a model for SR OS: MD-CLI text."""

from collections.abc import Iterator

from hntes.platforms.section import Section, View, header_section
from hntes.platforms.sros.classes import CLASSES, CONTROL_CLASSES, LEVELS, queue_id
from hntes.rules.qos.model import Filter, FilterTerm, InterfaceBinding, RouterModel, Scheduler
from hntes.settings.terms import NETWORK_CONTROL

# The policies of the core ports: a network-queue policy and the port scheduler that its queues are parented to.
POLICY = "hntes"
_KIND = {4: "ip-filter", 6: "ipv6-filter"}
_LEAF = {4: "ip", 6: "ipv6"}
# Numbers between entries, as SR OS' documents recommend.
ENTRY_STEP = 10
# A filter that is embedded in the operator's, which a filter that is bound cannot be; behind entries of lower numbers.
EMBEDDED = "-embedded"
EMBED_OFFSET = 1_000_000


def sros_sections(model: RouterModel) -> list[Section]:
    """The sections of an SR OS text, in order. The model must be valid."""
    return [header_section(model, _notes(model)), Section("sros/configure.j2", _view(model))]


def _notes(model: RouterModel) -> list[str]:
    notes = [
        "This is the end state. Load the transition that is delivered with it.",
        "Classes are those of SR OS: queue 0 is be, 1 l2, 2 af, 3 l1, 4 h2, 5 ef, 6 h1, 7 nc.",
        "Classes without a queue of their own share queue 1 with best effort.",
    ]
    if any(each.reserved for each in model.filters):
        notes.append("A rate limit is that of an entry on one line card, whichever of its interfaces packets enter by.")
    if any(each.operator_filters for each in model.interfaces):
        notes.append("Filters of the operator's stay bound: they embed those of HNTES, behind what they drop.")
    return notes


def _view(model: RouterModel) -> View:
    return {
        "filters": [one for each in model.filters if each.all_terms for one in _filters(model, each)],
        "embeds": list(_embeds(model)),
        "policy": POLICY,
        "ports": sorted({each.name for each in model.interfaces if each.is_core}),
        "classes": list(_classes(model)),
        "queues": [_queue(model, each) for each in _in_order(model)],
        "interfaces": list(_interfaces(model)),
    }


def _bound(model: RouterModel, each: Filter) -> list[InterfaceBinding]:
    """The edges that take a filter."""
    return [one for one in model.interfaces if one.is_edge and each.all_terms and each.ip_version in one.ip_versions]


def _filters(model: RouterModel, each: Filter) -> list[View]:
    """The variants of a filter that interfaces use: bound, embedded in an operator's filter, or both."""
    edges = _bound(model, each)
    embedded = [one for one in edges if one.operator_filter(each.ip_version) is not None]
    forms = [_filter(model, each, is_embedded=False)] if len(embedded) < len(edges) or not edges else []
    return [*forms, *([_filter(model, each, is_embedded=True)] if embedded else [])]


def _embeds(model: RouterModel) -> Iterator[View]:
    """The operator's filters that embed one of HNTES."""
    for each in model.filters:
        named = {one.operator_filter(each.ip_version) for one in _bound(model, each)}
        for name in sorted(one for one in named if one is not None):
            own = f"{each.name}{EMBEDDED}"
            yield {"kind": _KIND[each.ip_version], "name": name, "own": own, "offset": EMBED_OFFSET}


def _filter(model: RouterModel, each: Filter, *, is_embedded: bool) -> View:
    terms = enumerate(each.all_terms, 1)
    return {
        "kind": _KIND[each.ip_version],
        "name": f"{each.name}{EMBEDDED}" if is_embedded else each.name,
        "form": "scope embedded" if is_embedded else "default-action accept",
        "entries": [_entry(model, number * ENTRY_STEP, term, each.ip_version) for number, term in terms],
    }


def _entry(model: RouterModel, number: int, term: FilterTerm, version: int) -> View:
    policer = next((each for each in model.policers if each.name == term.policer), None)
    redirect = model.redirect if term.redirect else None
    hop = None if redirect is None else {4: redirect.ipv4, 6: redirect.ipv6}[version]
    return {
        "number": number,
        "description": term.counter,
        "source": str(term.source),
        "destination": str(term.destination),
        "fc": CLASSES[model.queue_of(term.forwarding_class)],
        "hops": [str(hop)] if hop is not None else [],
        "lsps": [redirect.lsp_name] if redirect is not None and redirect.lsp_name is not None else [],
        "limits": [] if policer is None else [{"kbps": policer.rate_bps // 1_000, "burst_bytes": policer.burst_bytes}],
    }


def _in_order(model: RouterModel) -> list[Scheduler]:
    return sorted(model.schedulers, key=lambda each: model.queue_of(each.forwarding_class))


def _classes(model: RouterModel) -> Iterator[View]:
    """The queue of each class that has not that of best effort; the control classes are served as network control."""
    served = {model.queue_of(each.forwarding_class) for each in model.schedulers}
    control = model.queue_for(NETWORK_CONTROL)
    for number, name in enumerate(CLASSES):
        if number in served:
            yield {"name": name, "queue": queue_id(number)}
        elif number in CONTROL_CLASSES and control is not None:
            yield {"name": name, "queue": queue_id(control)}


def _queue(model: RouterModel, scheduler: Scheduler) -> View:
    levels = LEVELS[scheduler.priority]
    return {
        "number": queue_id(model.queue_of(scheduler.forwarding_class)),
        "share_pct": scheduler.transmit_share_pct,
        "buffer_pct": f"{scheduler.buffer_share_pct}.0",
        "within": levels.within,
        "above": levels.above,
    }


def _interfaces(model: RouterModel) -> Iterator[View]:
    """The router interfaces of the edges, with the filters of their families that have terms."""
    for each in sorted(model.interfaces, key=lambda one: (one.logical or "", one.name, one.unit)):
        bound = [
            {"leaf": _LEAF[one.ip_version], "name": one.name}
            for one in model.filters
            if each in _bound(model, one) and each.operator_filter(one.ip_version) is None
        ]
        if bound:
            yield {"name": each.logical, "filters": bound}
