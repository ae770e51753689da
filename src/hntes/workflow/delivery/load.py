"""Whether and how a router's processor and memory are watched, by the settings."""

from functools import partial

from hntes.delivery.load_agent import read_load
from hntes.delivery.load_watch import LoadWatch
from hntes.delivery.timer import Timer
from hntes.platforms.registry import platform_of
from hntes.settings import Settings
from hntes.settings.load import LoadLimits
from hntes.settings.model import Router
from hntes.settings.snmp import SnmpAccess


def watch_of(settings: Settings, router: Router, timer: Timer) -> LoadWatch | None:
    """What reads and judges a router's load; None if it is not watched."""
    objects = platform_of(router.platform).capabilities.load
    agent = _agent(settings, router)
    if objects is None or agent is None:
        return None
    address, key = agent
    limits = settings.delivery.load or LoadLimits()
    return LoadWatch(router.name, partial(read_load, objects, _access(settings, limits), address), limits, key, timer)


def is_watched(settings: Settings, router: Router) -> bool:
    """Whether a router's processor and memory are watched while it is delivered to."""
    return _agent(settings, router) is not None and platform_of(router.platform).capabilities.load is not None


def _agent(settings: Settings, router: Router) -> tuple[str, str] | None:
    """The address of a router's SNMP agent, and the key that has it. Polled counters alone watch no delivery."""
    reached = router.delivery or router.flowspec
    if reached is not None and reached.snmp is not None:
        return reached.snmp, f"`snmp` of router {router.name}"
    polled = settings.counters.snmp if settings.counters is not None else None
    if settings.delivery.load is not None and polled is not None and router.name in polled.routers:
        return polled.routers[router.name], "[delivery.load]"
    return None


def _access(settings: Settings, limits: LoadLimits) -> SnmpAccess:
    polled = settings.counters.snmp if settings.counters is not None else None
    return limits.snmp or polled or SnmpAccess()
