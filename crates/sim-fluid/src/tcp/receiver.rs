//! The receiving end: what has arrived in order, and which holes are still open.

use crate::bound::Bound;
use crate::chunk::Chunk;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Hole {
    /// Number of its first segment, counted from the start of the connection.
    seq: f64,
    pkts: f64,
    /// After how many segments sent again it is this one's turn, if it was sent again in vain.
    due: f64,
}

/// Holes smaller than this are rounding: more than what a sender leaves unsent as too little.
const NOTHING: f64 = 1e-4;

/// Holes so small that nothing is known of them: far below what rounding leaves of any amount.
const VANISHING: f64 = 1e-30;

/// The state of the receiving end; amounts in segments.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    highest: f64,
    in_order: f64,
    holes: VecDeque<Hole>,
    /// Holes whose retransmission was lost too: a timeout repairs them, or a sender that finds out.
    dead: VecDeque<Hole>,
    missing: f64,
    /// Segments sent again that arrived or were lost once more.
    resent: f64,
    /// Segments that came for the first time after a later one (RFC 4737): sent again in place of lost ones.
    pub out_of_sequence: f64,
}

impl Receiver {
    /// Take in what arrived in a step; by how much the data in order grew.
    ///
    /// What is lost again is sent once more after `resent_under_way` other segments; after none, only a timeout does.
    pub fn take(&mut self, chunk: &Chunk, resent_under_way: Option<f64>) -> f64 {
        if chunk.fresh_lost > 0.0 {
            self.holes.push_back(Hole { seq: self.highest, pkts: chunk.fresh_lost, due: 0.0 });
            self.missing += chunk.fresh_lost;
        }
        self.highest += chunk.fresh + chunk.fresh_lost;
        if chunk.again + chunk.again_lost > 0.0 {
            self.repair(chunk.again, chunk.again_lost, resent_under_way);
        }
        self.forget_rounding();
        let first = |holes: &VecDeque<Hole>| holes.front().map_or(self.highest, |hole| hole.seq);
        let in_order = first(&self.holes).at_most(first(&self.dead)).at_least(self.in_order);
        in_order - std::mem::replace(&mut self.in_order, in_order)
    }

    /// Segments sent again fill holes in order; those lost again leave holes that wait for a timeout.
    fn repair(&mut self, filled: f64, lost: f64, resent_under_way: Option<f64>) {
        let (mut left, lost_share) = (filled + lost, lost / (filled + lost));
        let turn = resent_under_way.map_or(f64::INFINITY, |before| self.resent + before);
        while left > 0.0 {
            self.take_turns();
            let Some(hole) = self.holes.front_mut() else { break };
            let part = left.at_most(hole.pkts);
            self.resent += part;
            // What is lost again comes up at once if nothing else is under way, ever less of it: not for ever.
            if part * lost_share > VANISHING {
                self.dead.push_back(Hole { seq: hole.seq, pkts: part * lost_share, due: turn });
            }
            self.missing -= part * (1.0 - lost_share);
            self.out_of_sequence += part * (1.0 - lost_share);
            hole.seq += part;
            hole.pkts -= part;
            left -= part;
            if hole.pkts <= NOTHING {
                self.holes.pop_front();
            }
        }
    }

    /// Moves holes whose turn has come to the front; where no other hole is left, later ones need not wait for theirs.
    fn take_turns(&mut self) {
        while let Some(&hole) = self.dead.front() {
            if hole.due > self.resent && (hole.due == f64::INFINITY || !self.holes.is_empty()) {
                return;
            }
            self.dead.pop_front();
            self.holes.push_front(hole);
        }
    }

    fn forget_rounding(&mut self) {
        for holes in [&mut self.holes, &mut self.dead] {
            while holes.front().is_some_and(|hole| hole.pkts <= NOTHING) {
                holes.pop_front();
            }
        }
        if self.holes.is_empty() && self.dead.is_empty() {
            self.missing = 0.0;
        }
    }

    /// After a timeout everything missing is sent again; how much of it was lost twice and not found out.
    pub fn revive(&mut self) -> f64 {
        let lost_twice = self.dead.iter().filter(|hole| hole.due == f64::INFINITY).map(|hole| hole.pkts).sum();
        let mut all: Vec<Hole> = self.dead.drain(..).chain(self.holes.drain(..)).collect();
        all.sort_by(|a, b| a.seq.total_cmp(&b.seq));
        self.holes = all.into();
        lost_twice
    }

    /// Segments in order.
    pub const fn in_order(&self) -> f64 {
        self.in_order
    }

    /// Segments missing below the highest that arrived.
    pub const fn missing(&self) -> f64 {
        self.missing
    }

    /// Whether some that were lost twice wait for their turn.
    pub fn waits_for_turns(&self) -> bool {
        !self.dead.is_empty()
    }

    /// Segments that wait for earlier ones.
    pub fn held(&self) -> f64 {
        (self.highest - self.in_order - self.missing).at_least(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Receiver;
    use crate::chunk::Chunk;

    #[test]
    fn data_in_order_waits_for_the_first_hole() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.take(&Chunk { fresh: 10.0, ..Chunk::default() }, None), 10.0);
        assert_eq!(receiver.take(&Chunk { fresh: 6.0, fresh_lost: 4.0, ..Chunk::default() }, None), 0.0);
        assert_eq!((receiver.held(), receiver.missing(), receiver.out_of_sequence), (6.0, 4.0, 0.0));
        assert_eq!(receiver.take(&Chunk { again: 1.0, ..Chunk::default() }, None), 1.0);
        assert_eq!(receiver.take(&Chunk { again: 3.0, ..Chunk::default() }, None), 9.0);
        assert_eq!((receiver.in_order(), receiver.held(), receiver.missing()), (20.0, 0.0, 0.0));
        assert_eq!(receiver.out_of_sequence, 4.0, "what was sent again came after later segments");
    }

    #[test]
    fn a_retransmission_that_is_lost_needs_another() {
        let mut receiver = Receiver::default();
        receiver.take(&Chunk { fresh: 6.0, fresh_lost: 4.0, ..Chunk::default() }, None);
        assert_eq!(receiver.take(&Chunk { again: 3.0, again_lost: 1.0, ..Chunk::default() }, None), 0.0);
        assert_eq!(receiver.missing(), 1.0);
        assert_eq!(receiver.revive(), 1.0);
        assert_eq!(receiver.take(&Chunk { again: 1.0, ..Chunk::default() }, None), 10.0);
        assert_eq!(receiver.out_of_sequence, 4.0, "each counts once, whatever it takes");
    }

    #[test]
    fn what_is_found_to_be_lost_again_is_sent_after_what_is_under_way() {
        let mut receiver = Receiver::default();
        let mut take = |fresh_lost, again, again_lost| {
            receiver.take(&Chunk { fresh: 1.0, fresh_lost, again, again_lost, ..Chunk::default() }, Some(2.0));
            (receiver.in_order(), receiver.missing())
        };
        assert_eq!(take(4.0, 0.0, 0.0), (0.0, 4.0));
        assert_eq!(take(0.0, 0.0, 1.0), (0.0, 4.0), "the first of them");
        assert_eq!(take(0.0, 2.0, 0.0), (0.0, 2.0), "two others were under way");
        assert_eq!(take(0.0, 1.0, 0.0), (3.0, 1.0), "then it is its turn");
        assert_eq!(take(0.0, 1.0, 0.0), (9.0, 0.0));
    }

    #[test]
    fn more_sent_again_than_is_missing_comes_to_an_end() {
        let mut receiver = Receiver::default();
        receiver.take(&Chunk { fresh: 1.0, fresh_lost: 1.0, ..Chunk::default() }, Some(0.0));
        receiver.take(&Chunk { again: 2.0, again_lost: 2.0, ..Chunk::default() }, Some(0.0));
        assert_eq!((receiver.in_order(), receiver.missing()), (2.0, 0.0));
    }
}
