//! Totals of a run, as the packet engine gives them; amounts of fluid become whole packets here.

use crate::engine::Engine;
use crate::flow::{Ends, Flow, TcpEnds};
use crate::record::{goodput_bytes, lost_pkts};
use crate::station::Lost;
use hntes_sim_packet::queue::DropCause;
use hntes_sim_packet::stats::{
    FlowSummary, QueueSummary, RunResult, RunSummary, TcpSummary, UdpSummary, summarise_ping,
};
use hntes_sim_packet::{Column, Values};
use hntes_sim_scenario::Scenario;
use std::collections::BTreeMap;

/// Totals and series of a run that has ended.
pub fn summarise(engine: &Engine, scenario: &Scenario) -> RunResult {
    let columns = columns(engine);
    let segment_bytes = f64::from(scenario.tcp.segment_data_bytes);
    let flows = engine.flows.iter().enumerate();
    let summary = RunSummary {
        scenario: scenario.name.clone(),
        seed: scenario.seed,
        duration_s: engine.done as f64 * engine.step_s,
        interval_s: scenario.interval_s,
        trace_hash: format!("{:016x}", fingerprint(&columns)),
        events: engine.done,
        imbalances: imbalances(engine),
        flows: flows.map(|(number, flow)| summarise_flow(engine, number, flow, segment_bytes)).collect(),
        queues: summarise_queues(engine),
    };
    RunResult { summary, columns }
}

fn columns(engine: &Engine) -> Vec<Column> {
    let mut columns = engine.recorder.columns();
    for ping in &engine.probes.pings {
        let name = &engine.flows[ping.flow].name;
        let column = |measure: &str, pick: fn(&(f64, f64)) -> f64| Column {
            name: format!("flow/{name}/{measure}"),
            values: Values::Numbers(ping.replies.iter().map(pick).collect()),
        };
        columns.push(column("sent_at_s", |reply| reply.0));
        columns.push(column("rtt_ms", |reply| reply.1 * 1e3));
    }
    columns
}

/// A hash over all series (FNV-1a).
fn fingerprint(columns: &[Column]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut fold = |value: u64| hash = (hash ^ value).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    for column in columns {
        match &column.values {
            Values::Counts(values) => values.iter().for_each(|&value| fold(value)),
            Values::Numbers(values) => values.iter().for_each(|&value| fold(value.to_bits())),
        }
    }
    hash
}

fn summarise_flow(engine: &Engine, number: usize, flow: &Flow, segment_bytes: f64) -> FlowSummary {
    let lost = lost_pkts(number, &engine.stations);
    let mut summary = FlowSummary {
        name: flow.name.clone(),
        goodput_bytes: goodput_bytes(flow, segment_bytes).round() as u64,
        sent_pkts: flow.sent_pkts.round() as u64,
        delivered_pkts: flow.delivered_pkts.round() as u64,
        inside_pkts: 0,
        dropped_pkts: by_cause(&lost),
        tcp: None,
        udp: None,
        ping: None,
    };
    match &flow.ends {
        Ends::Tcp(ends) => {
            // Packets count both directions; acknowledgements are neither lost nor followed on their way.
            summary.sent_pkts += ends.acks.round() as u64;
            summary.delivered_pkts += ends.acks.round() as u64;
            summary.tcp = Some(summarise_tcp(ends));
        }
        Ends::Udp(ends) => {
            let sent_datagrams = (flow.sent_pkts / ends.pieces).round() as u64;
            summary.udp = Some(UdpSummary { sent_datagrams, received_datagrams: ends.received.round() as u64 });
        }
        Ends::Ping => count_probes(engine, number, &mut summary),
    }
    let accounted = summary.delivered_pkts + summary.dropped_pkts.values().sum::<u64>();
    summary.inside_pkts = summary.sent_pkts.saturating_sub(accounted);
    summary
}

fn summarise_tcp(ends: &TcpEnds) -> TcpSummary {
    let (counts, cwnd) = ends.sender.as_ref().map(|sender| (sender.counts, sender.cwnd())).unwrap_or_default();
    let out_of_sequence = ends.earlier_out_of_sequence + ends.receiver.out_of_sequence;
    TcpSummary {
        retransmitted_pkts: counts.retransmitted.round() as u64,
        out_of_sequence_pkts: out_of_sequence.round() as u64,
        out_of_sequence_runs: (out_of_sequence / ends.a_look).round() as u64,
        duplicate_pkts: 0,
        recoveries: counts.recoveries,
        undone: 0,
        timeouts: counts.timeouts,
        local_congestions: counts.local_congestions,
        final_cwnd_pkts: cwnd.round() as u32,
    }
}

fn count_probes(engine: &Engine, number: usize, summary: &mut FlowSummary) {
    let Some(ping) = engine.probes.pings.iter().find(|ping| ping.flow == number) else { return };
    let received = ping.replies.len() as u64;
    summary.sent_pkts = ping.sent + received;
    summary.delivered_pkts = 2 * received;
    summary.dropped_pkts.insert(DropCause::Full.name(), ping.lost);
    summary.ping = Some(summarise_ping(ping.sent, ping.replies.iter().map(|reply| reply.1 * 1e3).collect()));
}

fn summarise_queues(engine: &Engine) -> Vec<QueueSummary> {
    let mut queues = Vec::new();
    for link in engine.recorder.links() {
        let Some(station) = link.station else {
            if !link.has_port {
                let none = by_cause(&Lost::default());
                queues.push(QueueSummary {
                    name: link.name.clone(),
                    enqueued_pkts: 0,
                    dequeued_pkts: 0,
                    dropped_pkts: none,
                    backlog_bytes: 0,
                });
            }
            continue;
        };
        for class in &engine.stations[station].queues {
            let mut lost = Lost::default();
            for slot in &class.slots {
                for (sum, part) in lost.iter_mut().zip(slot.lost) {
                    *sum += part;
                }
            }
            queues.push(QueueSummary {
                name: class.name.clone(),
                enqueued_pkts: class.queue.entered_pkts.round() as u64,
                dequeued_pkts: class.queue.left_pkts.round() as u64,
                dropped_pkts: by_cause(&lost),
                backlog_bytes: class.queue.backlog_bytes().round() as u64,
            });
        }
    }
    queues
}

/// Accounts that do not balance, in words: fluid that appeared or vanished, and queues above their limit.
fn imbalances(engine: &Engine) -> Vec<String> {
    let mut found = Vec::new();
    for (number, flow) in engine.flows.iter().enumerate() {
        if matches!(flow.ends, Ends::Ping) {
            continue;
        }
        let lost: f64 = lost_pkts(number, &engine.stations).iter().sum();
        let accounted = flow.delivered_pkts + lost + inside_pkts(engine, number, flow);
        if (flow.sent_pkts - accounted).abs() > 1e-6 * flow.sent_pkts + 0.01 {
            found.push(format!("flow {}: {} packets sent, {accounted} accounted for", flow.name, flow.sent_pkts));
        }
    }
    for station in &engine.stations {
        let most = station.bytes_a_step * engine.done as f64 * (1.0 + 1e-9) + 1.0;
        if station.wire_bytes > most {
            found.push(format!("link {}: {} bytes sent, at most {most} fit", station.link, station.wire_bytes));
        }
        for class in &station.queues {
            if class.queue.backlog_bytes() > class.queue.limit_bytes + station.bytes_a_step {
                found.push(format!("queue {}: above its limit", class.name));
            }
        }
    }
    found
}

fn inside_pkts(engine: &Engine, number: usize, flow: &Flow) -> f64 {
    let mut lines = vec![flow.last_line];
    let mut queued = 0.0;
    for class in engine.stations.iter().flat_map(|station| &station.queues) {
        for (slot, pkts) in class.slots.iter().zip(class.queue.inside_pkts()) {
            if slot.flow == number {
                queued += pkts;
                lines.push(slot.input);
            }
        }
    }
    queued + lines.iter().map(|&line| engine.lines[line].inside().packets()).sum::<f64>()
}

fn by_cause(lost: &Lost) -> BTreeMap<&'static str, u64> {
    DropCause::ALL.into_iter().map(|cause| (cause.name(), lost[cause as usize].round() as u64)).collect()
}
