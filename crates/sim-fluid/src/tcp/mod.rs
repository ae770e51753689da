//! TCP as a flow of segments: windows in real numbers of segments, losses and recoveries as events.

mod acks;
mod htcp;
mod parameters;
mod receiver;
mod reduction;
mod sender;
mod small_queue;
mod window_use;

pub use acks::segments_per_ack;
pub use htcp::HTcp;
pub use parameters::SenderParameters;
pub use receiver::Receiver;
pub use sender::{Sender, SenderCounts};
pub use small_queue::SmallQueue;

use std::ops::{AddAssign, Mul};

/// What acknowledgements tell the sender; amounts in segments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Segments that arrived.
    pub arrived: f64,
    /// Segments found missing.
    pub missing: f64,
    /// Segments sent again that arrived or were lost once more; those of Linux 6 alone count them.
    pub resent: f64,
    /// Acknowledgements.
    pub acks: f64,
    /// By how much the first segment not acknowledged moved on.
    pub advance: f64,
    /// What part of a slow start's flights they answer.
    pub clumps: f64,
    /// Seconds they take to come, if they answer a slow start's flight.
    pub spread_s: f64,
    /// For each segment that arrived the second at which it was sent, added up.
    pub stamps: f64,
}

impl AddAssign for Report {
    fn add_assign(&mut self, other: Self) {
        self.arrived += other.arrived;
        self.missing += other.missing;
        self.resent += other.resent;
        self.acks += other.acks;
        self.advance += other.advance;
        self.clumps += other.clumps;
        self.spread_s += other.spread_s;
        self.stamps += other.stamps;
    }
}

impl Mul<f64> for Report {
    type Output = Self;
    fn mul(self, share: f64) -> Self {
        Self {
            arrived: self.arrived * share,
            missing: self.missing * share,
            resent: self.resent * share,
            acks: self.acks * share,
            advance: self.advance * share,
            clumps: self.clumps * share,
            spread_s: self.spread_s * share,
            stamps: self.stamps * share,
        }
    }
}

/// A congestion control.
#[derive(Clone, Debug)]
pub enum Congestion {
    /// Reno, counted per acknowledgement.
    Reno,
    /// H-TCP, counted per segment.
    HTcp(HTcp),
}
