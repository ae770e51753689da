"""The documents of the reservation API, as it reads and answers them; its OpenAPI document describes these.

Times are in RFC 3339.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from hntes.web.api.bodies import Body
from hntes.web.api.problem import Problem
from hntes.web.api.texts import ExternalId, Label, Moment, PortName, Prefix
from hntes.workflow.reservations.reserve import ReservationView


class ReservationBody(Body):
    """A requested reservation, times in RFC 3339. `start` defaults to now; give `end` or `length_s`.

    Its pair is one that could be pinned. The rate fits the path's ports and what their routers can police; the times
    are within the limits of `[reservations]` of the settings.
    """

    source: Annotated[Prefix, Field(description="Source prefix, of the family of the destination.")]
    destination: Annotated[Prefix, Field(description="Destination prefix.")]
    rate_bps: Annotated[int, Field(ge=1, le=10**14, description="Rate in bit/s.")]
    ports: Annotated[
        list[PortName],
        Field(
            min_length=1,
            max_length=32,
            json_schema_extra={"uniqueItems": True},
            description="The path's egress ports, ROUTER:INTERFACE, each once.",
        ),
    ]
    start: Annotated[Moment | None, Field(description="Start, not in the past; default: now.")] = None
    end: Annotated[Moment | None, Field(description="End, after the start; give this or `length_s`.")] = None
    length_s: Annotated[int, Field(ge=1, le=10**9, description="Length in s; give this or `end`.")] | None = None
    kind: Annotated[
        Literal["foreground", "background"],
        Field(description="foreground: its rate is kept; background: a share of what is left, at least `floor_bps`."),
    ] = "foreground"
    floor_bps: Annotated[int, Field(ge=0, le=10**14, description="Least rate of a background transfer in bit/s.")] = 0
    rtt_ms: (
        Annotated[int, Field(ge=1, le=2000, description="Round-trip time in ms; default: the settings'.")] | None
    ) = None
    ticket: Annotated[Label, Field(description="Shown with the reservation.")] = ""
    external_id: Annotated[ExternalId | None, Field(description="The caller's name; repeats reserve once.")] = None


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
    """A reservation with its rate over time, the sender's settings as text, and the state on each router.

    What cannot be computed is null, and `problem` says why: a port of it, or of a transfer that shares its rate, is no
    longer in the settings. A past or cancelled reservation has no sheet.
    """

    shares: tuple[RateStep, ...] | None
    sheet: str | None
    path: tuple[PathRouter, ...] | None
    problem: str | None


class Conflict(Problem):
    """Why a reservation does not fit, and from when it would; null where no start helps."""

    reasons: list[str] = Field(default=[])
    nearest_start: str | None = None
