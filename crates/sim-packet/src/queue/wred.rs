//! Weighted random early drop by colour and the queue's present occupancy.

use super::{Admission, DropCause, DropTail, Occupancy, QueueDiscipline};
use crate::packet::Label;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// Nothing is dropped up to one share of a queue, all from another on, and the probability rises straight between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// Where it begins, a part of 1.
    pub from: f64,
    /// Where it ends; above `from`.
    pub to: f64,
}

impl Ramp {
    /// The probability is the share of the queue that is full.
    pub const WHOLE: Self = Self { from: 0.0, to: 1.0 };

    fn probability(self, share: f64) -> f64 {
        ((share - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}

/// Drops packets of a colour by its ramp over the share of the queue that is full, cut to whole steps; those of a colour
/// without one are dropped only by a full queue.
#[derive(Clone, Debug)]
pub struct Wred {
    step_pct: f64,
    /// In the order of the colours; apart, so that queues of other disciplines do not grow by them.
    ramps: Box<[Option<Ramp>; 3]>,
    tail: DropTail,
}

impl Wred {
    /// Occupancy is read in steps of so many per cent; zero reads it exactly. Ramps are in the order of the colours.
    pub fn new(step_pct: f64, ramps: [Option<Ramp>; 3], reopen_bytes: u64) -> Self {
        Self { step_pct, ramps: Box::new(ramps), tail: DropTail::new(reopen_bytes) }
    }

    fn occupied(&self, seen: Occupancy) -> f64 {
        let share = seen.backlog_bytes as f64 / seen.limit_bytes as f64;
        if self.step_pct > 0.0 { (share * 100.0 / self.step_pct).floor() * self.step_pct / 100.0 } else { share }
    }
}

impl QueueDiscipline for Wred {
    #[inline(never)]
    fn admit(
        &mut self,
        label: Label,
        wire_bytes: u64,
        seen: Occupancy,
        now: Time,
        random: &mut Random,
    ) -> Result<Admission, DropCause> {
        if let Some(ramp) = self.ramps[label.colour() as usize] {
            if seen.backlog_bytes > 0 && random.chance(ramp.probability(self.occupied(seen))) {
                return Err(DropCause::Early);
            }
        }
        self.tail.admit(label, wire_bytes, seen, now, random)
    }
}

#[cfg(test)]
mod tests {
    use super::{Ramp, Wred};
    use crate::packet::{Colour, FlowNumber, Packet, PacketKind};
    use crate::queue::{Occupancy, QueueDiscipline};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    const OUT_OF_PROFILE: [Option<Ramp>; 3] = [None, Some(Ramp::WHOLE), Some(Ramp::WHOLE)];

    fn drop_share(colour: Colour, backlog_bytes: u64) -> f64 {
        share_dropped(OUT_OF_PROFILE, colour, backlog_bytes)
    }

    fn share_dropped(ramps: [Option<Ramp>; 3], colour: Colour, backlog_bytes: u64) -> f64 {
        let (mut wred, mut random) = (Wred::new(1.0, ramps, 0), Random::named(1, "wred"));
        let seen = Occupancy { backlog_bytes, limit_bytes: 1_000_000 };
        let mut packet = Packet::new(PacketKind::Segment, FlowNumber::new(0), 1500);
        packet.paint(colour);
        (0..20_000).filter(|_| wred.admit(packet.label(), 1538, seen, Time::ZERO, &mut random).is_err()).count() as f64
            / 20_000.0
    }

    #[test]
    fn packets_out_of_profile_are_dropped_by_occupancy() {
        assert!((drop_share(Colour::Red, 409_000) - 0.40).abs() < 0.012);
    }

    #[test]
    fn a_nearly_empty_queue_drops_nothing() {
        assert!(drop_share(Colour::Red, 9_999) == 0.0);
    }

    #[test]
    fn packets_in_profile_are_spared() {
        assert!(drop_share(Colour::Green, 900_000) == 0.0);
    }

    #[test]
    fn each_colour_is_dropped_by_its_own_ramp() {
        let half = Ramp { from: 0.5, to: 1.0 };
        let ramps = [Some(Ramp { from: 0.8, to: 0.9 }), Some(half), Some(Ramp::WHOLE)];
        // Share of the queue that is full; expected of green, yellow and red.
        let expected = [
            (400_000, [0.0, 0.0, 0.4]),
            (500_000, [0.0, 0.0, 0.5]),
            (750_000, [0.0, 0.5, 0.75]),
            (850_000, [0.5, 0.7, 0.85]),
            (950_000, [1.0, 0.9, 0.95]),
        ];
        for (backlog_bytes, shares) in expected {
            for (colour, share) in [Colour::Green, Colour::Yellow, Colour::Red].into_iter().zip(shares) {
                let found = share_dropped(ramps, colour, backlog_bytes);
                // Four standard deviations of 20 000 draws; without chance, exactly.
                assert!(
                    (found - share).abs() <= 4.0 * (share * (1.0 - share) / 20_000.0).sqrt(),
                    "{colour:?}: {found}"
                );
            }
        }
    }
}
