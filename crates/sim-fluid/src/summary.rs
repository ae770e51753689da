//! Totals of a run, as the packet engine gives them; amounts of fluid become whole packets here.

use crate::engine::Engine;
use crate::flow::{Ends, Flow, TcpEnds};
use crate::port::{ClassQueue, Lost};
use crate::record::{goodput_bytes, lost_pkts};
use hntes_sim_scenario::FlowId;
use hntes_sim_scenario::results::{ByCause, Column, DropCause, Fingerprint, FlowSummary, PingSummary, QueueRef};
use hntes_sim_scenario::results::{
    QueueSummary, RunResult, RunSummary, TcpSummary, UdpSummary, Values, ping_columns, window_summaries,
};

/// Totals and series of a run, as far as it has come.
pub fn summarise(engine: &Engine) -> RunResult {
    let columns = columns(engine);
    let scenario = &engine.scenario;
    let flows = scenario.flows().iter().zip(&engine.flows);
    let summary = RunSummary {
        scenario: scenario.name().to_owned(),
        seed: scenario.seed(),
        duration_s: engine.done as f64 * engine.step_s,
        interval_s: scenario.interval().s(),
        trace_hash: fingerprint(&columns),
        events: engine.done,
        imbalances: imbalances(engine),
        flows: flows.map(|(of, flow)| summarise_flow(engine, of.id, flow)).collect(),
        queues: summarise_queues(engine),
        windows: window_summaries(scenario, &columns),
    };
    RunResult { summary, columns }
}

fn columns(engine: &Engine) -> Vec<Column> {
    let mut columns = engine.books.columns(&engine.scenario);
    for ping in &engine.probes.pings {
        let replies = ping.replies.iter().map(|&(sent_s, rtt_s)| (sent_s, rtt_s * 1e3));
        columns.extend(ping_columns(&engine.scenario, ping.flow, replies));
    }
    columns
}

/// A hash over all series (FNV-1a).
fn fingerprint(columns: &[Column]) -> Fingerprint {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut fold = |value: u64| hash = (hash ^ value).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    for column in columns {
        match &column.values {
            Values::Counts(values) => values.iter().for_each(|&value| fold(value)),
            Values::Numbers(values) => values.iter().for_each(|&value| fold(value.to_bits())),
        }
    }
    Fingerprint(hash)
}

fn summarise_flow(engine: &Engine, id: FlowId, flow: &Flow) -> FlowSummary {
    let segment_bytes = f64::from(engine.scenario.tcp().segment_data_bytes);
    let mut summary = FlowSummary {
        name: engine.scenario.flow(id).name.clone(),
        goodput_bytes: goodput_bytes(flow, segment_bytes).round() as u64,
        sent_pkts: flow.sent_pkts.round() as u64,
        delivered_pkts: flow.delivered_pkts.round() as u64,
        inside_pkts: 0,
        dropped_pkts: whole(lost_pkts(id, &engine.ports)),
        received_ip_bytes: None,
        transfers: Vec::new(),
        tcp: None,
        udp: None,
        ping: None,
        one_way_delays: None,
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
        Ends::Ping => count_probes(engine, id, &mut summary),
    }
    let accounted = summary.delivered_pkts + summary.dropped_pkts.total();
    summary.inside_pkts = summary.sent_pkts.saturating_sub(accounted);
    summary
}

fn summarise_tcp(ends: &TcpEnds) -> TcpSummary {
    let (counts, cwnd) = ends.sender.as_ref().map(|sender| (sender.counts, sender.cwnd())).unwrap_or_default();
    let out_of_sequence = ends.out_of_sequence();
    TcpSummary {
        retransmitted_pkts: counts.retransmitted.round() as u64,
        out_of_sequence_pkts: out_of_sequence.round() as u64,
        out_of_sequence_runs: (out_of_sequence / ends.segments_per_look).round() as u64,
        duplicate_pkts: 0,
        recoveries: counts.recoveries,
        undone: 0,
        timeouts: counts.timeouts,
        local_congestions: counts.local_congestions,
        mark_reductions: 0,
        final_cwnd_pkts: cwnd.round() as u32,
    }
}

fn count_probes(engine: &Engine, id: FlowId, summary: &mut FlowSummary) {
    let Some(ping) = engine.probes.pings.iter().find(|ping| ping.flow == id) else { return };
    let received = ping.replies.len() as u64;
    summary.sent_pkts = ping.sent + received;
    summary.delivered_pkts = 2 * received;
    summary.dropped_pkts[DropCause::Full] = ping.lost;
    summary.ping = Some(PingSummary::new(ping.sent, ping.replies.iter().map(|reply| reply.1 * 1e3).collect()));
}

/// Link by link; a port that no data takes is left out.
fn summarise_queues(engine: &Engine) -> Vec<QueueSummary> {
    let mut queues = Vec::new();
    for book in &engine.books.links {
        match book.port {
            Some(port) => {
                queues.extend(engine.ports[port].queues.iter().map(|class| summarise_queue(engine, class)));
            }
            None if !book.has_port => queues.push(QueueSummary {
                name: engine.scenario.queue_name(QueueRef::Plain(book.link)).to_owned(),
                enqueued_pkts: 0,
                dequeued_pkts: 0,
                dropped_pkts: ByCause::default(),
                marked_pkts: 0,
                delays: None,
                backlog_bytes: 0,
            }),
            None => {}
        }
    }
    queues
}

fn summarise_queue(engine: &Engine, class: &ClassQueue) -> QueueSummary {
    let mut lost = Lost::default();
    for slot in &class.slots {
        lost += slot.lost;
    }
    QueueSummary {
        name: engine.scenario.queue_name(class.of).to_owned(),
        enqueued_pkts: class.queue.entered_pkts.round() as u64,
        dequeued_pkts: class.queue.left_pkts.round() as u64,
        dropped_pkts: whole(lost),
        marked_pkts: 0,
        delays: None,
        backlog_bytes: class.queue.backlog_bytes().round() as u64,
    }
}

fn whole(lost: Lost) -> ByCause<u64> {
    lost.map(|pkts| pkts.round() as u64)
}

/// Accounts that do not balance, in words: fluid that appeared or vanished, and queues above their limit.
fn imbalances(engine: &Engine) -> Vec<String> {
    let scenario = &engine.scenario;
    let mut found = Vec::new();
    for (of, flow) in scenario.flows().iter().zip(&engine.flows).filter(|(of, _)| !of.traffic.is_ping()) {
        let lost = lost_pkts(of.id, &engine.ports).total();
        let accounted = flow.delivered_pkts + lost + inside_pkts(engine, of.id, flow);
        if (flow.sent_pkts - accounted).abs() > 1e-6 * flow.sent_pkts + 0.01 {
            found.push(format!("flow {}: {} packets sent, {accounted} accounted for", of.name, flow.sent_pkts));
        }
    }
    for port in &engine.ports {
        let most = port.bytes_per_step * engine.done as f64 * (1.0 + 1e-9) + 1.0;
        if port.wire_bytes > most {
            let name = &scenario.link(port.link).name;
            found.push(format!("link {name}: {} bytes sent, at most {most} fit", port.wire_bytes));
        }
        for class in &port.queues {
            if class.queue.backlog_bytes() > class.queue.limit_bytes + port.bytes_per_step {
                found.push(format!("queue {}: above its limit", scenario.queue_name(class.of)));
            }
        }
    }
    found
}

fn inside_pkts(engine: &Engine, id: FlowId, flow: &Flow) -> f64 {
    let mut lines = vec![flow.last_line];
    let mut queued = 0.0;
    for class in engine.ports.iter().flat_map(|port| &port.queues) {
        for (slot, pkts) in class.slots.iter().zip(class.queue.inside_pkts()) {
            if slot.flow == id {
                queued += pkts;
                lines.push(slot.input);
            }
        }
    }
    queued + lines.iter().map(|&line| engine.lines[line].inside().packets()).sum::<f64>()
}
