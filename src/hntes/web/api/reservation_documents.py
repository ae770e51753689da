"""The documents of the reservation API, as it reads and answers them; its OpenAPI document describes these.

Times are in RFC 3339.
"""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hntes.web.api.problem import Problem
from hntes.workflow.reservations.reserve import ReservationView


class ReservationBody(BaseModel):
    """A requested reservation, times in RFC 3339. `start` defaults to now; give `end` or `length_s`."""

    model_config = ConfigDict(extra="forbid", strict=True)

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
    """Reservations of one owner."""

    reservations: tuple[ReservationView, ...]


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


def answers(*problems: int, **documents: Any) -> dict[int | str, dict[str, Any]]:
    """The answers of an operation for the OpenAPI document: `ok_201=Model`, and statuses of problems."""
    good: dict[int | str, dict[str, Any]] = {
        int(name.removeprefix("ok_")): {"model": model} for name, model in documents.items()
    }
    return {**good, **{status: _problem(status) for status in problems}}


def _problem(status: int) -> dict[str, Any]:
    model = Conflict if status == HTTPStatus.CONFLICT else Problem
    content = {"application/problem+json": {"schema": as_component(model)}}
    return {"description": HTTPStatus(status).phrase, "content": content}


def as_component(model: type[BaseModel]) -> dict[str, str]:
    """A reference to the model's schema, which the document holds once (`COMPONENTS`)."""
    return {"$ref": f"#/components/schemas/{model.__name__}"}


# What operations name by `as_component`.
COMPONENTS: tuple[type[BaseModel], ...] = (ReservationBody, Problem, Conflict)
