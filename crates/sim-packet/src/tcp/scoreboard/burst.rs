//! New segments taken together.

use super::Scoreboard;

impl Scoreboard {
    /// Take so many new segments.
    #[inline(always)]
    pub fn send_burst(&mut self, count: u32) {
        while (self.outstanding() + count) as usize > self.flags.len() {
            self.grow();
        }
        let at = self.next as usize & (self.flags.len() - 1);
        let (start, rest) = self.flags.split_at_mut(at);
        let first = rest.len().min(count as usize);
        rest[..first].fill(0);
        start[..count as usize - first].fill(0);
        self.next += count;
    }
}

#[cfg(test)]
mod tests {
    use super::Scoreboard;

    #[test]
    fn a_burst_leaves_what_one_segment_after_another_leaves() {
        let [mut together, mut singly] = [Scoreboard::new(), Scoreboard::new()];
        for (count, acknowledged) in [(900, 500), (700, 800), (3000, 1600), (1, 4601), (4000, 4601)] {
            together.send_burst(count);
            for _ in 0..count {
                singly.send_new();
            }
            for board in [&mut together, &mut singly] {
                board.mark_lost_below(board.next() - 1);
                board.mark_resent(board.una());
                board.acknowledge(acknowledged);
            }
            let flags = |board: &Scoreboard| (board.una()..board.next()).map(|seq| board.flag(seq)).collect::<Vec<_>>();
            assert_eq!((together.in_flight(), flags(&together)), (singly.in_flight(), flags(&singly)));
        }
    }
}
