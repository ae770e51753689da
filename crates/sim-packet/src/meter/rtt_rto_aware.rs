//! The marker that knows round-trip times and timeouts: the conditioner of Habib, Bhargava and Fahmy (ICC 2002).

use super::RateEstimate;
use crate::packet::{Colour, Label};
use crate::senders::{AggregateNumber, Comparison, Senders};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// How the paper's two formulas are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exponents {
    /// With p the share of the estimate above the target, green has 1 - p to this power.
    pub excess: u32,
    /// The power of the ratio of timeouts in the share of red.
    pub rto: u32,
}

/// Up to the target rate all is green. Above it a share is drawn to be out of profile; of this, red is
/// (least RTT / own RTT)^2 x (least RTO / own RTO), and yellow the rest. The aggregate with the least RTT, whose share
/// would be all, has its own RTT over its own RTO instead.
#[derive(Clone, Debug)]
pub struct RttRtoAware {
    estimate: RateEstimate,
    target_bps: f64,
    exponents: Exponents,
    /// A flow whose congestion window is smaller is green, whatever the rate.
    small_window_pkts: u32,
    aggregate: AggregateNumber,
    /// The marker's own stream.
    random: Random,
}

impl RttRtoAware {
    /// The estimate starts at the target rate.
    pub fn new(
        target_bps: f64,
        window_s: f64,
        exponents: Exponents,
        small_window_pkts: u32,
        aggregate: AggregateNumber,
        random: Random,
    ) -> Self {
        let estimate = RateEstimate::new(target_bps, window_s);
        Self { estimate, target_bps, exponents, small_window_pkts, aggregate, random }
    }

    /// Hold the estimate against another rate from now on.
    pub const fn set_rate(&mut self, target_bps: f64) {
        self.target_bps = target_bps;
    }

    /// The aggregate it asks about.
    pub const fn aggregate(&self) -> AggregateNumber {
        self.aggregate
    }

    /// The colour of a packet that arrives now. Before a flow has told what it knows, all that is out of profile is red.
    #[inline]
    pub fn colour(&mut self, label: Label, senders: &Senders, now: Time) -> Colour {
        let average_bps = self.estimate.update(label, now);
        if average_bps <= self.target_bps || senders.cwnd(label.flow()) < self.small_window_pkts {
            return Colour::Green;
        }
        let excess = (1.0 - self.target_bps / average_bps).powi(self.exponents.excess as i32);
        let drawn = self.random.unit();
        if drawn >= excess {
            Colour::Green
        } else if drawn < excess * senders.compare(self.aggregate).map_or(1.0, |found| self.red_share(found)) {
            Colour::Red
        } else {
            Colour::Yellow
        }
    }

    fn red_share(&self, found: Comparison) -> f64 {
        if found.rtt_ratio >= 1.0 {
            return found.rtt_to_rto;
        }
        found.rtt_ratio.powi(2) * found.rto_ratio.powi(self.exponents.rto as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::{Exponents, RttRtoAware};
    use crate::meter::arrivals::shares;
    use crate::senders::SenderState;
    use crate::senders::tests::{single_flows, state};
    use hntes_sim_scenario::rng::Random;

    const PLAIN: Exponents = Exponents { excess: 1, rto: 1 };

    /// Shares of the colours of flow 0 at 4 Mb/s, of which 2 are the target.
    fn shares_of_first(states: &[SenderState], exponents: Exponents, small_window_pkts: u32) -> [f64; 3] {
        let (senders, aggregates) = single_flows(states);
        let random = Random::named(1, "rtt-rto");
        let mut meter = RttRtoAware::new(2e6, 0.5, exponents, small_window_pkts, aggregates[0], random);
        shares(|label, now| meter.colour(label, &senders, now), 4_000_000)
    }

    fn assert_shares(found: [f64; 3], wanted: [f64; 3]) {
        for (found_share, wanted_share) in found.iter().zip(wanted) {
            assert!((found_share - wanted_share).abs() < 0.005, "{found:?}, {wanted:?}");
        }
    }

    #[test]
    fn red_goes_by_the_square_of_round_trips_and_by_timeouts() {
        // Half is out of profile; of this (20/40)^2 x (200/250) is red.
        let states = [state(40, 250, 10), state(20, 200, 10)];
        assert_shares(shares_of_first(&states, PLAIN, 0), [0.5, 0.4, 0.1]);
        let squared = Exponents { rto: 2, ..PLAIN };
        assert_shares(shares_of_first(&states, squared, 0), [0.5, 0.5 * 0.84, 0.5 * 0.16]);
    }

    #[test]
    fn the_shortest_round_trip_is_red_by_its_own_round_trip_over_its_own_timeout() {
        let states = [state(20, 200, 10), state(40, 150, 10)];
        assert_shares(shares_of_first(&states, PLAIN, 0), [0.5, 0.45, 0.05]);
    }

    #[test]
    fn less_is_out_of_profile_where_the_excess_is_squared() {
        let states = [state(40, 250, 10), state(20, 200, 10)];
        let squared = Exponents { excess: 2, ..PLAIN };
        assert_shares(shares_of_first(&states, squared, 0), [0.75, 0.2, 0.05]);
    }

    #[test]
    fn a_window_below_the_threshold_is_green() {
        assert_shares(shares_of_first(&[state(20, 200, 2)], PLAIN, 3), [1.0, 0.0, 0.0]);
    }
}
