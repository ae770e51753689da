"""Pushes to a router at this moment, told from those that ended in the middle."""

from contextlib import AbstractContextManager

from hntes.delivery.journal import Entry
from hntes.etl.locks import locked
from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.delivery.push_request import router_journal
from hntes.workflow.errors import CommandError
from hntes.workflow.folders import router_folder
from hntes.workflow.router_state import router_state

# How long a push waits for another one to the same router: longer than a trial with readings of the router's load.
WAIT_S = 600.0


def push_lock(context: Context, router: Router, wait_s: float = WAIT_S) -> AbstractContextManager[None]:
    """The lock that each push to a router holds from its beginning to its end.

    Raises:
        LockedError: another process still delivers to this router after `wait_s` seconds.
    """
    return locked(router_folder(context, router) / ".locks" / "push", f"push to {router.name}", wait_s)


def unfinished_push(context: Context, router: Router, wait_s: float = WAIT_S) -> Entry | None:
    """The push that an earlier call left unfinished, None if there is none.

    A push that goes on has a journal, too: only while nobody holds the lock does an entry say that its writer is gone.

    Raises:
        LockedError: another process still delivers to this router after `wait_s` seconds.
    """
    journal = router_journal(context, router)
    if journal.entry() is None:
        return None
    with push_lock(context, router, wait_s):
        return journal.entry()


def require_no_other_rules(context: Context, router: Router) -> None:
    """Refuses to change reservations while the push of other rules, or a removal, is unfinished; under the lock.

    Raises:
        CommandError: names what ends it.
    """
    begun = router_journal(context, router).entry()
    if begun is None:
        return
    if begun.after_sha256 is None:
        raise CommandError(
            f"router {router.name}: a removal is unfinished; `hntes router remove --router {router.name} --commit` "
            "ends it"
        )
    state = router_state(context, router, only_reservations=True)
    if state is not None and begun.day != state.rules.day:
        what = "the removal of a pair" if begun.day is None else f"the push of the change of {begun.day}"
        raise CommandError(f"router {router.name}: {what} is unfinished; `hntes router deliver --commit` ends it first")
