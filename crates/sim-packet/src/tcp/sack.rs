//! SACK blocks (RFC 2018, RFC 2883), and what acknowledgements tell.

/// Up to four ranges of segments [first, end), most recent first.
#[derive(Clone, Copy, Debug, Default)]
pub struct SackBlocks {
    /// The ranges.
    pub ranges: [(u32, u32); 4],
    /// How many of them count.
    pub len: u8,
    /// Whether the first one reports a duplicate (RFC 2883).
    pub duplicate_first: bool,
}

/// What the SACK blocks of one acknowledgement told.
#[derive(Clone, Copy, Debug, Default)]
pub struct SackNews {
    /// Segments reported for the first time.
    pub newly_sacked: u32,
    /// The lowest segment, never sent again, that arrived after later ones.
    pub reordered: Option<u32>,
}

/// What a cumulative acknowledgement told.
#[derive(Clone, Copy, Debug, Default)]
pub struct AckNews {
    /// Segments acknowledged in all.
    pub acked: u32,
    /// Whether one of them had been sent again.
    pub resent: bool,
    /// The lowest of them that was a hole filled without being sent again.
    pub reordered: Option<u32>,
}
