//! Reference marking (Christin and Liebeherr 2003): every flow is followed, its next round projected, and the flow of the
//! largest window marked until what is projected fits.

use super::demand::{Excess, PortDemand};
use super::flows::Flows;
use super::rounds::RoundRule;
use crate::packet::Label;
use hntes_sim_scenario::time::Time;

/// The marker.
#[derive(Clone, Debug)]
pub struct ReferenceMarker {
    /// What is known of each flow.
    pub flows: Flows,
    /// Flows by the time of their next round.
    order: Vec<u16>,
    /// Bytes projected for each class; kept, so that nothing is allocated.
    backlogs: Vec<f64>,
}

impl ReferenceMarker {
    /// No flow has been seen.
    pub const fn new(rule: RoundRule) -> Self {
        Self { flows: Flows::new(rule), order: Vec::new(), backlogs: Vec::new() }
    }

    /// A segment has come.
    pub fn on_segment(&mut self, label: Label, class: usize, wire_bytes: u64, now: Time) {
        self.flows.on_segment(label, class, wire_bytes, now);
        let number = label.flow().index() as u16;
        if let Some(place) = self.order.iter().position(|&other| other == number) {
            self.order.remove(place);
        }
        let next = self.flows.flow(usize::from(number)).rounds.next();
        let place = self.order.partition_point(|&other| self.flows.flow(usize::from(other)).rounds.next() <= next);
        self.order.insert(place, number);
    }

    /// Mark flows until the projection fits, or none is left.
    pub fn mark(&mut self, now: Time, port: &PortDemand<'_>) {
        while let Some(excess) = self.excess(now, port) {
            let Some(flow) = self.largest(excess.classes) else { break };
            self.flows.flow_mut(flow).mark();
        }
    }

    /// What is too much now, or at the beginning of some flow's next round, at which all of its packets come at once.
    fn excess(&mut self, now: Time, port: &PortDemand<'_>) -> Option<Excess> {
        self.backlogs.clear();
        self.backlogs.extend(port.classes.iter().map(|class| class.backlog_bytes));
        let mut excess = port.excess(&self.backlogs, true);
        let mut reached = now;
        for &number in &self.order {
            if excess.is_some() {
                break;
            }
            let flow = self.flows.flow(usize::from(number));
            if !flow.rounds.is_active(now) {
                continue;
            }
            let next = flow.rounds.next().max(now);
            let passed_s = next.since(reached).s();
            reached = next;
            port.drain(&mut self.backlogs, passed_s);
            self.backlogs[flow.class] += flow.rounds.next_window_pkts() * flow.rounds.packet_bytes as f64;
            excess = port.excess(&self.backlogs, false);
        }
        excess
    }

    /// The flow of the largest window among those of the classes that can be marked; of equals the first.
    fn largest(&self, classes: u32) -> Option<usize> {
        let flows = self.order.iter().map(|&number| (usize::from(number), self.flows.flow(usize::from(number))));
        let candidates = flows.filter(|(_, flow)| flow.can_be_marked() && classes >> flow.class & 1 != 0);
        let largest = candidates.max_by_key(|&(number, flow)| (flow.rounds.window_pkts, usize::MAX - number));
        largest.map(|(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::ReferenceMarker;
    use crate::queue::marking::demand::{ClassDemand, PortDemand};
    use crate::queue::marking::flows::tests::{RULE, segment};
    use hntes_sim_scenario::time::Time;

    /// Flows of these windows and classes, whose packets of 500 bytes came from these milliseconds on and all wait.
    fn marker(flows: &[(u64, usize, u32)]) -> ReferenceMarker {
        let mut marker = ReferenceMarker::new(RULE);
        for (number, &(at_ms, class, window)) in flows.iter().enumerate() {
            for _ in 0..window {
                marker.on_segment(segment(number as u16), class, 500, Time::from_ms(at_ms));
                marker.flows.on_admission(segment(number as u16));
            }
        }
        marker
    }

    /// Which flows are marked at 50 ms.
    fn marked(marker: &mut ReferenceMarker, classes: &[ClassDemand], limit_bytes: f64) -> Vec<usize> {
        let port = PortDemand { classes, limit_bytes, bytes_per_s: 100_000.0 };
        marker.mark(Time::from_ms(50), &port);
        (0..marker.order.len()).filter(|&flow| marker.flows.flow(flow).rounds.is_hit).collect()
    }

    #[test]
    fn the_largest_window_is_marked_until_the_next_rounds_fit() {
        // Rounds begin again at 100, 110 and 120 ms with 5, 9 and 7 packets; 100 kB/s empty 5000 bytes until 100 ms and
        // 1000 in each of the next 10 ms. From 12,000 bytes: 9500 after the first round, 13,000, and 15,500 at the end.
        let flows = [(0, 0, 4), (10, 0, 8), (20, 0, 6)];
        let waiting = [ClassDemand::unbounded(12_000.0, 100_000.0)];
        assert_eq!(marked(&mut marker(&flows), &waiting, 15_500.0), [0; 0]);
        // One byte less: the flow of 8 sends 4 instead of 9 packets, 13,000 at the end.
        assert_eq!(marked(&mut marker(&flows), &waiting, 15_499.0), [1]);
        assert_eq!(marked(&mut marker(&flows), &waiting, 13_000.0), [1]);
        // The next is that of 6: 3 instead of 7 packets, 11,000 at the end.
        assert_eq!(marked(&mut marker(&flows), &waiting, 12_999.0), [1, 2]);
        // Nothing helps against what waits already: all are marked once.
        assert_eq!(marked(&mut marker(&flows), &waiting, 11_999.0), [0, 1, 2]);
    }

    #[test]
    fn what_is_left_of_a_queue_never_turns_negative() {
        // Empty at 100 ms, then 2500 bytes, 1000 of them out at 110 ms: at most 6000 at 110 ms and 8500 at 120 ms.
        let flows = [(0, 0, 4), (10, 0, 8), (20, 0, 6)];
        let waiting = [ClassDemand::unbounded(1000.0, 100_000.0)];
        assert_eq!(marked(&mut marker(&flows), &waiting, 8500.0), [0; 0]);
        assert_eq!(marked(&mut marker(&flows), &waiting, 8499.0), [1]);
    }

    #[test]
    fn a_flow_that_is_silent_for_a_round_is_no_longer_expected() {
        let mut marker = marker(&[(0, 0, 4)]);
        let waiting = [ClassDemand::unbounded(0.0, 100_000.0)];
        let port = PortDemand { classes: &waiting, limit_bytes: 2499.0, bytes_per_s: 100_000.0 };
        assert!(marker.excess(Time::from_ms(200), &port).is_some());
        assert!(marker.excess(Time::from_ms(201), &port).is_none());
    }

    #[test]
    fn only_classes_that_need_more_than_promised_are_marked() {
        // The first class has 10 ms for each packet: 1000 bytes at 100 kB/s. Its flows send 2 packets at 110 ms, which fit,
        // and 3 at 120 ms. The largest window of all is in a class that may wait.
        let flows = [(0, 1, 9), (10, 0, 1), (20, 0, 2)];
        let bounded = ClassDemand { delay_bound_s: 0.010, ..ClassDemand::unbounded(0.0, 100_000.0) };
        let mut first = marker(&flows);
        assert_eq!(marked(&mut first, &[bounded, ClassDemand::unbounded(0.0, 0.0)], 1e9), [2]);
    }
}
