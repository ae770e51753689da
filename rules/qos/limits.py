"""What one platform cannot take although the model could say it."""

from collections.abc import Iterator

from hntes.rules.qos.model import DropProfile, RouterModel, Scheduler

# IOS-XR `police rate` takes a 32-bit number of bps, kbps, mbps or gbps.
MAX_XR_RATE_NUMBER = 4_294_967_295
XR_UNITS = (("gbps", 1_000_000_000), ("mbps", 1_000_000), ("kbps", 1_000), ("bps", 1))
# IOS-XE `police cir` and `pir`, as every release from 16.12 takes them; later ones take a higher cir.
XE_RATE_BPS = range(8_000, 64_000_000_001)
CISCO_BURST_BYTES = range(1_000, 512_000_001)
JUNOS_BURST_BYTES = range(1_500, 10_000_000_001)
JUNOS_UNITS = range(1_073_741_824)
MAX_XE_QUEUE_PACKETS = 8_192_000
# Juniper, fast-lookup-filter: at most 8,000 terms a filter.
MAX_FAST_LOOKUP_TERMS = 8_000
# Cisco, congestion avoidance on ASR 9000: a class has at most two pairs of thresholds.
MAX_XR_DROPS = 2
# The longest class-map name, and the longest access-list name less the suffix of a forwarding list.
OUTPUT_CLASS_PREFIX = "hntes-queue-"
MAX_CLASS_MAP_NAME = {"iosxr": 63, "iosxe": 40}
MAX_ACCESS_LIST_NAME = 60
# IOS 12.4 refuses a 256th class of a policy map ("Max limit of 255 classes in a policy reached"). Later releases may
# take more, and no figure was found for ASR 9000, so both are held to it.
MAX_POLICY_CLASSES = 255
# The class of the pairs and class-default.
OTHER_INPUT_CLASSES = 2
# A reservation has a class of its own there.
MAX_CISCO_RESERVATIONS = MAX_POLICY_CLASSES - OTHER_INPUT_CLASSES
RESERVED_CLASS_PREFIX = "hntes-"
# `-v4` or `-v6`, at the end of a reservation's access list.
FAMILY_SUFFIX_LENGTH = 3

PACKET_BYTES = 1_500
BITS_PER_BYTE = 8


def xr_rate(rate_bps: int) -> tuple[int, str]:
    """A rate as a whole number of the largest unit that holds it exactly.

    Example:
        >>> xr_rate(1_500_000_000)
        (1500, 'mbps')
    """
    for unit, factor in XR_UNITS:
        if rate_bps % factor == 0:
            return rate_bps // factor, unit
    raise AssertionError(rate_bps)


def early_drop_line(profile: DropProfile) -> tuple[int, int] | None:
    """(fill level where dropping begins, fill level where all is dropped), per cent; None if it is not one line.

    Cisco's random-detect knows a minimum and a maximum threshold with one straight line between them.

    Example:
        >>> from hntes.rules.qos.build import UPPER_HALF
        >>> early_drop_line(UPPER_HALF)
        (50, 100)
    """
    points = [(point.fill_pct, point.drop_pct) for point in profile.points]
    while len(points) > 2 and points[0][1] == points[1][1] == 0:
        del points[0]
    if len(points) == 2 and points[0][1] == 0 and points[1][1] == 100:
        return points[0][0], points[1][0]
    return None


def queue_packets(model: RouterModel, scheduler: Scheduler, rate_bps: int) -> int:
    """The scheduler's share of the buffer of a port of that rate, in packets of `PACKET_BYTES`; at least 2."""
    port_bytes = rate_bps * model.port_buffer_ms // 1000 // BITS_PER_BYTE
    return max(2, port_bytes * scheduler.buffer_share_pct // 100 // PACKET_BYTES)


def platform_problems(model: RouterModel) -> Iterator[str]:
    """One line for each thing the model's platform cannot take."""
    yield from _ports(model)
    yield from operator_filter_problems(model)
    if model.platform == "junos":
        yield from _bursts(model, JUNOS_BURST_BYTES)
        yield from _junos_units(model)
        yield from _junos_terms(model)
        return
    yield from _cisco_names(model)
    yield from _cisco_reserved(model)
    for scheduler in model.schedulers:
        yield from _cisco_scheduler(model, scheduler)
    for profile in model.drop_profiles:
        if early_drop_line(profile) is None:
            yield (
                f"drop profile {profile.name}: random-detect knows one straight line from 0 to 100% only; "
                "use two points, or render for Junos"
            )
    yield from _bursts(model, CISCO_BURST_BYTES)
    if len({_action(model, version) for version in (4, 6)} - {None}) > 1 or _mixed(model):
        yield f"terms differ in class or policer; one class-map on {model.platform} treats all pairs alike; unify them"
    if model.platform == "iosxr":
        yield from _xr_rates(model)
        yield from _xr_drops(model)
    else:
        yield from _xe_rates(model)
        yield from _xe_queues(model)


def _ports(model: RouterModel) -> Iterator[str]:
    rates: dict[str, int] = {}
    for each in model.interfaces:
        if each.is_core and rates.setdefault(each.name, each.rate_bps) != each.rate_bps:
            yield (
                f"interface {each.name}: its core units have rates {rates[each.name]} and {each.rate_bps} bit/s, but "
                "the queues are the port's; give both the port's rate"
            )


def operator_filter_problems(model: RouterModel) -> Iterator[str]:
    """What a filter in a list before the operator's cannot do."""
    if not any(each.operator_filters for each in model.interfaces):
        return
    if model.platform != "junos":
        yield f"an interface of {model.platform} takes no list of filters; leave the operator's out"
    if model.policers or model.three_color_policers:
        yield "plan with policers before an operator's filter: in a list, each interface has policers of its own"
    if model.redirect is not None and model.redirect.kind == "next_hop":
        yield "redirect to a next hop before an operator's filter: what it redirects, the other would not see"
    if model.fast_lookup:
        yield "fast_lookup_filter before an operator's filter: not known of lists; switch it off"


def _cisco_scheduler(model: RouterModel, scheduler: Scheduler) -> Iterator[str]:
    if scheduler.priority != "strict-high":
        return
    if any(each.name == scheduler.forwarding_class and each.queue == 0 for each in model.forwarding_classes):
        yield f"scheduler {scheduler.name}: class-default cannot be strict-high on {model.platform}; lower its priority"
    if scheduler.drops:
        yield (
            f"scheduler {scheduler.name}: a strict-high class takes no random-detect on {model.platform}; "
            "lower its priority or use a plan without early drops"
        )


def _junos_units(model: RouterModel) -> Iterator[str]:
    for each in model.interfaces:
        if each.unit not in JUNOS_UNITS:
            yield f"interface {each.name}: unit {each.unit} is above {JUNOS_UNITS[-1]}, the highest on junos; change it"


def _junos_terms(model: RouterModel) -> Iterator[str]:
    for each in model.filters if model.fast_lookup else ():
        if len(each.all_terms) + 1 > MAX_FAST_LOOKUP_TERMS:
            yield (
                f"filter {each.name}: has {len(each.all_terms) + 1} terms; a fast-lookup filter takes "
                f"{MAX_FAST_LOOKUP_TERMS}; lower term_budget or switch fast_lookup_filter off"
            )


def _cisco_names(model: RouterModel) -> Iterator[str]:
    longest = MAX_CLASS_MAP_NAME[model.platform] - len(OUTPUT_CLASS_PREFIX)
    for each in model.forwarding_classes:
        if len(each.name) > longest:
            yield (
                f"forwarding class {each.name}: has {len(each.name)} characters; its class-map on {model.platform} "
                f"takes {longest}; shorten it"
            )
    for one in model.filters:
        if len(one.name) > MAX_ACCESS_LIST_NAME:
            yield (
                f"filter {one.name}: has {len(one.name)} characters; its access list on {model.platform} takes "
                f"{MAX_ACCESS_LIST_NAME}; shorten it"
            )


def _cisco_reserved(model: RouterModel) -> Iterator[str]:
    """A reservation has a class of its own there, since a class has one policer."""
    terms = [term for each in model.filters for term in each.reserved]
    most_characters = min(MAX_CLASS_MAP_NAME[model.platform], MAX_ACCESS_LIST_NAME - FAMILY_SUFFIX_LENGTH)
    longest = most_characters - len(RESERVED_CLASS_PREFIX)
    for term in terms:
        if len(term.name) > longest:
            yield (
                f"term {term.name}: has {len(term.name)} characters; the class-map and access list of a "
                f"reservation on {model.platform} take {longest}; shorten its name"
            )
    most = MAX_CISCO_RESERVATIONS
    if len(terms) > most:
        yield f"{len(terms)} reservations: a policy on {model.platform} takes {most} beside the pairs; cancel some"


def policer_problems(platform: str, name: str, rate_bps: int, burst_bytes: int) -> Iterator[str]:
    """One line for each thing that a platform cannot take of a policer with one rate and one bucket."""
    if platform == "iosxr":
        yield from _xr_rate(name, rate_bps)
    elif platform == "iosxe":
        yield from _xe_rate(name, rate_bps)
    yield from _burst(name, burst_bytes, JUNOS_BURST_BYTES if platform == "junos" else CISCO_BURST_BYTES, platform)


def _bursts(model: RouterModel, allowed: range) -> Iterator[str]:
    bursts = [(each.name, each.burst_bytes) for each in model.policers]
    for three in model.three_color_policers:
        bursts += [(three.name, three.committed_burst_bytes), (three.name, three.excess_burst_bytes)]
    for name, burst in bursts:
        yield from _burst(name, burst, allowed, model.platform)


def _burst(name: str, burst_bytes: int, allowed: range, platform: str) -> Iterator[str]:
    if burst_bytes not in allowed:
        yield (
            f"policer {name}: burst {burst_bytes} bytes is out of {allowed[0]}..{allowed[-1]} on {platform}; change it"
        )


def _action(model: RouterModel, version: int) -> tuple[str, str | None, bool] | None:
    for each in model.filters:
        if each.ip_version == version and each.terms:
            term = each.terms[0]
            return term.forwarding_class, term.policer, term.redirect
    return None


def _mixed(model: RouterModel) -> bool:
    return any(
        (term.forwarding_class, term.policer, term.redirect) != _action(model, each.ip_version)
        for each in model.filters
        for term in each.terms
    )


def _policer_rates(model: RouterModel) -> Iterator[tuple[str, int]]:
    for each in model.policers:
        yield each.name, each.rate_bps
    for three in model.three_color_policers:
        yield three.name, three.committed_rate_bps
        if three.peak_rate_bps is not None:
            yield three.name, three.peak_rate_bps


def _xr_rates(model: RouterModel) -> Iterator[str]:
    for name, rate in _policer_rates(model):
        yield from _xr_rate(name, rate)


def _xr_rate(name: str, rate_bps: int) -> Iterator[str]:
    if rate_bps > 0 and xr_rate(rate_bps)[0] > MAX_XR_RATE_NUMBER:
        yield f"policer {name}: rate {rate_bps} bit/s has no whole number of kbps, mbps or gbps; round it"


def _xr_drops(model: RouterModel) -> Iterator[str]:
    for each in model.schedulers:
        if len(each.drops) > MAX_XR_DROPS:
            yield (
                f"scheduler {each.name}: has {len(each.drops)} drop profiles; a class on iosxr takes {MAX_XR_DROPS}; "
                "drop one"
            )


def _xe_rates(model: RouterModel) -> Iterator[str]:
    for name, rate in _policer_rates(model):
        yield from _xe_rate(name, rate)


def _xe_rate(name: str, rate_bps: int) -> Iterator[str]:
    if rate_bps > XE_RATE_BPS[-1]:
        yield f"policer {name}: rate {rate_bps} bit/s is above {XE_RATE_BPS[-1]}, the highest on iosxe; lower it"


def _xe_queues(model: RouterModel) -> Iterator[str]:
    rates = sorted({each.rate_bps for each in model.interfaces if each.is_core})
    for scheduler in model.schedulers:
        for rate in rates:
            packets = queue_packets(model, scheduler, rate)
            if packets > MAX_XE_QUEUE_PACKETS:
                yield (
                    f"scheduler {scheduler.name}: its queue at {rate} bit/s is {packets} packets, above "
                    f"{MAX_XE_QUEUE_PACKETS}, the most iosxe takes; lower its buffer share"
                )
