//! What a flow sends in one step, as an amount: the fluid counterpart of a train of packets.

use std::ops::{AddAssign, Mul};

/// An amount of one flow's packets, with what is known about them. Amounts are real numbers of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chunk {
    /// Packets sent for the first time that are still under way.
    pub fresh: f64,
    /// Packets sent for the first time that were dropped on the way; they take no room and tell the receiver of a hole.
    pub fresh_lost: f64,
    /// Packets sent again.
    pub again: f64,
    /// Packets sent again that were dropped again.
    pub again_lost: f64,
    /// Bursts these packets come in: the receiving host takes in one at a time.
    pub bursts: f64,
    /// Acknowledgements they make when nothing is missing.
    pub acks: f64,
    /// What part of a slow start's flight they are: it travels as one clump. None outside slow start.
    pub clumps: f64,
    /// Seconds from the first to the last of a clump's packets, of which these take their part.
    pub spread_s: f64,
    /// For each packet the second at which it was sent, added up.
    pub stamps: f64,
    /// Datagrams that lost at least one piece.
    pub broken: f64,
}

impl Chunk {
    /// Packets that take room.
    pub fn packets(&self) -> f64 {
        self.fresh + self.again
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.fresh + self.again + self.fresh_lost + self.again_lost <= 0.0
    }

    /// Drop so many of its packets: of those sent for the first time, and of those sent again.
    pub fn lose(&mut self, fresh: f64, again: f64) {
        let before = self.packets();
        self.fresh -= fresh;
        self.fresh_lost += fresh;
        self.again -= again;
        self.again_lost += again;
        if before > 0.0 {
            self.stamps *= self.packets() / before;
        }
    }
}

impl AddAssign for Chunk {
    fn add_assign(&mut self, other: Self) {
        self.fresh += other.fresh;
        self.fresh_lost += other.fresh_lost;
        self.again += other.again;
        self.again_lost += other.again_lost;
        self.bursts += other.bursts;
        self.acks += other.acks;
        self.clumps += other.clumps;
        self.spread_s += other.spread_s;
        self.stamps += other.stamps;
        self.broken += other.broken;
    }
}

impl Mul<f64> for Chunk {
    type Output = Self;
    fn mul(self, share: f64) -> Self {
        Self {
            fresh: self.fresh * share,
            fresh_lost: self.fresh_lost * share,
            again: self.again * share,
            again_lost: self.again_lost * share,
            bursts: self.bursts * share,
            acks: self.acks * share,
            clumps: self.clumps * share,
            spread_s: self.spread_s * share,
            stamps: self.stamps * share,
            broken: self.broken * share,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Chunk;

    #[test]
    fn nothing_vanishes_when_packets_are_lost() {
        let mut chunk = Chunk { fresh: 8.0, again: 2.0, stamps: 20.0, ..Chunk::default() };
        chunk.lose(2.0, 0.5);
        assert_eq!((chunk.fresh, chunk.fresh_lost, chunk.again, chunk.again_lost), (6.0, 2.0, 1.5, 0.5));
        assert_eq!(chunk.stamps / chunk.packets(), 2.0);
    }
}
