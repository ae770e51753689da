//! Segments that need a closer look: those that ask for an acknowledgement, those that have come before, and those whose
//! time stamps say that they were sent before the last one in order. Protection against wrapped sequence numbers (RFC
//! 7323, 5.3) drops the latter, even if they had not come before.

use super::Receiver;
use hntes_sim_scenario::time::Time;

impl Receiver {
    /// Whether time stamps are looked at.
    #[inline(always)]
    pub const fn looks_at_stamps(&self) -> bool {
        self.parameters.paws
    }

    /// Whether a segment was sent before the last one that came in order.
    #[inline(always)]
    pub const fn is_old(&self, stamp: Time) -> bool {
        self.parameters.paws && stamp.ps() < self.echo.ps()
    }

    /// A segment that asks for an acknowledgement at once is about to be taken in; only one in order gets it for that.
    pub fn on_pushed(&mut self, seq: u32, stamp: Time) {
        self.run_wants_ack |= seq == self.next && !self.is_old(stamp);
    }

    /// It is dropped, and what has come is told anew.
    #[cold]
    pub(super) fn on_old(&mut self, seq: u32) {
        self.run_wants_ack = true;
        if seq < self.next {
            self.tell_duplicate(seq);
        }
    }

    /// A segment came that had come before. The last one acknowledged, sent again, brings its time stamp.
    pub(super) fn note_duplicate(&mut self, seq: u32, stamp: Time) {
        if self.parameters.paws && seq < self.next && seq + 1 + self.unacknowledged >= self.next {
            self.echo = stamp;
        }
        self.tell_duplicate(seq);
    }

    fn tell_duplicate(&mut self, seq: u32) {
        self.duplicates += 1;
        self.duplicate = Some((seq, seq + 1));
        self.run_wants_ack = true;
        self.quick_left = self.quick_left.max(self.parameters.quick_acks_after_duplicate);
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::receiver::{AckWish, Receiver, ReceiverParameters};
    use hntes_sim_scenario::time::Time;

    /// What a receiver answers to segments with these time stamps, in ms: the next one expected and the ranges reported.
    fn answers(paws: bool, arrivals: &[(u32, u64)]) -> Vec<(u32, Vec<(u32, u32)>)> {
        let parameters =
            ReceiverParameters { paws, merge_segments: 1, clamp_held: 5000, quick_acks: 99, ..Default::default() };
        let mut receiver = Receiver::new(parameters);
        let answer = |&(seq, stamp_ms): &(u32, u64)| {
            receiver.on_segment(seq, Time::from_ms(stamp_ms));
            assert_eq!(receiver.end_run(Time::ZERO), AckWish::Now);
            let blocks = receiver.acknowledge();
            let ranges = blocks.map_or(Vec::new(), |blocks| blocks.ranges[..usize::from(blocks.len)].to_vec());
            (receiver.next(), ranges)
        };
        arrivals.iter().map(answer).collect()
    }

    #[test]
    fn what_was_sent_before_the_last_segment_in_order_is_answered_and_dropped() {
        // 1 is sent again at 9 ms and arrives before the originals of 2 and 1, sent at 3 and 2 ms.
        let arrivals = [(0, 1), (1, 9), (2, 3), (1, 2), (2, 9)];
        let dropped = [(1, vec![]), (2, vec![]), (2, vec![]), (2, vec![(1, 2)]), (3, vec![])];
        assert_eq!(answers(true, &arrivals), dropped);
        let taken = [(1, vec![]), (2, vec![]), (3, vec![]), (3, vec![(1, 2)]), (3, vec![(2, 3)])];
        assert_eq!(answers(false, &arrivals), taken);
    }

    #[test]
    fn a_pushed_segment_in_order_is_acknowledged_at_once() {
        let mut receiver = Receiver::new(ReceiverParameters { merge_segments: 1, ..Default::default() });
        let mut wish = |seq, is_pushed| {
            if is_pushed {
                receiver.on_pushed(seq, Time::ZERO);
            }
            receiver.on_segment(seq, Time::ZERO);
            let wish = receiver.end_run(Time::ZERO);
            if wish == AckWish::Now {
                receiver.acknowledge();
            }
            wish
        };
        assert_eq!([wish(0, false), wish(1, false)], [AckWish::Later, AckWish::Now]);
        assert_eq!([wish(2, true), wish(3, false)], [AckWish::Now, AckWish::Later]);
    }

    #[test]
    fn a_late_segment_that_is_not_older_is_held_and_reported() {
        assert_eq!(answers(true, &[(0, 5), (3, 6), (2, 5)]), [(1, vec![]), (1, vec![(3, 4)]), (1, vec![(2, 4)])]);
    }

    #[test]
    fn the_last_segment_acknowledged_sent_again_brings_its_time_stamp() {
        // Then what was sent between the two is old.
        assert_eq!(answers(true, &[(0, 1), (0, 8), (1, 3)]), [(1, vec![]), (1, vec![(0, 1)]), (1, vec![])]);
        assert_eq!(answers(true, &[(0, 1), (1, 2), (0, 8), (2, 3)])[3], (3, vec![]));
    }
}
