//! The scoreboard of a sender that judges losses by time: each segment delivered is shown to it, in the order of
//! numbers; a retransmission not taken for lost again stays in flight when its segment is reported, as in Linux.

use super::{EVER_RESENT, LOST, RESENT, SACKED, SackBlocks, Scoreboard};

/// What became of a segment that was judged lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// It was lost for the first time.
    Lost,
    /// It had been sent again, and that was lost as well.
    LostAgain,
    /// It was known already.
    Known,
}

impl Scoreboard {
    /// Whether every segment in flight was sent once and none is reported or lost.
    #[inline]
    pub const fn is_plain(&self) -> bool {
        self.sacked | self.lost | self.resent == 0
    }

    /// Take in a cumulative acknowledgement of segments that were sent once each, none of them reported or lost. How many
    /// there are; none, and nothing is changed, if something else is known of one of them.
    #[inline]
    pub fn acknowledge_sent_once(&mut self, ack: u32) -> Option<u32> {
        let acked = ack.checked_sub(self.una).filter(|&acked| acked > 0 && ack <= self.next)?;
        let at = self.una as usize & (self.flags.len() - 1);
        let (start, rest) = self.flags.split_at(at);
        let before_end = rest.len().min(acked as usize);
        let is_known = |flags: &[u8]| flags.iter().fold(0, |any, flag| any | flag) != 0;
        if is_known(&rest[..before_end]) || is_known(&start[..acked as usize - before_end]) {
            return None;
        }
        self.una = ack;
        self.judged = self.judged.max(ack);
        Some(acked)
    }

    /// Take in a cumulative acknowledgement; `show` gets each segment's number and flags. Returns how many there are.
    #[inline]
    pub fn acknowledge_by_time(&mut self, ack: u32, mut show: impl FnMut(u32, u8)) -> u32 {
        if ack <= self.una || ack > self.next {
            return 0;
        }
        let acked = ack - self.una;
        for seq in self.una..ack {
            let flags = self.flag(seq);
            self.sacked -= u32::from(flags & SACKED != 0);
            self.lost -= u32::from(flags & LOST != 0);
            self.resent -= u32::from(flags & RESENT != 0);
            show(seq, flags);
        }
        self.una = ack;
        self.judged = self.judged.max(ack);
        acked
    }

    /// Take in SACK blocks but one that reports a duplicate; `show` gets each new segment's number and flags.
    pub fn apply_sack_by_time(&mut self, blocks: &SackBlocks, mut show: impl FnMut(u32, u8)) {
        let mut ranges = [(0, 0); 4];
        let count = usize::from(blocks.len - u8::from(blocks.duplicate_first));
        ranges[..count].copy_from_slice(&blocks.ranges[usize::from(blocks.duplicate_first)..usize::from(blocks.len)]);
        ranges[..count].sort_unstable();
        for &(first, end) in &ranges[..count] {
            let (first, end) = (first.max(self.una), end.min(self.next));
            let mut seq = first;
            while seq < end {
                if let Some(&(_, known_end)) = self.known.iter().find(|known| (known.0..known.1).contains(&seq)) {
                    seq = known_end;
                    continue;
                }
                let flags = self.flag(seq);
                if flags & SACKED == 0 {
                    self.sack_one_by_time(seq, flags);
                    show(seq, flags);
                }
                seq += 1;
            }
            if first < end {
                self.remember(first, end);
                self.forward = self.forward.max(end);
            }
        }
    }

    fn sack_one_by_time(&mut self, seq: u32, flags: u8) {
        let mut kept = flags | SACKED;
        if flags & (RESENT | LOST) != RESENT {
            self.lost -= u32::from(flags & LOST != 0);
            self.resent -= u32::from(flags & RESENT != 0);
            kept &= !(LOST | RESENT);
        }
        self.sacked += 1;
        self.set(seq, kept);
    }

    /// Note that a segment was sent again to probe: as one in flight it counts once.
    pub fn mark_probed(&mut self, seq: u32) {
        let flags = self.flag(seq);
        self.set(seq, flags | EVER_RESENT);
    }

    /// A duplicate was reported: what was sent again of it has arrived. Returns the flags it had.
    pub fn on_duplicate(&mut self, seq: u32) -> u8 {
        let flags = self.flag(seq);
        self.resent -= u32::from(flags & RESENT != 0);
        self.set(seq, flags & !RESENT);
        flags
    }

    /// Judge one segment lost.
    pub fn judge_lost(&mut self, seq: u32) -> Judged {
        let flags = self.flag(seq);
        let judged = match flags & (SACKED | LOST | RESENT) {
            0 | RESENT => Judged::Lost,
            both if both == LOST | RESENT => Judged::LostAgain,
            _ => return Judged::Known,
        };
        if judged == Judged::Lost {
            self.lost += 1;
            self.set(seq, flags | LOST);
        } else {
            self.resent -= 1;
            self.set(seq, flags & !RESENT);
        }
        self.resend_from = self.resend_from.min(seq);
        self.judged = self.judged.max(seq + 1);
        judged
    }

    /// Nothing was lost after all; what was sent again stays in flight.
    pub fn forget_losses(&mut self) {
        if self.lost > 0 {
            for seq in self.una..self.judged.min(self.next) {
                let flags = self.flag(seq);
                self.set(seq, flags & !LOST);
            }
        }
        self.lost = 0;
        self.resend_from = self.una;
    }

    /// Whether the first segment not acknowledged, or any in flight, was sent again.
    pub fn is_any_resent(&self) -> bool {
        self.resent > 0 || (self.outstanding() > 0 && self.flag(self.una) & EVER_RESENT != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Judged;
    use crate::tcp::sack::SackBlocks;
    use crate::tcp::scoreboard::Scoreboard;

    fn block(first: u32, end: u32) -> SackBlocks {
        SackBlocks { ranges: [(first, end), (0, 0), (0, 0), (0, 0)], len: 1, duplicate_first: false }
    }

    fn sent(segments: u32) -> Scoreboard {
        let mut board = Scoreboard::new();
        for _ in 0..segments {
            board.send_new();
        }
        board
    }

    #[test]
    fn a_lost_retransmission_is_sent_once_more() {
        let mut board = sent(10);
        assert_eq!([board.judge_lost(3), board.judge_lost(3)], [Judged::Lost, Judged::Known]);
        board.mark_resent(3);
        assert_eq!((board.first_to_resend(10), board.in_flight()), (None, 10));
        assert_eq!(board.judge_lost(3), Judged::LostAgain);
        assert_eq!((board.first_to_resend(10), board.in_flight(), board.lost()), (Some(3), 9, 1));
    }

    #[test]
    fn a_retransmission_of_what_was_not_lost_stays_in_flight_until_its_duplicate_is_reported() {
        let mut board = sent(10);
        board.judge_lost(3);
        board.mark_resent(3);
        board.forget_losses();
        let mut shown = Vec::new();
        board.apply_sack_by_time(&block(3, 5), |seq, _| shown.push(seq));
        assert_eq!((shown, board.sacked(), board.resent()), (vec![3, 4], 2, 1));
        board.on_duplicate(3);
        assert_eq!((board.resent(), board.in_flight()), (0, 8));
        let mut shown = 0;
        assert_eq!(board.acknowledge_by_time(6, |_, _| shown += 1), 6);
        assert_eq!((shown, board.in_flight(), board.is_plain()), (6, 4, true));
    }
}
