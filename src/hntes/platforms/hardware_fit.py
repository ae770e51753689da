"""A router's hardware: found by name, fitted to a plan, and applied to what a text says."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hntes.errors import HntesError
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.hardware import Hardware
from hntes.platforms.registry import platform_of
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.hardware_fit import HardwareFit
from hntes.rules.qos.model import ModelError, RouterModel
from hntes.rules.qos.reserved import Reserved
from hntes.settings.model import Router
from hntes.settings.plans import Plan


class UnknownHardwareError(HntesError):
    """A name that is none of the platform's families."""

    def __init__(self, platform: str, name: str) -> None:
        known = ", ".join(each.name for each in platform_of(platform).capabilities.hardware)
        super().__init__(f"hardware {name!r}: {platform} has {known or 'none'}")


def hardware_of(platform: str, name: str | None) -> Hardware | None:
    """The family of that name; None without one.

    Raises:
        UnknownHardwareError: the platform has none of that name.
    """
    if name is None:
        return None
    for each in platform_of(platform).capabilities.hardware:
        if each.name == name:
            return each
    raise UnknownHardwareError(platform, name)


@dataclass(frozen=True)
class Recognized:
    """A family that a listing names, the line, and the words there."""

    hardware: Hardware
    line: int
    words: str


def recognized(platform: str, listing: str) -> Recognized | None:
    """The family that a listing or its head names; None if it names none, or several."""
    found = [
        Recognized(each, listing.count("\n", 0, match.start(1)) + 1, match[1])
        for each in platform_of(platform).capabilities.hardware
        if each.recognized is not None and (match := each.recognized.search(listing)) is not None
    ]
    return found[0] if len(found) == 1 else None


def fit_of(router: Router) -> HardwareFit | None:
    """What the router's hardware gives its plan; None without hardware in the settings.

    Raises:
        UnknownHardwareError: the platform has no such hardware.
    """
    hardware = hardware_of(router.platform, router.hardware)
    if hardware is None:
        return None
    return HardwareFit(hardware.name, _buffer_ms(hardware, router), hardware.priorities, hardware.control_queue)


def _buffer_ms(hardware: Hardware, router: Router) -> int | float | None:
    found = [hardware.buffer_ms(each.rate_bps) for each in router.interfaces if each.role != "edge"]
    return min((each for each in found if each is not None), default=None) if None not in found else None


def model_of(router: Router, plan: Plan, pairs: Iterable[PrefixPair], reserved: Iterable[Reserved] = ()) -> RouterModel:
    """The model of a router on its hardware; as `build_model`.

    Raises:
        ModelError: as `build_model`, or the hardware is not one of the platform's.
    """
    try:
        fit = fit_of(router)
    except UnknownHardwareError as cause:
        raise ModelError([f"router {router.name!r}: {cause}"]) from cause
    return build_model(router, plan, pairs, reserved, fit)


def port_buffer_ms(router: Router) -> int | float:
    """The buffer of a core port: of the settings, or of the hardware."""
    fit = fit_of(router)
    if fit is None or fit.port_buffer_ms is None or "port_buffer_ms" in router.model_fields_set:
        return router.port_buffer_ms
    return fit.port_buffer_ms


def on_hardware(effective: EffectiveModel, hardware: Hardware | None) -> EffectiveModel:
    """What a text does on routers of that hardware: how its ports rank their queues."""
    if hardware is None:
        return effective
    ports = tuple(replace(each, ranking=hardware.ranking) for each in effective.ports)
    return replace(effective, ports=ports)
