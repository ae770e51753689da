//! How hosts take what has arrived, as a scenario gives it.

use serde::Deserialize;

/// How a host takes what has arrived.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
pub(crate) enum ReceiveSpec {
    /// An interrupt begins polling, which goes on while packets wait.
    Napi {
        /// From an interrupt to the first poll.
        interrupt_us: f64,
        /// What each packet takes.
        packet_us: f64,
        /// The most packets in one poll.
        #[serde(default = "napi_weight")]
        poll_pkts: u32,
    },
}

/// What Linux's drivers take in a poll.
const fn napi_weight() -> u32 {
    64
}
