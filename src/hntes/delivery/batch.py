"""Work on many routers with limited parallelism, up to the first failure."""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

R = TypeVar("R")


def run_batched(
    names: Iterable[str],
    max_parallel: int,
    work: Callable[[str], R],
    hindrance: Callable[[], str],
    failure: Callable[[str, R], str],
) -> tuple[dict[str, R], str]:
    """Processes these routers in order; returns the results of those that were started, and why no more may start.

    Started work is always completed: a failure, a keyboard interrupt and an unexpected error wait for it.

    Args:
        names: The routers.
        max_parallel: The maximum number of routers in parallel.
        work: Called with a router's name, in a thread.
        hindrance: Why none may start now, "" if one may; called before each.
        failure: Why no more may start after this result, "" if they may.
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
