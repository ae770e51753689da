"""What programs send about pins and exclusions, and what they are answered."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from hntes.sql.entries import ExclusionEntry, PinEntry
from hntes.web.api.bodies import Body

_Prefix = Annotated[str, Field(max_length=64)]
_Router = Annotated[str, Field(max_length=64, description="Name of the router.")]
_Scope = Annotated[str, Field(max_length=64, description="Name of the router; `*`: all.")]
_Side = Annotated[Literal["either", "source", "destination"], Field(description="Which prefix of a pair overlaps it.")]
_Reason = Annotated[str, Field(min_length=1, max_length=2000, description="One sentence, for the audit log.")]
_Day = Annotated[str, Field(max_length=10, json_schema_extra={"format": "date"}, description="A day (UTC).")]


class PinBody(Body):
    """A pin: the pair never ages out from `from_day` (default: yesterday) through `until_day` (null: no end)."""

    router: _Router
    source: _Prefix
    destination: _Prefix
    reason: _Reason
    from_day: _Day | None = None
    until_day: _Day | None = None


class ExclusionBody(Body):
    """An exclusion: no pair that overlaps the prefix has a rule from `from_day` (default: yesterday) to `until_day`."""

    router: _Scope
    side: _Side = "either"
    prefix: _Prefix
    reason: _Reason
    until_day: _Day
    from_day: _Day | None = None


class PinWithdrawal(Body):
    """Ends the pins of a pair; `day` (default: yesterday) is the first without them."""

    router: _Router
    source: _Prefix
    destination: _Prefix
    reason: _Reason
    day: _Day | None = None


class ExclusionWithdrawal(Body):
    """Ends the exclusions of a prefix; `day` (default: yesterday) is the first without them."""

    router: _Scope
    side: _Side = "either"
    prefix: _Prefix
    reason: _Reason
    day: _Day | None = None


@dataclass(frozen=True)
class PinList:
    """Pins by router, pair and first day. `next_offset` is null on the last page."""

    pins: tuple[PinEntry, ...]
    total: int
    next_offset: int | None = None


@dataclass(frozen=True)
class ExclusionList:
    """Exclusions by scope, prefix and first day. `next_offset` is null on the last page."""

    exclusions: tuple[ExclusionEntry, ...]
    total: int
    next_offset: int | None = None


@dataclass(frozen=True)
class PreviewPair:
    """A pair whose rule would be touched, the numbers of hosts seen in and outside the named prefix."""

    source: str
    destination: str
    becomes: str
    alpha_bytes: int
    hosts_inside: int
    hosts_outside: int


@dataclass(frozen=True)
class OverridePreview:
    """The effect on one router; the first pairs of `pairs_total`."""

    router: str
    effect: str
    pairs: tuple[PreviewPair, ...]
    pairs_total: int


@dataclass(frozen=True)
class PreviewList:
    """The effect on each router; nothing was stored."""

    previews: tuple[OverridePreview, ...]
