//! Heuristic marking (Christin and Liebeherr 2003): only flows that send much are followed, all of them are taken to have
//! the mean window, and one projection decides how many are marked at once.

use super::demand::{Excess, PortDemand};
use super::filter::Filter;
use super::flows::Flows;
use super::rounds::{RoundRule, expected_window_pkts};
use crate::packet::Label;
use hntes_sim_scenario::time::Time;

/// Flows in the order in which they were caught.
#[derive(Clone, Debug, Default)]
struct Caught {
    order: Vec<u16>,
    is_in: Vec<bool>,
}

impl Caught {
    fn contains(&self, flow: usize) -> bool {
        self.is_in.get(flow).copied().unwrap_or(false)
    }

    fn insert(&mut self, flow: usize) {
        if flow >= self.is_in.len() {
            self.is_in.resize(flow + 1, false);
        }
        self.is_in[flow] = true;
        self.order.push(flow as u16);
    }

    fn clear(&mut self) {
        self.order.clear();
        self.is_in.fill(false);
    }
}

/// What is known of the followed flows of one class together.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    flows: f64,
    hit: f64,
}

/// The followed flows at one moment.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    window_pkts: f64,
    packet_bytes: f64,
    /// Time until the last of their rounds has ended.
    longest_s: f64,
}

impl Mean {
    /// What a mark on one flow saves.
    fn saved_bytes(&self) -> f64 {
        let after = |is_hit| expected_window_pkts(self.window_pkts, is_hit) * self.packet_bytes;
        after(false) - after(true)
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct HeuristicMarker {
    /// What is known of each flow.
    pub flows: Flows,
    filter: Filter,
    interval: Time,
    ends: Time,
    /// Caught in the last interval: these are followed.
    followed: Caught,
    /// Caught in this one.
    next: Caught,
    /// Bytes that came in this interval, and those of followed flows.
    arrived_bytes: [u64; 2],
    /// All arrivals of the last interval for those of followed flows.
    scale: f64,
    /// Kept, so that nothing is allocated.
    shares: Vec<Share>,
    backlogs: Vec<f64>,
}

impl HeuristicMarker {
    /// Follows the flows that the filter caught in the interval before.
    pub fn new(rule: RoundRule, filter: Filter, interval: Time) -> Self {
        Self {
            flows: Flows::new(rule),
            filter,
            interval,
            ends: interval,
            followed: Caught::default(),
            next: Caught::default(),
            arrived_bytes: [0; 2],
            scale: 1.0,
            shares: Vec::new(),
            backlogs: Vec::new(),
        }
    }

    /// A segment has come.
    pub fn on_segment(&mut self, label: Label, class: usize, wire_bytes: u64, now: Time) {
        self.end_intervals(now);
        let flow = label.flow().index();
        let (is_followed, is_caught) = (self.followed.contains(flow), self.next.contains(flow));
        self.arrived_bytes[0] += wire_bytes;
        self.arrived_bytes[1] += if is_followed { wire_bytes } else { 0 };
        if !is_caught && self.filter.catches(flow, wire_bytes) {
            self.next.insert(flow);
            if !is_followed {
                self.flows.forget_rounds(label);
            }
        }
        if is_followed || self.next.contains(flow) {
            self.flows.on_segment(label, class, wire_bytes, now);
        }
    }

    fn end_intervals(&mut self, now: Time) {
        if now < self.ends {
            return;
        }
        let [all, followed] = std::mem::take(&mut self.arrived_bytes);
        self.scale = if followed > 0 { all as f64 / followed as f64 } else { 1.0 };
        std::mem::swap(&mut self.followed, &mut self.next);
        self.next.clear();
        self.filter.clear();
        self.ends += self.interval;
        if now >= self.ends {
            // Nothing came for a whole interval.
            self.followed.clear();
            self.scale = 1.0;
            let missed = now.since(self.ends).ps() / self.interval.ps() + 1;
            self.ends += Time::from_ps(missed * self.interval.ps());
        }
    }

    /// Mark as many flows as one projection asks for, those first that were caught first.
    pub fn mark(&mut self, now: Time, port: &PortDemand<'_>) {
        let mean = self.look(now, port.classes.len());
        let Some(excess) = self.excess(&mean, port) else { return };
        let mut count = (excess.bytes / mean.saved_bytes()).ceil();
        for &number in &self.followed.order {
            if count < 1.0 {
                break;
            }
            let flow = self.flows.flow_mut(usize::from(number));
            if flow.can_be_marked() && excess.classes >> flow.class & 1 != 0 {
                flow.mark();
                count -= 1.0;
            }
        }
    }

    /// Count the followed flows and take their mean.
    fn look(&mut self, now: Time, classes: usize) -> Mean {
        self.shares.clear();
        self.shares.resize(classes, Share::default());
        let (mut mean, mut count) = (Mean::default(), 0.0);
        for &number in &self.followed.order {
            let flow = self.flows.flow(usize::from(number));
            if flow.rounds.is_active(now) {
                count += 1.0;
                mean.window_pkts += f64::from(flow.rounds.window_pkts);
                mean.packet_bytes += flow.rounds.packet_bytes as f64;
                mean.longest_s = mean.longest_s.max(flow.rounds.next().since(now).s());
                let share = &mut self.shares[flow.class];
                share.flows += 1.0;
                share.hit += f64::from(u8::from(flow.rounds.is_hit));
            }
        }
        if count > 0.0 {
            mean.window_pkts /= count;
            mean.packet_bytes /= count;
        }
        mean
    }

    /// What is too much now, or once the last round has ended. In between bytes come and go evenly: one of the two ends is
    /// the worst. Flows that are not followed are taken to grow as the others do; what a mark saves is the marked flow's.
    fn excess(&mut self, mean: &Mean, port: &PortDemand<'_>) -> Option<Excess> {
        self.backlogs.clear();
        self.backlogs.extend(port.classes.iter().map(|class| class.backlog_bytes));
        let now = port.excess(&self.backlogs, true);
        if now.is_some() || mean.packet_bytes <= 0.0 {
            return now.filter(|_| mean.packet_bytes > 0.0);
        }
        let grown = expected_window_pkts(mean.window_pkts, false) * mean.packet_bytes;
        for (backlog, share) in self.backlogs.iter_mut().zip(&self.shares) {
            *backlog += self.scale * share.flows * grown - share.hit * mean.saved_bytes();
        }
        port.drain(&mut self.backlogs, mean.longest_s);
        port.excess(&self.backlogs, false)
    }
}

#[cfg(test)]
mod tests {
    use super::HeuristicMarker;
    use crate::queue::marking::demand::{ClassDemand, PortDemand};
    use crate::queue::marking::filter::Filter;
    use crate::queue::marking::flows::tests::{RULE, segment};
    use hntes_sim_scenario::time::Time;

    const INTERVAL: Time = Time::from_ms(100);

    /// A marker whose filter catches a flow with its first packet.
    fn catching_all() -> HeuristicMarker {
        HeuristicMarker::new(RULE, Filter::new(3, 8, 3), INTERVAL)
    }

    fn send(marker: &mut HeuristicMarker, flow: u16, at_ms: u64, packets: u32) {
        for _ in 0..packets {
            marker.on_segment(segment(flow), 0, 500, Time::from_ms(at_ms));
            marker.flows.on_admission(segment(flow));
        }
    }

    fn marked(marker: &mut HeuristicMarker, waiting_bytes: f64, limit_bytes: f64) -> Vec<u16> {
        let classes = [ClassDemand::unbounded(waiting_bytes, 100_000.0)];
        let port = PortDemand { classes: &classes, limit_bytes, bytes_per_s: 100_000.0 };
        marker.mark(Time::from_ms(150), &port);
        let hit = |flow: &u16| marker.flows.flow(usize::from(*flow)).rounds.is_hit;
        marker.followed.order.iter().copied().filter(hit).collect()
    }

    /// Flows 0 to 3 of windows 2, 4, 6 and 4, the mean 4, all caught before 100 ms; all rounds end at 221 ms.
    fn four() -> HeuristicMarker {
        let mut marker = catching_all();
        for at_ms in [10, 120] {
            for (flow, packets) in [(0, 2), (1, 4), (2, 6), (3, 4)] {
                send(&mut marker, flow, at_ms, packets);
            }
        }
        marker
    }

    #[test]
    fn the_excess_over_what_one_mark_saves_is_the_number_of_marks() {
        // Rounds began at 120 ms, the estimate is 0.9 x 100 + 0.1 x 110 = 101 ms: they end in 71 ms, 7100 bytes later.
        // Four flows of 5 packets: 10,000 bytes; each mark saves 3 packets, 1500 bytes.
        let end = 20_000.0 + 10_000.0 - 7100.0;
        assert_eq!(marked(&mut four(), 20_000.0, end + 0.1), [0_u16; 0]);
        assert_eq!(marked(&mut four(), 20_000.0, end - 0.1), [0]);
        assert_eq!(marked(&mut four(), 20_000.0, end - 1500.1), [0, 1]);
        assert_eq!(marked(&mut four(), 20_000.0, end - 3.0), [0]);
    }

    #[test]
    fn marks_of_this_round_are_taken_off() {
        let mut marker = four();
        let end = 20_000.0 + 10_000.0 - 7100.0;
        assert_eq!(marked(&mut marker, 20_000.0, end - 1499.0), [0]);
        assert_eq!(marked(&mut marker, 20_000.0, end - 1499.0), [0], "the mark has done it");
    }

    #[test]
    fn followed_flows_stand_for_all() {
        let mut marker = catching_all();
        send(&mut marker, 0, 10, 1);
        // Flow 1 is new in the second interval and sends as much as flow 0, which is followed: in the third all are two.
        for (flow, at_ms) in [(0, 110), (1, 110), (0, 210)] {
            send(&mut marker, flow, at_ms, 3);
        }
        assert!((marker.scale - 2.0).abs() < 1e-12, "{}", marker.scale);
        assert_eq!(marker.followed.order, [0, 1]);
    }

    #[test]
    fn a_flow_is_followed_after_the_interval_that_caught_it_and_forgotten_after_one_that_did_not() {
        // Three stages of 1000 bytes: the fourth packet of 500 in one interval passes the last.
        let mut marker = HeuristicMarker::new(RULE, Filter::new(3, 8, 3000), INTERVAL);
        send(&mut marker, 0, 10, 3);
        send(&mut marker, 0, 110, 4);
        assert_eq!((marker.next.order.as_slice(), marker.followed.order.as_slice()), ([0].as_slice(), [].as_slice()));
        send(&mut marker, 0, 210, 1);
        assert_eq!((marker.next.order.as_slice(), marker.followed.order.as_slice()), ([].as_slice(), [0].as_slice()));
        send(&mut marker, 0, 310, 1);
        assert!(marker.followed.order.is_empty());
        send(&mut marker, 0, 350, 3);
        send(&mut marker, 0, 510, 1);
        assert!(marker.followed.order.is_empty(), "an interval without a packet catches nobody");
        assert_eq!(marker.ends, Time::from_ms(600));
    }
}
