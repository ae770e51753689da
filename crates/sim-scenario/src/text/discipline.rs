//! Queue disciplines.

use crate::model::Averages;
use serde::Deserialize;

/// Which arrivals a queue takes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
pub(crate) enum DisciplineSpec {
    /// What fits.
    #[default]
    DropTail,
    /// Packets out of profile by occupancy, read in steps of so many per cent.
    Wred {
        step_pct: f64,
        #[serde(default)]
        ramps: Option<RampsSpec>,
    },
    /// By the averaged queue, one curve for all.
    Red {
        average_weight: f64,
        min_pkts: f64,
        max_pkts: f64,
        max_probability: f64,
        #[serde(default)]
        gentle: bool,
        #[serde(default = "full_ethernet_packet")]
        mean_packet_bytes: u16,
        #[serde(default)]
        ecn: bool,
        #[serde(default = "always")]
        marks_below: f64,
    },
    /// By averages, a curve for each colour.
    Gred {
        average_weight: f64,
        averages: Averages,
        curves: CurvesSpec,
        #[serde(default = "full_ethernet_packet")]
        mean_packet_bytes: u16,
        #[serde(default)]
        ecn: bool,
        #[serde(default = "always")]
        marks_below: f64,
    },
    /// By a proportional-integral controller.
    Pi {
        a: f64,
        b: f64,
        reference_pkts: f64,
        frequency_hz: f64,
        #[serde(default)]
        ecn: bool,
    },
    /// By what all TCP flows will send next.
    ReferenceMarking {
        #[serde(default)]
        rounds: RoundsSpec,
    },
    /// By what the TCP flows that send much will send next.
    HeuristicMarking {
        threshold_bytes: u64,
        interval_s: f64,
        #[serde(default = "three")]
        stages: u64,
        #[serde(default = "eight")]
        buckets: u64,
        #[serde(default)]
        rounds: RoundsSpec,
    },
}

/// How a router tells the rounds of a TCP flow apart.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RoundsSpec {
    /// A round trip through this is the longest gap within a round.
    pub(crate) gaps_per_round_trip: f64,
    /// What one more round leaves of the estimated round trip.
    pub(crate) round_trip_memory: f64,
    /// The estimate for a flow just seen.
    pub(crate) initial_round_trip_ms: f64,
}

impl Default for RoundsSpec {
    /// The first two as published (Christin and Liebeherr 2003); the first estimate is this project's.
    fn default() -> Self {
        Self { gaps_per_round_trip: 10.0, round_trip_memory: 0.9, initial_round_trip_ms: 100.0 }
    }
}

/// A curve for each colour.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CurvesSpec {
    /// In profile.
    pub(crate) green: CurveSpec,
    /// Above the committed rate.
    pub(crate) yellow: CurveSpec,
    /// Out of profile.
    pub(crate) red: CurveSpec,
}

/// How likely a drop is by the averaged queue.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CurveSpec {
    /// Below this average nothing is dropped.
    pub(crate) min_pkts: f64,
    /// At this average the probability is `max_probability`, above it 1.
    pub(crate) max_pkts: f64,
    /// The probability at `max_pkts`.
    pub(crate) max_probability: f64,
    /// Above `max_pkts` the probability rises to 1 at twice as much.
    #[serde(default)]
    pub(crate) gentle: bool,
}

/// A ramp for each colour that is dropped early.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RampsSpec {
    /// In profile.
    #[serde(default)]
    pub(crate) green: Option<RampSpec>,
    /// Above the committed rate.
    #[serde(default)]
    pub(crate) yellow: Option<RampSpec>,
    /// Out of profile.
    #[serde(default)]
    pub(crate) red: Option<RampSpec>,
}

/// How likely a drop is by the share of the queue that is full.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RampSpec {
    /// Up to this nothing is dropped.
    pub(crate) from_pct: f64,
    /// From here on all is.
    pub(crate) to_pct: f64,
}

// The published filter (Christin and Liebeherr 2003).
const fn three() -> u64 {
    3
}
const fn eight() -> u64 {
    8
}
const fn always() -> f64 {
    1.0
}
const fn full_ethernet_packet() -> u16 {
    1500
}
