//! Series: what happened in each interval.

use crate::flow::{Ends, Flow};
use crate::link::Egress;
use crate::network::Network;
use crate::queue::DropCause;
use crate::time::Time;

/// The numbers of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Counts.
    Counts(Vec<u64>),
    /// Measured values.
    Numbers(Vec<f64>),
}

/// One column of results, named "kind/name/measure".
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// One value an interval, or for pings one a reply.
    pub values: Values,
}

/// A running total whose growth per interval is wanted.
#[derive(Clone, Debug)]
struct Growth {
    name: String,
    last: u64,
    values: Vec<u64>,
}

impl Growth {
    const fn new(name: String) -> Self {
        Self { name, last: 0, values: Vec::new() }
    }

    fn note(&mut self, total: u64) {
        self.values.push(total.saturating_sub(self.last));
        self.last = total;
    }
}

/// Keeps the series of a run.
#[derive(Clone, Debug)]
pub struct Recorder {
    interval: Time,
    growths: Vec<Growth>,
    levels: Vec<(String, Vec<u64>)>,
}

impl Recorder {
    /// A recorder with one value an interval.
    pub const fn new(interval: Time) -> Self {
        Self { interval, growths: Vec::new(), levels: Vec::new() }
    }

    /// The length of an interval.
    pub const fn interval(&self) -> Time {
        self.interval
    }

    /// An interval has ended.
    pub fn tick(&mut self, now: Time, flows: &[Flow], network: &mut Network) {
        let (growths, levels) = measure(now, flows, network);
        if self.growths.is_empty() {
            self.growths = growths.iter().map(|(name, _)| Growth::new(name.clone())).collect();
            self.levels = levels.iter().map(|(name, _)| (name.clone(), Vec::new())).collect();
        }
        for (growth, (_, total)) in self.growths.iter_mut().zip(growths) {
            growth.note(total);
        }
        for ((_, values), (_, level)) in self.levels.iter_mut().zip(levels) {
            values.push(level);
        }
    }

    /// The series, and each ping's replies.
    pub fn columns(&self, flows: &[Flow]) -> Vec<Column> {
        let counts =
            |name: &String, values: &Vec<u64>| Column { name: name.clone(), values: Values::Counts(values.clone()) };
        let mut columns: Vec<Column> = self.growths.iter().map(|g| counts(&g.name, &g.values)).collect();
        columns.extend(self.levels.iter().map(|(name, values)| counts(name, values)));
        for flow in flows {
            if let Ends::Ping(ends) = &flow.ends {
                let column = |measure: &str, pick: fn(&(Time, Time)) -> f64| Column {
                    name: format!("flow/{}/{measure}", flow.name),
                    values: Values::Numbers(ends.replies.iter().map(pick).collect()),
                };
                columns.push(column("sent_at_s", |reply| reply.0.s()));
                columns.push(column("rtt_ms", |reply| reply.1.s() * 1e3));
            }
        }
        columns
    }
}

type Measured = Vec<(String, u64)>;

/// Running totals and present levels, always in the same order.
fn measure(now: Time, flows: &[Flow], network: &mut Network) -> (Measured, Measured) {
    let (mut growths, mut levels) = (Vec::new(), Vec::new());
    for (number, flow) in flows.iter().enumerate() {
        let mut grow = |measure: &str, total| growths.push((format!("flow/{}/{measure}", flow.name), total));
        grow("goodput_bytes", goodput_bytes(flow));
        grow("dropped_pkts", network.counts[number].dropped.iter().sum());
        if let Ends::Udp(ends) = &flow.ends {
            grow("sent_bytes", u64::from(ends.sent) * u64::from(ends.payload_bytes));
        }
        if let Ends::Tcp(ends) = &flow.ends {
            grow("retransmitted_pkts", ends.counts().retransmitted);
            grow("out_of_sequence_pkts", ends.disorder()[0]);
            levels.push((format!("flow/{}/cwnd_pkts", flow.name), u64::from(ends.sender.cwnd())));
        }
    }
    for link in &mut network.links {
        let dropped = link.dropped_pkts[DropCause::Full as usize];
        growths.push((format!("link/{}/wire_bytes", link.name), link.sent_wire_bytes(now)));
        let backlog = link.backlog_bytes(now);
        if let Egress::Fifo(fifo) = &mut link.egress {
            growths.push((format!("queue/{}/dropped_full_pkts", link.name), dropped));
            levels.push((format!("queue/{}/backlog_bytes", link.name), backlog));
            let peak = link.rate.bytes_in(std::mem::take(&mut fifo.peak));
            levels.push((format!("queue/{}/peak_bytes", link.name), peak));
        }
    }
    for port in &mut network.ports {
        for (queue, name) in port.queues.iter_mut().zip(&port.queue_names) {
            for cause in DropCause::ALL {
                let dropped = queue.dropped_pkts[cause as usize];
                growths.push((format!("queue/{name}/dropped_{}_pkts", cause.name()), dropped));
            }
            let backlog = queue.occupancy.backlog_bytes;
            levels.push((format!("queue/{name}/backlog_bytes"), backlog));
            levels.push((format!("queue/{name}/peak_bytes"), std::mem::replace(&mut queue.peak_bytes, backlog)));
        }
    }
    (growths, levels)
}

/// Payload bytes delivered so far.
pub(super) fn goodput_bytes(flow: &Flow) -> u64 {
    match &flow.ends {
        Ends::Tcp(ends) => ends.segments_in_order() * u64::from(ends.parameters.segment_data_bytes),
        Ends::Udp(ends) => ends.received * u64::from(ends.payload_bytes),
        Ends::Ping(_) => 0,
    }
}
