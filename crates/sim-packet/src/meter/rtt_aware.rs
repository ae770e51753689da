//! A time-sliding window that knows round-trip times: the basic RTT-aware conditioner that Habib, Bhargava and Fahmy (ICC
//! 2002) compare theirs with, and its form that protects small windows.

use super::RateEstimate;
use crate::packet::{Colour, Label};
use crate::senders::{AggregateNumber, Senders};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// TSW3CM (RFC 2859) whose yellow and red shares are weighted by the square of the least mean round-trip time over the
/// aggregate's own: as a TCP flow's rate goes by 1 / (RTT sqrt(p)), this weight would make the rates equal.
#[derive(Clone, Debug)]
pub struct RttAware {
    estimate: RateEstimate,
    committed_bps: f64,
    peak_bps: f64,
    /// A flow whose congestion window is smaller is green, whatever the rate.
    small_window_pkts: u32,
    aggregate: AggregateNumber,
    /// The marker's own stream.
    random: Random,
}

impl RttAware {
    /// The estimate starts at the committed rate.
    pub fn new(
        rates_bps: (f64, f64),
        window_s: f64,
        small_window_pkts: u32,
        aggregate: AggregateNumber,
        random: Random,
    ) -> Self {
        let (committed_bps, peak_bps) = rates_bps;
        let estimate = RateEstimate::new(committed_bps, window_s);
        Self { estimate, committed_bps, peak_bps, small_window_pkts, aggregate, random }
    }

    /// Hold the estimate against other rates from now on.
    pub const fn set_rates(&mut self, committed_bps: f64, peak_bps: f64) {
        self.committed_bps = committed_bps;
        self.peak_bps = peak_bps;
    }

    /// The aggregate it asks about.
    pub const fn aggregate(&self) -> AggregateNumber {
        self.aggregate
    }

    /// The colour of a packet that arrives now. Before a flow has told its round-trip time, the weight is 1.
    #[inline]
    pub fn colour(&mut self, label: Label, senders: &Senders, now: Time) -> Colour {
        let average_bps = self.estimate.update(label, now);
        if average_bps <= self.committed_bps || senders.cwnd(label.flow()) < self.small_window_pkts {
            return Colour::Green;
        }
        let weight = senders.compare(self.aggregate).map_or(1.0, |found| found.rtt_ratio * found.rtt_ratio);
        let drawn_bps = self.random.unit() * average_bps;
        if drawn_bps < weight * (average_bps - self.peak_bps) {
            Colour::Red
        } else if drawn_bps < weight * (average_bps - self.committed_bps) {
            Colour::Yellow
        } else {
            Colour::Green
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RttAware;
    use crate::meter::arrivals::shares;
    use crate::senders::SenderState;
    use crate::senders::tests::{single_flows, state};
    use hntes_sim_scenario::rng::Random;

    /// Shares of the colours of flow 0 at 4 Mb/s, of which 1 is committed and 3 are the peak rate.
    fn shares_of_first(states: &[SenderState], small_window_pkts: u32) -> [f64; 3] {
        let (senders, aggregates) = single_flows(states);
        let mut meter = RttAware::new((1e6, 3e6), 0.5, small_window_pkts, aggregates[0], Random::named(1, "rtt"));
        shares(|label, now| meter.colour(label, &senders, now), 4_000_000)
    }

    fn assert_shares(found: [f64; 3], wanted: [f64; 3]) {
        for (found_share, wanted_share) in found.iter().zip(wanted) {
            assert!((found_share - wanted_share).abs() < 0.005, "{found:?}, {wanted:?}");
        }
    }

    #[test]
    fn the_shortest_round_trip_is_marked_as_by_the_rfc() {
        assert_shares(shares_of_first(&[state(20, 200, 10), state(100, 300, 10)], 0), [0.25, 0.5, 0.25]);
    }

    #[test]
    fn twice_the_round_trip_is_marked_a_quarter_as_often() {
        let found = shares_of_first(&[state(40, 200, 10), state(20, 200, 10)], 0);
        assert_shares(found, [1.0 - 0.75 / 4.0, 0.5 / 4.0, 0.25 / 4.0]);
    }

    #[test]
    fn a_window_below_the_threshold_is_green() {
        assert_shares(shares_of_first(&[state(20, 200, 2)], 3), [1.0, 0.0, 0.0]);
        assert_shares(shares_of_first(&[state(20, 200, 3)], 3), [0.25, 0.5, 0.25]);
    }
}
