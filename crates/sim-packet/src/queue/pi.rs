//! The proportional-integral controller (Hollot, Misra, Towsley and Gong 2001).

use super::{Admission, DropCause, DropTail, Occupancy, QueueDiscipline};
use crate::packet::Label;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// Looks at the queue at a steady pace and moves the probability of a drop, or mark, until the queue is as long as wanted:
/// p += a (q - wanted) - b (q before - wanted).
#[derive(Clone, Debug)]
pub struct ProportionalIntegral {
    a: f64,
    b: f64,
    wanted_pkts: f64,
    pace: Time,
    probability: f64,
    before_pkts: f64,
    backlog_pkts: u32,
    looks_at: Time,
    marks: bool,
    tail: DropTail,
}

impl ProportionalIntegral {
    /// An empty queue, at which it looks every `pace`.
    pub const fn new(gains: (f64, f64), wanted_pkts: f64, pace: Time, marks: bool, tail: DropTail) -> Self {
        Self {
            a: gains.0,
            b: gains.1,
            wanted_pkts,
            pace,
            probability: 0.0,
            before_pkts: 0.0,
            backlog_pkts: 0,
            looks_at: pace,
            marks,
            tail,
        }
    }

    /// Make up for the looks that were due: the queue has not changed since the last packet came or went.
    fn look(&mut self, now: Time) {
        while self.looks_at <= now {
            self.looks_at += self.pace;
            let pkts = f64::from(self.backlog_pkts);
            let moved = self.a * (pkts - self.wanted_pkts) - self.b * (self.before_pkts - self.wanted_pkts);
            let before = self.probability;
            self.probability = (before + moved).clamp(0.0, 1.0);
            let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
            let is_settled = same(self.before_pkts, pkts) && same(self.probability, before);
            self.before_pkts = pkts;
            if is_settled && self.looks_at <= now {
                // Nothing moves any more until a packet comes or goes.
                let missed = now.since(self.looks_at).ps() / self.pace.ps() + 1;
                self.looks_at += Time::from_ps(missed * self.pace.ps());
            }
        }
    }
}

impl QueueDiscipline for ProportionalIntegral {
    #[inline(never)]
    fn admit(
        &mut self,
        label: Label,
        wire_bytes: u64,
        seen: Occupancy,
        now: Time,
        random: &mut Random,
    ) -> Result<Admission, DropCause> {
        self.look(now);
        let is_hit = random.chance(self.probability);
        let is_marked = is_hit && self.marks && label.is_ecn_capable();
        if is_hit && !is_marked {
            return Err(DropCause::Early);
        }
        self.tail.admit(label, wire_bytes, seen, now, random)?;
        self.backlog_pkts += 1;
        Ok(if is_marked { Admission::Marked } else { Admission::Plain })
    }

    #[inline(never)]
    fn on_departure(&mut self, _: Label, _: Occupancy, now: Time) -> Admission {
        self.look(now);
        self.backlog_pkts -= 1;
        Admission::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::{DropTail, ProportionalIntegral};
    use crate::packet::{FlowNumber, Packet, PacketKind};
    use crate::queue::{Occupancy, QueueDiscipline};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    const ROOM: Occupancy = Occupancy { backlog_bytes: 0, limit_bytes: 1 << 40 };
    /// The published design, for 160 looks a second.
    const GAINS: (f64, f64) = (1.822e-5, 1.816e-5);

    fn controller(gains: (f64, f64), wanted_pkts: f64) -> ProportionalIntegral {
        ProportionalIntegral::new(gains, wanted_pkts, Time::from_us(6250), false, DropTail::new(0))
    }

    fn probability_after(queue: &mut ProportionalIntegral, waiting: u32, now: Time) -> f64 {
        queue.backlog_pkts = waiting;
        queue.look(now);
        queue.probability
    }

    #[test]
    fn it_moves_by_the_published_formula() {
        let mut queue = controller(GAINS, 200.0);
        let first = probability_after(&mut queue, 300, Time::from_us(6250));
        assert!((first - (1.822e-5 * 100.0 + 1.816e-5 * 200.0)).abs() < 1e-15);
        let second = probability_after(&mut queue, 310, Time::from_us(12_500));
        assert!((second - first - (1.822e-5 * 110.0 - 1.816e-5 * 100.0)).abs() < 1e-15);
    }

    #[test]
    fn looks_that_were_missed_are_made_up_for() {
        let (mut all, mut late) = (controller(GAINS, 200.0), controller(GAINS, 200.0));
        for look in 1..=500 {
            probability_after(&mut all, 260, Time::from_us(6250 * look));
        }
        let made_up = probability_after(&mut late, 260, Time::from_us(6250 * 500));
        assert!((made_up - all.probability).abs() < 1e-15);
        assert_eq!(late.looks_at, all.looks_at);
    }

    #[test]
    fn an_idle_century_is_no_work() {
        let mut queue = controller(GAINS, 200.0);
        probability_after(&mut queue, 0, Time::from_s(1e6));
        assert!(queue.probability == 0.0);
        assert!(queue.looks_at > Time::from_s(1e6));
    }

    #[test]
    fn a_queue_of_steady_arrivals_settles_where_it_is_wanted() {
        // A link of 1000 packets a second and 1250 arrivals: a drop of one in five at the wanted length.
        let (mut queue, mut random) = (controller((0.002, 0.0019), 50.0), Random::named(2, "pi"));
        let packet = Packet::new(PacketKind::Segment, FlowNumber::new(0), 1500);
        let (mut waiting, mut sum, mut dropped) = (0_u32, 0_u64, 0_u32);
        for step in 0..400_000_u64 {
            let now = Time::from_us(200 * step);
            if step % 4 == 0 {
                match queue.admit(packet.label(), 1538, ROOM, now, &mut random) {
                    Ok(_) => waiting += 1,
                    Err(_) => dropped += u32::from(step >= 200_000),
                }
            }
            if step % 5 == 0 && waiting > 0 {
                queue.on_departure(packet.label(), ROOM, now);
                waiting -= 1;
            }
            sum += if step >= 200_000 { u64::from(waiting) } else { 0 };
        }
        let mean = sum as f64 / 200_000.0;
        assert!((mean - 50.0).abs() < 3.0, "{mean}");
        assert!((f64::from(dropped) / 50_000.0 - 0.2).abs() < 0.01, "{dropped}");
    }
}
