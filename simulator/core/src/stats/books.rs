//! Bookkeeping checked at the end of every run: no packet appears from nowhere, none vanishes.

use crate::link::Egress;
use crate::network::Network;

/// Every account that does not balance, in words; empty for a sound run.
pub fn imbalances(network: &Network, flow_names: &[String], duration_s: f64) -> Vec<String> {
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
        // What a plain queue holds has been counted as sent, so the transmitter may be ahead of the clock by it.
        let ahead =
            if let Egress::Fifo(fifo) = &link.egress { link.rate.bytes_in(fifo.limit) + 65_536 } else { 65_536 };
        let most = duration_s * link.rate.bps() as f64 / 8.0 * (1.0 + 1e-9) + ahead as f64;
        if link.wire_bytes as f64 > most {
            found.push(format!("link {}: {} bytes sent, its rate allows {most}", link.name, link.wire_bytes));
        }
    }
    for port in &network.ports {
        for (queue, name) in port.queues.iter().zip(&port.queue_names) {
            let waiting: u64 = queue.packets.iter().map(|p| u64::from(p.ip_bytes) + port.framing_bytes).sum();
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
