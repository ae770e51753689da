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
    """share of the queue of routing protocols"""
    beta_priority: Priority = "medium-low"
    """scheduling priority of beta's queue"""
    alpha_ecn: bool = False
    """two_queue only: the alpha queue marks ECN-capable packets (RFC 3168) and drops the others early"""

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
    """share of the queue that alpha and beta have in common"""

    def shares_pct(self) -> dict[str, int]:
        return {BETA: self.shared_share_pct, NETWORK_CONTROL: self.network_control_share_pct}


class _TwoQueues(_Plan):
    alpha_share_pct: Percent = 55
    """share of alpha's queue"""
    beta_share_pct: Percent = 40
    """share of beta's queue"""
    alpha_priority: Priority = "medium-high"
    """scheduling priority of alpha's queue"""

    def shares_pct(self) -> dict[str, int]:
        return {
            ALPHA: self.alpha_share_pct,
            BETA: self.beta_share_pct,
            NETWORK_CONTROL: self.network_control_share_pct,
        }


# The published plan's buffers of alpha and beta, in per cent of the port's.
_ALPHA_BUFFER, _BETA_BUFFER = 55, 40


class TwoQueue(_TwoQueues):
    """The recommended plan: alpha and beta queues, weighted fair and work conserving, no policing.

    Beta's share is a little more than twice the assumed beta peak, as its bursts need; alpha has what beta leaves.
    Buffers are the published ones, 55 for alpha to 40 for beta, whatever the shares: an alpha flow over 80 ms needs
    its part. With `premium_share_pct` reservations have a queue of their own, and buffers follow the shares.
    """

    kind: Literal["two_queue"]
    alpha_share_pct: Percent = 30
    beta_share_pct: Percent = 65
    alpha_buffer_pct: Percent | None = None
    """alpha's share of the buffer; default: 55 to beta's 40, with reservations `alpha_share_pct`"""
    beta_buffer_pct: Percent | None = None
    """beta's share of the buffer; default: 40 to alpha's 55, with reservations `beta_share_pct`"""
    alpha_ecn_from_pct: Annotated[int, Field(ge=1, le=99)] = 50
    """fill level of the alpha queue from which on `alpha_ecn` marks and drops"""
    premium_share_pct: Percent | None = None
    """share of the premium queue, for reservations; none: no such queue"""
    premium_buffer_pct: Percent | None = None
    """buffer of the queue of reservations, the rest of its share is beta's; default: `premium_share_pct`"""
    premium_priority: Priority = "high"
    """scheduling priority of the queue of reservations"""
    premium_cap_pct: Annotated[int, Field(ge=1, le=98)] = 33
    """maximum sum of all reservations, of the slowest core port; below `premium_share_pct`"""
    premium_excess: Literal["discard", "best_effort"] = "discard"
    """packets above a reservation's rate are discarded, or go to beta's queue"""

    def shares_pct(self) -> dict[str, int]:
        premium = {} if self.premium_share_pct is None else {PREMIUM: self.premium_share_pct}
        return super().shares_pct() | premium

    def buffers_pct(self) -> dict[str, int]:
        """Queue name -> share of the port's buffer, per cent."""
        buffers = self._default_buffers_pct()
        given = {ALPHA: self.alpha_buffer_pct, BETA: self.beta_buffer_pct}
        return buffers | {name: buffer for name, buffer in given.items() if buffer is not None}

    def _default_buffers_pct(self) -> dict[str, int]:
        shares = self.shares_pct()
        if self.premium_share_pct is None:
            beta = max(1, (100 - self.network_control_share_pct) * _BETA_BUFFER // (_ALPHA_BUFFER + _BETA_BUFFER))
            return shares | {ALPHA: max(1, 100 - self.network_control_share_pct - beta), BETA: beta}
        if self.premium_buffer_pct is None:
            return shares
        left = self.premium_share_pct - self.premium_buffer_pct
        return shares | {PREMIUM: self.premium_buffer_pct, BETA: self.beta_share_pct + left}

    @model_validator(mode="after")
    def _buffers_fit_the_port(self) -> Self:
        buffers = self.buffers_pct()
        if sum(buffers.values()) > 100:
            listed = " + ".join(f"{name} {buffer}" for name, buffer in buffers.items())
            raise ValueError(
                f"buffers add up to {sum(buffers.values())}%, more than the port's: {listed}; "
                "lower alpha_buffer_pct or beta_buffer_pct"
            )
        return self

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
    """share of the scavenger queue"""
    scavenger_priority: Priority = "low"
    """scheduling priority of the scavenger queue"""
    policer_rate_bps: RateBps = 1_000_000_000
    """alpha traffic above this rate goes to the scavenger queue, bit/s"""
    policer_burst_bytes: BurstBytes = 31_000
    """size of the policer's token bucket, bytes"""

    def shares_pct(self) -> dict[str, int]:
        return super().shares_pct() | {SCAVENGER: self.scavenger_share_pct}


class WredPolicer(_TwoQueues):
    """Alpha traffic above the policer's rate may be dropped early, by queue occupancy (experiments 4 and 5)."""

    unmarked_because: ClassVar[str] = "this kind exists to drop traffic above a rate early"

    kind: Literal["wred_policer"]
    policer_rate_bps: RateBps = 1_000_000_000
    """alpha traffic above this rate may be dropped early, bit/s"""
    policer_burst_bytes: BurstBytes = 31_000
    """size of the policer's token bucket, bytes"""


class ThreeColorMarker(_TwoQueues):
    """Alpha traffic is marked green, yellow or red (RFC 2697 or RFC 2698); yellow and red are dropped early."""

    unmarked_because: ClassVar[str] = "this kind exists to drop traffic above a rate early"

    kind: Literal["three_color_marker"]
    marker: Literal["single_rate", "two_rate"] = "two_rate"
    """single_rate: RFC 2697; two_rate: RFC 2698"""
    committed_rate_bps: RateBps = 1_000_000_000
    """CIR, bit/s: traffic within it is green"""
    committed_burst_bytes: BurstBytes = 31_000
    """CBS, bytes"""
    peak_rate_bps: RateBps = 2_000_000_000
    """PIR, bit/s: with two_rate traffic above it is red"""
    excess_burst_bytes: BurstBytes = 62_000
    """EBS with single_rate, PBS with two_rate, bytes"""
    red_action: Literal["drop_early", "discard"] = "drop_early"
    """red packets are dropped early by the queue's occupancy, or all discarded"""

    @model_validator(mode="after")
    def _peak_is_above_committed(self) -> Self:
        if self.marker == "two_rate" and self.peak_rate_bps < self.committed_rate_bps:
            raise ValueError("peak_rate_bps is below committed_rate_bps (RFC 2698 requires PIR >= CIR)")
        return self


Plan = Annotated[
    SingleQueue | TwoQueue | ScavengerPolicer | WredPolicer | ThreeColorMarker, Field(discriminator="kind")
]
