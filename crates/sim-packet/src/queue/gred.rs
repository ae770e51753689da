//! Random early detection by averages and a curve for each colour: RED, RIO, GRED and WRED on averages.

use super::average::Average;
use super::curve::{Curve, Spread};
use super::{Admission, DropCause, DropTail, Occupancy, QueueDiscipline};
use crate::packet::Label;
use hntes_sim_scenario::Averages;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

const COLOURS: usize = 3;

/// One queue whose packets are let in by the average that counts for their colour.
#[derive(Clone, Debug)]
pub struct Gred {
    averages: [Average; COLOURS],
    curves: [Curve; COLOURS],
    spreads: [Spread; COLOURS],
    counted: Averages,
    backlog_pkts: [u32; COLOURS],
    marks_below: f64,
    tail: DropTail,
}

impl Gred {
    /// An empty queue; curves in the order of the colours. Packets that can carry a mark get one in the place of an
    /// early drop while the curve's probability is below `marks_below`: never for 0; for 1 as long as not all are hit.
    pub fn new(
        average: &Average,
        counted: Averages,
        curves: [Curve; COLOURS],
        marks_below: f64,
        tail: DropTail,
    ) -> Self {
        Self {
            averages: std::array::from_fn(|_| average.clone()),
            curves,
            spreads: [Spread::default(); COLOURS],
            counted,
            backlog_pkts: [0; COLOURS],
            marks_below,
            tail,
        }
    }

    /// Whether packets of `other` are in the average that decides on packets of `colour`.
    const fn counts(&self, colour: usize, other: usize) -> bool {
        match self.counted {
            Averages::Own => colour == other,
            Averages::Better => other <= colour,
            Averages::All => true,
        }
    }

    fn backlog(&self, colour: usize) -> u32 {
        (0..COLOURS).filter(|&other| self.counts(colour, other)).map(|other| self.backlog_pkts[other]).sum()
    }

    /// The average that decides on a packet of this colour, after its arrival was counted in all that count it.
    fn average(&mut self, arrived: usize, now: Time) -> f64 {
        let mut decides = 0.0;
        for colour in 0..COLOURS {
            if self.counts(colour, arrived) {
                let average = self.averages[colour].on_arrival(self.backlog(colour), now);
                if colour == arrived {
                    decides = average;
                }
            }
        }
        decides
    }
}

impl QueueDiscipline for Gred {
    #[inline(never)]
    fn admit(
        &mut self,
        label: Label,
        wire_bytes: u64,
        seen: Occupancy,
        now: Time,
        random: &mut Random,
    ) -> Result<Admission, DropCause> {
        let colour = label.colour() as usize;
        let average_pkts = self.average(colour, now);
        let probability = self.curves[colour].probability(average_pkts);
        let is_hit = self.spreads[colour].hits(probability, random);
        let is_marked = is_hit && label.is_ecn_capable() && probability < self.marks_below;
        if is_hit && !is_marked {
            return Err(DropCause::Early);
        }
        self.tail.admit(label, wire_bytes, seen, now, random)?;
        self.backlog_pkts[colour] += 1;
        Ok(if is_marked { Admission::Marked } else { Admission::Plain })
    }

    #[inline(never)]
    fn on_departure(&mut self, label: Label, _: Occupancy, now: Time) -> Admission {
        let left = label.colour() as usize;
        self.backlog_pkts[left] -= 1;
        for colour in 0..COLOURS {
            if self.counts(colour, left) {
                let backlog_pkts = self.backlog(colour);
                self.averages[colour].on_departure(backlog_pkts, now);
            }
        }
        Admission::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::{Average, Averages, Curve, DropTail, Gred};
    use crate::packet::{Colour, FlowNumber, Packet, PacketKind};
    use crate::queue::{Admission, DropCause, Occupancy, QueueDiscipline};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    const ORDER: [Colour; 3] = [Colour::Green, Colour::Yellow, Colour::Red];
    const ROOM: Occupancy = Occupancy { backlog_bytes: 0, limit_bytes: 1 << 40 };
    const NEVER: Curve = Curve { min_pkts: 1e9, max_pkts: 2e9, most: 1.0, is_gentle: false };
    /// All above an average of one.
    const HARD: Curve = Curve { min_pkts: 1.0, max_pkts: 1.0, most: 1.0, is_gentle: false };

    fn packet(colour: Colour) -> Packet {
        let mut packet = Packet::new(PacketKind::Segment, FlowNumber::new(0), 1500);
        packet.paint(colour);
        packet
    }

    /// An average that is the queue itself.
    fn queue(counted: Averages, curves: [Curve; 3], marks_below: f64) -> Gred {
        Gred::new(&Average::new(1.0, Time::from_us(1)), counted, curves, marks_below, DropTail::new(0))
    }

    /// What becomes of a packet of each colour behind four packets of one colour.
    fn admitted(counted: Averages, waiting: Colour) -> [bool; 3] {
        ORDER.map(|colour| {
            let (mut random, mut gred) = (Random::named(1, "gred"), queue(counted, [NEVER; 3], 0.0));
            for _ in 0..4 {
                assert!(gred.admit(packet(waiting).label(), 1538, ROOM, Time::ZERO, &mut random).is_ok());
            }
            gred.curves = [HARD; 3];
            gred.admit(packet(colour).label(), 1538, ROOM, Time::ZERO, &mut random).is_ok()
        })
    }

    #[test]
    fn an_average_of_its_own_knows_nothing_of_others() {
        assert_eq!(admitted(Averages::Own, Colour::Yellow), [true, false, true]);
    }

    #[test]
    fn with_rio_worse_packets_do_not_hurt_better_ones() {
        assert_eq!(admitted(Averages::Better, Colour::Green), [false, false, false]);
        assert_eq!(admitted(Averages::Better, Colour::Yellow), [true, false, false]);
        assert_eq!(admitted(Averages::Better, Colour::Red), [true, true, false]);
    }

    #[test]
    fn one_average_counts_all() {
        for waiting in ORDER {
            assert_eq!(admitted(Averages::All, waiting), [false; 3]);
        }
    }

    #[test]
    fn a_queue_that_emptied_is_empty_for_all() {
        let (mut random, mut gred) = (Random::named(1, "gred"), queue(Averages::All, [NEVER; 3], 0.0));
        for colour in ORDER {
            assert!(gred.admit(packet(colour).label(), 1538, ROOM, Time::ZERO, &mut random).is_ok());
        }
        for colour in ORDER {
            gred.on_departure(packet(colour).label(), ROOM, Time::from_us(1));
        }
        gred.curves = [HARD; 3];
        // With a weight of one nothing is left of an average once a packet could have come.
        assert!(gred.admit(packet(Colour::Red).label(), 1538, ROOM, Time::from_us(9), &mut random).is_ok());
    }

    #[test]
    fn ecn_capable_packets_are_marked_and_others_dropped() {
        let half = Curve { min_pkts: 0.0, max_pkts: 8.0, most: 1.0, is_gentle: false };
        let mut shares = [0.0; 2];
        for (share, capable) in shares.iter_mut().zip([true, false]) {
            let (mut random, mut gred) = (Random::named(1, "gred"), queue(Averages::All, [NEVER; 3], 1.0));
            for _ in 0..4 {
                assert!(gred.admit(packet(Colour::Green).label(), 1538, ROOM, Time::ZERO, &mut random).is_ok());
            }
            gred.curves = [half; 3];
            let one = if capable { packet(Colour::Green).ecn_capable() } else { packet(Colour::Green) };
            let mut hit = 0;
            for _ in 0..10_000 {
                let admission = gred.admit(one.label(), 1538, ROOM, Time::ZERO, &mut random);
                hit += u32::from(admission == if capable { Ok(Admission::Marked) } else { Err(DropCause::Early) });
                if admission.is_ok() {
                    gred.on_departure(one.label(), ROOM, Time::ZERO);
                }
            }
            *share = f64::from(hit) / 10_000.0;
        }
        // Probability one half, spread out: gaps of one and two packets, as many of each.
        for share in shares {
            assert!((share - 2.0 / 3.0).abs() < 0.01, "{shares:?}");
        }
    }

    #[test]
    fn where_drops_are_too_likely_no_mark_takes_their_place() {
        // Four packets wait: the probability is one half.
        let half = Curve { min_pkts: 0.0, max_pkts: 8.0, most: 1.0, is_gentle: false };
        for (marks_below, expected) in [(0.51, Ok(Admission::Marked)), (0.5, Err(DropCause::Early))] {
            let (mut random, mut gred) = (Random::named(1, "gred"), queue(Averages::All, [NEVER; 3], marks_below));
            let one = packet(Colour::Green).ecn_capable();
            for _ in 0..4 {
                assert!(gred.admit(one.label(), 1538, ROOM, Time::ZERO, &mut random).is_ok());
            }
            gred.curves = [half; 3];
            let mut admission = Ok(Admission::Plain);
            while admission == Ok(Admission::Plain) {
                admission = gred.admit(one.label(), 1538, ROOM, Time::ZERO, &mut random);
                gred.on_departure(one.label(), ROOM, Time::ZERO);
            }
            assert_eq!(admission, expected);
        }
    }

    #[test]
    fn a_full_queue_drops_what_could_be_marked() {
        let (mut random, mut gred) = (Random::named(1, "gred"), queue(Averages::All, [NEVER; 3], 1.0));
        let full = Occupancy { backlog_bytes: 9000, limit_bytes: 10_000 };
        let one = packet(Colour::Green).ecn_capable();
        assert_eq!(gred.admit(one.label(), 1538, full, Time::ZERO, &mut random), Err(DropCause::Full));
    }
}
