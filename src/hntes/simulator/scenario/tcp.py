"""TCP of hosts; an option that is None has the engine's default."""

from dataclasses import dataclass
from typing import Literal

LossRecovery = Literal["sack", "newreno", "reno"]


@dataclass(frozen=True)
class Tcp:
    """TCP of all flows that name no profile, or the options in which a profile differs from it.

    What each option models is documented in docs/reference/simulator-parameters.md.
    """

    segment_data_bytes: int | None = None
    header_bytes: int | None = None
    syn_bytes: int | None = None
    initial_window_pkts: int | None = None
    initial_ssthresh_pkts: int | None = None
    window_bytes: int | None = None
    clamped_window_bytes: int | None = None
    clamp_held_bytes: int | None = None
    loss_recovery: LossRecovery | None = None
    reordering_pkts: int | None = None
    reordering_limit_pkts: int | None = None
    fack: bool | None = None
    undo: bool | None = None
    disorder_burst_pkts: int | None = None
    disorder_after_recovery: bool | None = None
    burst_follows_reordering: bool | None = None
    rate_halving: bool | None = None
    limited_burst_bytes: int | None = None
    stamp_step_us: float | None = None
    initial_rto_ms: float | None = None
    min_rto_ms: float | None = None
    timer_step_ms: float | None = None
    min_timeout_ms: float | None = None
    times_one_segment: bool | None = None
    partial_acks_restart_timer: bool | None = None
    ecn: bool | None = None
    profile: str | None = None
    rack: bool | None = None
    growth_counts_segments: bool | None = None
    slow_start_doubles: bool | None = None
    small_queues: bool | None = None
    segmentation_offload: bool | None = None
    quick_acks_while_window_grows: bool | None = None
    quick_acks_after_duplicate: int | None = None
    compressed_sacks: bool | None = None
    compressed_sack_slack_us: float | None = None
    offered_window_grows: bool | None = None
    offered_window_shrinks: bool | None = None
    offered_window_closes: bool | None = None
    early_write_bytes: int | None = None
    pushed_buffers: bool | None = None
    pushed_writes: bool | None = None
    partial_segments: bool | None = None
    paws: bool | None = None
    shared_timer: bool | None = None
    rto_holds_deviation: bool | None = None
    rtt_in_us: bool | None = None
    htcp_rtt_scaling: bool | None = None
    htcp_bandwidth_switch: bool | None = None
    htcp_counts_acks: bool | None = None
    quick_acks: int | None = None
    delayed_ack_ms: float | None = None
    merge_segments: int | None = None
