//! TCP, as a scenario gives it.

use crate::model::LossRecovery;
use serde::{Deserialize, Serialize};

/// TCP of all flows, or of a profile.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TcpSpec {
    pub(crate) segment_data_bytes: u16,
    pub(crate) header_bytes: u16,
    pub(crate) syn_bytes: u16,
    pub(crate) initial_window_pkts: u32,
    pub(crate) initial_ssthresh_pkts: u32,
    pub(crate) window_bytes: u64,
    pub(crate) clamped_window_bytes: u64,
    pub(crate) clamp_held_bytes: u64,
    pub(crate) loss_recovery: LossRecovery,
    pub(crate) reordering_pkts: u32,
    pub(crate) reordering_limit_pkts: u32,
    pub(crate) fack: bool,
    pub(crate) undo: bool,
    pub(crate) disorder_burst_pkts: u32,
    pub(crate) burst_follows_reordering: bool,
    pub(crate) rate_halving: bool,
    pub(crate) limited_burst_bytes: u32,
    pub(crate) stamp_step_us: f64,
    pub(crate) initial_rto_ms: f64,
    pub(crate) min_rto_ms: f64,
    pub(crate) timer_step_ms: f64,
    pub(crate) ecn: bool,
    pub(crate) profile: Option<String>,
    pub(crate) rack: bool,
    pub(crate) growth_counts_segments: bool,
    pub(crate) slow_start_doubles: bool,
    pub(crate) small_queues: bool,
    pub(crate) segmentation_offload: bool,
    pub(crate) quick_acks_while_window_grows: bool,
    pub(crate) quick_acks_after_duplicate: u32,
    pub(crate) compressed_sacks: bool,
    pub(crate) htcp_rtt_scaling: bool,
    pub(crate) htcp_bandwidth_switch: bool,
    pub(crate) quick_acks: u32,
    pub(crate) delayed_ack_ms: f64,
    pub(crate) merge_segments: u32,
}

impl Default for TcpSpec {
    fn default() -> Self {
        Self {
            segment_data_bytes: 1448,
            header_bytes: 52,
            syn_bytes: 60,
            initial_window_pkts: 3,
            initial_ssthresh_pkts: 0x7fff_ffff,
            window_bytes: 150_000_000,
            clamped_window_bytes: 150_000_000,
            clamp_held_bytes: 1_000_000_000_000,
            loss_recovery: LossRecovery::Sack,
            reordering_pkts: 3,
            reordering_limit_pkts: 3,
            fack: false,
            undo: true,
            disorder_burst_pkts: 3,
            burst_follows_reordering: false,
            rate_halving: true,
            limited_burst_bytes: 65_536,
            stamp_step_us: 1000.0,
            initial_rto_ms: 3000.0,
            min_rto_ms: 200.0,
            timer_step_ms: 0.0,
            ecn: false,
            profile: None,
            rack: false,
            growth_counts_segments: false,
            slow_start_doubles: false,
            small_queues: false,
            segmentation_offload: false,
            quick_acks_while_window_grows: false,
            quick_acks_after_duplicate: 0,
            compressed_sacks: false,
            htcp_rtt_scaling: true,
            htcp_bandwidth_switch: true,
            quick_acks: 16,
            delayed_ack_ms: 40.0,
            merge_segments: 1,
        }
    }
}
