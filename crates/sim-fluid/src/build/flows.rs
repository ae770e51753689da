//! Flows: their two ends.

use super::paths::{Way, lay};
use super::{Parts, Plan, interrupt_gap_s, round_trip_s};
use crate::flow::{Card, Ends, Flow, TcpEnds, UdpEnds};
use crate::line::LooseLine;
use crate::port::QueuePlace;
use crate::tcp::{Receiver, SenderParameters, SmallQueue, segments_per_ack};
use crate::topology::{first_link, wire_bytes};
use hntes_sim_scenario::{self as scenario, Congestion, Direction, FlowId, OnOff, Tcp, Traffic};

/// A flow, whose lines and slots are added to the parts.
pub(super) fn flow(plan: &Plan<'_>, parts: &mut Parts, flow: &scenario::Flow) -> Flow {
    let (way, ends) = match flow.traffic {
        Traffic::Tcp { congestion, window_bytes, .. } => {
            let way = lay(plan, parts, flow);
            let ends = tcp_ends(plan, parts, flow, congestion, window_bytes, way.steps);
            (way, Ends::Tcp(Box::new(ends)))
        }
        Traffic::Udp { rate, datagram_bytes, on_off, .. } => {
            let way = lay(plan, parts, flow);
            (way, Ends::Udp(udp_ends(plan.packets(flow).pieces, rate.bps(), datagram_bytes, on_off)))
        }
        Traffic::Ping { .. } => (Way { first_line: 0, last_line: 0, steps: 0.0 }, Ends::Ping),
    };
    Flow {
        intervals_s: flow.intervals.iter().map(|interval| [interval.start.s(), interval.end.s()]).collect(),
        ends,
        first_line: way.first_line,
        last_line: way.last_line,
        sent_pkts: 0.0,
        delivered_pkts: 0.0,
    }
}

fn udp_ends(pieces: f64, rate_bps: f64, datagram_bytes: u32, on_off: Option<OnOff>) -> UdpEnds {
    let payload_bytes = f64::from(datagram_bytes);
    UdpEnds {
        pkts_per_s: rate_bps / 8.0 / payload_bytes * pieces,
        pieces,
        payload_bytes,
        on_off_s: on_off.map(|cycle| [cycle.on.s(), cycle.off.s()]),
        received: 0.0,
        owed: 0.0,
    }
}

fn tcp_ends(
    plan: &Plan<'_>,
    parts: &Parts,
    flow: &scenario::Flow,
    congestion: Congestion,
    window_bytes: u64,
    laid_steps: f64,
) -> TcpEnds {
    let tcp = plan.scenario.tcp();
    let first = first_link(plan.scenario, flow);
    let wire_bytes = wire_bytes(first, tcp.segment_ip_bytes());
    let round_trip_s = round_trip_s(plan.scenario, flow);
    // What is sent in one step is answered in the next at the earliest.
    let report_steps = (round_trip_s / plan.step_s - laid_steps - 1.0).max(0.0);
    let segments_per_look = segments_per_look(plan, flow, wire_bytes);
    TcpEnds {
        parameters: sender_parameters(tcp, window_bytes, round_trip_s),
        congestion,
        htcp: [tcp.htcp_rtt_scaling, tcp.htcp_bandwidth_switch],
        sender: None,
        receiver: Receiver::default(),
        established_s: 0.0,
        round_trip_s,
        reports: LooseLine::new(report_steps as usize),
        report_steps,
        forward_queues: queues_on(plan, flow, Direction::Forward),
        reverse_queues: queues_on(plan, flow, Direction::Reverse),
        card: plan.station_of(first.id).map(|port| Card { port, slot: slot_at(parts, port, flow.id) }),
        segment_s: wire_bytes * 8.0 / first.rate.bps(),
        segments_per_look,
        segments_per_ack: segments_per_ack(segments_per_look, true),
        clamp_held: (tcp.clamp_held_bytes as f64 / f64::from(tcp.segment_data_bytes)).max(1.0),
        stale_pkts: 0.0,
        earlier_pkts: 0.0,
        earlier_out_of_sequence: 0.0,
        acks: 0.0,
        quick_acks: quick_acks(tcp, window_bytes),
        quick_left: 0.0,
        delayed_ack_s: tcp.delayed_ack.s(),
        flights: 0.0,
        retransmission_loss_due_s: None,
    }
}

/// A flow's slot at the card of its host, which it has just joined.
fn slot_at(parts: &Parts, port: usize, flow: FlowId) -> usize {
    parts.ports[port].queues[0].slots.iter().position(|slot| slot.flow == flow).expect("its way has been laid")
}

/// Segments acknowledged at once at the start: under Linux 6 until the receiver has offered all of its buffer, two
/// segments for each one that comes.
fn quick_acks(tcp: &Tcp, window_bytes: u64) -> f64 {
    if tcp.quick_acks_while_window_grows {
        return window_bytes as f64 / (2.0 * f64::from(tcp.segment_data_bytes));
    }
    f64::from(tcp.quick_acks)
}

/// Segments that the receiving host finds at most when it looks: what the slowest link of the path brings between two
/// interrupts, and no more than the host merges into one.
fn segments_per_look(plan: &Plan<'_>, flow: &scenario::Flow, wire_bytes: f64) -> f64 {
    let rates = flow.path(Direction::Forward).iter().map(|&link| plan.scenario.link(link).rate.bps());
    let slowest_bps = rates.fold(f64::INFINITY, f64::min);
    let between_looks = slowest_bps / 8.0 / wire_bytes * interrupt_gap_s(plan.scenario, flow);
    between_looks.min(f64::from(plan.scenario.tcp().merge_segments)).max(1.0)
}

/// What a scenario says about all senders.
fn sender_parameters(tcp: &Tcp, window_bytes: u64, round_trip_s: f64) -> SenderParameters {
    SenderParameters {
        initial_window: f64::from(tcp.initial_window_pkts),
        initial_ssthresh: f64::from(tcp.initial_ssthresh_pkts),
        window_limit: tcp.segments_in(window_bytes) as f64,
        clamped_window_limit: tcp.segments_in(tcp.clamped_window_bytes) as f64,
        limited_burst: f64::from(tcp.limited_burst_bytes) / f64::from(tcp.segment_data_bytes),
        rate_halving: tcp.rate_halving,
        is_linux_6: tcp.rack,
        small_queue: tcp.small_queues.then(|| SmallQueue::new(f64::from(tcp.segment_data_bytes), round_trip_s)),
        min_rto_s: tcp.min_rto.s(),
    }
}

fn queues_on(plan: &Plan<'_>, flow: &scenario::Flow, direction: Direction) -> Vec<QueuePlace> {
    flow.path(direction).iter().filter_map(|&link| plan.place_at(link, flow, direction)).collect()
}
