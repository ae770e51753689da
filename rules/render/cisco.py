"""What IOS-XR and IOS-XE have in common: one class for all pairs, carried to the output by a QoS group."""

from ipaddress import IPv4Network

from base.addresses import Network
from rules.qos.limits import OUTPUT_CLASS_PREFIX, early_drop_line
from rules.qos.model import LOSS_PRIORITIES, Filter, FilterTerm, LossPriority, RouterModel, Scheduler

ALPHA_CLASS = "hntes-alpha"
INPUT_POLICY = "hntes-in"
OUTPUT_POLICY = "hntes-out"
FAMILY = {4: "ipv4", 6: "ipv6"}


def first_term(model: RouterModel) -> FilterTerm | None:
    """Any term: a valid Cisco model treats all pairs alike. None without pairs."""
    for each in model.filters:
        for term in each.terms:
            return term
    return None


def used_filters(model: RouterModel) -> list[Filter]:
    """The filters that have a term."""
    return [each for each in model.filters if each.terms]


def output_class(forwarding_class: str) -> str:
    """The class-map that finds a class on output, by its QoS group."""
    return f"{OUTPUT_CLASS_PREFIX}{forwarding_class}"


def discard_class(loss_priority: LossPriority) -> int:
    """Cisco's internal drop precedence, 0 (kept longest) to 3."""
    return LOSS_PRIORITIES.index(loss_priority)


def address(network: Network) -> str:
    """A prefix as an access list shows it: any, host ADDRESS, or ADDRESS/LENGTH."""
    if network.prefixlen == 0:
        return "any"
    if network.prefixlen == network.max_prefixlen:
        return f"host {network.network_address}"
    return str(network)


def wildcard_address(network: IPv4Network) -> str:
    """An IPv4 prefix in the words of an IOS extended access list: any, host ADDRESS, or ADDRESS WILDCARD."""
    if 0 < network.prefixlen < 32:
        return f"{network.network_address} {network.hostmask}"
    return address(network)


def early_drops(model: RouterModel, scheduler: Scheduler) -> list[tuple[int, int, int]]:
    """(discard class, fill level where dropping begins, fill level where all is dropped), levels in per cent."""
    lines = {each.name: early_drop_line(each) for each in model.drop_profiles}
    found = []
    for drop in scheduler.drops:
        line = lines[drop.drop_profile]
        if line is not None:
            found.append((discard_class(drop.loss_priority), *line))
    return sorted(found)


def output_schedulers(model: RouterModel) -> list[tuple[str, Scheduler]]:
    """(class-map, scheduler) in the order of an output policy: highest queue first, queue 0 last as class-default."""
    by_queue = sorted(model.schedulers, key=lambda each: -model.queue_of(each.forwarding_class))
    return [
        (
            "class-default" if model.queue_of(each.forwarding_class) == 0 else output_class(each.forwarding_class),
            each,
        )
        for each in by_queue
    ]


def common_notes(model: RouterModel) -> list[str]:
    """What this platform does otherwise than the plan says, for the text's head."""
    notes = ["All pairs form one class; there is no counter a pair but the access list's own."]
    if model.policers or model.three_color_policers:
        notes.append("The policer meters all pairs together: a class has one policer, a pair cannot have its own.")
    words = sorted({each.priority for each in model.schedulers if each.priority != "strict-high"})
    notes.append(f"Priority {', '.join(words)}: no such words here; each is a bandwidth guarantee at equal rank.")
    if any(each.drops for each in model.schedulers):
        notes.append("random-detect works on the averaged queue length, not on the momentary occupancy.")
    return notes
