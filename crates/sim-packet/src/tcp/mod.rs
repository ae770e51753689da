//! TCP as Linux hosts run it: SACK, time stamps, delayed acknowledgements, undo; rate halving as in 2.6.3x, or losses
//! judged by time and windows that fall in proportion as in 6.1. Without SACK it is Reno or `NewReno` as the RFCs have it.

mod burst;
pub mod compression;
pub mod congestion;
mod counts;
mod cwr;
pub mod delivery;
#[cfg(test)]
mod doubt_tests;
mod growth;
mod large_burst;
mod newreno;
mod offload;
mod paced;
mod pacing;
mod partial;
mod prr;
pub mod rack;
pub mod receiver;
mod recovery;
pub mod rtt;
pub mod sack;
pub mod scoreboard;
pub mod sender;
mod small_queue;
pub mod stamps;
mod timed_segment;
mod timer;
pub mod window_growth;
mod window_use;
mod written;

use congestion::HTcpParameters;
use hntes_sim_scenario::LossRecovery;
use hntes_sim_scenario::time::Time;
use receiver::ReceiverParameters;
use window_growth::OfferedWindow;

/// What a flow's TCP can be told.
#[derive(Clone, Copy, Debug)]
pub struct TcpParameters {
    /// Bytes of data in a full segment.
    pub segment_data_bytes: u16,
    /// Bytes of IP and TCP headers of a segment and of an acknowledgement.
    pub header_bytes: u16,
    /// Bytes of IP and TCP headers of a connection's first packet and of the answer to it.
    pub syn_bytes: u16,
    /// Segments sent at first.
    pub initial_window: u32,
    /// The slow-start threshold at first.
    pub initial_ssthresh: u32,
    /// The most segments in flight that the socket buffers allow.
    pub window_limit: u32,
    /// Bytes that the receiver offers beyond them.
    pub window_rest: u32,
    /// The same once the receiver's memory has been exhausted.
    pub clamped_window_limit: u32,
    /// How losses are repaired.
    pub loss_recovery: LossRecovery,
    /// SACKed segments above a hole, or duplicate acknowledgements, that make it a loss.
    pub reordering: u32,
    /// Up to where that number adapts when reordering is seen; equal to `reordering` for a fixed one.
    pub reordering_limit: u32,
    /// Forward acknowledgement: the highest SACKed segment counts, not the number of SACKed ones.
    pub fack: bool,
    /// Recoveries found needless, by time stamps or duplicate reports, are undone.
    pub undo: bool,
    /// Outside recovery a doubtful acknowledgement leaves at most so many segments to send at once; 0 for no such rule.
    pub disorder_burst: u32,
    /// The round trip after a recovery that was not undone counts as doubtful, too: duplicate reports may yet undo it.
    pub disorder_after_recovery: bool,
    /// That number grows with the reordering seen.
    pub burst_follows_reordering: bool,
    /// The window is reduced by one every second acknowledgement, and never above what is in flight plus one.
    pub rate_halving: bool,
    /// Growth stops when fewer segments than the window are in flight, as Linux judges it; the burst it tolerates.
    pub limited_burst_bytes: u32,
    /// The host's card cuts bursts into segments: less than that burst, and than a third of the window, waits for more
    /// acknowledgements while nothing is amiss. A sender that judges losses by time has the rules of Linux 6.
    pub waits_for_bursts: bool,
    /// The resolution of time stamps.
    pub stamp_step: Time,
    /// The retransmission timeout before the first sample.
    pub initial_rto: Time,
    /// The least the timeout adds to the smoothed round-trip time.
    pub min_rto: Time,
    /// The clock of round-trip times and timeouts; none for an exact one.
    pub timer_step: Time,
    /// The least a timeout is as a whole, backing off included; 0 for no such rule.
    pub min_timeout: Time,
    /// Round trips are measured without time stamps, of one segment at a time and of none sent again (Karn).
    pub times_one_segment: bool,
    /// `NewReno`: each partial acknowledgement restarts the retransmission timer, not the first one alone.
    pub partial_acks_restart_timer: bool,
    /// Segments can carry a mark, and an echo of one reduces the window (RFC 3168).
    pub ecn: bool,
    /// Losses are judged by the time of sending and windows fall in proportion (RACK-TLP, RFC 8985; PRR, RFC 6937).
    pub rack: bool,
    /// Windows grow by the segments delivered, not by acknowledgements.
    pub growth_counts_segments: bool,
    /// In slow start a window that is not filled grows to twice what was in flight.
    pub slow_start_doubles: bool,
    /// No more waits in the host's own queue than is sent in a millisecond.
    pub small_queues: bool,
    /// How the window that the receiver offers grows; none where it offers its whole buffer from the first acknowledgement
    /// on.
    pub offered_window: Option<OfferedWindow>,
    /// Segments that the application has handed over when the first acknowledgement comes.
    pub early_write: u32,
    /// The last segment of a buffer that is cut into several asks for an acknowledgement at once.
    pub pushed_buffers: bool,
    /// So does the last segment of what the application hands over before it waits.
    pub pushed_writes: bool,
    /// What the window offered has beyond whole segments is sent as a short one, unless another is on its way.
    pub partial_segments: bool,
    /// What is set last takes the place of what the one timer was set for before.
    pub shared_timer: bool,
    /// The timeout follows a round trip's greatest deviation at once and lesser ones once a round trip.
    pub rto_holds_deviation: bool,
    /// Round trips are whole microseconds and smoothed in eighths of them.
    pub rtt_in_us: bool,
    /// H-TCP's switches.
    pub htcp: HTcpParameters,
    /// The receiving end.
    pub receiver: ReceiverParameters,
}

#[cfg(test)]
impl TcpParameters {
    /// A sender of the time, for tests.
    pub const fn for_tests() -> Self {
        Self {
            segment_data_bytes: 1448,
            header_bytes: 52,
            syn_bytes: 60,
            initial_window: 3,
            initial_ssthresh: 100,
            window_limit: 1000,
            window_rest: 0,
            clamped_window_limit: 1000,
            loss_recovery: LossRecovery::Sack,
            reordering: 3,
            reordering_limit: 3,
            fack: false,
            undo: true,
            disorder_burst: 3,
            disorder_after_recovery: false,
            burst_follows_reordering: false,
            rate_halving: true,
            limited_burst_bytes: 65_536,
            waits_for_bursts: false,
            stamp_step: Time::from_ms(1),
            initial_rto: Time::from_ms(3000),
            min_rto: Time::from_ms(200),
            timer_step: Time::ZERO,
            min_timeout: Time::ZERO,
            times_one_segment: false,
            partial_acks_restart_timer: false,
            ecn: false,
            rack: false,
            growth_counts_segments: false,
            slow_start_doubles: false,
            small_queues: false,
            offered_window: None,
            early_write: 0,
            pushed_buffers: false,
            pushed_writes: false,
            partial_segments: false,
            shared_timer: false,
            rto_holds_deviation: false,
            rtt_in_us: false,
            htcp: HTcpParameters {
                rtt_scaling: true,
                bandwidth_switch: true,
                rtt_rounds_up: false,
                counts_acks: false,
            },
            receiver: ReceiverParameters {
                without_sack: false,
                quick_acks: 0,
                quick_acks_after_duplicate: 0,
                compresses_reports: false,
                report_slack: Time::ZERO,
                offer_shrinks: None,
                paws: false,
                delayed_ack: Time::from_ms(40),
                merge_segments: 1,
                clamp_held: 5000,
                offer_closes: None,
            },
        }
    }
}
