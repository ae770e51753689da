//! What is counted at each link.

use super::Plan;
use crate::record::LinkBook;
use crate::topology::wire_bytes;
use hntes_sim_scenario::{Direction, Flow, FlowId, Link, LinkId};

/// The book of a link, with the flows that cross it.
pub(super) fn book(plan: &Plan<'_>, link: &Link) -> LinkBook {
    let mut book = LinkBook {
        link: link.id,
        port: plan.station_of(link.id),
        before_queues: Vec::new(),
        after_queues: Vec::new(),
        acks: Vec::new(),
        has_port: link.port.is_some(),
    };
    for flow in plan.scenario.flows() {
        if let Some(after_queue) = data_comes(plan, flow, link.id) {
            let entry: (FlowId, f64) = (flow.id, wire_bytes(link, plan.packets(flow).ip_bytes));
            let entries = if after_queue { &mut book.after_queues } else { &mut book.before_queues };
            entries.push(entry);
        }
        if flow.traffic.is_tcp() && flow.path(Direction::Reverse).contains(&link.id) {
            book.acks.push((flow.id, wire_bytes(link, f64::from(plan.scenario.tcp().header_bytes))));
        }
    }
    book
}

/// If a flow's data takes a link: whether a queue on the way there may have delayed it.
fn data_comes(plan: &Plan<'_>, flow: &Flow, link: LinkId) -> Option<bool> {
    let path = flow.path(Direction::Forward);
    let at = path.iter().position(|&other| other == link).filter(|_| !flow.traffic.is_ping())?;
    Some(path[..at].iter().any(|before| plan.busy[before.index()]))
}
