//! Marking ahead of losses (Christin and Liebeherr 2003): a router that follows TCP flows projects what they will send, and
//! marks so many of them that it fits.

mod demand;
mod filter;
mod flows;
mod heuristic;
mod reference;
mod rounds;

pub use demand::{ClassDemand, PortDemand};
pub use filter::Filter;
pub use heuristic::HeuristicMarker;
pub use reference::ReferenceMarker;
pub use rounds::RoundRule;

use super::{Admission, DropCause, DropTail, Occupancy, QueueDiscipline};
use crate::packet::Label;
use flows::Flows;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;

/// The markers there are. A flow is the segments of a TCP flow; acknowledgements and other packets only take up room.
#[derive(Clone, Debug)]
pub enum Marker {
    /// Follows every flow.
    Reference(Box<ReferenceMarker>),
    /// Follows those that send much.
    Heuristic(Box<HeuristicMarker>),
}

impl Marker {
    /// A packet has come for a class, whether or not it will be let in.
    pub fn on_arrival(&mut self, label: Label, class: usize, wire_bytes: u64, now: Time) {
        if label.is_segment() {
            match self {
                Self::Reference(marker) => marker.on_segment(label, class, wire_bytes, now),
                Self::Heuristic(marker) => marker.on_segment(label, class, wire_bytes, now),
            }
        }
    }

    /// Decide on marks, to be paid at departures.
    pub fn mark(&mut self, now: Time, port: &PortDemand<'_>) {
        match self {
            Self::Reference(marker) => marker.mark(now, port),
            Self::Heuristic(marker) => marker.mark(now, port),
        }
    }

    /// A packet was let in.
    pub fn on_admission(&mut self, label: Label) {
        self.flows().on_admission(label);
    }

    /// A packet was turned away.
    pub fn on_rejection(&mut self, label: Label) {
        self.flows().on_rejection(label);
    }

    /// A packet that waited was dropped.
    pub fn on_push_out(&mut self, label: Label) {
        self.flows().on_push_out(label);
    }

    /// A packet leaves: whether with a mark.
    pub fn on_departure(&mut self, label: Label) -> bool {
        self.flows().on_departure(label)
    }

    const fn flows(&mut self) -> &mut Flows {
        match self {
            Self::Reference(marker) => &mut marker.flows,
            Self::Heuristic(marker) => &mut marker.flows,
        }
    }
}

/// One queue that a marker keeps from overflowing; what does not fit all the same is dropped.
#[derive(Clone, Debug)]
pub struct Projecting {
    marker: Marker,
    bytes_per_s: f64,
    tail: DropTail,
}

impl Projecting {
    /// An empty queue that is emptied at this rate.
    pub fn new(marker: Marker, rate: Rate, tail: DropTail) -> Self {
        Self { marker, bytes_per_s: rate.bps() as f64 / 8.0, tail }
    }
}

impl QueueDiscipline for Projecting {
    #[inline(never)]
    fn admit(
        &mut self,
        label: Label,
        wire_bytes: u64,
        seen: Occupancy,
        now: Time,
        random: &mut Random,
    ) -> Result<Admission, DropCause> {
        self.marker.on_arrival(label, 0, wire_bytes, now);
        let admission = self.tail.admit(label, wire_bytes, seen, now, random);
        let mut backlog_bytes = seen.backlog_bytes;
        if admission.is_ok() {
            self.marker.on_admission(label);
            backlog_bytes += wire_bytes;
        } else {
            self.marker.on_rejection(label);
        }
        let all = ClassDemand::unbounded(backlog_bytes as f64, self.bytes_per_s);
        let limit_bytes = seen.limit_bytes as f64;
        self.marker.mark(now, &PortDemand { classes: &[all], limit_bytes, bytes_per_s: self.bytes_per_s });
        admission
    }

    #[inline(never)]
    fn on_departure(&mut self, label: Label, _: Occupancy, _: Time) -> Admission {
        if self.marker.on_departure(label) { Admission::Marked } else { Admission::Plain }
    }
}

#[cfg(test)]
mod tests {
    use super::flows::tests::{RULE, segment};
    use super::{Marker, Projecting, ReferenceMarker};
    use crate::queue::{Admission, DropCause, DropTail, Occupancy, QueueDiscipline};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    /// Windows of flows that heed marks, a packet after the other, into a queue of 5000 bytes.
    fn admitted(windows: &[u64]) -> (Projecting, Vec<Result<Admission, DropCause>>) {
        let marker = Marker::Reference(Box::new(ReferenceMarker::new(RULE)));
        let mut queue = Projecting::new(marker, Rate::from_bps(80_000), DropTail::new(0));
        let (mut random, mut backlog_bytes) = (Random::named(1, "marking"), 0);
        let mut admit = |flow: usize, packet: u64| {
            let seen = Occupancy { backlog_bytes, limit_bytes: 5000 };
            let now = Time::from_ms(10 * flow as u64 + packet);
            let admission = queue.admit(segment(flow as u16), 500, seen, now, &mut random);
            backlog_bytes += if admission.is_ok() { 500 } else { 0 };
            admission
        };
        let packets = windows.iter().enumerate().flat_map(|(flow, &window)| (0..window).map(move |n| (flow, n)));
        let admissions = packets.map(|(flow, packet)| admit(flow, packet)).collect();
        (queue, admissions)
    }

    #[test]
    fn the_oldest_packet_of_the_marked_flow_takes_the_mark() {
        // 10 kB/s empty some 900 bytes until the first flow's next round of 6 packets, 3000 bytes: with the second flow's
        // first packet that is too much, with its second its own next round of 3 packets as well.
        let (mut queue, admissions) = admitted(&[5, 4]);
        assert!(admissions.iter().all(|admission| *admission == Ok(Admission::Plain)));
        let empty = Occupancy { backlog_bytes: 0, limit_bytes: 5000 };
        let left = [0, 0, 0, 0, 0, 1, 1, 1, 1].map(|flow| queue.on_departure(segment(flow), empty, Time::ZERO));
        let marked: Vec<usize> = (0..9).filter(|&place| left[place] == Admission::Marked).collect();
        assert_eq!(marked, [0, 5]);
    }

    #[test]
    fn what_does_not_fit_is_dropped() {
        let (queue, admissions) = admitted(&[11]);
        assert_eq!(admissions[10], Err(DropCause::Full));
        let Marker::Reference(marker) = &queue.marker else { panic!("a reference marker") };
        assert!(marker.flows.flow(0).rounds.is_hit);
    }
}
