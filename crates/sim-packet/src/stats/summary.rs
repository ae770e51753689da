//! Totals and series of a run.

use super::books::imbalances;
use super::series::goodput_bytes;
use crate::flow::{Ends, Flow, PingEnds, TcpEnds};
use crate::link::Egress;
use crate::network::PacketCounts;
use crate::queue::Delays;
use crate::simulation::Simulation;
use hntes_sim_scenario::results::{ByColour, Column, Fingerprint, FlowSummary, PingSummary, QueueRef, QueueSummary};
use hntes_sim_scenario::results::{OneWayDelays, RunResult, RunSummary, TcpSummary, Transfer, UdpSummary};
use hntes_sim_scenario::results::{ping_columns, window_summaries};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{Direction, FlowId};

/// Totals and series of a run, as far as it has come.
pub fn summarise(run: &Simulation) -> RunResult {
    let (scenario, network) = (&run.scenario, &run.network);
    let totals = network.counts.iter().zip(network.inside());
    let flows = scenario.flows().iter().zip(&run.flows).zip(totals);
    let columns = columns(run);
    let summary = RunSummary {
        scenario: scenario.name().to_owned(),
        seed: scenario.seed(),
        duration_s: run.now().s(),
        interval_s: run.interval.s(),
        trace_hash: Fingerprint(network.trace.value()),
        events: run.events(),
        imbalances: imbalances(scenario, network, run.now()),
        flows: flows.map(|((of, flow), (counts, inside))| summarise_flow(&of.name, flow, counts, inside)).collect(),
        queues: summarise_queues(run),
        windows: window_summaries(scenario, &columns),
    };
    RunResult { summary, columns }
}

fn columns(run: &Simulation) -> Vec<Column> {
    let mut columns = run.recorder.columns(&run.scenario);
    for (of, flow) in run.scenario.flows().iter().zip(&run.flows) {
        if let Ends::Ping(ends) = &flow.ends {
            columns.extend(reply_columns(run, of.id, ends));
        }
    }
    columns
}

fn reply_columns(run: &Simulation, flow: FlowId, ends: &PingEnds) -> [Column; 2] {
    ping_columns(&run.scenario, flow, ends.replies.iter().map(|&(sent, rtt)| (sent.s(), rtt.s() * 1e3)))
}

fn summarise_flow(name: &str, flow: &Flow, counts: &PacketCounts, inside_pkts: u64) -> FlowSummary {
    let mut summary = FlowSummary {
        name: name.to_owned(),
        goodput_bytes: goodput_bytes(flow),
        sent_pkts: counts.sent,
        delivered_pkts: counts.delivered,
        inside_pkts,
        dropped_pkts: counts.dropped,
        received_ip_bytes: counts.received_bytes.as_deref().map(received_ip_bytes),
        transfers: Vec::new(),
        tcp: None,
        udp: None,
        ping: None,
        one_way_delays: flow.one_way_delays().map(|delays| OneWayDelays::new(in_ms(delays))),
    };
    match &flow.ends {
        Ends::Tcp(ends) => {
            summary.tcp = Some(summarise_tcp(ends));
            let times = |&(started, completed): &(Time, Time)| (started.s(), completed.s());
            let transfers = ends.transfers.iter().map(times);
            summary.transfers = transfers.map(|(started_s, completed_s)| Transfer { started_s, completed_s }).collect();
        }
        Ends::Udp(ends) => {
            let (sent_datagrams, received_datagrams) = (u64::from(ends.sent), ends.received);
            summary.udp = Some(UdpSummary { sent_datagrams, received_datagrams });
        }
        Ends::Ping(ends) => {
            let rtts_ms = ends.replies.iter().map(|reply| reply.1.s() * 1e3).collect();
            summary.ping = Some(PingSummary::new(u64::from(ends.sent), rtts_ms));
        }
    }
    summary
}

fn in_ms(delays: &[Time]) -> Vec<f64> {
    delays.iter().map(|delay| delay.s() * 1e3).collect()
}

fn received_ip_bytes(bytes: &[[u64; 4]; 2]) -> ByColour<u64> {
    let [green, yellow, red, _] = bytes[Direction::Forward as usize];
    ByColour { green, yellow, red }
}

fn summarise_tcp(ends: &TcpEnds) -> TcpSummary {
    let (totals, [late, twice, runs]) = (ends.counts(), ends.disorder());
    TcpSummary {
        retransmitted_pkts: totals.retransmitted,
        out_of_sequence_pkts: late,
        out_of_sequence_runs: runs,
        duplicate_pkts: twice,
        recoveries: totals.recoveries,
        undone: totals.undone,
        timeouts: totals.timeouts,
        local_congestions: totals.local_congestions,
        mark_reductions: totals.mark_reductions,
        final_cwnd_pkts: ends.sender.cwnd(),
    }
}

/// Plain queues first, then those of ports.
fn summarise_queues(run: &Simulation) -> Vec<QueueSummary> {
    let (scenario, network) = (&run.scenario, &run.network);
    let name = |queue| scenario.queue_name(queue).to_owned();
    let links = network.links.iter().zip(scenario.links());
    let plain = links.filter(|(link, _)| matches!(link.egress, Egress::Fifo(_))).map(|(link, of)| QueueSummary {
        name: name(QueueRef::Plain(of.id)),
        enqueued_pkts: link.entered_pkts,
        dequeued_pkts: link.entered_pkts - link.waiting_pkts(run.now()),
        dropped_pkts: link.dropped_pkts,
        marked_pkts: 0,
        delays: None,
        backlog_bytes: link.backlog_bytes(run.now()),
    });
    let ports = network.ports.iter().zip(scenario.ports());
    let classes =
        ports.flat_map(|(port, of)| port.queues.iter().zip(of.queue_ids()).map(move |(queue, id)| (of.id, id, queue)));
    let classes = classes.map(|(port, id, queue)| QueueSummary {
        name: name(QueueRef::Class(port, id)),
        enqueued_pkts: queue.enqueued_pkts,
        dequeued_pkts: queue.dequeued_pkts,
        dropped_pkts: queue.dropped_pkts,
        marked_pkts: queue.marked_pkts,
        delays: queue.delays().map(Delays::summary),
        backlog_bytes: queue.occupancy.backlog_bytes,
    });
    plain.chain(classes).collect()
}
