"""What programs send about pins and exclusions, and what they are answered."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from hntes.sql.entries import ExclusionEntry, PinEntry
from hntes.web.api.bodies import Body
from hntes.web.api.texts import Day, Prefix, Reason, RouterName, RouterScope

_Side = Annotated[Literal["either", "source", "destination"], Field(description="Which prefix of a pair overlaps it.")]
_FirstDay = Annotated[Day | None, Field(description="First day (UTC); default: yesterday.")]
_LAST = "Last day (UTC), not before the first."


class PinBody(Body):
    """A pin: the pair never ages out from `from_day` (default: yesterday) through `until_day` (null: no end).

    The prefixes are of one family, at least as long as `[pins]` of the settings says, hold no router's own address, and
    are of addresses whose packets routers forward.
    """

    router: RouterName
    source: Prefix
    destination: Prefix
    reason: Reason
    from_day: _FirstDay = None
    until_day: Annotated[Day | None, Field(description=_LAST)] = None


class ExclusionBody(Body):
    """An exclusion: no pair that overlaps the prefix has a rule from `from_day` (default: yesterday) to `until_day`."""

    router: RouterScope
    side: _Side = "either"
    prefix: Prefix
    reason: Reason
    until_day: Annotated[Day, Field(description=_LAST)]
    from_day: _FirstDay = None


class PinWithdrawal(Body):
    """Ends the pins of a pair, whose prefixes are of one family; `day` (default: yesterday) is the first without."""

    router: RouterName
    source: Prefix
    destination: Prefix
    reason: Reason
    day: Day | None = None


class ExclusionWithdrawal(Body):
    """Ends the exclusions of a prefix; `day` (default: yesterday) is the first without them."""

    router: RouterScope
    side: _Side = "either"
    prefix: Prefix
    reason: Reason
    day: Day | None = None


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
