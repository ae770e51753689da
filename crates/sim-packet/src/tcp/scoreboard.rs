//! What the sender knows of each segment in flight: one byte per segment, and running counts, so that no step looks at
//! the whole window.

mod burst;
pub mod by_time;

use super::sack::{AckNews, SackBlocks, SackNews};

/// The receiver holds it, beyond a hole.
pub const SACKED: u8 = 1;
/// Taken for lost.
pub const LOST: u8 = 2;
/// Sent again since it was taken for lost.
pub const RESENT: u8 = 4;
/// Sent again at any time.
pub const EVER_RESENT: u8 = 8;

/// The segments from the first unacknowledged to the last one sent.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    flags: Vec<u8>,
    una: u32,
    next: u32,
    sacked: u32,
    lost: u32,
    resent: u32,
    /// One past the highest segment the receiver holds.
    forward: u32,
    /// Everything below has been judged lost or not; holds `sacked_below` SACKed segments.
    judged: u32,
    sacked_below: u32,
    /// No segment below is lost and still to be sent again.
    resend_from: u32,
    /// Ranges known to be SACKed as a whole, so that a growing block is walked once only.
    known: [(u32, u32); 8],
    known_next: usize,
}

impl Scoreboard {
    /// Nothing in flight.
    pub fn new() -> Self {
        Self {
            flags: vec![0; 1024],
            una: 0,
            next: 0,
            sacked: 0,
            lost: 0,
            resent: 0,
            forward: 0,
            judged: 0,
            sacked_below: 0,
            resend_from: 0,
            known: [(0, 0); 8],
            known_next: 0,
        }
    }

    /// The first unacknowledged segment.
    #[inline]
    pub const fn una(&self) -> u32 {
        self.una
    }

    /// The next new segment.
    #[inline]
    pub const fn next(&self) -> u32 {
        self.next
    }

    /// Segments sent and not acknowledged.
    #[inline]
    pub const fn outstanding(&self) -> u32 {
        self.next - self.una
    }

    /// Segments believed to be in the network.
    #[inline]
    pub const fn in_flight(&self) -> u32 {
        self.outstanding() - self.sacked - self.lost + self.resent
    }

    /// Segments the receiver holds beyond a hole.
    #[inline]
    pub const fn sacked(&self) -> u32 {
        self.sacked
    }

    /// Segments taken for lost and not known to have arrived.
    #[inline]
    pub const fn lost(&self) -> u32 {
        self.lost
    }

    /// Segments sent again and not known to have arrived.
    #[inline]
    pub const fn resent(&self) -> u32 {
        self.resent
    }

    /// How far the highest SACKed segment lies beyond the first unacknowledged one.
    #[inline]
    pub fn forward_distance(&self) -> u32 {
        self.forward.saturating_sub(self.una)
    }

    /// One past the highest segment the receiver holds.
    #[inline]
    pub const fn forward(&self) -> u32 {
        self.forward
    }

    /// Take the next new segment.
    #[inline]
    pub fn send_new(&mut self) -> u32 {
        if self.outstanding() as usize == self.flags.len() {
            self.grow();
        }
        let seq = self.next;
        self.set(seq, 0);
        self.next += 1;
        seq
    }

    /// The first lost segment still to be sent again, below `limit`.
    #[inline]
    pub fn first_to_resend(&mut self, limit: u32) -> Option<u32> {
        if self.lost == 0 {
            return None;
        }
        let end = limit.min(self.judged.max(self.una));
        self.resend_from = self.resend_from.max(self.una);
        while self.resend_from < end {
            if self.flag(self.resend_from) & (LOST | RESENT | SACKED) == LOST {
                return Some(self.resend_from);
            }
            self.resend_from += 1;
        }
        None
    }

    /// Note that a segment was sent again.
    pub fn mark_resent(&mut self, seq: u32) {
        let flags = self.flag(seq);
        if flags & RESENT == 0 {
            self.resent += 1;
        }
        self.set(seq, flags | RESENT | EVER_RESENT);
    }

    /// Take in a cumulative acknowledgement of everything below `ack`.
    #[inline]
    pub fn acknowledge(&mut self, ack: u32) -> AckNews {
        if ack <= self.una || ack > self.next {
            return AckNews::default();
        }
        let mut news = AckNews { acked: ack - self.una, ..AckNews::default() };
        if self.sacked | self.lost | self.resent != 0 {
            self.forget(ack, &mut news);
        }
        self.una = ack;
        if self.judged <= ack {
            self.judged = ack;
            self.sacked_below = 0;
        }
        news
    }

    fn forget(&mut self, ack: u32, news: &mut AckNews) {
        for seq in self.una..ack {
            let flags = self.flag(seq);
            if flags & SACKED != 0 {
                self.sacked -= 1;
                self.sacked_below -= u32::from(seq < self.judged);
            } else if flags & EVER_RESENT == 0 && seq < self.forward && news.reordered.is_none() {
                news.reordered = Some(seq);
            }
            self.lost -= u32::from(flags & LOST != 0);
            self.resent -= u32::from(flags & RESENT != 0);
            news.resent |= flags & EVER_RESENT != 0;
        }
    }

    /// Take in SACK blocks; a first block that reports a duplicate is left to the caller.
    pub fn apply_sack(&mut self, blocks: &SackBlocks) -> SackNews {
        let mut news = SackNews::default();
        let forward_before = self.forward;
        for index in usize::from(blocks.duplicate_first)..usize::from(blocks.len) {
            let (first, end) = blocks.ranges[index];
            let (first, end) = (first.max(self.una), end.min(self.next));
            if first < end {
                self.walk(first, end, forward_before, &mut news);
                self.remember(first, end);
                self.forward = self.forward.max(end);
            }
        }
        news
    }

    fn walk(&mut self, first: u32, end: u32, forward_before: u32, news: &mut SackNews) {
        let mut seq = first;
        while seq < end {
            if let Some(&(_, known_end)) = self.known.iter().find(|known| (known.0..known.1).contains(&seq)) {
                seq = known_end;
                continue;
            }
            if self.flag(seq) & SACKED == 0 {
                self.sack_one(seq, forward_before, news);
            }
            seq += 1;
        }
    }

    fn sack_one(&mut self, seq: u32, forward_before: u32, news: &mut SackNews) {
        let flags = self.flag(seq);
        if flags & EVER_RESENT == 0 && seq < forward_before {
            news.reordered = Some(news.reordered.map_or(seq, |lowest| lowest.min(seq)));
        }
        self.lost -= u32::from(flags & LOST != 0);
        self.resent -= u32::from(flags & RESENT != 0);
        self.set(seq, (flags & EVER_RESENT) | SACKED);
        self.sacked += 1;
        self.sacked_below += u32::from(seq < self.judged);
        news.newly_sacked += 1;
    }

    fn remember(&mut self, first: u32, end: u32) {
        for known in &mut self.known {
            if first <= known.1 && known.0 <= end && known.1 > known.0 {
                *known = (first.min(known.0), end.max(known.1));
                return;
            }
        }
        self.known[self.known_next] = (first, end);
        self.known_next = (self.known_next + 1) % self.known.len();
    }

    /// Mark as lost every segment with more than `tolerated` SACKed ones above it, but for the most recent ones: walk
    /// up until `allowed` SACKed segments lie below, never beyond `limit`.
    pub fn mark_lost_below_sacks(&mut self, allowed: u32, limit: u32) {
        let end = limit.min(self.next);
        while self.judged < end {
            if self.flag(self.judged) & SACKED != 0 {
                if self.sacked_below >= allowed {
                    return;
                }
                self.sacked_below += 1;
            } else {
                self.mark_lost(self.judged);
            }
            self.judged += 1;
        }
    }

    /// Mark as lost every segment not SACKed below `limit`.
    pub fn mark_lost_below(&mut self, limit: u32) {
        let end = limit.min(self.next);
        while self.judged < end {
            if self.flag(self.judged) & SACKED != 0 {
                self.sacked_below += 1;
            } else {
                self.mark_lost(self.judged);
            }
            self.judged += 1;
        }
    }

    fn mark_lost(&mut self, seq: u32) {
        let flags = self.flag(seq);
        if flags & (LOST | SACKED) == 0 {
            self.lost += 1;
            self.set(seq, flags | LOST);
            self.resend_from = self.resend_from.min(seq);
        }
    }

    /// A retransmission timeout: everything not SACKed is lost, whatever was sent again.
    pub fn mark_all_lost(&mut self) {
        for seq in self.una..self.next {
            let flags = self.flag(seq) & !RESENT;
            self.set(seq, flags);
            if flags & (SACKED | LOST) == 0 {
                self.set(seq, flags | LOST);
                self.lost += 1;
            }
        }
        self.resent = 0;
        self.resend_from = self.una;
        self.judged = self.next;
        self.sacked_below = self.sacked;
    }

    /// Nothing was lost after all.
    pub fn clear_lost(&mut self) {
        for seq in self.una..self.next {
            let flags = self.flag(seq);
            self.set(seq, flags & !LOST);
        }
        self.lost = 0;
        self.judged = self.una;
        self.sacked_below = 0;
        self.resend_from = self.una;
    }

    /// A segment's flags.
    #[inline]
    pub fn flag(&self, seq: u32) -> u8 {
        self.flags[seq as usize & (self.flags.len() - 1)]
    }

    #[inline]
    fn set(&mut self, seq: u32, flags: u8) {
        let at = seq as usize & (self.flags.len() - 1);
        self.flags[at] = flags;
    }

    #[cold]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.flags);
        self.flags = vec![0; old.len() * 2];
        for seq in self.una..self.next {
            self.set(seq, old[seq as usize & (old.len() - 1)]);
        }
    }
}

impl Default for Scoreboard {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{LOST, SACKED, Scoreboard};
    use crate::tcp::sack::SackBlocks;

    fn sent(segments: u32) -> Scoreboard {
        let mut board = Scoreboard::new();
        for _ in 0..segments {
            board.send_new();
        }
        board
    }

    fn block(first: u32, end: u32) -> SackBlocks {
        SackBlocks { ranges: [(first, end), (0, 0), (0, 0), (0, 0)], len: 1, duplicate_first: false }
    }

    #[test]
    fn counts_follow_sack_loss_and_resending() {
        let mut board = sent(2000);
        assert_eq!(board.apply_sack(&block(10, 20)).newly_sacked, 10);
        assert_eq!(board.apply_sack(&block(10, 25)).newly_sacked, 5);
        board.mark_lost_below_sacks(15 - 3, 2000);
        assert_eq!((board.sacked(), board.lost(), board.in_flight()), (15, 10, 1975));
        assert_eq!(board.first_to_resend(2000), Some(0));
        board.mark_resent(0);
        assert_eq!((board.first_to_resend(2000), board.in_flight()), (Some(1), 1976));
        let news = board.acknowledge(25);
        assert_eq!((news.acked, board.sacked(), board.lost(), board.resent()), (25, 0, 0, 0));
        assert_eq!(board.in_flight(), 1975);
    }

    #[test]
    fn only_segments_with_three_sacked_above_are_lost() {
        let mut board = sent(10);
        board.apply_sack(&block(2, 3));
        board.apply_sack(&block(4, 7));
        board.mark_lost_below_sacks(board.sacked() - 3, 10);
        let lost: Vec<u32> = (0..10).filter(|&seq| board.flag(seq) & LOST != 0).collect();
        assert_eq!(lost, [0, 1, 3]);
        assert_ne!(board.flag(4) & SACKED, 0);
    }

    #[test]
    fn a_late_arrival_is_seen_as_reordering() {
        let mut board = sent(10);
        board.apply_sack(&block(5, 8));
        assert_eq!(board.apply_sack(&block(3, 4)).reordered, Some(3));
        assert_eq!(board.acknowledge(4).reordered, Some(0));
    }

    #[test]
    fn a_timeout_loses_all_but_what_was_sacked() {
        let mut board = sent(10);
        board.apply_sack(&block(5, 8));
        board.mark_all_lost();
        assert_eq!((board.lost(), board.in_flight()), (7, 0));
        board.clear_lost();
        assert_eq!((board.lost(), board.in_flight()), (0, 7));
    }
}
