//! What flows send, as a scenario's text gives it.

use crate::model::Congestion;
use serde::Deserialize;

/// What a flow sends.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
pub(crate) enum TrafficSpec {
    /// TCP.
    Tcp {
        congestion: Congestion,
        #[serde(default)]
        window_bytes: Option<u64>,
        #[serde(default)]
        profile: Option<String>,
        #[serde(default)]
        data: DataSpec,
    },
    /// UDP at a rate of payload bits.
    Udp {
        rate_bps: f64,
        #[serde(default = "nuttcp_datagram")]
        datagram_bytes: u32,
        #[serde(default)]
        jitter: f64,
        #[serde(default)]
        poisson: bool,
        #[serde(default)]
        on_off_s: Option<[f64; 2]>,
        #[serde(default)]
        wakeup_slack_us: f64,
    },
    /// Ping.
    Ping {
        interval_s: f64,
        #[serde(default = "ping_bytes")]
        ip_bytes: u16,
        #[serde(default)]
        poisson: bool,
        #[serde(default)]
        wakeup_slack_us: f64,
    },
}

/// What a TCP connection has to send.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
pub(crate) enum DataSpec {
    /// More than it can.
    #[default]
    Endless,
    /// So much.
    Transfer { bytes: u64 },
    /// So much at once, again and again.
    Writes { bytes: u64, every_ms: f64 },
    /// Sizes by chance, and pauses by chance between them.
    Bursts {
        mean_bytes: f64,
        mean_pause_s: f64,
        #[serde(default)]
        pareto_shape: Option<f64>,
        #[serde(default)]
        count: Option<u32>,
    },
    /// Pages of objects, each object by a connection of its own (HTTP/1.0).
    Web {
        objects_per_page: u32,
        mean_object_bytes: f64,
        mean_think_s: f64,
        #[serde(default)]
        pareto_shape: Option<f64>,
        #[serde(default)]
        pages: Option<u32>,
    },
}

const fn nuttcp_datagram() -> u32 {
    8192
}
const fn ping_bytes() -> u16 {
    84
}
