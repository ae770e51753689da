"""What an operator does next after a delivery that failed, by its kind of error."""

from hntes.platforms.device_errors import DriftError, NotKeptError, StuckError, UnclearError, UnreachableError
from hntes.workflow.errors import CommandError

_AGAIN = "then `hntes router deliver --router {router} --commit`"
_ADVICE: tuple[tuple[type[Exception], str], ...] = (
    (
        DriftError,
        (
            "undo that change there, or `hntes router remove --router {router} --commit`, which removes it, and "
            "`hntes router deliver --again`"
        ),
    ),
    (NotKeptError, f"nothing is left to undo there; mend what is named, {_AGAIN}"),
    (
        StuckError,
        "look at the router now: `hntes router drift --router {router}`; deliver again to verify it, or withdraw",
    ),
    (UnclearError, "deliver again when it answers, which finishes or undoes what was begun"),
    (UnreachableError, f"nothing was asked of it; make it reachable, {_AGAIN}"),
    (CommandError, "do what is named"),
)


def advice(router: str, problem: BaseException) -> str:
    """One sentence for that error; what is not known of it is left to its message."""
    text = next((text for kind, text in _ADVICE if isinstance(problem, kind)), f"mend what is named, {_AGAIN}")
    return text.format(router=router)
