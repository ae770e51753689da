"""Validation of a model: consistent, and within the limits of its platform. Reports all problems at once."""

from collections.abc import Iterator

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.hardware_findings import hardware_problems
from hntes.platforms.hardware_fit import UnknownHardwareError, hardware_of
from hntes.platforms.registry import platform_of
from hntes.rules.qos import validate as neutral
from hntes.rules.qos.model import ModelError, Redirect, RouterModel
from hntes.rules.qos.policer_rates import PolicerRates


def validate(model: RouterModel) -> None:
    """Checks that the model may be rendered.

    Raises:
        ModelError: it may not; `problems` names each object, what is wrong with it and what to do.
    """
    found = problems(model)
    if found:
        raise ModelError(found)


def problems(model: RouterModel) -> list[str]:
    """All problems of the model, one line each; empty if it may be rendered."""
    platform = platform_of(model.platform)
    lines = [*_beyond(model, platform.capabilities), *platform.problems(model), *_on_hardware(model)]
    return [*neutral.problems(model), *(f"router {model.router!r}: {line}" for line in lines)]


def _on_hardware(model: RouterModel) -> Iterator[str]:
    try:
        hardware = hardware_of(model.platform, model.hardware)
    except UnknownHardwareError as cause:
        yield str(cause)
        return
    if hardware is not None:
        yield from hardware_problems(model, hardware)


def policer_problems(platform: str, name: str, rate_bps: int, burst_bytes: int) -> Iterator[str]:
    """One line for each value of a single-rate policer that the platform does not support."""
    capabilities = platform_of(platform).capabilities
    yield from _rate(platform, capabilities.policer_rates, name, rate_bps)
    yield from _burst(platform, capabilities.burst_bytes, name, burst_bytes)


def _beyond(model: RouterModel, capabilities: Capabilities) -> Iterator[str]:
    """Problems beyond the capabilities of the platform."""
    for each in model.forwarding_classes:
        if capabilities.queues <= each.queue:
            yield (
                f"forwarding class {each.name}: queue {each.queue} is out of 0..{capabilities.queues - 1} on "
                f"{model.platform}; set [routers.queues]"
            )
    yield from _names(model, capabilities)
    yield from _interfaces(model, capabilities)
    yield from _policers(model, capabilities)
    if model.redirect is not None:
        yield from _redirect(model.platform, model.redirect, capabilities)
    terms = sum(len(each.reserved) for each in model.filters)
    most = capabilities.max_reservations
    if most is not None and terms > most:
        yield f"{terms} reservations: a policy on {model.platform} supports {most} besides the pairs; cancel some"


def _names(model: RouterModel, capabilities: Capabilities) -> Iterator[str]:
    lengths = capabilities.name_lengths
    named = [("forwarding class", each.name, lengths.forwarding_class) for each in model.forwarding_classes]
    named += [("filter", each.name, lengths.filter) for each in model.filters]
    named += [("term", term.name, lengths.reservation) for each in model.filters for term in each.reserved]
    for what, name, longest in named:
        if len(name) > longest:
            yield f"{what} {name}: has {len(name)} characters; {model.platform} allows {longest}; shorten its name"


def _interfaces(model: RouterModel, capabilities: Capabilities) -> Iterator[str]:
    form = capabilities.interface_name
    for each in model.interfaces:
        if form is not None and not form.fullmatch(each.name):
            yield f"interface {each.name}: not an interface name of {model.platform}; write it as the router lists it"
    if not capabilities.filter_lists and any(each.operator_filters for each in model.interfaces):
        yield f"an interface of {model.platform} does not support a list of filters; leave the operator's out"


def _policers(model: RouterModel, capabilities: Capabilities) -> Iterator[str]:
    rates = [(each.name, each.rate_bps) for each in model.policers]
    bursts = [(each.name, each.burst_bytes) for each in model.policers]
    for each in model.three_color_policers:
        rates += [(each.name, rate) for rate in (each.committed_rate_bps, each.peak_rate_bps) if rate is not None]
        bursts += [(each.name, each.committed_burst_bytes), (each.name, each.excess_burst_bytes)]
    for name, rate in rates:
        yield from _rate(model.platform, capabilities.policer_rates, name, rate)
    for name, burst in bursts:
        yield from _burst(model.platform, capabilities.burst_bytes, name, burst)


def _rate(platform: str, allowed: PolicerRates, name: str, rate_bps: int) -> Iterator[str]:
    if rate_bps <= 0 or allowed.expressed(rate_bps) is not None:
        return
    units = [unit for unit, factor in reversed(allowed.units_bps) if factor > 1]
    if units:
        known = f"{', '.join(units[:-1])} or {units[-1]}" if len(units) > 1 else units[0]
        yield f"policer {name}: rate {rate_bps} bit/s is not a whole number of {known}; round it"
    else:
        highest = allowed.max_number
        yield f"policer {name}: rate {rate_bps} bit/s is above {highest}, the highest on {platform}; lower it"


def _burst(platform: str, allowed: range, name: str, burst_bytes: int) -> Iterator[str]:
    if burst_bytes not in allowed:
        yield (
            f"policer {name}: burst {burst_bytes} bytes is out of {allowed[0]}..{allowed[-1]} on {platform}; change it"
        )


def _redirect(platform: str, redirect: Redirect, capabilities: Capabilities) -> Iterator[str]:
    if redirect.kind not in capabilities.redirect_kinds:
        yield f"redirect: {platform} cannot redirect pairs by {redirect.kind}; remove the redirect"
    elif redirect.kind == "lsp":
        given = {"name": redirect.lsp_name, "tunnel": redirect.tunnel, "routes": redirect.routes or None}
        for key in capabilities.lsp_redirect_keys:
            if given[key] is None:
                yield f"redirect: an lsp on {platform} needs {key}"
