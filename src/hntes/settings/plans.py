"""QoS plans as an operator writes them: queue shares, and the treatment of traffic above a rate.

A share is a per cent of both the link rate and the egress buffer: the convention of the published testbed
experiments. Every plan has a queue for network control in addition to alpha and beta.
"""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from hntes.settings.section import Section
from hntes.settings.terms import ALPHA, BETA, NETWORK_CONTROL, PREMIUM, SCAVENGER, Priority

Percent = Annotated[int, Field(ge=1, le=100)]
RateBps = Annotated[int, Field(ge=8_000, le=1_000_000_000_000)]
BurstBytes = Annotated[int, Field(ge=3_000, le=512_000_000, description="at least two 1500-byte packets")]


class _Plan(Section):
    # Why a kind has no marks (RFC 3168); "" for one that has.
    unmarked_because: ClassVar[str] = ""

    network_control_share_pct: Percent = 5
    beta_priority: Priority = "medium-low"
    alpha_ecn: bool = False

    def shares_pct(self) -> dict[str, int]:
        """Queue name -> share of the link, per cent."""
        raise NotImplementedError

    @model_validator(mode="after")
    def _shares_fit_the_link(self) -> Self:
        total = sum(self.shares_pct().values())
        if total > 100:
            listed = " + ".join(f"{name} {share}" for name, share in self.shares_pct().items())
            raise ValueError(f"shares add up to {total}%, more than the link: {listed}")
        return self

    @model_validator(mode="after")
    def _marks_fit_the_kind(self) -> Self:
        if self.alpha_ecn and self.unmarked_because:
            raise ValueError(f"alpha_ecn: {self.unmarked_because}; use kind two_queue, or leave alpha_ecn out")
        return self


class SingleQueue(_Plan):
    """Alpha and beta share one queue: the published baseline, which hurts delay (experiment 2, `1-queue`)."""

    unmarked_because: ClassVar[str] = "alpha and beta share a queue, and beta would be marked and dropped early, too"

    kind: Literal["single_queue"]
    shared_share_pct: Percent = 95

    def shares_pct(self) -> dict[str, int]:
        return {BETA: self.shared_share_pct, NETWORK_CONTROL: self.network_control_share_pct}


class _TwoQueues(_Plan):
    alpha_share_pct: Percent = 55
    beta_share_pct: Percent = 40
    alpha_priority: Priority = "medium-high"

    def shares_pct(self) -> dict[str, int]:
        return {
            ALPHA: self.alpha_share_pct,
            BETA: self.beta_share_pct,
            NETWORK_CONTROL: self.network_control_share_pct,
        }


class TwoQueue(_TwoQueues):
    """The recommended plan: alpha and beta queues, weighted fair and work conserving, no policing.

    With `alpha_ecn` the alpha queue marks ECN-capable packets (RFC 3168) and drops others early, with a probability
    that rises with its fill level from `alpha_ecn_from_pct`.

    With `premium_share_pct` reservations have a third queue. Their sum is at most `premium_cap_pct` of the
    slowest core port; packets above a reservation's rate are discarded, or go to beta's queue. With
    `premium_buffer_pct` the queue has a smaller share of the buffer than of the rate, and beta's has the rest.
    """

    kind: Literal["two_queue"]
    alpha_ecn_from_pct: Annotated[int, Field(ge=1, le=99)] = 50
    premium_share_pct: Percent | None = None
    premium_buffer_pct: Percent | None = None
    premium_priority: Priority = "high"
    premium_cap_pct: Annotated[int, Field(ge=1, le=98)] = 33
    premium_excess: Literal["discard", "best_effort"] = "discard"

    def shares_pct(self) -> dict[str, int]:
        premium = {} if self.premium_share_pct is None else {PREMIUM: self.premium_share_pct}
        return super().shares_pct() | premium

    def buffers_pct(self) -> dict[str, int]:
        """Queue name -> share of the port's buffer, per cent."""
        shares = self.shares_pct()
        if self.premium_share_pct is None or self.premium_buffer_pct is None:
            return shares
        left = self.premium_share_pct - self.premium_buffer_pct
        return shares | {PREMIUM: self.premium_buffer_pct, BETA: self.beta_share_pct + left}

    @model_validator(mode="after")
    def _premium_is_whole(self) -> Self:
        given = sorted(name for name in self.model_fields_set if name.startswith("premium_"))
        if self.premium_share_pct is None:
            if given:
                raise ValueError(f"{given[0]} has no effect without premium_share_pct; set that, too, or remove it")
        elif self.premium_cap_pct >= self.premium_share_pct:
            # GARA: qt = rtt x / (share - x), unbounded as the cap x approaches the share of the queue
            raise ValueError(
                f"premium_cap_pct {self.premium_cap_pct} is not below premium_share_pct {self.premium_share_pct}: "
                "the delay of reservations would be unbounded; lower it or raise the share"
            )
        elif self.premium_buffer_pct is not None and self.premium_buffer_pct > self.premium_share_pct:
            raise ValueError(
                f"premium_buffer_pct {self.premium_buffer_pct} is above premium_share_pct {self.premium_share_pct}, "
                "which would take buffer from beta; lower it or remove it"
            )
        return self


class ScavengerPolicer(_TwoQueues):
    """Alpha traffic above the policer's rate goes to a scavenger queue: found harmful (experiments 3 and 4)."""

    unmarked_because: ClassVar[str] = "packets that the policer moves to the scavenger queue would not be marked"

    kind: Literal["scavenger_policer"]
    alpha_share_pct: Percent = 49
    beta_share_pct: Percent = 45
    scavenger_share_pct: Percent = 1
    scavenger_priority: Priority = "low"
    policer_rate_bps: RateBps = 1_000_000_000
    policer_burst_bytes: BurstBytes = 31_000

    def shares_pct(self) -> dict[str, int]:
        return super().shares_pct() | {SCAVENGER: self.scavenger_share_pct}


class WredPolicer(_TwoQueues):
    """Alpha traffic above the policer's rate may be dropped early, by queue occupancy (experiments 4 and 5)."""

    unmarked_because: ClassVar[str] = "this kind exists to drop traffic above a rate early"

    kind: Literal["wred_policer"]
    policer_rate_bps: RateBps = 1_000_000_000
    policer_burst_bytes: BurstBytes = 31_000


class ThreeColorMarker(_TwoQueues):
    """Alpha traffic is marked green, yellow or red (RFC 2697 or RFC 2698); yellow and red are dropped early."""

    unmarked_because: ClassVar[str] = "this kind exists to drop traffic above a rate early"

    kind: Literal["three_color_marker"]
    marker: Literal["single_rate", "two_rate"] = "two_rate"
    committed_rate_bps: RateBps = 1_000_000_000
    committed_burst_bytes: BurstBytes = 31_000
    peak_rate_bps: RateBps = 2_000_000_000
    excess_burst_bytes: BurstBytes = 62_000
    red_action: Literal["drop_early", "discard"] = "drop_early"

    @model_validator(mode="after")
    def _peak_is_above_committed(self) -> Self:
        if self.marker == "two_rate" and self.peak_rate_bps < self.committed_rate_bps:
            raise ValueError("peak_rate_bps is below committed_rate_bps (RFC 2698 requires PIR >= CIR)")
        return self


Plan = Annotated[
    SingleQueue | TwoQueue | ScavengerPolicer | WredPolicer | ThreeColorMarker, Field(discriminator="kind")
]
