//! Echo requests at a fixed interval.

use super::{Demand, Intervals, TrafficSource};
use crate::rng::Random;
use crate::time::Time;

/// The source.
#[derive(Clone, Debug)]
pub struct Ping {
    intervals: Intervals,
    gap: Time,
}

impl Ping {
    /// A request every `gap` while on.
    pub const fn new(intervals: Intervals, gap: Time) -> Self {
        Self { intervals, gap }
    }
}

impl TrafficSource for Ping {
    fn first(&self) -> Option<Time> {
        self.intervals.first()
    }

    fn ask(&mut self, now: Time, _random: &mut Random) -> (Demand, Option<Time>) {
        let next = |source: &mut Self, from: Time| source.intervals.at_or_after(from).map(|next| next.0.max(from));
        match self.intervals.at_or_after(now) {
            Some((start, _)) if start <= now => (Demand::Echo, next(self, now + self.gap)),
            later => (Demand::Nothing, later.map(|interval| interval.0)),
        }
    }
}
