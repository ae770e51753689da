//! Bookkeeping checked at the end of every run: no packet appears from nowhere, none vanishes.

use crate::link::{Egress, Link};
use crate::network::Network;
use crate::port::Port;
use hntes_sim_scenario::Scenario;
use hntes_sim_scenario::results::QueueRef;
use hntes_sim_scenario::time::Time;

/// Every account that does not balance, in words; empty for a sound run.
pub fn imbalances(scenario: &Scenario, network: &Network, end: Time) -> Vec<String> {
    let mut found = Vec::new();
    for ((counts, inside), flow) in network.counts.iter().zip(network.inside()).zip(scenario.flows()) {
        let accounted = counts.delivered + counts.dropped.total() + inside;
        if counts.sent != accounted {
            found.push(format!("flow {}: {} packets sent, {accounted} accounted for", flow.name, counts.sent));
        }
    }
    for (link, of) in network.links.iter().zip(scenario.links()) {
        let at_once_bytes = match link.egress {
            Egress::Port(port) => network.ports[port.index()].bucket.as_ref().map_or(0, |bucket| bucket.bytes),
            Egress::Fifo(_) => 0,
        };
        check_link(link, &of.name, at_once_bytes, end, &mut found);
    }
    for (port, of) in network.ports.iter().zip(scenario.ports()) {
        let names = of.queue_ids().map(|queue| scenario.queue_name(QueueRef::Class(of.id, queue)));
        check_queues(port, names, &mut found);
    }
    found
}

/// `at_once_bytes` is what the port before it hands over before the link could have sent it.
fn check_link(link: &Link, name: &str, at_once_bytes: u64, end: Time, found: &mut Vec<String>) {
    if link.entered_pkts != link.left_pkts + link.pipe.len() as u64 {
        found.push(format!("link {name}: packets entered and left differ"));
    }
    // Rounding to whole picoseconds shortens a packet by up to one of them, and by a millionth of one per byte.
    let rounding = Time::from_ps(link.entered_pkts + link.entered_pkts / 8);
    let most = link.capacity_bytes(end) + link.rate.bytes_in(rounding) + 2 + at_once_bytes;
    if link.sent_wire_bytes(end) > most {
        found.push(format!("link {name}: {} bytes sent, at most {most} fit", link.sent_wire_bytes(end)));
    }
}

fn check_queues<'a>(port: &Port, names: impl Iterator<Item = &'a str>, found: &mut Vec<String>) {
    for (queue, name) in port.queues.iter().zip(names) {
        let waiting: u64 = queue.packets.iter().map(|p| port.framing.wire_bytes(u64::from(p.ip_bytes()))).sum();
        if queue.enqueued_pkts != queue.dequeued_pkts + queue.packets.len() as u64 {
            found.push(format!("queue {name}: packets entered and left differ"));
        }
        if queue.occupancy.backlog_bytes != waiting {
            found.push(format!("queue {name}: backlog is counted wrongly"));
        }
        // A lone packet may be larger than a tiny queue.
        if queue.occupancy.backlog_bytes > queue.occupancy.limit_bytes.max(queue.inherited_bytes).max(2_000) {
            found.push(format!("queue {name}: above its limit"));
        }
    }
}
