"""Check of a router's settings against its platform: installed, and with the required capabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hntes.platforms.registry import (
    BrokenPlatformError,
    UnknownPlatformError,
    installed_platforms,
    is_installed,
    platform_of,
)
from hntes.settings.reader import KeyProblem
from hntes.settings.redirect import LspRedirect

if TYPE_CHECKING:
    from hntes.platforms.capabilities import Capabilities
    from hntes.settings.model import Router

# Platform-specific keys of [[routers]]: `Capabilities.router_keys` names those of each platform.
_ROUTER_KEYS = ("class_names", "fast_lookup_filter", "kept_classes", "adopt")
_LOGICAL = "interfaces.logical"
_REDIRECT_KEYS = ("fallback_ipv4", "fallback_ipv6", "routes")


def router_problems(router: Router) -> Iterator[KeyProblem]:
    """The invalid keys of a router. Its platform is imported only if a platform-specific key is set."""
    if not is_installed(router.platform):
        yield KeyProblem("platform", str(UnknownPlatformError(router.platform)))
        return
    yield from _dotted_names(router)
    given = _platform_keys(router)
    if not given and router.redirect is None and not router.queues.model_fields_set and router.hardware is None:
        return
    try:
        capabilities = platform_of(router.platform).capabilities
    except BrokenPlatformError as cause:
        yield KeyProblem("platform", str(cause))
        return
    for key in given:
        if key not in capabilities.router_keys:
            reason = f"router {router.name}: {key} is only for {_takers(key)}; {router.platform} does not support it"
            yield KeyProblem(key, reason)
    if router.adopt is not None and router.adopt.forwarding_class is None and not capabilities.adds_classes:
        reason = (
            f"router {router.name}: {router.platform} adds no class to the operator's policy: set "
            "adopt.forwarding_class to the class of the policy that takes the pairs"
        )
        yield KeyProblem("adopt", reason)
    for key in sorted(router.queues.model_fields_set):
        if getattr(router.queues, key) >= capabilities.queues:
            reason = f"router {router.name}: {router.platform} has the numbers 1 to {capabilities.queues - 1}"
            yield KeyProblem(f"queues.{key}", reason)
    yield from _redirect_problems(router, capabilities)
    yield from _hardware_problems(router)


def _platform_keys(router: Router) -> list[str]:
    """The keys that are set and that only some platforms have."""
    given = [name for name in _ROUTER_KEYS if name in router.model_fields_set]
    if any(each.logical is not None for each in router.interfaces):
        given.append(_LOGICAL)
    if router.redirect is not None:
        given += [f"redirect.{name}" for name in _REDIRECT_KEYS if name in router.redirect.model_fields_set]
    return given


def _hardware_problems(router: Router) -> Iterator[KeyProblem]:
    if router.hardware is None:
        return
    # it brings the rules and the effective model, which a command without them goes without
    from hntes.platforms.hardware_fit import UnknownHardwareError, fit_of

    try:
        fit = fit_of(router)
    except UnknownHardwareError as cause:
        yield KeyProblem("hardware", f"router {router.name}: {cause}")
        return
    if fit is not None and fit.port_buffer_ms is None and "port_buffer_ms" not in router.model_fields_set:
        unknown = f"the buffer of ports of hardware {fit.name} is not published for all rates: set it"
        yield KeyProblem("port_buffer_ms", f"router {router.name}: {unknown}")


def _redirect_problems(router: Router, capabilities: Capabilities) -> Iterator[KeyProblem]:
    redirect = router.redirect
    if redirect is not None and redirect.kind not in capabilities.redirect_kinds:
        reason = f"router {router.name}: {router.platform} cannot redirect pairs by {redirect.kind}"
        yield KeyProblem("redirect", reason)
    elif isinstance(redirect, LspRedirect):
        missing = [key for key in capabilities.lsp_redirect_keys if getattr(redirect, key) in (None, ())]
        if missing:
            reason = f"router {router.name}: an lsp redirect on {router.platform} needs {' and '.join(missing)}"
            yield KeyProblem("redirect", reason)


def _dotted_names(router: Router) -> Iterator[KeyProblem]:
    """Names of interfaces with their unit, as routers print them: the unit is a key of its own."""
    for each in router.interfaces:
        port, _, unit = each.name.rpartition(".")
        if port and unit.isdigit():
            reason = f'router {router.name}: interface {each.name}: write name = "{port}" and unit = {unit}'
            yield KeyProblem("interfaces", reason)


def broken_platforms(names: Iterable[str]) -> list[str]:
    """The errors of installed platforms that cannot be loaded, each once."""
    found = []
    for name in sorted(set(names)):
        try:
            platform_of(name)
        except BrokenPlatformError as cause:
            found.append(str(cause))
    return found


def _takers(key: str) -> str:
    """The installed platforms that support a key; broken ones are skipped, and reported where they are used."""
    found = []
    for name in installed_platforms():
        try:
            capabilities = platform_of(name).capabilities
        except BrokenPlatformError:
            continue
        if key in capabilities.router_keys:
            found.append(name)
    return ", ".join(found) or "no installed platform"
