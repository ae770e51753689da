//! TCP of all flows, or of a profile.

use super::range::{count_within, microseconds, milliseconds};
use crate::error::ScenarioError;
use crate::model::{Link, LossRecovery, Tcp};
use crate::text::TcpSpec;
use crate::units::Seconds;

/// Segments are numbered in 32 bits, with some room left for what is sent beyond the window.
const MAX_SEGMENTS: f64 = 4e9;

pub(super) fn tcp(text: &TcpSpec, links: &[Link], duration: Seconds) -> Result<Tcp, ScenarioError> {
    let segment_data_bytes = count_within("tcp.segment_data_bytes", text.segment_data_bytes, 1.0, 65_000.0)?;
    let header_bytes = count_within("tcp.header_bytes", text.header_bytes, 40.0, 120.0)?;
    let syn_bytes = count_within("tcp.syn_bytes", text.syn_bytes, 40.0, 120.0)?;
    let initial_window_pkts = count_within("tcp.initial_window_pkts", text.initial_window_pkts, 1.0, 1e6)?;
    // The flows have it already.
    count_within("tcp.window_bytes", text.window_bytes, f64::from(segment_data_bytes), 1e11)?;
    for (key, is_on) in [("rate_halving", text.rate_halving), ("fack", text.fack)] {
        if text.rack && is_on {
            let reason = "with tcp.rack, losses are judged by time and windows fall in proportion; set it to false";
            return Err(ScenarioError::new(format!("tcp.{key}"), reason));
        }
    }
    for (key, is_on) in
        [("times_one_segment", text.times_one_segment), ("partial_acks_restart_timer", text.partial_acks_restart_timer)]
    {
        if is_on && text.loss_recovery == LossRecovery::Sack {
            let reason =
                "only senders without selective acknowledgements have it; set tcp.loss_recovery to newreno or reno";
            return Err(ScenarioError::new(format!("tcp.{key}"), reason));
        }
    }
    if text.rack && text.loss_recovery != LossRecovery::Sack {
        let reason = "tcp.rack needs selective acknowledgements; set one of the two otherwise";
        return Err(ScenarioError::new("tcp.loss_recovery", reason));
    }
    if text.offered_window_closes && text.offered_window_grows {
        let reason = "one kernel's receiver has it, another's tcp.offered_window_grows; set one of the two to false";
        return Err(ScenarioError::new("tcp.offered_window_closes", reason));
    }
    let tcp = Tcp {
        segment_data_bytes,
        header_bytes,
        syn_bytes,
        initial_window_pkts,
        initial_ssthresh_pkts: text.initial_ssthresh_pkts,
        clamped_window_bytes: text.clamped_window_bytes,
        clamp_held_bytes: text.clamp_held_bytes,
        loss_recovery: text.loss_recovery,
        reordering_pkts: count_within("tcp.reordering_pkts", text.reordering_pkts, 1.0, 1e6)?,
        merge_segments: count_within("tcp.merge_segments", text.merge_segments, 1.0, 1e4)?,
        min_rto: milliseconds("tcp.min_rto_ms", text.min_rto_ms, 1.0, 1e6)?,
        timer_step: milliseconds("tcp.timer_step_ms", text.timer_step_ms, 0.0, 1e4)?,
        min_timeout: milliseconds("tcp.min_timeout_ms", text.min_timeout_ms, 0.0, 1e6)?,
        times_one_segment: text.times_one_segment,
        partial_acks_restart_timer: text.partial_acks_restart_timer,
        initial_rto: milliseconds("tcp.initial_rto_ms", text.initial_rto_ms, 1.0, 1e6)?,
        stamp_step: microseconds("tcp.stamp_step_us", text.stamp_step_us, 0.0, 1e6)?,
        delayed_ack: milliseconds("tcp.delayed_ack_ms", text.delayed_ack_ms, 0.0, 1e6)?,
        disorder_burst_pkts: count_within("tcp.disorder_burst_pkts", text.disorder_burst_pkts, 0.0, 1e6)?,
        reordering_limit_pkts: count_within("tcp.reordering_limit_pkts", text.reordering_limit_pkts, 1.0, 1e6)?,
        disorder_after_recovery: text.disorder_after_recovery,
        fack: text.fack,
        undo: text.undo,
        burst_follows_reordering: text.burst_follows_reordering,
        rate_halving: text.rate_halving,
        limited_burst_bytes: text.limited_burst_bytes,
        ecn: text.ecn,
        profile: text.profile.clone(),
        rack: text.rack,
        growth_counts_segments: text.growth_counts_segments,
        slow_start_doubles: text.slow_start_doubles,
        small_queues: text.small_queues,
        segmentation_offload: text.segmentation_offload,
        quick_acks_while_window_grows: text.quick_acks_while_window_grows,
        quick_acks_after_duplicate: text.quick_acks_after_duplicate,
        compressed_sacks: text.compressed_sacks,
        compressed_sack_slack: microseconds("tcp.compressed_sack_slack_us", text.compressed_sack_slack_us, 0.0, 1e6)?,
        offered_window_grows: text.offered_window_grows,
        offered_window_shrinks: text.offered_window_shrinks,
        offered_window_closes: text.offered_window_closes,
        early_write_bytes: text.early_write_bytes,
        pushed_buffers: text.pushed_buffers,
        pushed_writes: text.pushed_writes,
        partial_segments: text.partial_segments,
        paws: text.paws,
        shared_timer: text.shared_timer,
        rto_holds_deviation: text.rto_holds_deviation,
        rtt_in_us: text.rtt_in_us,
        htcp_rtt_scaling: text.htcp_rtt_scaling,
        htcp_bandwidth_switch: text.htcp_bandwidth_switch,
        htcp_counts_acks: text.htcp_counts_acks,
        quick_acks: text.quick_acks,
    };
    let fastest = links.iter().map(|link| link.rate.bps()).fold(0.0, f64::max);
    if fastest * duration.s() / 8.0 / tcp.segment_ip_bytes() > MAX_SEGMENTS {
        return Err(ScenarioError::new("duration_s", "more segments than 32-bit numbers hold; shorten the run"));
    }
    Ok(tcp)
}
