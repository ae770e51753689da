//! Which share of a step's arrivals a queue turns away: tail drop that stays closed until some room is free, early
//! drop by occupancy, and the token bucket before them.

use crate::bound::Bound;

/// What a full queue turns away in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overflow {
    /// The share of the arrivals that is lost.
    pub share: f64,
    /// How often the queue closed.
    pub closings: f64,
    /// The share of the step during which it was closed.
    pub closed: f64,
}

impl Overflow {
    /// How many of a flow's `datagrams` of a step lose a piece. Their `pieces` take `span` of a step to arrive; `own`
    /// is the flow's share of the arrivals.
    pub fn broken(&self, datagrams: f64, pieces: f64, span: f64, own: f64) -> f64 {
        if self.closings + self.closed <= 0.0 {
            // Room for one packet at a time: every datagram loses its share of pieces.
            return datagrams * (self.share * pieces).at_most(1.0);
        }
        // A queue closes on an arrival: if on this flow's, then within a datagram; if on another's, now and then.
        let within = (span * datagrams).at_most(1.0);
        let at_closing = own * (0.5 + within / 2.0) + (1.0 - own) * within;
        // The datagram that a closing breaks may have begun in an earlier step.
        self.closed * datagrams + self.closings * at_closing
    }
}

/// A queue's state at the start of a step, in bytes, and its rates in bytes per step.
#[derive(Clone, Copy, Debug)]
pub struct Filling {
    /// What waits.
    pub backlog: f64,
    /// The most that may wait.
    pub limit: f64,
    /// What must be free again before a full queue takes anything.
    pub reopen: f64,
    /// What arrives in the step.
    pub arrivals: f64,
    /// What is served in the step.
    pub served: f64,
}

impl Filling {
    /// Whether everything that arrives fits.
    #[inline]
    pub fn has_room(&self, closed: bool) -> bool {
        !closed && self.backlog + (self.arrivals - self.served) <= self.limit
    }

    /// Follow one step with even rates: open until full, closed until `reopen` is free, and so on.
    pub fn overflow(&self, closed: &mut bool) -> Overflow {
        if self.has_room(*closed) {
            return Overflow::default();
        }
        let growth = self.arrivals - self.served;
        let (mut level, mut left, mut lost) = (self.backlog, 1.0, Overflow::default());
        let reopen_level = (self.limit - self.reopen).at_least(0.0);
        if self.reopen <= 0.0 {
            let excess = (self.backlog + growth - self.limit).at_least(0.0);
            *closed = false;
            return Overflow { share: (excess / self.arrivals).at_most(1.0), ..lost };
        }
        while left > 1e-12 {
            if *closed {
                let wait =
                    if level <= reopen_level { 0.0 } else { (level - reopen_level) / self.served.at_least(1e-9) };
                *closed = wait > left;
                let span = wait.at_most(left);
                level -= span * self.served;
                lost.closed += span;
                left -= span;
            } else {
                let span =
                    if growth > 0.0 { ((self.limit - level).at_least(0.0) / growth).at_most(left) } else { left };
                level += span * growth;
                left -= span;
                if left > 1e-12 {
                    *closed = true;
                    lost.closings += 1.0;
                }
            }
        }
        lost.share = lost.closed;
        lost
    }
}

/// The chance that a packet out of profile is dropped: the share of the queue that is full, cut to whole steps.
pub fn early_drop_chance(backlog: f64, limit: f64, step_pct: f64) -> f64 {
    let share = (backlog / limit).clamp(0.0, 1.0);
    if step_pct > 0.0 { (share * 100.0 / step_pct).floor() * step_pct / 100.0 } else { share }
}

/// A token bucket as fluid.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate_bytes_s: f64,
    depth_bytes: f64,
    tokens_bytes: f64,
}

impl Bucket {
    /// A full bucket.
    pub const fn new(rate_bps: f64, depth_bytes: f64) -> Self {
        Self { rate_bytes_s: rate_bps / 8.0, depth_bytes, tokens_bytes: depth_bytes }
    }

    /// The share of what arrives during a step that is out of profile.
    pub fn out_of_profile(&mut self, arrived_bytes: f64, step_s: f64) -> f64 {
        let most = self.tokens_bytes + self.rate_bytes_s * step_s;
        let green = arrived_bytes.at_most(most);
        self.tokens_bytes = (most - green).at_most(self.depth_bytes);
        if arrived_bytes > 0.0 { 1.0 - green / arrived_bytes } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bucket, Filling, early_drop_chance};

    const FULL: Filling = Filling { backlog: 1000.0, limit: 1000.0, reopen: 0.0, arrivals: 400.0, served: 300.0 };

    #[test]
    fn plain_tail_drop_loses_the_excess() {
        assert!((FULL.overflow(&mut false).share - 0.25).abs() < 1e-12);
        let roomy = Filling { backlog: 850.0, ..FULL };
        assert_eq!(roomy.overflow(&mut false).share, 0.0);
    }

    #[test]
    fn a_closing_queue_loses_the_same_in_the_mean_and_closes_for_the_time_it_takes_to_make_room() {
        let (mut closed, mut lost, mut closings) = (false, 0.0, 0.0);
        let mut filling = Filling { reopen: 60.0, ..FULL };
        for _ in 0..1000 {
            let step = filling.overflow(&mut closed);
            filling.backlog += filling.arrivals * (1.0 - step.share) - filling.served;
            lost += step.share / 1000.0;
            closings += step.closings;
            assert!(filling.backlog <= 1000.0 + 1e-6);
        }
        assert!((lost - 0.25).abs() < 1e-3, "{lost}");
        // A cycle: 60 bytes drained at 300 per step, then filled again at 100 per step.
        assert!((closings - 1000.0 / 0.8).abs() <= 2.0, "{closings}");
    }

    #[test]
    fn occupancy_is_read_in_whole_steps() {
        assert_eq!(early_drop_chance(409.0, 1000.0, 1.0), 0.40);
        assert_eq!(early_drop_chance(9.9, 1000.0, 1.0), 0.0);
        assert_eq!(early_drop_chance(9.9, 1000.0, 0.0), 0.0099);
    }

    #[test]
    fn a_bucket_passes_its_rate_and_its_depth() {
        let mut bucket = Bucket::new(8e3, 500.0);
        let green: f64 = (0..100).map(|_| 50.0 * (1.0 - bucket.out_of_profile(50.0, 0.01))).sum();
        assert!((green - 1500.0).abs() < 1e-6, "{green}");
    }
}
