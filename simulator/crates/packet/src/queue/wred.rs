//! Weighted random early drop on packets out of profile, by the queue's present occupancy.

use super::{Admission, DropCause, DropTail, Occupancy, QueueDiscipline};
use crate::packet::Label;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// Drops packets that are not green with a probability equal to the share of the queue that is full, cut to whole
/// steps; green packets are dropped only by a full queue.
#[derive(Clone, Debug)]
pub struct Wred {
    step_pct: f64,
    tail: DropTail,
}

impl Wred {
    /// Occupancy is read in steps of so many per cent; zero reads it exactly.
    pub const fn new(step_pct: f64, reopen_bytes: u64) -> Self {
        Self { step_pct, tail: DropTail::new(reopen_bytes) }
    }

    fn drop_probability(&self, seen: Occupancy) -> f64 {
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
        if !label.is_green() && seen.backlog_bytes > 0 && random.chance(self.drop_probability(seen)) {
            return Err(DropCause::Early);
        }
        self.tail.admit(label, wire_bytes, seen, now, random)
    }
}

#[cfg(test)]
mod tests {
    use super::Wred;
    use crate::packet::{Colour, FlowNumber, Packet, PacketKind};
    use crate::queue::{Occupancy, QueueDiscipline};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    fn drop_share(colour: Colour, backlog_bytes: u64) -> f64 {
        let (mut wred, mut random) = (Wred::new(1.0, 0), Random::named(1, "wred"));
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
}
