//! Totals of a run.

use super::{ByCause, ByColour, Column, OneWayDelays, PingSummary, WindowSummary};
use serde::{Serialize, Serializer};
use std::fmt;

/// A hash over all that happened in a run; results show it in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// All that a run gives back.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Totals.
    pub summary: RunSummary,
    /// Series.
    pub columns: Vec<Column>,
}

/// Totals of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunSummary {
    /// The scenario's name.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// Simulated seconds.
    pub duration_s: f64,
    /// Length of an interval of the series.
    pub interval_s: f64,
    /// Two runs of one engine with the same fingerprint are the same run.
    pub trace_hash: Fingerprint,
    /// Events handled.
    pub events: u64,
    /// Accounts that do not balance; empty for a sound run.
    pub imbalances: Vec<String>,
    /// The flows, in the scenario's order.
    pub flows: Vec<FlowSummary>,
    /// The queues of routers and hosts.
    pub queues: Vec<QueueSummary>,
    /// Statistics of the scenario's windows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowSummary>,
}

/// Totals of a flow.
#[derive(Clone, Debug, Serialize)]
pub struct FlowSummary {
    /// Its name.
    pub name: String,
    /// Payload bytes delivered.
    pub goodput_bytes: u64,
    /// Packets handed to the network, both directions.
    pub sent_pkts: u64,
    /// Packets that reached the other end.
    pub delivered_pkts: u64,
    /// Packets queued or under way at the end.
    pub inside_pkts: u64,
    /// Packets dropped, by cause.
    pub dropped_pkts: ByCause<u64>,
    /// Bytes from the IP header on that reached the destination, by the colour they came with; where some port
    /// meters packets, and by the packet engine only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_ip_bytes: Option<ByColour<u64>>,
    /// For TCP with so much to send: the connections by which all of it was acknowledged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<Transfer>,
    /// For TCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpSummary>,
    /// For UDP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub udp: Option<UdpSummary>,
    /// For ping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ping: Option<PingSummary>,
    /// For UDP and ping of which one-way delays are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_way_delays: Option<OneWayDelays>,
}

/// Totals of a TCP flow.
#[derive(Clone, Debug, Serialize)]
pub struct TcpSummary {
    /// Segments sent again.
    pub retransmitted_pkts: u64,
    /// Segments that came for the first time after a later one, those sent again for lost ones included.
    pub out_of_sequence_pkts: u64,
    /// The same, counted after the receiving host has merged segments.
    pub out_of_sequence_runs: u64,
    /// Segments that had come before.
    pub duplicate_pkts: u64,
    /// Fast recoveries.
    pub recoveries: u64,
    /// Recoveries and timeouts undone.
    pub undone: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times the host's own queue was full.
    pub local_congestions: u64,
    /// Windows reduced because of marks (RFC 3168).
    pub mark_reductions: u64,
    /// The congestion window at the end.
    pub final_cwnd_pkts: u32,
}

/// A connection that sent all it had.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Transfer {
    /// When it was asked for.
    pub started_s: f64,
    /// When its last byte was acknowledged.
    pub completed_s: f64,
}

/// Totals of a UDP flow.
#[derive(Clone, Debug, Serialize)]
pub struct UdpSummary {
    /// Datagrams sent.
    pub sent_datagrams: u64,
    /// Datagrams of which every piece arrived.
    pub received_datagrams: u64,
}

/// Totals of a queue.
#[derive(Clone, Debug, Serialize)]
pub struct QueueSummary {
    /// Its name.
    pub name: String,
    /// Packets let in.
    pub enqueued_pkts: u64,
    /// Packets taken out again to be sent, that being sent at the end included.
    pub dequeued_pkts: u64,
    /// Packets dropped, by cause.
    pub dropped_pkts: ByCause<u64>,
    /// Packets marked (RFC 3168).
    pub marked_pkts: u64,
    /// Bytes waiting at the end.
    pub backlog_bytes: u64,
    /// How long packets waited, where the scenario gives a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delays: Option<DelaySummary>,
}

/// Waits in a queue, from a packet's arrival to the beginning of its sending.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DelaySummary {
    /// The bound they are held against.
    pub bound_ms: f64,
    /// Packets that waited longer.
    pub late_pkts: u64,
    /// Mean.
    pub mean_ms: f64,
    /// Greatest.
    pub max_ms: f64,
}
