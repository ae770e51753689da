//! Totals of a run.

use super::books::imbalances;
use super::recorder::{Column, goodput_bytes};
use crate::flow::{Ends, Flow};
use crate::link::Egress;
use crate::network::Network;
use crate::queue::DropCause;
use crate::simulation::Simulation;
use serde::Serialize;
use std::collections::BTreeMap;

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
    /// Fingerprint of all deliveries and drops, in hexadecimal.
    pub trace_hash: String,
    /// Events handled.
    pub events: u64,
    /// Accounts that do not balance; empty for a sound run.
    pub imbalances: Vec<String>,
    /// The flows, in the scenario's order.
    pub flows: Vec<FlowSummary>,
    /// The queues of routers and hosts.
    pub queues: Vec<QueueSummary>,
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
    pub dropped_pkts: BTreeMap<&'static str, u64>,
    /// For TCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpSummary>,
    /// For UDP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub udp: Option<UdpSummary>,
    /// For ping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ping: Option<PingSummary>,
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
    /// The congestion window at the end.
    pub final_cwnd_pkts: u32,
}

/// Totals of a UDP flow.
#[derive(Clone, Debug, Serialize)]
pub struct UdpSummary {
    /// Datagrams sent.
    pub sent_datagrams: u64,
    /// Datagrams of which every piece arrived.
    pub received_datagrams: u64,
}

/// Totals of a ping.
#[derive(Clone, Debug, Serialize)]
pub struct PingSummary {
    /// Requests sent.
    pub sent: u64,
    /// Replies received.
    pub received: u64,
    /// Round-trip times: mean.
    pub mean_ms: f64,
    /// Standard deviation.
    pub sd_ms: f64,
    /// Least.
    pub min_ms: f64,
    /// Median.
    pub median_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// Greatest.
    pub max_ms: f64,
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
    pub dropped_pkts: BTreeMap<&'static str, u64>,
    /// Bytes waiting at the end.
    pub backlog_bytes: u64,
}

/// Jain's fairness index of some rates: 1 when all are equal, 1/n when one has all.
pub fn jain_index(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (rates.len() as f64 * squares) }
}

/// Totals and series of a run that has ended.
pub fn summarise(run: &Simulation, scenario: &str, seed: u64) -> RunResult {
    let network = &run.network;
    let names: Vec<String> = run.flows.iter().map(|flow| flow.name.clone()).collect();
    let inside = network.inside();
    let flows = run.flows.iter().enumerate().map(|(n, flow)| summarise_flow(flow, n, inside[n], network)).collect();
    let summary = RunSummary {
        scenario: scenario.to_owned(),
        seed,
        duration_s: run.now().s(),
        interval_s: run.recorder.interval().s(),
        trace_hash: format!("{:016x}", network.trace.value()),
        events: run.events(),
        imbalances: imbalances(network, &names, run.now()),
        flows,
        queues: summarise_queues(run),
    };
    RunResult { summary, columns: run.recorder.columns(&run.flows) }
}

fn summarise_flow(flow: &Flow, number: usize, inside_pkts: u64, network: &Network) -> FlowSummary {
    let counts = network.counts[number];
    let mut summary = FlowSummary {
        name: flow.name.clone(),
        goodput_bytes: goodput_bytes(flow),
        sent_pkts: counts.sent,
        delivered_pkts: counts.delivered,
        inside_pkts,
        dropped_pkts: by_cause(&counts.dropped),
        tcp: None,
        udp: None,
        ping: None,
    };
    match &flow.ends {
        Ends::Tcp(ends) => {
            let (totals, [late, twice, runs]) = (ends.counts(), ends.disorder());
            summary.tcp = Some(TcpSummary {
                retransmitted_pkts: totals.retransmitted,
                out_of_sequence_pkts: late,
                out_of_sequence_runs: runs,
                duplicate_pkts: twice,
                recoveries: totals.recoveries,
                undone: totals.undone,
                timeouts: totals.timeouts,
                local_congestions: totals.local_congestions,
                final_cwnd_pkts: ends.sender.cwnd(),
            });
        }
        Ends::Udp(ends) => {
            let (sent_datagrams, received_datagrams) = (u64::from(ends.sent), ends.received);
            summary.udp = Some(UdpSummary { sent_datagrams, received_datagrams });
        }
        Ends::Ping(ends) => {
            let rtts = ends.replies.iter().map(|reply| reply.1.s() * 1e3).collect();
            summary.ping = Some(summarise_ping(u64::from(ends.sent), rtts));
        }
    }
    summary
}

/// Totals of a ping: the requests sent, and the round-trip time of each reply.
pub fn summarise_ping(sent: u64, mut rtts_ms: Vec<f64>) -> PingSummary {
    rtts_ms.sort_by(f64::total_cmp);
    let n = rtts_ms.len();
    let mean = rtts_ms.iter().sum::<f64>() / n.max(1) as f64;
    let variance = rtts_ms.iter().map(|rtt| (rtt - mean).powi(2)).sum::<f64>() / (n.max(2) - 1) as f64;
    let quantile = |share: f64| match n {
        0 => 0.0,
        _ => rtts_ms[((n - 1) as f64 * share).round() as usize],
    };
    PingSummary {
        sent,
        received: n as u64,
        mean_ms: mean,
        sd_ms: variance.sqrt(),
        min_ms: quantile(0.0),
        median_ms: quantile(0.5),
        p95_ms: quantile(0.95),
        max_ms: quantile(1.0),
    }
}

fn summarise_queues(run: &Simulation) -> Vec<QueueSummary> {
    let network = &run.network;
    let fifos = network.links.iter().filter(|link| matches!(link.egress, Egress::Fifo(_))).map(|link| QueueSummary {
        name: link.name.clone(),
        enqueued_pkts: link.entered_pkts,
        dequeued_pkts: link.entered_pkts - link.waiting_pkts(run.now()),
        dropped_pkts: by_cause(&link.dropped_pkts),
        backlog_bytes: link.backlog_bytes(run.now()),
    });
    let queues = network.ports.iter().flat_map(|port| port.queues.iter().zip(&port.queue_names));
    let queues = queues.map(|(queue, name)| QueueSummary {
        name: name.clone(),
        enqueued_pkts: queue.enqueued_pkts,
        dequeued_pkts: queue.dequeued_pkts,
        dropped_pkts: by_cause(&queue.dropped_pkts),
        backlog_bytes: queue.occupancy.backlog_bytes,
    });
    fifos.chain(queues).collect()
}

fn by_cause(dropped: &[u64; DropCause::ALL.len()]) -> BTreeMap<&'static str, u64> {
    DropCause::ALL.into_iter().map(|cause| (cause.name(), dropped[cause as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::{jain_index, summarise_ping};

    #[test]
    fn jain_runs_from_one_over_n_to_one() {
        assert!((jain_index(&[3.0, 3.0, 3.0]) - 1.0).abs() < 1e-12);
        assert!((jain_index(&[3.0, 0.0, 0.0]) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn ping_statistics() {
        let ping = summarise_ping(6, vec![1.0, 2.0, 3.0, 4.0, 10.0]);
        assert_eq!((ping.received, ping.min_ms, ping.median_ms, ping.max_ms), (5, 1.0, 3.0, 10.0));
        assert!((ping.mean_ms - 4.0).abs() < 1e-12 && (ping.sd_ms - 12.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(summarise_ping(2, Vec::new()).received, 0);
    }
}
