//! The way of a flow's data: delay lines between the queues it passes, and its slot at each of them.

use super::{Packets, Parts, Plan, interrupt_gap_s, ports, round_trip_s};
use crate::line::DelayLine;
use crate::port::{Lost, Slot};
use crate::topology::{crossing_s, first_link, wire_bytes};
use hntes_sim_scenario::{Direction, Flow, LinkId};

/// A way that has been laid.
pub(super) struct Way {
    /// The delay line its packets enter first.
    pub(super) first_line: usize,
    /// The delay line they leave last.
    pub(super) last_line: usize,
    /// The steps its lines take together.
    pub(super) steps: f64,
}

/// Lay the way of a flow's data.
pub(super) fn lay(plan: &Plan<'_>, parts: &mut Parts, flow: &Flow) -> Way {
    let packets = plan.packets(flow);
    let (mut way_s, mut laid) = (0.0, 0.0);
    let mut from: Option<(usize, usize, usize)> = None;
    let first_line = parts.lines.len();
    for &link in flow.path(Direction::Forward) {
        if let Some(port) = plan.station_of(link) {
            let input = lay_line(plan, parts, way_s, &mut laid);
            connect(parts, from, input);
            let queue = plan.queue_at(link, flow, Direction::Forward);
            let slots = &mut parts.ports[port].queues[queue].slots;
            slots.push(slot(plan, flow, link, &packets, input));
            from = Some((port, queue, slots.len() - 1));
        }
        way_s += crossing_s(plan.scenario.link(link), packets.ip_bytes);
    }
    let last_line = lay_line(plan, parts, way_s, &mut laid);
    connect(parts, from, last_line);
    Way { first_line, last_line, steps: laid }
}

/// What leaves a slot enters a line.
fn connect(parts: &mut Parts, from: Option<(usize, usize, usize)>, line: usize) {
    if let Some((port, queue, slot)) = from {
        parts.ports[port].queues[queue].slots[slot].output = line;
    }
}

/// A line up to a point so far from the start; whole steps, so that errors do not add up.
fn lay_line(plan: &Plan<'_>, parts: &mut Parts, way_s: f64, laid: &mut f64) -> usize {
    let steps = (way_s / plan.step_s).round();
    parts.lines.push(DelayLine::new((steps - *laid) as usize));
    *laid = steps;
    parts.lines.len() - 1
}

fn slot(plan: &Plan<'_>, flow: &Flow, link: LinkId, packets: &Packets, input: usize) -> Slot {
    let first = first_link(plan.scenario, flow);
    let host_pps = first.rate.bps() / 8.0 / wire_bytes(first, packets.ip_bytes);
    let gap_s = interrupt_gap_s(plan.scenario, flow);
    let is_tcp = flow.traffic.is_tcp();
    Slot {
        flow: flow.id,
        input,
        output: 0,
        policer: policer(plan, link, flow),
        ip_bytes: packets.ip_bytes,
        whole_losses: is_tcp,
        pieces: packets.pieces,
        piece_span: (packets.pieces - 1.0).max(0.0) / host_pps / plan.step_s,
        looks_per_step: if gap_s > 0.0 { plan.step_s / gap_s } else { f64::INFINITY },
        round_trip_s: if is_tcp { round_trip_s(plan.scenario, flow) } else { f64::INFINITY },
        doubles: plan.scenario.tcp().growth_counts_segments,
        lost: Lost::default(),
    }
}

/// The bucket a flow passes at a link.
fn policer(plan: &Plan<'_>, link: LinkId, flow: &Flow) -> Option<usize> {
    let port = plan.scenario.port_of(link)?;
    let conditioner = port.conditioner_of(port.queue_of(flow, Direction::Forward))?;
    Some(ports::bucket_number(plan, port, conditioner, flow.id))
}
