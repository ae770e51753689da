//! The receiving end: what has arrived in order, and which holes are still open.

use crate::bound::Bound;
use crate::chunk::Chunk;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Hole {
    /// Number of its first segment, counted from the start of the connection.
    seq: f64,
    pkts: f64,
}

/// Holes smaller than this are rounding: more than what a sender leaves unsent as too little.
const NOTHING: f64 = 1e-4;

/// The state of the receiving end; amounts in segments.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    highest: f64,
    in_order: f64,
    holes: VecDeque<Hole>,
    /// Holes whose retransmission was lost too: only a timeout repairs them.
    dead: VecDeque<Hole>,
    missing: f64,
    /// Segments that came for the first time after a later one (RFC 4737): sent again in place of lost ones.
    pub out_of_sequence: f64,
}

impl Receiver {
    /// Take in what arrived in a step; by how much the data in order grew.
    pub fn take(&mut self, chunk: &Chunk) -> f64 {
        if chunk.fresh_lost > 0.0 {
            self.holes.push_back(Hole { seq: self.highest, pkts: chunk.fresh_lost });
            self.missing += chunk.fresh_lost;
        }
        self.highest += chunk.fresh + chunk.fresh_lost;
        if chunk.again + chunk.again_lost > 0.0 {
            self.repair(chunk.again, chunk.again_lost);
        }
        self.forget_rounding();
        let first = |holes: &VecDeque<Hole>| holes.front().map_or(self.highest, |hole| hole.seq);
        let in_order = first(&self.holes).at_most(first(&self.dead)).at_least(self.in_order);
        in_order - std::mem::replace(&mut self.in_order, in_order)
    }

    /// Segments sent again fill holes in order; those lost again leave holes that wait for a timeout.
    fn repair(&mut self, filled: f64, lost: f64) {
        let (mut left, lost_share) = (filled + lost, lost / (filled + lost));
        while left > 0.0 {
            let Some(hole) = self.holes.front_mut() else { break };
            let part = left.at_most(hole.pkts);
            if lost_share > 0.0 {
                self.dead.push_back(Hole { seq: hole.seq, pkts: part * lost_share });
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

    /// After a timeout everything missing is sent again; how much of it was lost twice.
    pub fn revive(&mut self) -> f64 {
        let lost_twice = self.dead.iter().map(|hole| hole.pkts).sum();
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
        assert_eq!(receiver.take(&Chunk { fresh: 10.0, ..Chunk::default() }), 10.0);
        assert_eq!(receiver.take(&Chunk { fresh: 6.0, fresh_lost: 4.0, ..Chunk::default() }), 0.0);
        assert_eq!((receiver.held(), receiver.missing(), receiver.out_of_sequence), (6.0, 4.0, 0.0));
        assert_eq!(receiver.take(&Chunk { again: 1.0, ..Chunk::default() }), 1.0);
        assert_eq!(receiver.take(&Chunk { again: 3.0, ..Chunk::default() }), 9.0);
        assert_eq!((receiver.in_order(), receiver.held(), receiver.missing()), (20.0, 0.0, 0.0));
        assert_eq!(receiver.out_of_sequence, 4.0, "what was sent again came after later segments");
    }

    #[test]
    fn a_retransmission_that_is_lost_needs_another() {
        let mut receiver = Receiver::default();
        receiver.take(&Chunk { fresh: 6.0, fresh_lost: 4.0, ..Chunk::default() });
        assert_eq!(receiver.take(&Chunk { again: 3.0, again_lost: 1.0, ..Chunk::default() }), 0.0);
        assert_eq!(receiver.missing(), 1.0);
        assert_eq!(receiver.revive(), 1.0);
        assert_eq!(receiver.take(&Chunk { again: 1.0, ..Chunk::default() }), 10.0);
        assert_eq!(receiver.out_of_sequence, 4.0, "each counts once, whatever it takes");
    }
}
