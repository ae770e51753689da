"""Work on many routers, at most so many at a time, up to the first that fails."""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

R = TypeVar("R")


def in_turn(
    names: Iterable[str],
    max_parallel: int,
    work: Callable[[str], R],
    hindrance: Callable[[], str],
    failure: Callable[[str, R], str],
) -> tuple[dict[str, R], str]:
    """Works at these routers in their order; returns what came of those that were begun, and why no more may begin.

    What was begun always ends: a failure, an interrupt from the keyboard and an unexpected error wait for it.

    Args:
        names: The routers.
        max_parallel: How many are worked at together.
        work: Called with a router's name, in a thread.
        hindrance: Why none may begin now, "" if one may; asked before each.
        failure: Why after this result none may begin any more, "" if others may.
    """
    waiting, running = deque(names), dict[Future[R], str]()
    found: dict[str, R] = {}
    reason = ""
    with ThreadPoolExecutor(max_parallel, thread_name_prefix="router") as pool:
        while running or (waiting and not reason):
            try:
                while waiting and not reason and len(running) < max_parallel:
                    if not (reason := hindrance()):
                        name = waiting.popleft()
                        running[pool.submit(work, name)] = name
                ended = wait(running, return_when=FIRST_COMPLETED).done
            except KeyboardInterrupt:
                reason = reason or "interrupted from the keyboard"
                continue
            for each in ended:
                name = running.pop(each)
                found[name] = each.result()
                reason = reason or failure(name, found[name])
    return found, reason
