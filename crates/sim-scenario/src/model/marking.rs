//! Marking by projection: which TCP flows a router follows, and how (Christin and Liebeherr 2003).

use crate::units::Seconds;

/// How the rounds of a TCP flow are told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundRule {
    /// A gap longer than the estimated round trip through this ends a round.
    pub gaps_per_round_trip: f64,
    /// What one more round leaves of the estimate, from 0 to 1.
    pub memory: f64,
    /// The estimate for a flow just seen.
    pub initial_round_trip: Seconds,
}

/// Flows that send much, as a serial multistage filter finds them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeavyHitters {
    /// Bytes in an interval that make a flow one.
    pub threshold_bytes: u64,
    /// How often the list is made anew.
    pub interval: Seconds,
    /// Stages of the filter.
    pub stages: u64,
    /// Counters of a stage.
    pub buckets: u64,
}

/// A marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marking {
    /// How it tells rounds apart.
    pub rounds: RoundRule,
    /// Which flows it follows; all if not given.
    pub heavy_hitters: Option<HeavyHitters>,
}
