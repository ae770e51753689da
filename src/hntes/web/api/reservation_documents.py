"""The documents of the reservation API, as it reads and answers them; its OpenAPI document describes these.

Times are in RFC 3339.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from hntes.web.api.bodies import Body
from hntes.web.api.problem import Problem
from hntes.workflow.reservations.reserve import ReservationView


class ReservationBody(Body):
    """A requested reservation, times in RFC 3339. `start` defaults to now; give `end` or `length_s`."""

    source: Annotated[str, Field(max_length=64, description="Source prefix: 198.18.10.0/24.")]
    destination: Annotated[str, Field(max_length=64, description="Destination prefix.")]
    rate_bps: Annotated[int, Field(ge=1, le=10**14, description="Rate in bit/s.")]
    ports: Annotated[
        list[Annotated[str, Field(max_length=128)]],
        Field(min_length=1, max_length=32, description="The path's egress ports, ROUTER:INTERFACE."),
    ]
    start: Annotated[str, Field(max_length=40, description="Start; default: now.")] | None = None
    end: Annotated[str, Field(max_length=40, description="End; give this or `length_s`.")] | None = None
    length_s: Annotated[int, Field(ge=1, le=10**9, description="Length in s; give this or `end`.")] | None = None
    kind: Annotated[
        Literal["foreground", "background"],
        Field(description="foreground: its rate is kept; background: a share of what is left, at least `floor_bps`."),
    ] = "foreground"
    floor_bps: Annotated[int, Field(ge=0, le=10**14, description="Least rate of a background transfer in bit/s.")] = 0
    rtt_ms: (
        Annotated[int, Field(ge=1, le=2000, description="Round-trip time in ms; default: the settings'.")] | None
    ) = None
    ticket: Annotated[str, Field(max_length=200, description="Shown with the reservation.")] = ""
    external_id: (
        Annotated[str, Field(min_length=1, max_length=200, description="The caller's name; repeats reserve once.")]
        | None
    ) = None


@dataclass(frozen=True)
class ReservationList:
    """Reservations of one owner. `next_offset` is null on the last page."""

    reservations: tuple[ReservationView, ...]
    next_offset: int | None


@dataclass(frozen=True)
class RateStep:
    """The rate of a background transfer from `start` until before `end`, in RFC 3339."""

    start: str
    end: str
    rate_bps: int


@dataclass(frozen=True)
class PathRouter:
    """A router of the path: `on`, `ready`, `waits`, `late`, or `over`."""

    router: str
    state: str


@dataclass(frozen=True)
class ReservationDetail(ReservationView):
    """A reservation with its rate over time, the sender's settings as text, and the state on each router."""

    shares: tuple[RateStep, ...]
    sheet: str
    path: tuple[PathRouter, ...]


class Conflict(Problem):
    """Why a reservation does not fit, and from when it would; null where no start helps."""

    reasons: list[str] = Field(default=[])
    nearest_start: str | None = None
