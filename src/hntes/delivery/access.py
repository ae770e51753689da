"""Sessions with routers and speakers. Drivers are imported on use: they belong to the extra `deliver`."""

from functools import partial

from hntes.delivery.flowspec.rib import Speaker
from hntes.platforms.device import Device, Opener
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.platform import Platform
from hntes.platforms.registry import platform_of
from hntes.settings.delivery import Access
from hntes.settings.flowspec import FlowSpec
from hntes.settings.model import Router


def opener(router: Router, timeout_s: int) -> Opener:
    """A function that opens sessions with a router.

    Raises:
        DeliveryError: the router has no [routers.delivery] in the settings, or its platform has no driver.
    """
    if router.delivery is None:
        raise DeliveryError(
            f"router {router.name}: no [routers.delivery] in the settings; add it, or let your own delivery take the "
            "text from its `approved` folder"
        )
    platform = platform_of(router.platform)
    if not platform.capabilities.delivers:
        raise DeliveryError(
            f"router {router.name}: HNTES does not deliver to {router.platform}; let your own delivery take the "
            "text from its `approved` folder"
        )
    return partial(_opened, platform, router.delivery, timeout_s)


def speaker_of(router: str, chosen: FlowSpec, timeout_s: int) -> Speaker:
    """The BGP speaker that announces to a router.

    Raises:
        UnreachableError: it does not answer.
        DeliveryError: its client is not installed.
    """
    try:
        from hntes.delivery.flowspec.gobgp import GoBgp
    except ImportError as cause:
        raise DeliveryError(
            f"router {router}: the speaker's client needs grpcio: pip install 'hntes[flowspec]'"
        ) from cause
    return GoBgp(chosen.speaker, timeout_s)


def _opened(platform: Platform, access: Access, timeout_s: int) -> Device:
    try:
        return platform.connect(access, timeout_s)
    except ImportError as cause:
        raise DeliveryError(f"the drivers are not installed ({cause.name}): pip install 'hntes[deliver]'") from cause
