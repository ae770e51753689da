//! Segments that need a closer look: those that ask for an acknowledgement, those beyond a hole, before which what is held
//! back may be reported, those that have come before, and those whose time stamps say that they were sent before the last
//! one in order. Protection against wrapped sequence numbers (RFC 7323, 5.3) drops the latter, even if they had not come
//! before.

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

    /// Whether an acknowledgement of what is held back goes out before this segment is taken in.
    #[inline]
    pub fn reports_before(&self, seq: u32, stamp: Time) -> bool {
        self.compression.holds_any() && self.is_new_beyond_hole(seq) && !self.is_old(stamp) && {
            let mut blocks = self.blocks[..self.block_count].iter();
            let block = blocks.position(|block| block.0 <= seq + 1 && seq <= block.1);
            self.compression.reports_before(block.unwrap_or(self.block_count))
        }
    }

    fn is_new_beyond_hole(&self, seq: u32) -> bool {
        seq > self.next && !self.is_held(seq)
    }

    /// A segment that asks for an acknowledgement at once is about to be taken in; only one in order gets it for that.
    pub fn on_pushed(&mut self, seq: u32, stamp: Time) {
        self.run_wants_ack |= seq == self.next && !self.is_old(stamp);
    }

    /// A hole was filled, and there are more. Where so much is held that the receiver offers less than before, this is no
    /// progress that is acknowledged for itself: it counts as a report (`__tcp_ack_snd_check`).
    pub(super) fn note_filled(&mut self) {
        if self.parameters.offer_shrinks.is_some_and(|offer| offer.shrinks(self.next, self.held_count)) {
            self.compression.reports_now(self.next);
        }
    }

    /// It is not the next one.
    #[cold]
    pub(super) fn on_unexpected(&mut self, seq: u32, stamp: Time) {
        if seq < self.next || self.is_held(seq) {
            return self.note_duplicate(seq, stamp);
        }
        self.run_wants_ack |= self.compression.reports_now(self.next);
        if seq < self.highest {
            self.note_late();
        }
        self.highest = self.highest.max(seq + 1);
        while (seq - self.next) as usize >= self.held.len() * 64 {
            self.grow();
        }
        self.set_held(seq, true);
        if self.held_count > self.parameters.clamp_held {
            self.exhaust_memory();
        }
        self.report(seq);
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
    use crate::tcp::window_growth::OfferedWindow;
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
    fn what_is_held_back_is_reported_before_a_third_block_which_itself_asks_for_nothing() {
        let parameters =
            ReceiverParameters { compresses_reports: true, merge_segments: 1, clamp_held: 5000, ..Default::default() };
        let mut receiver = Receiver::new(parameters);
        // Blocks reported before it, whether it is reported at once, and whether a timer runs then.
        let mut arrive = |seq| {
            let before = receiver.reports_before(seq, Time::ZERO).then(|| {
                receiver.compression.on_reported_before();
                receiver.acknowledge().map_or(0, |blocks| blocks.len)
            });
            receiver.on_segment(seq, Time::ZERO);
            let is_now = receiver.end_run(Time::ZERO) == AckWish::Now;
            if is_now {
                receiver.acknowledge();
            }
            (before, is_now, receiver.ack_due.is_some())
        };
        // 0 is missing: three reports at once, and 5 is held back. 7 begins a third block; the next one, 8, is held back.
        let at_once = (None, true, false);
        let held = (None, false, true);
        assert_eq!([1, 2, 4, 5].map(&mut arrive), [at_once, at_once, at_once, held]);
        assert_eq!([7, 8].map(&mut arrive), [(Some(2), false, false), held]);
    }

    #[test]
    fn where_what_is_held_takes_from_the_offer_a_filled_hole_counts_as_a_report() {
        let reports_after = |offer_shrinks| {
            let parameters = ReceiverParameters {
                compresses_reports: true,
                merge_segments: 1,
                clamp_held: 5000,
                offer_shrinks,
                ..Default::default()
            };
            let mut receiver = Receiver::new(parameters);
            let arrivals = [0, 1, 2, 4, 6, 3, 8, 10, 12].map(|seq| {
                receiver.on_segment(seq, Time::ZERO);
                let is_now = receiver.end_run(Time::ZERO) == AckWish::Now;
                if is_now {
                    receiver.acknowledge();
                }
                is_now
            });
            // 3 fills a hole, 5 is missing, and three more are reported at once.
            arrivals[5..].to_vec()
        };
        // 66,000 bytes are offered after 3 segments of 100, in steps of 2 bytes.
        let offered = OfferedWindow { buffer_bytes: 66_000, segment_bytes: 100 };
        assert_eq!(reports_after(Some(offered.shrinking())), [true, true, true, false]);
        assert_eq!(reports_after(None), [true; 4]);
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
