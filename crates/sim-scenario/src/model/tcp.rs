//! TCP of all flows, or of those of one profile.

use crate::units::Seconds;
use serde::Deserialize;

/// How a sender repairs losses.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum LossRecovery {
    /// By selective acknowledgements.
    Sack,
    /// Without them, a loss each round trip (RFC 6582).
    Newreno,
    /// Without them, one loss of a window (RFC 5681).
    Reno,
}

/// What a flow's TCP is told.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tcp {
    /// Bytes of data in a full segment.
    pub segment_data_bytes: u16,
    /// Bytes of IP and TCP headers of a segment and of an acknowledgement.
    pub header_bytes: u16,
    /// Bytes of IP and TCP headers of a connection's first packet and of the answer to it.
    pub syn_bytes: u16,
    /// Segments sent at first.
    pub initial_window_pkts: u32,
    /// The slow-start threshold at first.
    pub initial_ssthresh_pkts: u32,
    /// What socket buffers allow in flight, unless a flow says otherwise.
    pub window_bytes: u64,
    /// The most in flight once the receiver's memory has been exhausted.
    pub clamped_window_bytes: u64,
    /// Bytes held beyond a hole that exhaust the receiver's memory.
    pub clamp_held_bytes: u64,
    /// How losses are repaired.
    pub loss_recovery: LossRecovery,
    /// SACKed segments above a hole, or duplicate acknowledgements, that make it a loss.
    pub reordering_pkts: u32,
    /// Up to where that number adapts when reordering is seen; equal to it for a fixed one.
    pub reordering_limit_pkts: u32,
    /// Forward acknowledgement: the highest SACKed segment counts, not the number of SACKed ones.
    pub fack: bool,
    /// Recoveries found needless, by time stamps or duplicate reports, are undone.
    pub undo: bool,
    /// Outside recovery a doubtful acknowledgement leaves at most so many segments to send at once; 0 for no such rule.
    pub disorder_burst_pkts: u32,
    /// The round trip after a recovery that was not undone counts as doubtful, too: duplicate reports may yet undo it.
    pub disorder_after_recovery: bool,
    /// That number grows with the reordering seen.
    pub burst_follows_reordering: bool,
    /// The window is reduced by one every second acknowledgement, and never above what is in flight plus one.
    pub rate_halving: bool,
    /// Growth stops when fewer segments than the window are in flight, as Linux judges it; the burst it tolerates.
    pub limited_burst_bytes: u32,
    /// The resolution of time stamps.
    pub stamp_step: Seconds,
    /// The retransmission timeout before the first sample.
    pub initial_rto: Seconds,
    /// The least the timeout adds to the smoothed round-trip time.
    pub min_rto: Seconds,
    /// The clock by which round trips are measured and timeouts set, which are two steps at least; 0 for an exact one.
    pub timer_step: Seconds,
    /// The least a timeout is as a whole, backing off included; 0 for no such rule.
    pub min_timeout: Seconds,
    /// Round trips are measured without time stamps, of one segment at a time and of none sent again (Karn).
    pub times_one_segment: bool,
    /// `NewReno`: each partial acknowledgement restarts the retransmission timer, not the first one alone.
    pub partial_acks_restart_timer: bool,
    /// Segments can carry a mark, and an echo of one reduces the window (RFC 3168).
    pub ecn: bool,
    /// The table these values come from, for messages.
    pub profile: Option<String>,
    /// Losses are judged by the time of sending and windows fall in proportion (RACK-TLP, RFC 8985; PRR, RFC 6937).
    pub rack: bool,
    /// Windows grow by the segments delivered, not by acknowledgements.
    pub growth_counts_segments: bool,
    /// In slow start a window that is not filled grows to twice what was in flight.
    pub slow_start_doubles: bool,
    /// No more of a connection waits in the host's own queue than is sent in a millisecond.
    pub small_queues: bool,
    /// Cards cut bursts into segments, unless the host says otherwise.
    pub segmentation_offload: bool,
    /// Every segment is acknowledged at once as long as the receiver's window grows.
    pub quick_acks_while_window_grows: bool,
    /// Segments acknowledged at once after one that had come before.
    pub quick_acks_after_duplicate: u32,
    /// Reports of out-of-order segments are held back and sent together.
    pub compressed_sacks: bool,
    /// How much longer than that they wait: the slack of the timer.
    pub compressed_sack_slack: Seconds,
    /// The window that the receiver offers grows by two segments for each one that comes.
    pub offered_window_grows: bool,
    /// Once it is the whole buffer, what is held beyond a hole takes from it.
    pub offered_window_shrinks: bool,
    /// Where the receiver's memory is exhausted it offers four segments, takes nothing back, and offers two more for each run
    /// in order, up to `clamped_window_bytes`.
    pub offered_window_closes: bool,
    /// Bytes that the application has handed over when the first acknowledgement comes, in buffers of half the window
    /// that the handshake offers; 0 where it writes no sooner than its segments leave.
    pub early_write_bytes: u64,
    /// The last segment of a buffer that is cut into several asks for an acknowledgement at once.
    pub pushed_buffers: bool,
    /// The last segment of what the application hands over before it waits is acknowledged at once (PSH).
    pub pushed_writes: bool,
    /// What the window offered has beyond whole segments is sent as a short one, unless another is on its way; of hosts with
    /// segmentation offload.
    pub partial_segments: bool,
    /// A segment whose time stamp is older than the last one in order is answered and dropped (RFC 7323, 5.3).
    pub paws: bool,
    /// A sender that judges losses by time has one timer: what is set last takes the place of what was set before.
    pub shared_timer: bool,
    /// The timeout follows a round trip's greatest deviation at once and lesser ones once a round trip.
    pub rto_holds_deviation: bool,
    /// Round trips are measured in whole microseconds and smoothed in eighths of them.
    pub rtt_in_us: bool,
    /// H-TCP scales its growth by the round-trip time.
    pub htcp_rtt_scaling: bool,
    /// H-TCP backs off gently only at steady rates.
    pub htcp_bandwidth_switch: bool,
    /// H-TCP counts acknowledgements, whatever they cover, instead of the segments they cover.
    pub htcp_counts_acks: bool,
    /// Segments at the start of every connection that are acknowledged at once.
    pub quick_acks: u32,
    /// Longest wait of an acknowledgement.
    pub delayed_ack: Seconds,
    /// Segments that the receiving host merges at most.
    pub merge_segments: u32,
}

impl Tcp {
    /// Whole segments in so many bytes, at least one.
    pub fn segments_in(&self, bytes: u64) -> u64 {
        (bytes / u64::from(self.segment_data_bytes)).max(1)
    }

    /// Bytes of a full segment from the IP header on.
    pub fn segment_ip_bytes(&self) -> f64 {
        f64::from(self.segment_data_bytes) + f64::from(self.header_bytes)
    }
}
