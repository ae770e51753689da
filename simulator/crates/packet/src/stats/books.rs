//! Bookkeeping checked at the end of every run: no packet appears from nowhere, none vanishes.

use crate::network::Network;
use crate::time::Time;

/// Every account that does not balance, in words; empty for a sound run.
pub fn imbalances(network: &Network, flow_names: &[String], end: Time) -> Vec<String> {
    let mut found = Vec::new();
    for ((counts, inside), name) in network.counts.iter().zip(network.inside()).zip(flow_names) {
        let accounted = counts.delivered + counts.dropped.iter().sum::<u64>() + inside;
        if counts.sent != accounted {
            found.push(format!("flow {name}: {} packets sent, {accounted} accounted for", counts.sent));
        }
    }
    for link in &network.links {
        if link.entered_pkts != link.left_pkts + link.pipe.len() as u64 {
            found.push(format!("link {}: packets entered and left differ", link.name));
        }
        // Rounding to whole picoseconds shortens a packet by up to one of them, and by a millionth of one a byte.
        let rounding = Time::from_ps(link.entered_pkts + link.entered_pkts / 8);
        let most = link.rate.bytes_in(end) + link.rate.bytes_in(rounding) + 2;
        if link.sent_wire_bytes(end) > most {
            found.push(format!("link {}: {} bytes sent, at most {most} fit", link.name, link.sent_wire_bytes(end)));
        }
    }
    for port in &network.ports {
        for (queue, name) in port.queues.iter().zip(&port.queue_names) {
            let waiting: u64 = queue.packets.iter().map(|p| u64::from(p.ip_bytes()) + port.framing_bytes).sum();
            if queue.enqueued_pkts != queue.dequeued_pkts + queue.packets.len() as u64 {
                found.push(format!("queue {name}: packets entered and left differ"));
            }
            if queue.occupancy.backlog_bytes != waiting {
                found.push(format!("queue {name}: backlog is counted wrongly"));
            }
            // A lone packet may be larger than a tiny queue.
            if queue.occupancy.backlog_bytes > queue.occupancy.limit_bytes.max(2_000) {
                found.push(format!("queue {name}: above its limit"));
            }
        }
    }
    found
}
