//! How long packets wait in a queue.

use hntes_sim_scenario::results::DelaySummary;
use hntes_sim_scenario::time::Time;

/// Waits from arrival to the beginning of service, held against a bound.
#[derive(Clone, Debug)]
pub struct Delays {
    bound: Time,
    pkts: u64,
    late_pkts: u64,
    sum_s: f64,
    longest: Time,
}

impl Delays {
    /// No packet has left.
    pub const fn new(bound: Time) -> Self {
        Self { bound, pkts: 0, late_pkts: 0, sum_s: 0.0, longest: Time::ZERO }
    }

    /// A packet leaves that waited so long.
    pub fn note(&mut self, waited: Time) {
        self.pkts += 1;
        self.late_pkts += u64::from(waited > self.bound);
        self.sum_s += waited.s();
        self.longest = self.longest.max(waited);
    }

    /// Totals.
    pub fn summary(&self) -> DelaySummary {
        DelaySummary {
            bound_ms: self.bound.s() * 1e3,
            late_pkts: self.late_pkts,
            mean_ms: self.sum_s * 1e3 / self.pkts.max(1) as f64,
            max_ms: self.longest.s() * 1e3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Delays;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn a_wait_as_long_as_the_bound_is_not_late() {
        let mut delays = Delays::new(Time::from_ms(10));
        assert_eq!((delays.summary().late_pkts, delays.summary().max_ms), (0, 0.0));
        for waited in [Time::ZERO, Time::from_ms(10), Time::from_us(10_001), Time::from_ms(20)] {
            delays.note(waited);
        }
        let summary = delays.summary();
        assert_eq!((summary.bound_ms, summary.late_pkts, summary.max_ms), (10.0, 2, 20.0));
        assert!((summary.mean_ms - 40.001 / 4.0).abs() < 1e-9);
    }
}
