//! Series, under the names the packet engine uses. Amounts of fluid become whole bytes and packets here.

use crate::flow::{Ends, Flow, UdpEnds};
use crate::port::{ClassQueue, Lost, PortState};
use hntes_sim_scenario::results::{Column, DropCause, FlowMeasure, LinkMeasure, QueueMeasure, QueueRef};
use hntes_sim_scenario::results::{Recorder, Sample, Series};
use hntes_sim_scenario::{FlowId, LinkId, Scenario};

/// For a link the flows that cross it, each with the bytes its packets take there: data, or acknowledgements.
#[derive(Clone, Debug)]
pub struct LinkBook {
    /// The link.
    pub link: LinkId,
    /// Its port, if it can hold a queue.
    pub port: Option<usize>,
    /// Flow and bytes per packet, for data that no queue has delayed yet.
    pub before_queues: Vec<(FlowId, f64)>,
    /// Flow and bytes per packet, for data that has passed a queue.
    pub after_queues: Vec<(FlowId, f64)>,
    /// Flow and bytes per acknowledgement.
    pub acks: Vec<(FlowId, f64)>,
    /// It has a port, whose queues bear names of their own.
    pub has_port: bool,
}

/// Keeps the series of a run.
#[derive(Clone, Debug)]
pub struct Books {
    /// One for each link.
    pub links: Vec<LinkBook>,
    segment_bytes: f64,
    recorder: Recorder,
}

impl Books {
    /// Nothing recorded yet.
    pub fn new(links: Vec<LinkBook>, segment_bytes: f64) -> Self {
        Self { links, segment_bytes, recorder: Recorder::default() }
    }

    /// An interval has ended.
    pub fn tick(&mut self, scenario: &Scenario, flows: &[Flow], ports: &mut [PortState]) {
        let mut sample = Sample::default();
        for (flow, of) in flows.iter().zip(scenario.flows()) {
            measure_flow(of.id, flow, self.segment_bytes, ports, &mut sample);
        }
        for book in &self.links {
            measure_link(book, flows, ports, &mut sample);
        }
        self.recorder.note(sample);
    }

    /// The series as columns.
    pub fn columns(&self, scenario: &Scenario) -> Vec<Column> {
        self.recorder.columns(scenario)
    }
}

fn measure_flow(id: FlowId, flow: &Flow, segment_bytes: f64, ports: &[PortState], sample: &mut Sample) {
    let mut total = |measure, amount: f64| sample.total(Series::Flow(id, measure), amount.round() as u64);
    total(FlowMeasure::GoodputBytes, goodput_bytes(flow, segment_bytes));
    total(FlowMeasure::DroppedPkts, lost_pkts(id, ports).total());
    match &flow.ends {
        Ends::Udp(ends) => total(FlowMeasure::SentBytes, flow.sent_pkts / ends.pieces * ends.payload_bytes),
        Ends::Tcp(ends) => {
            let sender = ends.sender.as_ref();
            total(FlowMeasure::RetransmittedPkts, sender.map_or(0.0, |sender| sender.counts.retransmitted));
            total(FlowMeasure::OutOfSequencePkts, ends.out_of_sequence());
            let cwnd = sender.map_or(0.0, crate::tcp::Sender::cwnd);
            sample.level(Series::Flow(id, FlowMeasure::CwndPkts), cwnd.round() as u64);
        }
        Ends::Ping => {}
    }
}

fn measure_link(book: &LinkBook, flows: &[Flow], ports: &mut [PortState], sample: &mut Sample) {
    let wire_bytes = wire_bytes(book, flows, ports);
    sample.total(Series::Link(book.link, LinkMeasure::WireBytes), wire_bytes.round() as u64);
    match book.port {
        Some(port) => {
            for class in &mut ports[port].queues {
                let causes = if book.has_port { &DropCause::ALL[..] } else { &[DropCause::Full] };
                measure_queue(class, causes, sample);
            }
        }
        None if !book.has_port => measure_no_queue(book.link, sample),
        None => {}
    }
}

/// The most that waited counts from here on anew.
fn measure_queue(class: &mut ClassQueue, causes: &[DropCause], sample: &mut Sample) {
    let series = |measure| Series::Queue(class.of, measure);
    for &cause in causes {
        let lost: f64 = class.slots.iter().map(|slot| slot.lost[cause]).sum();
        sample.total(series(QueueMeasure::DroppedPkts(cause)), lost.round() as u64);
    }
    let backlog_bytes = class.queue.backlog_bytes();
    sample.level(series(QueueMeasure::BacklogBytes), backlog_bytes.round() as u64);
    let peak_bytes = std::mem::replace(&mut class.queue.peak_bytes, backlog_bytes);
    sample.level(series(QueueMeasure::PeakBytes), peak_bytes.round() as u64);
}

/// A link that can hold no queue has an empty one.
fn measure_no_queue(link: LinkId, sample: &mut Sample) {
    let series = |measure| Series::Queue(QueueRef::Plain(link), measure);
    sample.total(series(QueueMeasure::DroppedPkts(DropCause::Full)), 0);
    sample.level(series(QueueMeasure::BacklogBytes), 0);
    sample.level(series(QueueMeasure::PeakBytes), 0);
}

fn wire_bytes(book: &LinkBook, flows: &[Flow], ports: &[PortState]) -> f64 {
    let flow = |id: FlowId| &flows[id.index()];
    let acks: f64 = book
        .acks
        .iter()
        .map(|&(id, bytes)| if let Ends::Tcp(ends) = &flow(id).ends { ends.acks * bytes } else { 0.0 })
        .sum();
    let data = if let Some(port) = book.port {
        ports[port].wire_bytes
    } else {
        let sent = book.before_queues.iter().map(|&(id, bytes)| flow(id).sent_pkts * bytes);
        sent.chain(book.after_queues.iter().map(|&(id, bytes)| flow(id).delivered_pkts * bytes)).sum()
    };
    data + acks
}

/// What a flow lost at all ports, by cause.
pub fn lost_pkts(flow: FlowId, ports: &[PortState]) -> Lost {
    let mut lost = Lost::default();
    for slot in ports.iter().flat_map(|port| &port.queues).flat_map(|class| &class.slots) {
        if slot.flow == flow {
            lost += slot.lost;
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
