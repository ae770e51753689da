//! What is another way from some time on.

use serde::Deserialize;

/// A change; what it does not name stays as it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
pub(crate) enum ChangeSpec {
    /// The rate of a link, in both directions.
    LinkRate { at_s: f64, from: String, to: String, rate_bps: f64 },
    /// A class's share of its port's rate.
    RateShare { at_s: f64, at: String, to: String, class: String, rate_share_pct: f64 },
    /// A class's share of its port's buffer.
    BufferShare { at_s: f64, at: String, to: String, class: String, buffer_share_pct: f64 },
    /// Rates of the meter that conditions a class.
    MeterRate {
        at_s: f64,
        at: String,
        to: String,
        class: String,
        #[serde(default)]
        rate_bps: Option<f64>,
        #[serde(default)]
        committed_rate_bps: Option<f64>,
        #[serde(default)]
        peak_rate_bps: Option<f64>,
    },
}

impl ChangeSpec {
    /// When.
    pub(crate) const fn at_s(&self) -> f64 {
        match self {
            Self::LinkRate { at_s, .. }
            | Self::RateShare { at_s, .. }
            | Self::BufferShare { at_s, .. }
            | Self::MeterRate { at_s, .. } => *at_s,
        }
    }
}
