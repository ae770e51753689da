//! A scenario as data: what a run is made of. Units stand in the names. Read it with [`Scenario::from_json`], which
//! also checks it; errors name the key.

#![forbid(unsafe_code)]

mod check;
mod classify;
mod fragments;
mod limits;
pub mod rng;
mod routes;
mod tcp;
pub mod time;
pub mod units;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

pub use classify::{class_number, classify};
pub use fragments::fragment_sizes;
pub use limits::event_sources;
pub use routes::{node_names, route_table, used_links};
pub use tcp::TcpSpec;

/// What is wrong with a scenario, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The key, such as `links[2].rate_bps`.
    pub key: String,
    /// What is wrong with it, and what would be right.
    pub message: String,
}

impl ScenarioError {
    /// A mistake at this key.
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl std::error::Error for ScenarioError {}

/// A run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name in results.
    pub name: String,
    /// Simulated time.
    pub duration_s: f64,
    /// Length of an interval of the series.
    #[serde(default = "one_second")]
    pub interval_s: f64,
    /// The seed of all random streams.
    pub seed: u64,
    /// Seeds of single streams, by name, in place of the run's.
    #[serde(default)]
    pub seeds: BTreeMap<String, u64>,
    /// The hosts.
    pub hosts: Vec<HostSpec>,
    /// Names of the routers.
    pub routers: Vec<String>,
    /// The links, each in both directions.
    pub links: Vec<LinkSpec>,
    /// Static routes, where the path with the fewest links is not wanted.
    #[serde(default)]
    pub routes: Vec<RouteSpec>,
    /// Router ports with more than one plain queue.
    #[serde(default)]
    pub ports: Vec<PortSpec>,
    /// TCP of all hosts.
    pub tcp: TcpSpec,
    /// The flows.
    pub flows: Vec<FlowSpec>,
}

/// A host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostSpec {
    /// Its name.
    pub name: String,
    /// Room of the queue before its network card, in bytes of link time.
    pub nic_queue_bytes: u64,
    /// The least time between two interrupts for arriving packets.
    #[serde(default)]
    pub interrupt_gap_us: f64,
    /// How often it stalls.
    #[serde(default)]
    pub stalls_per_s: f64,
    /// How long it stalls.
    #[serde(default)]
    pub stall_us: f64,
}

/// A link in both directions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// One end.
    pub from: String,
    /// The other end.
    pub to: String,
    /// Rate of each direction.
    pub rate_bps: f64,
    /// Propagation delay.
    pub delay_us: f64,
    /// Link time a packet takes besides its IP bytes: 38 for Ethernet.
    #[serde(default = "ethernet")]
    pub framing_bytes: u64,
    /// Room of the queue before it, at routers without a port of their own for it.
    #[serde(default = "default_buffer")]
    pub buffer_bytes: u64,
    /// What must be free again before a full queue takes packets.
    #[serde(default)]
    pub reopen_bytes: u64,
    /// Chance that a packet from `from` to `to` is lost.
    #[serde(default)]
    pub loss_probability: f64,
}

/// A static route.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteSpec {
    /// The router.
    pub at: String,
    /// The host packets are meant for.
    pub to: String,
    /// The neighbour they go to next.
    pub via: String,
}

/// How a port shares its link.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// What one queue leaves, others use.
    WorkConserving,
    /// A queue never gets more than its share.
    StrictlyPartitioned,
}

/// A router port.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortSpec {
    /// The router.
    pub at: String,
    /// The neighbour its link leads to.
    pub to: String,
    /// Buffer of all its queues together.
    pub buffer_bytes: u64,
    /// How it shares its link.
    pub sharing: Sharing,
    /// How much credit a queue keeps, as time at its own rate.
    #[serde(default = "two_ms")]
    pub credit_window_us: f64,
    /// What must be free again before a full queue takes packets.
    #[serde(default)]
    pub reopen_bytes: u64,
    /// Its queues.
    pub queues: Vec<QueueSpec>,
    /// Which packets go to which queue; the first rule that fits counts.
    #[serde(default)]
    pub classifier: Vec<RuleSpec>,
    /// The queue of packets that no rule fits.
    pub default_class: String,
    /// Policers on classified packets.
    #[serde(default)]
    pub policers: Vec<PolicerSpec>,
}

/// A queue of a port.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueSpec {
    /// The class it serves, and its name.
    pub class: String,
    /// Share of the link's rate.
    pub rate_share_pct: f64,
    /// Share of the port's buffer.
    pub buffer_share_pct: f64,
    /// Its priority; 0 goes first.
    #[serde(default)]
    pub priority: u8,
    /// Its priority while out of profile; the same if not given.
    #[serde(default)]
    pub excess_priority: Option<u8>,
    /// Drop packets out of profile by occupancy, read in steps of so many per cent.
    #[serde(default)]
    pub wred_step_pct: Option<f64>,
}

/// A classifier rule; what is not given fits all. Addresses are those of the packet, not of the flow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSpec {
    /// The class.
    pub class: String,
    /// Source host.
    #[serde(default)]
    pub from: Option<String>,
    /// Destination host.
    #[serde(default)]
    pub to: Option<String>,
    /// `tcp`, `udp` or `icmp`.
    #[serde(default)]
    pub protocol: Option<Protocol>,
    /// One flow: stands for its 5-tuple.
    #[serde(default)]
    pub flow: Option<String>,
}

/// A protocol.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// ICMP.
    Icmp,
}

/// A policer: a token bucket.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicerSpec {
    /// The class it polices.
    pub class: String,
    /// Its rate.
    pub rate_bps: f64,
    /// The depth of its bucket.
    pub burst_bytes: u64,
    /// One bucket for each flow, or one for the class.
    #[serde(default)]
    pub per_flow: bool,
    /// What becomes of packets out of profile.
    pub out_of_profile: OutOfProfile,
    /// The class they move to, for `reclass`.
    #[serde(default)]
    pub to_class: Option<String>,
}

/// What becomes of packets out of profile.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum OutOfProfile {
    /// They are dropped.
    Drop,
    /// They move to another class.
    Reclass,
    /// They keep their class and carry a colour.
    Mark,
}

/// A flow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Its name.
    pub name: String,
    /// The host it leads from.
    pub from: String,
    /// The host it leads to.
    pub to: String,
    /// When it is on: intervals in seconds.
    pub intervals_s: Vec<[f64; 2]>,
    /// What it sends.
    pub traffic: TrafficSpec,
}

/// What a flow sends.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum TrafficSpec {
    /// TCP with endless data.
    Tcp {
        congestion: CongestionSpec,
        #[serde(default)]
        window_bytes: Option<u64>,
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
    },
    /// Ping.
    Ping {
        interval_s: f64,
        #[serde(default = "ping_bytes")]
        ip_bytes: u16,
        #[serde(default)]
        poisson: bool,
    },
}

/// A congestion control.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum CongestionSpec {
    Reno,
    Htcp,
}

const fn one_second() -> f64 {
    1.0
}
const fn ethernet() -> u64 {
    38
}
const fn default_buffer() -> u64 {
    125_000_000
}
const fn two_ms() -> f64 {
    2000.0
}
const fn nuttcp_datagram() -> u32 {
    8192
}
const fn ping_bytes() -> u16 {
    84
}

impl Scenario {
    /// Read and check a scenario.
    ///
    /// # Errors
    /// What is wrong, with the key.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let scenario: Self = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| ScenarioError::new(error.path().to_string(), error.inner().to_string()))?;
        scenario.check()?;
        Ok(scenario)
    }
}
