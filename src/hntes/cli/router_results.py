"""What a command finds on several routers, of which one that fails does not hold up the others."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hntes.settings.model import Router

T = TypeVar("T")


def each_router(routers: Iterable[Router], find: Callable[[Router], T]) -> tuple[dict[str, T], dict[str, str]]:
    """What was found, and the messages of those that failed, by router."""
    from hntes.workflow.errors import expected, message

    found, failures = {}, {}
    for router in routers:
        try:
            found[router.name] = find(router)
        except expected() as problem:
            failures[router.name] = message(problem)
    return found, failures


def documents(
    routers: Iterable[Router], found: Mapping[str, Any], failures: Mapping[str, str], failed: Mapping[str, object]
) -> list[Mapping[str, object]]:
    """For machines, in the order of the routers; one that failed has the same keys as the others, as in `failed`."""
    return [
        {**asdict(found[router.name]), "problem": ""}
        if router.name in found
        else {"router": router.name, **failed, "problem": failures[router.name]}
        for router in routers
    ]
