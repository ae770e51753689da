//! Conditioners before the queues of a port (RFC 2475): a meter, and what becomes of packets of each colour.

use crate::ids::{FlowId, QueueId};
use crate::units::{BitRate, Seconds};

/// A conditioner.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conditioner {
    /// The queue whose packets it conditions.
    pub queue: QueueId,
    /// Whose packets are metered together.
    pub aggregate: Aggregate,
    /// Gives each packet a colour.
    pub meter: Meter,
    /// What becomes of packets, by colour.
    pub actions: Actions,
    /// Whether results have series by colour of what it meters.
    pub has_colour_series: bool,
}

/// Whose packets one meter counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// All packets of the queue.
    Class,
    /// Each flow has a meter of its own.
    Flow,
    /// Flows of one list share a meter; those of no list have one of their own.
    Lists(Vec<Vec<FlowId>>),
}

/// A meter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meter {
    /// One rate, one bucket: green or red.
    TokenBucket(Bucket),
    /// A single rate, three colours (RFC 2697).
    SingleRate {
        /// The committed rate and burst.
        committed: Bucket,
        /// The depth of the bucket that gets what the committed one cannot hold.
        excess_burst_bytes: u64,
        /// Whether a packet's colour on arrival counts.
        colour_aware: bool,
    },
    /// Two rates, three colours (RFC 2698).
    TwoRate {
        /// The committed rate and burst.
        committed: Bucket,
        /// The peak rate and burst.
        peak: Bucket,
        /// Whether a packet's colour on arrival counts.
        colour_aware: bool,
    },
    /// A time-sliding window: above the committed rate colours are drawn (RFC 2859; without a peak rate green or red).
    SlidingWindow {
        /// Up to this rate all is green.
        committed: BitRate,
        /// Above this rate some are red, and what is between the rates is yellow.
        peak: Option<BitRate>,
        /// How long the estimator remembers.
        window: Seconds,
    },
    /// The same with three colours, yellow and red weighted by the square of the least mean round-trip time of all
    /// aggregates over the aggregate's own (Habib, Bhargava and Fahmy 2002).
    RttAware {
        /// Up to this rate all is green.
        committed: BitRate,
        /// Above this rate some are red.
        peak: BitRate,
        /// How long the estimator remembers.
        window: Seconds,
        /// Packets of a flow with a smaller congestion window are green.
        small_window_pkts: u32,
    },
    /// What is drawn to be out of profile is red or yellow by round-trip times and timeouts (the same).
    RttRtoAware {
        /// Up to this rate all is green.
        target: BitRate,
        /// How long the estimator remembers.
        window: Seconds,
        /// With p the share of the estimate above the target, green has 1 - p to this power.
        excess_exponent: u32,
        /// The power of the ratio of timeouts.
        rto_exponent: u32,
        /// Packets of a flow with a smaller congestion window are green.
        small_window_pkts: u32,
    },
    /// Cisco's committed access rate: a bucket that lends to bursts.
    AccessRate {
        /// The rate and the normal burst.
        normal: Bucket,
        /// How far debts may go.
        extended_burst_bytes: u64,
    },
}

/// A rate, and how much may come at once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bucket {
    /// The rate at which it fills.
    pub rate: BitRate,
    /// Its depth.
    pub burst_bytes: u64,
}

impl Bucket {
    pub(crate) const fn new(rate: BitRate, burst_bytes: u64) -> Self {
        Self { rate, burst_bytes }
    }
}

impl Meter {
    /// The one bucket of a meter that has no other state.
    pub const fn token_bucket(&self) -> Option<Bucket> {
        match self {
            Self::TokenBucket(bucket) => Some(*bucket),
            _ => None,
        }
    }

    /// Its buckets, each with the keys of its rate and of its depth.
    pub fn buckets(&self) -> Vec<(&'static str, &'static str, Bucket)> {
        match *self {
            Self::TokenBucket(bucket) => vec![("rate_bps", "burst_bytes", bucket)],
            Self::SingleRate { committed, excess_burst_bytes, .. } => vec![
                ("committed_rate_bps", "committed_burst_bytes", committed),
                ("committed_rate_bps", "excess_burst_bytes", Bucket::new(committed.rate, excess_burst_bytes)),
            ],
            Self::TwoRate { committed, peak, .. } => vec![
                ("committed_rate_bps", "committed_burst_bytes", committed),
                ("peak_rate_bps", "peak_burst_bytes", peak),
            ],
            Self::AccessRate { normal, extended_burst_bytes } => vec![
                ("rate_bps", "normal_burst_bytes", normal),
                ("rate_bps", "extended_burst_bytes", Bucket::new(normal.rate, extended_burst_bytes)),
            ],
            Self::SlidingWindow { .. } | Self::RttAware { .. } | Self::RttRtoAware { .. } => Vec::new(),
        }
    }
}

/// What becomes of packets, by colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Actions {
    /// In profile.
    pub green: Action,
    /// Above the committed rate.
    pub yellow: Action,
    /// Out of profile.
    pub red: Action,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It keeps its queue and carries its colour.
    Pass,
    /// It is dropped.
    Drop,
    /// It moves to another queue.
    Requeue(QueueId),
}
