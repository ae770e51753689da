//! Segments in order that lengthen the run being merged, taken in together.

use super::Receiver;
use hntes_sim_scenario::time::Time;

impl Receiver {
    /// The segment that lengthens the run being merged, and how many may, where nothing is held beyond a hole and what
    /// comes is what is expected; none where a segment needs a closer look.
    #[inline(always)]
    pub const fn in_order(&self) -> (u32, u32) {
        let is_plain = self.run_len > 0 && self.held_count == 0 && self.run_end == self.next;
        let room = self.parameters.merge_segments.saturating_sub(self.run_len);
        (self.next, if is_plain { room } else { 0 })
    }

    /// So many of them have come, the first with this time stamp. One after another they would leave the same behind.
    #[inline(always)]
    pub const fn take_in_order(&mut self, count: u32, stamp: Time) {
        if count > 0 && self.unacknowledged == 0 {
            self.echo = stamp;
        }
        self.next += count;
        self.run_end += count;
        self.run_len += count;
        self.unacknowledged += count;
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::receiver::{Receiver, ReceiverParameters};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn segments_taken_in_together_leave_what_one_after_another_leaves() {
        let parameters = ReceiverParameters { merge_segments: 44, clamp_held: 5000, ..Default::default() };
        let mut random = Random::named(3, "order");
        let [mut together, mut singly] = [Receiver::new(parameters), Receiver::new(parameters)];
        let mut taken_together = 0;
        for round in 0..5_000 {
            // Now and then a segment is missing, and comes later.
            let hole = u32::from(random.chance(0.05));
            let (first, count) = (singly.next() + hole, 1 + (random.bits() % 60) as u32);
            let stamp = Time::from_us(round);
            let mut seq = first;
            while seq < first + count {
                let (next, room) = together.in_order();
                let run = if next == seq { room.min(first + count - seq) } else { 0 };
                together.take_in_order(run, stamp);
                taken_together += run;
                (seq..seq + run).for_each(|seq| singly.on_segment(seq, stamp));
                seq += run;
                if seq < first + count {
                    for receiver in [&mut together, &mut singly] {
                        if receiver.breaks_run(seq) {
                            receiver.end_run(stamp);
                            receiver.acknowledge();
                        }
                        receiver.on_segment(seq, stamp);
                    }
                    seq += 1;
                }
            }
            for receiver in [&mut together, &mut singly] {
                receiver.end_run(stamp);
                if hole > 0 {
                    receiver.on_segment(first - 1, stamp);
                    receiver.end_run(stamp);
                }
                if round % 3 == 0 {
                    receiver.acknowledge();
                }
            }
            assert!(format!("{together:?}") == format!("{singly:?}"), "round {round}");
        }
        assert!(taken_together > 50_000, "{taken_together}");
    }
}
