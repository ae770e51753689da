"""What a plan can need that EOS does not have, or that HNTES does not write for it; each with its source."""

from collections.abc import Iterator

from hntes.platforms.eos.classes import CONTROL_QUEUE
from hntes.rules.qos.model import RouterModel, Scheduler, scheduler_name
from hntes.settings.terms import NETWORK_CONTROL

_VLANS = range(4_095)
# arista-exp-eos-qos-config, Qos-EcnWredConfig: thresholds are 32-bit numbers.
MAX_THRESHOLD_BYTES = 2**32 - 1
NO_FLOWSPEC = (
    "flowspec: that a DSCP set by BGP FlowSpec selects the traffic class is in no document of EOS that was read; use "
    "[routers.delivery]"
)


def limit_bytes(model: RouterModel, scheduler: Scheduler, rate_bps: int) -> int:
    """The length of a scheduler's queue on a port of that rate: its share of the port's buffer; at least 2 bytes."""
    whole = int(rate_bps * model.port_buffer_ms // 8_000)
    return max(2, whole * scheduler.buffer_share_pct // 100)


def problems(model: RouterModel) -> Iterator[str]:
    """One line for each part of the model that EOS does not support."""
    yield from _queues(model)
    yield from _policers(model)
    for each in model.interfaces:
        if each.unit not in _VLANS:
            yield f"interface {each.name}: unit {each.unit} is no VLAN, 0 to {_VLANS[-1]} on eos; change it"
    if model.flowspec is not None:
        yield NO_FLOWSPEC


def _queues(model: RouterModel) -> Iterator[str]:
    control = next((each for each in model.schedulers if each.name == scheduler_name(NETWORK_CONTROL)), None)
    for each in model.forwarding_classes:
        if each.queue == CONTROL_QUEUE and (control is None or control.forwarding_class != each.name):
            yield (
                f"forwarding class {each.name}: queue {CONTROL_QUEUE} is traffic class {CONTROL_QUEUE} on eos, that of "
                "network control (CS6), which would wait with it; set [routers.queues]"
            )
    if model.drop_profiles:
        yield (
            "early drops and ECN: a tx-queue of eos has one random-detect for each drop precedence, and that limits "
            "the length of HNTES' queues (EOS, qos profile: tx-queue, random-detect drop); choose a plan without them"
        )
    rates = sorted({each.rate_bps for each in model.interfaces if each.is_core})
    for scheduler in model.schedulers:
        if scheduler.priority == "strict-high":
            yield (
                f"scheduler {scheduler.name}: priority strict-high: a strict tx-queue of eos is served before all of "
                "lower numbers without a limit by share, and those below a round-robin one are round-robin (EOS User "
                "Manual, Quality of Service, priority (tx-queue)); choose another priority"
            )
        for rate_bps in rates:
            length_bytes = limit_bytes(model, scheduler, rate_bps)
            if length_bytes > MAX_THRESHOLD_BYTES:
                yield (
                    f"scheduler {scheduler.name}: its queue at {rate_bps} bit/s is {length_bytes} bytes, above "
                    f"{MAX_THRESHOLD_BYTES}, the maximum on eos; lower port_buffer_ms"
                )


def _policers(model: RouterModel) -> Iterator[str]:
    if model.three_color_policers:
        yield (
            "three-color marker: `police` of a traffic policy of eos has one rate, and drops what exceeds it (EOS, "
            "traffic-policy, actions); choose another plan"
        )
    if any(not each.out_discard for each in model.policers):
        yield (
            "policer: `police` of a traffic policy of eos drops what exceeds its rate, and cannot give it another "
            "traffic class or drop precedence (EOS, traffic-policy, actions); choose a plan that drops the excess, or "
            "has no policers"
        )
