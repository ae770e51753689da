//! What a connection's sending end is told.

use super::SmallQueue;

/// What a sender is told; amounts in segments.
#[derive(Clone, Copy, Debug)]
pub struct SenderParameters {
    /// Segments sent at first.
    pub initial_window: f64,
    /// The slow-start threshold at first.
    pub initial_ssthresh: f64,
    /// The most in flight that the socket buffers allow.
    pub window_limit: f64,
    /// The same once the receiver's memory has been exhausted.
    pub clamped_window_limit: f64,
    /// The burst below the window that still counts as filling it.
    pub limited_burst: f64,
    /// The window is reduced step by step, not at once.
    pub rate_halving: bool,
    /// Windows grow by segments and fall in proportion, slow start doubles them, and what is lost again is found out within
    /// a round trip.
    pub is_linux_6: bool,
    /// How much waits in the host's own queue, if there is a rule.
    pub small_queue: Option<SmallQueue>,
    /// The least it adds to the round-trip time.
    pub min_rto_s: f64,
}
