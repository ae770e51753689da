//! A scenario as its text gives it: names are still words and numbers bare, with the unit in their key. It lives only
//! until [`crate::parse`] has made a [`crate::Scenario`] of it. Where a default is a property of hardware or of a tool,
//! the function that gives it says of which.

mod change;
mod conditioner;
mod discipline;
mod receive;
mod tcp;
mod traffic;

use crate::model::Protocol;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub(crate) use change::ChangeSpec;
pub(crate) use conditioner::{ActionSpec, ActionsSpec, AggregateName, AggregateSpec, ConditionerSpec, MeterSpec};
pub(crate) use discipline::{CurveSpec, DisciplineSpec, RampSpec, RampsSpec, RoundsSpec};
pub(crate) use receive::ReceiveSpec;
pub(crate) use tcp::TcpSpec;
pub(crate) use traffic::{DataSpec, TrafficSpec};

/// A run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// Its name in results.
    pub(crate) name: String,
    /// Simulated time.
    pub(crate) duration_s: f64,
    /// Length of an interval of the series.
    #[serde(default = "one_second")]
    pub(crate) interval_s: f64,
    /// The seed of all random streams.
    pub(crate) seed: u64,
    /// Seeds of single streams, by name, in place of the run's.
    #[serde(default)]
    pub(crate) seeds: BTreeMap<String, u64>,
    /// The hosts.
    pub(crate) hosts: Vec<HostSpec>,
    /// Names of the routers.
    pub(crate) routers: Vec<String>,
    /// The links, each in both directions.
    pub(crate) links: Vec<LinkSpec>,
    /// Static routes, where the path with the fewest links is not wanted.
    #[serde(default)]
    pub(crate) routes: Vec<RouteSpec>,
    /// Router ports with more than one plain queue.
    #[serde(default)]
    pub(crate) ports: Vec<PortSpec>,
    /// TCP of all flows that name no profile.
    pub(crate) tcp: TcpSpec,
    /// Keys of `tcp` by the names of profiles that have other values for them.
    #[serde(default)]
    pub(crate) profiles: BTreeMap<String, Map<String, Value>>,
    /// The flows.
    pub(crate) flows: Vec<FlowSpec>,
    /// Windows of time of which statistics are wanted.
    #[serde(default)]
    pub(crate) windows: Vec<WindowSpec>,
    /// What is another way from some time on, in order of time.
    #[serde(default)]
    pub(crate) changes: Vec<ChangeSpec>,
}

/// A host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostSpec {
    /// Its name.
    pub(crate) name: String,
    /// Room of the queue before its network card, in bytes of link time.
    pub(crate) nic_queue_bytes: u64,
    /// The least time between two interrupts for arriving packets.
    #[serde(default)]
    pub(crate) interrupt_gap_us: f64,
    /// How often it stalls.
    #[serde(default)]
    pub(crate) stalls_per_s: f64,
    /// How long it stalls.
    #[serde(default)]
    pub(crate) stall_us: f64,
    /// How it takes what has arrived, where that costs it time.
    pub(crate) receive: Option<ReceiveSpec>,
    /// Whether its card cuts bursts into segments, so that senders wait until one is worth handing over. Else TCP says it.
    pub(crate) segmentation_offload: Option<bool>,
    /// What delays all that it sends.
    pub(crate) delay_emulator: Option<DelayEmulatorSpec>,
}

/// A delay emulator before a host's network card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DelayEmulatorSpec {
    /// How long everything waits in it.
    pub(crate) delay_us: f64,
    /// The most buffers that may wait in it.
    pub(crate) limit_buffers: Option<u32>,
}

/// A link in both directions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkSpec {
    /// One end.
    pub(crate) from: String,
    /// The other end.
    pub(crate) to: String,
    /// Rate of each direction.
    pub(crate) rate_bps: f64,
    /// Propagation delay.
    pub(crate) delay_us: f64,
    /// Link time a packet takes besides its IP bytes, where that is the same for all: 38 unless something is said.
    pub(crate) framing_bytes: Option<u32>,
    /// How packets are framed, where their link time is no such sum.
    pub(crate) framing: Option<FramingSpec>,
    /// Room of the queue before it, at routers without a port of their own for it.
    #[serde(default = "default_buffer")]
    pub(crate) buffer_bytes: u64,
    /// What must be free again before a full queue takes packets.
    #[serde(default)]
    pub(crate) reopen_bytes: u64,
    /// Chance that a packet from `from` to `to` is lost.
    #[serde(default)]
    pub(crate) loss_probability: f64,
}

/// How packets are framed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
pub(crate) enum FramingSpec {
    /// Frames, the smallest of them padded.
    Ethernet,
    /// Cells of AAL5.
    Atm {
        #[serde(default = "llc_and_snap")]
        encapsulation_bytes: u32,
    },
}

/// A static route.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RouteSpec {
    /// The router.
    pub(crate) at: String,
    /// The host packets are meant for.
    pub(crate) to: String,
    /// The neighbour they go to next.
    pub(crate) via: String,
}

/// A router port.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PortSpec {
    /// The router.
    pub(crate) at: String,
    /// The neighbour its link leads to.
    pub(crate) to: String,
    /// Buffer of all its queues together.
    pub(crate) buffer_bytes: u64,
    /// How it shares its link.
    #[serde(default)]
    pub(crate) scheduler: SchedulerSpec,
    /// What must be free again before a full queue takes packets.
    #[serde(default)]
    pub(crate) reopen_bytes: u64,
    /// What it hands over at once, if it is a token bucket.
    pub(crate) token_bucket_bytes: Option<u64>,
    /// Its queues.
    pub(crate) queues: Vec<QueueSpec>,
    /// Which packets go to which queue; the first rule that fits counts.
    #[serde(default)]
    pub(crate) classifier: Vec<RuleSpec>,
    /// The queue of packets that no rule fits.
    pub(crate) default_class: String,
    /// Conditioners of classified packets.
    #[serde(default)]
    pub(crate) conditioners: Vec<ConditionerSpec>,
}

/// How a port shares its link.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
pub(crate) enum SchedulerSpec {
    /// Guarantees by rate share and priority.
    PriorityWfq {
        #[serde(default = "two_ms")]
        credit_window_us: f64,
    },
    /// A queue never gets more than its share.
    StrictPartition {},
    /// The queues in turn.
    RoundRobin {
        #[serde(default = "full_packet_on_ethernet")]
        quantum_bytes: u64,
    },
    /// Rates that follow what classes are promised.
    ClassGuarantees {
        #[serde(default)]
        marking: Option<DisciplineSpec>,
        #[serde(default)]
        credits_at_arrivals: bool,
    },
}

impl Default for SchedulerSpec {
    fn default() -> Self {
        Self::PriorityWfq { credit_window_us: two_ms() }
    }
}

/// A queue of a port.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueueSpec {
    /// The class it serves, and its name.
    pub(crate) class: String,
    /// Share of the link's rate.
    pub(crate) rate_share_pct: f64,
    /// Share of the port's buffer.
    pub(crate) buffer_share_pct: f64,
    /// Its priority; 0 goes first.
    #[serde(default)]
    pub(crate) priority: u8,
    /// Its priority while out of profile; the same if not given.
    #[serde(default)]
    pub(crate) excess_priority: Option<u8>,
    /// Which arrivals it takes.
    #[serde(default)]
    pub(crate) discipline: DisciplineSpec,
    /// What the class is promised beside its rate.
    #[serde(default)]
    pub(crate) guarantees: Option<GuaranteesSpec>,
    /// Packets that wait longer are counted.
    #[serde(default)]
    pub(crate) delay_bound_ms: Option<f64>,
}

/// What a class is promised; ratios are the next class's to its own.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GuaranteesSpec {
    /// The longest wait.
    pub(crate) delay_ms: Option<f64>,
    /// The largest share of its bytes that is dropped.
    pub(crate) loss_pct: Option<f64>,
    /// How many times as long the next class waits.
    pub(crate) delay_ratio: Option<f64>,
    /// How many times as much the next class loses.
    pub(crate) loss_ratio: Option<f64>,
}

/// A classifier rule; what is not given fits all. Addresses are those of the packet, not of the flow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleSpec {
    /// The class.
    pub(crate) class: String,
    /// Source host.
    #[serde(default)]
    pub(crate) from: Option<String>,
    /// Destination host.
    #[serde(default)]
    pub(crate) to: Option<String>,
    /// `tcp`, `udp` or `icmp`.
    #[serde(default)]
    pub(crate) protocol: Option<Protocol>,
    /// One flow: stands for its 5-tuple.
    #[serde(default)]
    pub(crate) flow: Option<String>,
}

/// A flow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlowSpec {
    /// Its name.
    pub(crate) name: String,
    /// The host it leads from.
    pub(crate) from: String,
    /// The host it leads to.
    pub(crate) to: String,
    /// When it is on: intervals in seconds.
    pub(crate) intervals_s: Vec<[f64; 2]>,
    /// What it sends.
    pub(crate) traffic: TrafficSpec,
    /// Results have the one-way delays of its datagrams or echo requests.
    #[serde(default)]
    pub(crate) one_way_delays: bool,
}

/// A window of time of which statistics are wanted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindowSpec {
    /// Its name in results.
    pub(crate) name: String,
    /// From here on.
    pub(crate) from_s: f64,
    /// Up to here.
    pub(crate) to_s: f64,
    /// Flows whose goodput is looked at; all if not given.
    #[serde(default)]
    pub(crate) flows: Option<Vec<String>>,
    /// Queues whose backlog is looked at, as results name them; those of ports if not given.
    #[serde(default)]
    pub(crate) queues: Option<Vec<String>>,
}

const fn one_second() -> f64 {
    1.0
}
const fn llc_and_snap() -> u32 {
    8
}
const fn default_buffer() -> u64 {
    125_000_000
}
const fn two_ms() -> f64 {
    2000.0
}
const fn full_packet_on_ethernet() -> u64 {
    1538
}
