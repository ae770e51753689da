//! Conditioners: a meter, and what becomes of packets of each colour.

use serde::Deserialize;

/// A conditioner before a queue.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConditionerSpec {
    /// The class whose packets it conditions.
    pub(crate) class: String,
    /// Whose packets are metered together.
    #[serde(default = "whole_class")]
    pub(crate) aggregate: AggregateSpec,
    /// Gives each packet a colour.
    pub(crate) meter: MeterSpec,
    /// What becomes of packets by colour.
    #[serde(default)]
    pub(crate) actions: ActionsSpec,
    /// Whether results have series by colour of what it meters.
    #[serde(default)]
    pub(crate) colour_series: bool,
}

/// Whose packets are metered together.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "\"class\", \"flow\" or lists of flows")]
pub(crate) enum AggregateSpec {
    /// All of the class, or each flow by itself.
    Named(AggregateName),
    /// Lists of flows: those of one list together.
    Lists(Vec<Vec<String>>),
}

/// Whose packets are metered together, in a word.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AggregateName {
    /// All of the class.
    Class,
    /// Each flow by itself.
    Flow,
}

/// A meter.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
pub(crate) enum MeterSpec {
    /// One rate, one bucket: green or red.
    TokenBucket { rate_bps: f64, burst_bytes: u64 },
    /// A single rate, three colours (RFC 2697).
    Srtcm {
        committed_rate_bps: f64,
        committed_burst_bytes: u64,
        excess_burst_bytes: u64,
        #[serde(default)]
        colour_aware: bool,
    },
    /// Two rates, three colours (RFC 2698).
    Trtcm {
        committed_rate_bps: f64,
        committed_burst_bytes: u64,
        peak_rate_bps: f64,
        peak_burst_bytes: u64,
        #[serde(default)]
        colour_aware: bool,
    },
    /// A time-sliding window, two colours: green or red by chance.
    Tsw2cm { committed_rate_bps: f64, window_s: f64 },
    /// A time-sliding window, three colours by chance (RFC 2859).
    Tsw3cm { committed_rate_bps: f64, peak_rate_bps: f64, window_s: f64 },
    /// The same, yellow and red weighted by the square of round-trip times.
    RttAware {
        committed_rate_bps: f64,
        peak_rate_bps: f64,
        window_s: f64,
        #[serde(default)]
        small_window_pkts: u32,
    },
    /// Round-trip times and timeouts divide what is above the target into yellow and red.
    RttRtoAware {
        committed_rate_bps: f64,
        window_s: f64,
        #[serde(default = "plain")]
        excess_exponent: u32,
        #[serde(default = "plain")]
        rto_exponent: u32,
        #[serde(default)]
        small_window_pkts: u32,
    },
    /// Cisco's committed access rate: a bucket that lends.
    Car { rate_bps: f64, normal_burst_bytes: u64, extended_burst_bytes: u64 },
}

impl MeterSpec {
    /// The rate of this name, if the meter has it.
    pub(crate) fn rate_mut(&mut self, name: &str) -> Option<&mut f64> {
        match (self, name) {
            (Self::TokenBucket { rate_bps, .. } | Self::Car { rate_bps, .. }, "rate_bps") => Some(rate_bps),
            (
                Self::Srtcm { committed_rate_bps, .. }
                | Self::Trtcm { committed_rate_bps, .. }
                | Self::Tsw2cm { committed_rate_bps, .. }
                | Self::Tsw3cm { committed_rate_bps, .. }
                | Self::RttAware { committed_rate_bps, .. }
                | Self::RttRtoAware { committed_rate_bps, .. },
                "committed_rate_bps",
            ) => Some(committed_rate_bps),
            (
                Self::Trtcm { peak_rate_bps, .. }
                | Self::Tsw3cm { peak_rate_bps, .. }
                | Self::RttAware { peak_rate_bps, .. },
                "peak_rate_bps",
            ) => Some(peak_rate_bps),
            _ => None,
        }
    }
}

/// What becomes of packets by colour; a colour that is not named keeps its class.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActionsSpec {
    /// In profile.
    #[serde(default)]
    pub(crate) green: ActionSpec,
    /// Above the committed rate.
    #[serde(default)]
    pub(crate) yellow: ActionSpec,
    /// Out of profile.
    #[serde(default)]
    pub(crate) red: ActionSpec,
}

/// What becomes of a packet.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActionSpec {
    /// It keeps its class and carries its colour.
    #[default]
    Pass,
    /// It is dropped.
    Drop,
    /// It moves to another class.
    ToClass(String),
}

const fn plain() -> u32 {
    1
}
const fn whole_class() -> AggregateSpec {
    AggregateSpec::Named(AggregateName::Class)
}
