"""Every family of hardware of the platforms that HNTES ships, and models of the suite's router on it."""

from typing import Any

from hntes.platforms.hardware_fit import model_of
from hntes.platforms.registry import platform_of
from hntes.rules.qos.model import RouterModel
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, router

FAMILIES = tuple(
    (platform, each.name) for platform in PLATFORMS for each in platform_of(platform).capabilities.hardware
)
# What the settings have to say where no buffer is published.
UNPUBLISHED = {"ptx": {"port_buffer_ms": 50}}


def hardware_model(
    platform: str, hardware: str, plan: str = "recommended", redirect: str = "none", **changes: Any
) -> RouterModel:
    """The model of the suite's router with a plan on that hardware."""
    given = {"hardware": hardware, **UNPUBLISHED.get(hardware, {}), **changes}
    return model_of(router(platform, redirect, **given), PLANS[plan], PAIRS)
