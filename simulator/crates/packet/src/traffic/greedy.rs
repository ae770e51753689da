//! A sender with endless data, switched on and off: one connection per interval.

use super::{Demand, Intervals, TrafficSource};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// The source.
#[derive(Clone, Debug)]
pub struct Greedy {
    intervals: Intervals,
    open: bool,
}

impl Greedy {
    /// One connection per interval.
    pub const fn new(intervals: Intervals) -> Self {
        Self { intervals, open: false }
    }
}

impl TrafficSource for Greedy {
    fn first(&self) -> Option<Time> {
        self.intervals.first()
    }

    fn ask(&mut self, now: Time, _random: &mut Random) -> (Demand, Option<Time>) {
        if self.open {
            self.open = false;
            return (Demand::Close, self.intervals.at_or_after(now).map(|interval| interval.0.max(now)));
        }
        match self.intervals.at_or_after(now) {
            Some((start, end)) if start <= now => {
                self.open = true;
                (Demand::Open, Some(end))
            }
            later => (Demand::Nothing, later.map(|interval| interval.0)),
        }
    }
}
