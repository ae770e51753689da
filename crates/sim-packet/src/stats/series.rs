//! What is measured at the end of each interval.

use crate::flow::{Ends, Flow};
use crate::link::{Egress, Link};
use crate::network::Network;
use crate::queue::ClassQueue;
use hntes_sim_scenario::results::{DropCause, FlowMeasure, LinkMeasure, QueueMeasure, QueueRef, Sample, Series};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{self as scenario, Direction, FlowId, LinkId, Scenario};

/// Running totals and present levels. The most that waited in a queue counts from here on anew.
pub fn measure(scenario: &Scenario, now: Time, flows: &[Flow], network: &mut Network) -> Sample {
    let mut sample = Sample::default();
    for (flow, of) in flows.iter().zip(scenario.flows()) {
        let counts = &network.counts[of.id.index()];
        measure_flow(flow, of.id, counts.dropped.total(), &mut sample);
        if let Some(received_bytes) = counts.received_bytes.as_deref().filter(|_| is_told_by_colour(scenario, of)) {
            measure_colours(of.id, received_bytes, &mut sample);
        }
    }
    for (link, of) in network.links.iter_mut().zip(scenario.links()) {
        measure_link(link, of.id, now, &mut sample);
    }
    for (port, of) in network.ports.iter_mut().zip(scenario.ports()) {
        for (queue, id) in port.queues.iter_mut().zip(of.queue_ids()) {
            measure_queue(queue, QueueRef::Class(of.id, id), &mut sample);
            if of.conditioner_of(id).is_some_and(|id| of.conditioner(id).has_colour_series) {
                measure_green_drops(queue, QueueRef::Class(of.id, id), &mut sample);
            }
        }
    }
    sample
}

fn measure_flow(flow: &Flow, id: FlowId, dropped_pkts: u64, sample: &mut Sample) {
    let series = |measure| Series::Flow(id, measure);
    sample.total(series(FlowMeasure::GoodputBytes), goodput_bytes(flow));
    sample.total(series(FlowMeasure::DroppedPkts), dropped_pkts);
    match &flow.ends {
        Ends::Tcp(ends) => {
            sample.total(series(FlowMeasure::RetransmittedPkts), ends.counts().retransmitted);
            sample.total(series(FlowMeasure::OutOfSequencePkts), ends.disorder()[0]);
            sample.level(series(FlowMeasure::CwndPkts), u64::from(ends.sender.cwnd()));
        }
        Ends::Udp(ends) => {
            let sent_bytes = u64::from(ends.sent) * u64::from(ends.payload_bytes);
            sample.total(series(FlowMeasure::SentBytes), sent_bytes);
        }
        Ends::Ping(_) => {}
    }
}

/// Whether a conditioner on a flow's way there asks for series by colour.
fn is_told_by_colour(scenario: &Scenario, flow: &scenario::Flow) -> bool {
    flow.path(Direction::Forward).iter().filter_map(|&link| scenario.port_of(link)).any(|port| {
        let conditioner = port.conditioner_of(port.queue_of(flow, Direction::Forward));
        conditioner.is_some_and(|id| port.conditioner(id).has_colour_series)
    })
}

fn measure_colours(flow: FlowId, received_bytes: &[[u64; 4]; 2], sample: &mut Sample) {
    let [green, yellow, red, _] = received_bytes[Direction::Forward as usize];
    for (measure, bytes) in [
        (FlowMeasure::ReceivedGreenIpBytes, green),
        (FlowMeasure::ReceivedYellowIpBytes, yellow),
        (FlowMeasure::ReceivedRedIpBytes, red),
    ] {
        sample.total(Series::Flow(flow, measure), bytes);
    }
}

/// What was dropped although it was in profile and there was room.
fn measure_green_drops(queue: &ClassQueue, of: QueueRef, sample: &mut Sample) {
    for cause in [DropCause::Early, DropCause::Policer] {
        sample.total(Series::Queue(of, QueueMeasure::DroppedGreenPkts(cause)), queue.dropped_green_pkts[cause]);
    }
}

fn measure_link(link: &mut Link, id: LinkId, now: Time, sample: &mut Sample) {
    sample.total(Series::Link(id, LinkMeasure::WireBytes), link.sent_wire_bytes(now));
    let backlog_bytes = link.backlog_bytes(now);
    if let Egress::Fifo(fifo) = &mut link.egress {
        let series = |measure| Series::Queue(QueueRef::Plain(id), measure);
        sample.total(series(QueueMeasure::DroppedPkts(DropCause::Full)), link.dropped_pkts[DropCause::Full]);
        sample.level(series(QueueMeasure::BacklogBytes), backlog_bytes);
        let peak_bytes = link.rate.bytes_in(std::mem::take(&mut fifo.peak));
        sample.level(series(QueueMeasure::PeakBytes), peak_bytes);
    }
}

fn measure_queue(queue: &mut ClassQueue, of: QueueRef, sample: &mut Sample) {
    for cause in DropCause::ALL {
        sample.total(Series::Queue(of, QueueMeasure::DroppedPkts(cause)), queue.dropped_pkts[cause]);
    }
    let backlog_bytes = queue.occupancy.backlog_bytes;
    let peak_bytes = std::mem::replace(&mut queue.peak_bytes, backlog_bytes);
    sample.level(Series::Queue(of, QueueMeasure::BacklogBytes), backlog_bytes);
    sample.level(Series::Queue(of, QueueMeasure::PeakBytes), peak_bytes);
}

/// Payload bytes delivered so far.
pub(super) fn goodput_bytes(flow: &Flow) -> u64 {
    match &flow.ends {
        Ends::Tcp(ends) => ends.bytes_in_order(),
        Ends::Udp(ends) => ends.received * u64::from(ends.payload_bytes),
        Ends::Ping(_) => 0,
    }
}
