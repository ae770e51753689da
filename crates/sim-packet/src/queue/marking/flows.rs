//! The flows that a marker follows: their rounds, what of theirs waits, and the marks they are owed.

use super::rounds::{RoundRule, Rounds};
use crate::packet::Label;
use hntes_sim_scenario::time::Time;

/// One flow.
#[derive(Clone, Copy, Debug)]
pub struct Followed {
    /// Its rounds.
    pub rounds: Rounds,
    /// The class its packets wait in.
    pub class: usize,
    /// Packets that wait and can carry a mark.
    waiting_pkts: u32,
    owes_mark: bool,
}

impl Followed {
    /// Whether a mark may be put on it now: it has none in this round, and a packet waits that can carry it.
    pub const fn can_be_marked(&self) -> bool {
        !self.rounds.is_hit && self.waiting_pkts > 0
    }

    /// Its first packet that waits is to leave with a mark.
    pub const fn mark(&mut self) {
        self.rounds.is_hit = true;
        self.owes_mark = true;
    }
}

/// Every flow of a port by its number. The first of a flow's packets to leave a first-in first-out queue is the oldest:
/// a mark paid at the next departure is a mark on the oldest packet that waits.
#[derive(Clone, Debug)]
pub struct Flows {
    rule: RoundRule,
    flows: Vec<Followed>,
}

impl Flows {
    /// No flow has sent anything.
    pub const fn new(rule: RoundRule) -> Self {
        Self { rule, flows: Vec::new() }
    }

    /// A flow that has been seen.
    pub fn flow(&self, flow: usize) -> &Followed {
        &self.flows[flow]
    }

    /// The same, to change it.
    pub fn flow_mut(&mut self, flow: usize) -> &mut Followed {
        &mut self.flows[flow]
    }

    /// The entry of a packet's flow, made where there is none.
    pub fn entry(&mut self, label: Label) -> &mut Followed {
        let flow = label.flow().index();
        if flow >= self.flows.len() {
            let unseen = Followed { rounds: Rounds::new(&self.rule), class: 0, waiting_pkts: 0, owes_mark: false };
            self.flows.resize(flow + 1, unseen);
        }
        &mut self.flows[flow]
    }

    /// A segment has come to the port.
    pub fn on_segment(&mut self, label: Label, class: usize, wire_bytes: u64, now: Time) {
        let rule = self.rule;
        let followed = self.entry(label);
        followed.class = class;
        followed.rounds.on_packet(wire_bytes, now, &rule);
    }

    /// What was known of a flow's rounds no longer counts.
    pub fn forget_rounds(&mut self, label: Label) {
        let rounds = Rounds::new(&self.rule);
        self.entry(label).rounds = rounds;
    }

    /// A packet was let in.
    pub fn on_admission(&mut self, label: Label) {
        if label.is_ecn_capable() {
            self.entry(label).waiting_pkts += 1;
        }
    }

    /// A packet was turned away.
    pub fn on_rejection(&mut self, label: Label) {
        if label.is_segment() {
            self.entry(label).rounds.is_hit = true;
        }
    }

    /// A packet that waited was dropped.
    pub fn on_push_out(&mut self, label: Label) {
        self.on_rejection(label);
        if label.is_ecn_capable() {
            let followed = self.entry(label);
            followed.waiting_pkts -= 1;
            // The loss tells as much as the mark would have.
            followed.owes_mark &= followed.waiting_pkts > 0;
        }
    }

    /// A packet leaves: whether with a mark.
    pub fn on_departure(&mut self, label: Label) -> bool {
        if !label.is_ecn_capable() {
            return false;
        }
        let followed = self.entry(label);
        followed.waiting_pkts -= 1;
        std::mem::take(&mut followed.owes_mark)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Flows;
    use crate::packet::{FlowNumber, Label, Packet, PacketKind};
    use crate::queue::marking::rounds::RoundRule;
    use hntes_sim_scenario::time::Time;

    pub const RULE: RoundRule =
        RoundRule { gaps_per_round_trip: 10.0, memory: 0.9, initial_round_trip: Time::from_ms(100) };

    /// A segment of a flow that heeds marks.
    pub fn segment(flow: u16) -> Label {
        Packet::new(PacketKind::Segment, FlowNumber::new(flow), 500).ecn_capable().label()
    }

    #[test]
    fn a_mark_leaves_on_the_first_packet_that_can_carry_it() {
        let mut flows = Flows::new(RULE);
        let again = Packet::new(PacketKind::Segment, FlowNumber::new(3), 500).label();
        for label in [again, segment(3), segment(3), segment(1)] {
            flows.on_segment(label, 0, 500, Time::from_ms(1));
            flows.on_admission(label);
        }
        assert!(flows.flow(3).can_be_marked() && !flows.flow(2).can_be_marked());
        flows.flow_mut(3).mark();
        assert!(!flows.flow(3).can_be_marked());
        let left = [again, segment(1), segment(3), segment(3)].map(|label| flows.on_departure(label));
        assert_eq!(left, [false, false, true, false]);
    }

    #[test]
    fn without_a_packet_that_waits_there_is_nothing_to_mark() {
        let mut flows = Flows::new(RULE);
        flows.on_segment(segment(0), 0, 500, Time::from_ms(1));
        assert!(!flows.flow(0).can_be_marked());
        flows.on_admission(segment(0));
        assert!(flows.flow(0).can_be_marked());
        flows.flow_mut(0).mark();
        flows.on_push_out(segment(0));
        flows.on_admission(segment(0));
        assert!(!flows.on_departure(segment(0)), "the loss took the mark's place");
    }
}
