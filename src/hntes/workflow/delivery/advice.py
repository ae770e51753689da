"""The operator's next step after a failed delivery, by error type."""

from hntes.etl.locks import LockedError
from hntes.platforms.device_errors import DriftError, NotKeptError, StuckError, UnclearError, UnreachableError
from hntes.workflow.delivery.authority import AuthorityError
from hntes.workflow.errors import CommandError

_AGAIN = "then `hntes router deliver --router {router} --commit`"
_ADVICE: tuple[tuple[type[Exception], str], ...] = (
    (AuthorityError, "nothing was delivered; propose again (`hntes nightly --router {router}`), approve, then deliver"),
    (
        DriftError,
        (
            "undo that change on the router, or remove HNTES with `hntes router remove --router {router} --commit` and "
            "run `hntes router deliver --again`"
        ),
    ),
    (NotKeptError, f"the router has rolled back; fix the error above, {_AGAIN}"),
    (
        StuckError,
        "check the router now: `hntes router drift --router {router}`; deliver again to verify it, or remove HNTES",
    ),
    (UnclearError, "deliver again when the router answers; that completes or undoes the interrupted push"),
    (LockedError, "another process delivers to it; deliver again when that has ended"),
    (UnreachableError, f"the router was not changed; make it reachable, {_AGAIN}"),
    (CommandError, "fix the error above and deliver again"),
)


def advice(router: str, problem: BaseException) -> str:
    """The advice for an error, one sentence; a general one for unknown errors."""
    text = next((text for kind, text in _ADVICE if isinstance(problem, kind)), f"fix the error above, {_AGAIN}")
    return text.format(router=router)
