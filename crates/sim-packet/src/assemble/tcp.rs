//! What a flow's hosts are told of TCP.

use crate::tcp::TcpParameters;
use crate::tcp::congestion::HTcpParameters;
use crate::tcp::receiver::{ClosingOffer, ReceiverParameters};
use crate::tcp::window_growth::{OfferedWindow, segments_while_window_grows};
use hntes_sim_scenario::{self as scenario, LossRecovery};

pub(super) fn tcp_parameters(tcp: &scenario::Tcp, window_bytes: u64) -> TcpParameters {
    let segment_bytes = u64::from(tcp.segment_data_bytes);
    let offered = OfferedWindow { buffer_bytes: window_bytes, segment_bytes };
    // Offered in whole steps of the window's scale.
    let is_in_steps = tcp.partial_segments && tcp.offered_window_grows;
    let offered_bytes = if is_in_steps { offered.whole_bytes() } else { window_bytes };
    let segments = |bytes: u64| tcp.segments_in(bytes).min(1 << 26) as u32;
    TcpParameters {
        segment_data_bytes: tcp.segment_data_bytes,
        header_bytes: tcp.header_bytes,
        syn_bytes: tcp.syn_bytes,
        initial_window: tcp.initial_window_pkts,
        initial_ssthresh: tcp.initial_ssthresh_pkts,
        window_limit: segments(offered_bytes),
        window_rest: if tcp.partial_segments { (offered_bytes % segment_bytes) as u32 } else { 0 },
        clamped_window_limit: segments(tcp.clamped_window_bytes),
        loss_recovery: tcp.loss_recovery,
        reordering: tcp.reordering_pkts,
        reordering_limit: tcp.reordering_limit_pkts,
        fack: tcp.fack,
        undo: tcp.undo,
        disorder_burst: tcp.disorder_burst_pkts,
        disorder_after_recovery: tcp.disorder_after_recovery,
        burst_follows_reordering: tcp.burst_follows_reordering,
        rate_halving: tcp.rate_halving,
        limited_burst_bytes: tcp.limited_burst_bytes,
        waits_for_bursts: false,
        stamp_step: tcp.stamp_step.time(),
        initial_rto: tcp.initial_rto.time(),
        min_rto: tcp.min_rto.time(),
        timer_step: tcp.timer_step.time(),
        min_timeout: tcp.min_timeout.time(),
        times_one_segment: tcp.times_one_segment,
        partial_acks_restart_timer: tcp.partial_acks_restart_timer,
        ecn: tcp.ecn,
        rack: tcp.rack,
        growth_counts_segments: tcp.growth_counts_segments,
        slow_start_doubles: tcp.slow_start_doubles,
        small_queues: tcp.small_queues,
        offered_window: tcp.offered_window_grows.then_some(offered),
        early_write: tcp.early_write_bytes.div_ceil(segment_bytes).min(1 << 26) as u32,
        pushed_buffers: tcp.pushed_buffers,
        pushed_writes: tcp.pushed_writes && tcp.early_write_bytes > 0,
        partial_segments: tcp.partial_segments,
        shared_timer: tcp.shared_timer,
        rto_holds_deviation: tcp.rto_holds_deviation,
        rtt_in_us: tcp.rtt_in_us,
        htcp: HTcpParameters {
            rtt_scaling: tcp.htcp_rtt_scaling,
            bandwidth_switch: tcp.htcp_bandwidth_switch,
            rtt_rounds_up: tcp.rack,
            counts_acks: tcp.htcp_counts_acks,
        },
        receiver: ReceiverParameters {
            without_sack: tcp.loss_recovery != LossRecovery::Sack,
            quick_acks: if tcp.quick_acks_while_window_grows {
                tcp.quick_acks.max(segments_while_window_grows(window_bytes, segment_bytes, tcp.quick_acks))
            } else {
                tcp.quick_acks
            },
            quick_acks_after_duplicate: tcp.quick_acks_after_duplicate,
            compresses_reports: tcp.compressed_sacks,
            report_slack: tcp.compressed_sack_slack.time(),
            offer_shrinks: tcp.offered_window_shrinks.then(|| offered.shrinking()),
            paws: tcp.paws,
            delayed_ack: tcp.delayed_ack.time(),
            merge_segments: tcp.merge_segments,
            clamp_held: segments(tcp.clamp_held_bytes),
            offer_closes: tcp.offered_window_closes.then(|| ClosingOffer {
                whole: segments(window_bytes),
                regrown: segments(tcp.clamped_window_bytes.min(window_bytes)),
            }),
        },
    }
}
