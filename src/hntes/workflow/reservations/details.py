"""One reservation in full: its rates over time, the host settings, and its state on the routers of its path."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from hntes.rules.reservations.sharing import Step
from hntes.workflow.context import Context
from hntes.workflow.reservations.calendar import shares_of, sheet
from hntes.workflow.reservations.ports import LostPortError
from hntes.workflow.reservations.reservation_status import PathStatus, path_status

__all__ = ["LostPortError", "ReservationDetails", "Step", "reservation_details"]

Part = TypeVar("Part")


@dataclass(frozen=True)
class ReservationDetails:
    """What is computed of a reservation. A part is None where a port is lost, which `problem` names.

    Attributes:
        sheet: The host settings as text; None also of what is over or cancelled.
        shares: The rates of a background transfer from now on.
        path: The state on each router; empty for what is over or cancelled.
        problem: The port that is no longer in the settings, of this reservation or of one that shares its rate.
    """

    sheet: str | None
    shares: tuple[Step, ...] | None
    path: tuple[PathStatus, ...] | None
    problem: LostPortError | None


def reservation_details(context: Context, number: int) -> ReservationDetails:
    """Whatever can be computed of a reservation.

    Raises:
        StoreError: there is no such reservation.
        CommandError: reservations are off.
    """
    text, lost = _computed(sheet, context, number)
    shares, of_shares = _computed(shares_of, context, number)
    path, of_path = _computed(path_status, context, number)
    return ReservationDetails(text, shares, path, lost or of_shares or of_path)


def _computed(
    part: Callable[[Context, int], Part], context: Context, number: int
) -> tuple[Part | None, LostPortError | None]:  # fmt: skip
    try:
        return part(context, number), None
    except LostPortError as problem:
        return None, problem
