"""What a router's hardware cannot do, of a model before it is rendered and of a text that was read."""

from collections.abc import Iterator

from hntes.platforms.effective import EffectiveModel, Port
from hntes.platforms.hardware import Hardware, Ranking
from hntes.platforms.ports import Finding
from hntes.rules.qos.model import RouterModel, Scheduler
from hntes.settings.terms import ALPHA, BETA, PREMIUM, SCAVENGER, Priority

# The settings by which an operator changes the priority of a plan's class.
_KEYS = {f"hntes-{name}": f"{name}_priority" for name in (ALPHA, BETA, PREMIUM, SCAVENGER)}


def hardware_problems(model: RouterModel, hardware: Hardware) -> Iterator[str]:
    """One line for each part of a valid model that the hardware does not do, with the way out and the source."""
    yield from _queues(model, hardware)
    for each in model.schedulers:
        yield from _priority(each, model, hardware)
    yield from _terms(model, hardware)
    if not hardware.moves_classes:
        for policer in model.policers:
            if policer.out_forwarding_class is not None:
                reason = f"policer {policer.name}: moves packets to another class; use another plan"
                yield _not_on(hardware, reason, "moves_classes")
    if model.flowspec is not None and hardware.carrier == "traffic-class":
        yield _not_on(hardware, "queues by the DSCP that FlowSpec sets; use [routers.delivery]", "carrier")
    if not hardware.continues and any(each.operator_filters for each in model.interfaces):
        yield _not_on(hardware, "continues with the operator's filter (next term); leave that out", "continues")
    by_route = model.redirect is not None and model.redirect.kind == "next_hop"
    if by_route and not hardware.redirects_classified:
        yield _not_on(hardware, "redirect to a next hop in the term of the class; leave it out", "redirects_classified")


def _queues(model: RouterModel, hardware: Hardware) -> Iterator[str]:
    for each in model.forwarding_classes:
        if each.queue >= hardware.queues:
            reason = f"forwarding class {each.name}: queue {each.queue} is out of 0..{hardware.queues - 1}"
            yield _not_on(hardware, f"{reason}; set [routers.queues]", "queues")


def _priority(scheduler: Scheduler, model: RouterModel, hardware: Hardware) -> Iterator[str]:
    key = _KEYS.get(scheduler.name)
    way = f"set {key} in the plan" if key is not None else "change its priority"
    where, ranking = f"scheduler {scheduler.name}: priority {scheduler.priority}", hardware.ranking
    if scheduler.priority == "strict-high" and not hardware.has_strict_high:
        yield _not_on(hardware, f"{where}; {way}", "has_strict_high")
    if ranking is None:
        return
    level = ranking.level_of(scheduler.priority)
    if level is None:
        yield _not_on(hardware, f"{where}; {way}", "ranking")
    elif ranking.is_strict and any((ranking.level_of(each.priority) or 0) > level for each in model.schedulers):
        lowest = ranking.levels[-1][-1]
        starves = f"{where} starves every queue of a lower one; {way} to {lowest}"
        yield _not_on(hardware, starves, "ranking")


def _terms(model: RouterModel, hardware: Hardware) -> Iterator[str]:
    for each in model.filters:
        most, terms = hardware.max_terms.get(each.ip_version), len(each.all_terms)
        if most is not None and terms > most:
            reason = f"filter {each.name}: {terms} pairs, and a line card has room for {most}; lower term_budget"
            yield _not_on(hardware, reason, "max_terms")


def _not_on(hardware: Hardware, reason: str, fact: str) -> str:
    return f"{reason}: not on {hardware.models} ({hardware.sources[fact]})"


def hardware_findings(model: EffectiveModel, hardware: Hardware, *, is_adopted: bool = False) -> Iterator[Finding]:
    """What routers of this hardware refuse of a text, or make of it; of the operator's own queues only the former."""
    for edge in model.edges:
        if hardware.clears_exp and any(
            each.entries and each.kind == "classes" and not each.sets_exp for each in edge.programs
        ):
            sentence = (
                f"{edge.interface} unit {edge.unit}: the input policy does not set the EXP of imposed labels, which "
                f"then is 0 for all packets ({hardware.models}; {hardware.sources['clears_exp']})"
            )
            yield Finding("exp_cleared", edge.interface, sentence)
    for port in model.ports:
        if port.queues and port.carrier != hardware.carrier:
            sentence = (
                f"{port.name}: its queues take packets by {port.carrier}, and {hardware.models} by {hardware.carrier} "
                f"({hardware.sources.get('carrier', 'hntes.platforms.cisco')})"
            )
            yield Finding("carrier", port.name, sentence)
        for queue in port.queues:
            if queue.priority is not None and _is_missing(queue.priority, hardware.ranking):
                sentence = f"{port.name}: priority {queue.priority}: not on {hardware.models}"
                yield Finding("priority", port.name, f"{sentence} ({hardware.sources['ranking']})")
        if not is_adopted:
            yield from _starving(port, hardware)


def _is_missing(priority: Priority, ranking: Ranking | None) -> bool:
    return ranking is not None and ranking.level_of(priority) is None


def _starving(port: Port, hardware: Hardware) -> Iterator[Finding]:
    """Queues without a limit in a level that preempts others."""
    ranking = hardware.ranking
    if ranking is None or not ranking.is_strict:
        return
    places = {
        id(each): place
        for each in port.queues
        if each.priority is not None and (place := ranking.level_of(each.priority)) is not None
    }
    for each in port.queues:
        place = places.get(id(each))
        if place is not None and each.ceiling == "none" and any(other > place for other in places.values()):
            name = each.label or f"queue {each.numbers[0]}"
            sentence = f"{port.name}: {name} of priority {each.priority} starves every queue of a lower one"
            source = f"{hardware.models}; {hardware.sources['ranking']}"
            yield Finding("may_starve", port.name, f"{sentence} ({source})")
