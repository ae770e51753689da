//! What a sender counts for the results.

/// Counters for the results.
#[derive(Clone, Copy, Debug, Default)]
pub struct SenderCounts {
    /// Segments sent again.
    pub retransmitted: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
    /// Recoveries and timeouts undone.
    pub undone: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times the host's own queue was full.
    pub local_congestions: u64,
    /// Windows reduced because of marks.
    pub mark_reductions: u64,
}
