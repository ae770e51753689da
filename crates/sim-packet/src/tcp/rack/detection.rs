//! Losses judged by time (RACK, RFC 8985): a segment is lost once one sent after it has arrived and a round-trip time
//! and a settling time have passed since it was sent. That holds for segments sent again too.

use crate::tcp::scoreboard::by_time::Judged;
use crate::tcp::scoreboard::{EVER_RESENT, LOST, RESENT, SACKED, Scoreboard};
use hntes_sim_scenario::time::Time;
use std::collections::VecDeque;

/// Recoveries for which a longer settling time is kept (RFC 8985, 6.2, step 4).
const KEPT_FOR_RECOVERIES: u32 = 16;
const MOST_STEPS: u64 = 255;

/// What is known of times of sending and of arrivals.
#[derive(Clone, Debug)]
pub struct Detection {
    /// When each segment in flight was last sent, in a ring.
    sent_at: Vec<Time>,
    /// Segments sent once are looked at in order; all below have been.
    looked_to: u32,
    /// Segments sent again, in order of time.
    resent: VecDeque<(Time, u32)>,
    /// The last sent of those that arrived: when, and its number.
    latest: (Time, u32),
    /// The round-trip time of the one that arrived last.
    rtt: Time,
    least_rtt: Option<Time>,
    has_advanced: bool,
    has_seen_reordering: bool,
    has_seen_duplicate: bool,
    /// The settling time in quarters of the least round-trip time, and how long that is kept.
    steps: u64,
    recoveries_kept: u32,
    steps_since: Time,
}

/// What one look at the segments in flight gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Segments lost, first or again.
    pub lost: u32,
    /// Of those, segments lost again.
    pub lost_again: u32,
    /// How long until the rest can be judged.
    pub wait: Option<Time>,
}

impl Detection {
    /// Nothing sent.
    pub fn new() -> Self {
        Self {
            sent_at: vec![Time::ZERO; 1024],
            looked_to: 0,
            resent: VecDeque::new(),
            latest: (Time::ZERO, 0),
            rtt: Time::ZERO,
            least_rtt: None,
            has_advanced: false,
            has_seen_reordering: false,
            has_seen_duplicate: false,
            steps: 1,
            recoveries_kept: 0,
            steps_since: Time::ZERO,
        }
    }

    /// When a segment in flight was last sent.
    #[inline]
    pub fn sent_at(&self, seq: u32) -> Time {
        self.sent_at[seq as usize & (self.sent_at.len() - 1)]
    }

    /// A segment went out for the first time; `una` is the first in flight.
    #[inline]
    pub fn on_sent(&mut self, seq: u32, una: u32, now: Time) {
        if (seq - una) as usize >= self.sent_at.len() {
            self.grow(una, seq);
        }
        let at = seq as usize & (self.sent_at.len() - 1);
        self.sent_at[at] = now;
    }

    /// The same of so many segments from `first` on.
    #[inline]
    pub fn on_sent_burst(&mut self, first: u32, count: u32, una: u32, now: Time) {
        while (first + count - una) as usize > self.sent_at.len() {
            self.grow(una, first);
        }
        let at = first as usize & (self.sent_at.len() - 1);
        let (start, rest) = self.sent_at.split_at_mut(at);
        let before_end = rest.len().min(count as usize);
        rest[..before_end].fill(now);
        start[..count as usize - before_end].fill(now);
    }

    /// A segment went out again.
    pub fn on_resent(&mut self, seq: u32, now: Time) {
        let at = seq as usize & (self.sent_at.len() - 1);
        self.sent_at[at] = now;
        self.resent.push_back((now, seq));
    }

    #[cold]
    fn grow(&mut self, una: u32, next: u32) {
        let old = std::mem::take(&mut self.sent_at);
        self.sent_at = vec![Time::ZERO; old.len() * 2];
        for seq in una..next {
            let at = seq as usize & (self.sent_at.len() - 1);
            self.sent_at[at] = old[seq as usize & (old.len() - 1)];
        }
    }

    /// A segment arrived, sent last at `sent`. A retransmission that arrives sooner than any round trip may be the
    /// segment as first sent, and tells nothing.
    #[inline]
    pub fn on_delivered(&mut self, seq: u32, flags: u8, sent: Time, now: Time) {
        let rtt = now.since(sent);
        if flags & (RESENT | EVER_RESENT) != 0 && self.least_rtt.is_some_and(|least| rtt < least) {
            return;
        }
        self.has_advanced = true;
        self.rtt = rtt;
        self.latest = self.latest.max((sent, seq));
    }

    /// A round-trip time was measured.
    #[inline]
    pub fn on_rtt(&mut self, rtt: Time) {
        if self.least_rtt.is_none_or(|least| rtt < least) {
            self.least_rtt = Some(rtt);
        }
    }

    /// The least round-trip time measured.
    pub const fn least_rtt(&self) -> Option<Time> {
        self.least_rtt
    }

    /// A segment, never sent again, arrived after one sent later.
    pub const fn on_reordering(&mut self) {
        self.has_seen_reordering = true;
    }

    /// A duplicate was reported: something was sent again in vain.
    pub const fn on_duplicate(&mut self) {
        self.has_seen_duplicate |= self.has_seen_reordering;
    }

    /// Losses are to be judged anew.
    pub const fn look_again(&mut self) {
        self.has_advanced = true;
    }

    /// A recovery ended without being undone, or by duplicates.
    pub const fn on_recovery_ended(&mut self, by_duplicates: bool) {
        self.recoveries_kept = if !by_duplicates {
            self.recoveries_kept.saturating_sub(1)
        } else if self.recoveries_kept < KEPT_FOR_RECOVERIES {
            self.recoveries_kept + 1
        } else {
            KEPT_FOR_RECOVERIES
        };
    }

    /// Adapt the settling time, by at most a step a round trip; `sent` is when the segment just delivered went out.
    #[inline]
    pub fn adapt(&mut self, sent: Time, now: Time) {
        if self.has_seen_duplicate && sent < self.steps_since {
            self.has_seen_duplicate = false;
        }
        if self.has_seen_duplicate {
            self.steps = (self.steps + 1).min(MOST_STEPS);
            self.has_seen_duplicate = false;
            self.steps_since = now;
            self.recoveries_kept = KEPT_FOR_RECOVERIES;
        } else if self.recoveries_kept == 0 {
            self.steps = 1;
        }
    }

    /// How long a segment may be late. Without reordering seen it is nothing once `is_pressed`: in recovery, or after
    /// as many reports as tell of a loss.
    pub fn settling_time(&self, is_pressed: bool, srtt: Time) -> Time {
        if !self.has_seen_reordering && is_pressed {
            return Time::ZERO;
        }
        let least = self.least_rtt.unwrap_or(Time::ZERO);
        Time::from_ps(least.ps() / 4 * self.steps).min(srtt)
    }

    /// Whether a segment is not older than a round trip.
    pub fn is_recent(&self, seq: u32, now: Time) -> bool {
        now.since(self.sent_at(seq)) < self.rtt
    }

    /// Judge what is in flight, if anything arrived since the last look; `on_lost` gets each segment that is lost.
    #[inline]
    pub fn judge(&mut self, board: &mut Scoreboard, settling: Time, now: Time, on_lost: impl FnMut(u32)) -> Verdict {
        if !std::mem::take(&mut self.has_advanced) {
            return Verdict::default();
        }
        self.judge_late(board, settling, now, on_lost)
    }

    /// Judge what is in flight: in order of the time of sending, until one is not late.
    pub fn judge_late(
        &mut self,
        board: &mut Scoreboard,
        settling: Time,
        now: Time,
        mut on_lost: impl FnMut(u32),
    ) -> Verdict {
        let mut verdict = Verdict::default();
        let patience = self.rtt + settling;
        while let Some((sent, seq, is_resent)) = self.oldest(board) {
            if (sent, seq) >= self.latest {
                break;
            }
            if now.since(sent) < patience {
                // The last one that can be judged was sent before the latest arrival.
                verdict.wait = Some(patience.since(now.since(self.latest.0)));
                break;
            }
            if is_resent {
                self.resent.pop_front();
            } else {
                self.looked_to = seq + 1;
            }
            let judged = board.judge_lost(seq);
            if judged != Judged::Known {
                verdict.lost += 1;
                on_lost(seq);
            }
            verdict.lost_again += u32::from(judged == Judged::LostAgain);
        }
        verdict
    }

    /// The segment sent longest ago that may be in flight.
    #[inline]
    fn oldest(&mut self, board: &Scoreboard) -> Option<(Time, u32, bool)> {
        let una = board.una();
        self.looked_to = self.looked_to.max(una);
        while self.looked_to < board.next() && board.flag(self.looked_to) & (SACKED | LOST | EVER_RESENT) != 0 {
            self.looked_to += 1;
        }
        while let Some(&(sent, seq)) = self.resent.front() {
            let flags = if seq < una { SACKED } else { board.flag(seq) };
            let waits_to_be_resent = flags & (LOST | RESENT) == LOST;
            if flags & SACKED == 0 && !waits_to_be_resent && self.sent_at(seq) == sent {
                break;
            }
            self.resent.pop_front();
        }
        let once = (self.looked_to < board.next()).then(|| (self.sent_at(self.looked_to), self.looked_to, false));
        let again = self.resent.front().map(|&(sent, seq)| (sent, seq, true));
        match (once, again) {
            (Some(once), Some(again)) => Some(once.min(again)),
            (once, again) => once.or(again),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Detection, Verdict};
    use crate::tcp::sack::SackBlocks;
    use crate::tcp::scoreboard::{LOST, Scoreboard};
    use hntes_sim_scenario::time::Time;

    /// Segments sent a millisecond apart; those of the ranges are reported at `at_ms`, 10 ms after they were sent.
    struct Case {
        board: Scoreboard,
        rack: Detection,
    }

    impl Case {
        fn sent(segments: u32) -> Self {
            let mut case = Self { board: Scoreboard::new(), rack: Detection::new() };
            for seq in 0..segments {
                case.board.send_new();
                case.rack.on_sent(seq, 0, Time::from_ms(u64::from(seq)));
            }
            case.rack.on_rtt(Time::from_ms(10));
            case
        }

        fn report(&mut self, first: u32, end: u32, at_ms: u64) {
            let blocks = SackBlocks { ranges: [(first, end), (0, 0), (0, 0), (0, 0)], len: 1, duplicate_first: false };
            let rack = &mut self.rack;
            self.board.apply_sack_by_time(&blocks, |seq, flags| {
                rack.on_delivered(seq, flags, rack.sent_at(seq), Time::from_ms(at_ms));
            });
        }

        fn judge(&mut self, settling_ms: u64, now_ms: u64) -> Verdict {
            self.rack.judge(&mut self.board, Time::from_ms(settling_ms), Time::from_ms(now_ms), |_| {})
        }

        fn lost(&self) -> Vec<u32> {
            (self.board.una()..self.board.next()).filter(|&seq| self.board.flag(seq) & LOST != 0).collect()
        }
    }

    #[test]
    fn what_was_sent_before_an_arrival_is_lost_once_it_is_late() {
        let mut case = Case::sent(10);
        case.report(5, 6, 15);
        // Round trip 10 ms, settling 2 ms: 0 to 3 are 12 ms old or more.
        let verdict = case.judge(2, 15);
        assert_eq!((case.lost(), verdict.wait), (vec![0, 1, 2, 3], Some(Time::from_ms(2))));
        case.rack.look_again();
        assert_eq!((case.judge(2, 16).lost, case.lost()), (1, vec![0, 1, 2, 3, 4]));
        case.rack.look_again();
        assert_eq!((case.judge(2, 99), case.lost().len()), (Verdict::default(), 5), "6 was sent after what arrived");
    }

    #[test]
    fn a_retransmission_is_lost_like_any_other() {
        let mut case = Case::sent(10);
        case.report(5, 6, 15);
        case.judge(0, 15);
        case.board.mark_resent(0);
        case.rack.on_resent(0, Time::from_ms(15));
        case.board.send_new();
        case.rack.on_sent(10, 0, Time::from_ms(16));
        case.report(10, 11, 26);
        let verdict = case.judge(0, 26);
        // 1 to 4 wait to be sent again; 6 to 9, sent before 10, are lost too.
        assert_eq!((verdict.lost_again, verdict.lost, case.board.first_to_resend(99)), (1, 5, Some(0)));
    }

    #[test]
    fn an_early_answer_to_a_retransmission_tells_nothing() {
        let mut case = Case::sent(10);
        case.report(5, 6, 15);
        case.judge(0, 15);
        case.board.mark_resent(0);
        case.rack.on_resent(0, Time::from_ms(15));
        case.report(0, 1, 20);
        assert_eq!(case.judge(0, 99), Verdict::default());
    }

    #[test]
    fn the_settling_time_is_a_quarter_round_trip_and_grows_with_duplicates_once_a_round_trip() {
        let mut rack = Detection::new();
        rack.on_rtt(Time::from_ms(8));
        let srtt = Time::from_ms(9);
        let at = |rack: &Detection| rack.settling_time(true, srtt);
        assert_eq!((at(&rack), rack.settling_time(false, srtt)), (Time::ZERO, Time::from_ms(2)));
        rack.on_reordering();
        assert_eq!(at(&rack), Time::from_ms(2));
        for (sent_ms, now_ms, expected_ms) in [(1, 10, 4), (5, 11, 4), (10, 20, 6), (20, 30, 8), (30, 40, 9)] {
            rack.on_duplicate();
            rack.adapt(Time::from_ms(sent_ms), Time::from_ms(now_ms));
            assert_eq!(at(&rack), Time::from_ms(expected_ms), "{now_ms} ms");
        }
        for _ in 0..16 {
            rack.on_recovery_ended(false);
        }
        rack.adapt(Time::from_ms(50), Time::from_ms(60));
        assert_eq!(at(&rack), Time::from_ms(2));
    }
}
