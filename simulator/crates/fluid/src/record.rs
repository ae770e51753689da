//! Series and totals, under the names the packet engine uses.

use crate::flow::{Ends, Flow, UdpEnds};
use crate::station::{Lost, Station};
use hntes_sim_packet::queue::DropCause;
use hntes_sim_packet::{Column, Values};

/// A link's name, and for each flow that crosses it the bytes its packets take there: data, or acknowledgements.
#[derive(Clone, Debug)]
pub struct LinkBook {
    /// The link's name.
    pub name: String,
    /// Its station, if it can hold a queue.
    pub station: Option<usize>,
    /// Flow and bytes a packet, for data that no queue has delayed yet.
    pub before_queues: Vec<(usize, f64)>,
    /// Flow and bytes a packet, for data that has passed a queue.
    pub after_queues: Vec<(usize, f64)>,
    /// Flow and bytes an acknowledgement.
    pub acks: Vec<(usize, f64)>,
    /// It has a port, whose queues bear names of their own.
    pub has_port: bool,
}

#[derive(Clone, Debug)]
struct Growth {
    name: String,
    last: u64,
    values: Vec<u64>,
}

/// Keeps the series of a run.
#[derive(Clone, Debug)]
pub struct Recorder {
    links: Vec<LinkBook>,
    segment_bytes: f64,
    growths: Vec<Growth>,
    levels: Vec<(String, Vec<u64>)>,
}

type Measured = Vec<(String, f64)>;

impl Recorder {
    /// Nothing recorded yet.
    pub const fn new(links: Vec<LinkBook>, segment_bytes: f64) -> Self {
        Self { links, segment_bytes, growths: Vec::new(), levels: Vec::new() }
    }

    /// The links.
    pub fn links(&self) -> &[LinkBook] {
        &self.links
    }

    /// An interval has ended.
    pub fn tick(&mut self, flows: &[Flow], stations: &mut [Station]) {
        let mut growths = Vec::new();
        let mut levels = Vec::new();
        for (number, flow) in flows.iter().enumerate() {
            self.measure_flow(number, flow, stations, &mut growths, &mut levels);
        }
        for link in &self.links {
            measure_link(link, flows, stations, &mut growths, &mut levels);
        }
        self.note(growths, levels);
    }

    fn note(&mut self, growths: Measured, levels: Measured) {
        if self.growths.is_empty() {
            let new = |(name, _): &(String, f64)| Growth { name: name.clone(), last: 0, values: Vec::new() };
            self.growths = growths.iter().map(new).collect();
            self.levels = levels.iter().map(|(name, _)| (name.clone(), Vec::new())).collect();
        }
        for (growth, (_, total)) in self.growths.iter_mut().zip(growths) {
            let total = total.round() as u64;
            growth.values.push(total.saturating_sub(growth.last));
            growth.last = total;
        }
        for ((_, values), (_, level)) in self.levels.iter_mut().zip(levels) {
            values.push(level.round() as u64);
        }
    }

    fn measure_flow(
        &self,
        number: usize,
        flow: &Flow,
        stations: &[Station],
        growths: &mut Measured,
        levels: &mut Measured,
    ) {
        let mut grow = |measure: &str, total| growths.push((format!("flow/{}/{measure}", flow.name), total));
        grow("goodput_bytes", goodput_bytes(flow, self.segment_bytes));
        grow("dropped_pkts", lost_pkts(number, stations).iter().sum());
        match &flow.ends {
            Ends::Udp(ends) => grow("sent_bytes", flow.sent_pkts / ends.pieces * ends.payload_bytes),
            Ends::Tcp(ends) => {
                grow("retransmitted_pkts", ends.sender.as_ref().map_or(0.0, |sender| sender.counts.retransmitted));
                grow("out_of_sequence_pkts", ends.earlier_out_of_sequence + ends.receiver.out_of_sequence);
                let cwnd = ends.sender.as_ref().map_or(0.0, crate::tcp::Sender::cwnd);
                levels.push((format!("flow/{}/cwnd_pkts", flow.name), cwnd));
            }
            Ends::Ping => {}
        }
    }

    /// The series as columns.
    pub fn columns(&self) -> Vec<Column> {
        let column =
            |name: &String, values: &Vec<u64>| Column { name: name.clone(), values: Values::Counts(values.clone()) };
        let growths = self.growths.iter().map(|growth| column(&growth.name, &growth.values));
        growths.chain(self.levels.iter().map(|(name, values)| column(name, values))).collect()
    }
}

fn measure_link(
    link: &LinkBook,
    flows: &[Flow],
    stations: &mut [Station],
    growths: &mut Measured,
    levels: &mut Measured,
) {
    growths.push((format!("link/{}/wire_bytes", link.name), wire_bytes(link, flows, stations)));
    if !link.has_port {
        let class = link.station.map(|station| &mut stations[station].queues[0]);
        let (mut full, mut backlog, mut peak) = (0.0, 0.0, 0.0);
        if let Some(class) = class {
            full = class.slots.iter().map(|slot| slot.lost[DropCause::Full as usize]).sum();
            backlog = class.queue.backlog_bytes();
            peak = std::mem::replace(&mut class.queue.peak_bytes, backlog);
        }
        growths.push((format!("queue/{}/dropped_full_pkts", link.name), full));
        levels.push((format!("queue/{}/backlog_bytes", link.name), backlog));
        levels.push((format!("queue/{}/peak_bytes", link.name), peak));
        return;
    }
    let Some(station) = link.station else { return };
    for class in &mut stations[station].queues {
        for cause in DropCause::ALL {
            let lost = class.slots.iter().map(|slot| slot.lost[cause as usize]).sum();
            growths.push((format!("queue/{}/dropped_{}_pkts", class.name, cause.name()), lost));
        }
        let backlog = class.queue.backlog_bytes();
        levels.push((format!("queue/{}/backlog_bytes", class.name), backlog));
        let peak = std::mem::replace(&mut class.queue.peak_bytes, backlog);
        levels.push((format!("queue/{}/peak_bytes", class.name), peak));
    }
}

fn wire_bytes(link: &LinkBook, flows: &[Flow], stations: &[Station]) -> f64 {
    let acks: f64 = link
        .acks
        .iter()
        .map(|&(flow, bytes)| if let Ends::Tcp(ends) = &flows[flow].ends { ends.acks * bytes } else { 0.0 })
        .sum();
    let data = if let Some(station) = link.station {
        stations[station].wire_bytes
    } else {
        let sent = link.before_queues.iter().map(|&(flow, bytes)| flows[flow].sent_pkts * bytes);
        sent.chain(link.after_queues.iter().map(|&(flow, bytes)| flows[flow].delivered_pkts * bytes)).sum()
    };
    data + acks
}

/// What a flow lost at all stations, by cause.
pub fn lost_pkts(flow: usize, stations: &[Station]) -> Lost {
    let mut lost = Lost::default();
    for slot in stations.iter().flat_map(|station| &station.queues).flat_map(|class| &class.slots) {
        if slot.flow == flow {
            for (sum, part) in lost.iter_mut().zip(slot.lost) {
                *sum += part;
            }
        }
    }
    lost
}

/// Payload bytes delivered so far.
pub fn goodput_bytes(flow: &Flow, segment_bytes: f64) -> f64 {
    match &flow.ends {
        Ends::Tcp(ends) => ends.segments_in_order() * segment_bytes,
        Ends::Udp(UdpEnds { received, payload_bytes, .. }) => received * payload_bytes,
        Ends::Ping => 0.0,
    }
}
