//! TCP as Linux 2.6.3x hosts run it: SACK, time stamps, delayed acknowledgements, rate halving, undo.

pub mod congestion;
pub mod receiver;
mod recovery;
pub mod rtt;
pub mod sack;
pub mod scoreboard;
pub mod sender;
pub mod stamps;

use congestion::HTcpParameters;
use hntes_sim_scenario::time::Time;
use receiver::ReceiverParameters;

/// What a host's TCP can be told; one set serves all experiments.
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
    /// The same once the receiver's memory has been exhausted.
    pub clamped_window_limit: u32,
    /// SACKed segments above a hole that make it a loss.
    pub reordering: u32,
    /// Up to where that number adapts when reordering is seen; equal to `reordering` for a fixed one.
    pub reordering_limit: u32,
    /// Forward acknowledgement: the highest SACKed segment counts, not the number of SACKed ones.
    pub fack: bool,
    /// Recoveries found needless, by time stamps or duplicate reports, are undone.
    pub undo: bool,
    /// Outside recovery a doubtful acknowledgement leaves at most so many segments to send at once; 0 for no such rule.
    pub disorder_burst: u32,
    /// That number grows with the reordering seen.
    pub burst_follows_reordering: bool,
    /// The window is reduced by one every second acknowledgement, and never above what is in flight plus one.
    pub rate_halving: bool,
    /// Growth stops when fewer segments than the window are in flight, as Linux judges it; the burst it tolerates.
    pub limited_burst_bytes: u32,
    /// The resolution of time stamps.
    pub stamp_step: Time,
    /// The retransmission timeout before the first sample.
    pub initial_rto: Time,
    /// The least the timeout adds to the smoothed round-trip time.
    pub min_rto: Time,
    /// Segments can carry a mark, and an echo of one reduces the window (RFC 3168).
    pub ecn: bool,
    /// H-TCP's switches.
    pub htcp: HTcpParameters,
    /// The receiving end.
    pub receiver: ReceiverParameters,
}
