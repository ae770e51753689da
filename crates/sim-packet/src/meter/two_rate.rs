//! Two rates, three colours: trTCM, RFC 2698.

use super::{Meter, TokenBucket};
use crate::packet::{Colour, Label};
use hntes_sim_scenario::time::Time;

/// A bucket at the peak rate and one at the committed rate. What is green takes tokens of both, what is yellow of the
/// first only.
#[derive(Clone, Debug)]
pub struct TwoRate {
    committed: TokenBucket,
    peak: TokenBucket,
    is_colour_aware: bool,
}

impl TwoRate {
    /// Of full buckets. A colour-aware meter never improves the colour that a packet came with.
    pub const fn new(committed: TokenBucket, peak: TokenBucket, is_colour_aware: bool) -> Self {
        Self { committed, peak, is_colour_aware }
    }

    /// The buckets at the committed and at the peak rate.
    pub const fn buckets_mut(&mut self) -> [&mut TokenBucket; 2] {
        [&mut self.committed, &mut self.peak]
    }
}

impl Meter for TwoRate {
    #[inline]
    fn colour(&mut self, label: Label, now: Time) -> Colour {
        let came = if self.is_colour_aware { label.colour() } else { Colour::Green };
        if came == Colour::Red || !self.peak.take(label, now) {
            Colour::Red
        } else if came == Colour::Yellow || !self.committed.take(label, now) {
            Colour::Yellow
        } else {
            Colour::Green
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TwoRate;
    use crate::meter::arrivals::{bytes_by_colour, packet};
    use crate::meter::{Meter, TokenBucket};
    use crate::packet::Colour::{Green, Red, Yellow};
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    fn meter(committed: (u64, u64), peak: (u64, u64), is_colour_aware: bool) -> TwoRate {
        let bucket = |(bps, burst)| TokenBucket::new(Rate::from_bps(bps), burst);
        TwoRate::new(bucket(committed), bucket(peak), is_colour_aware)
    }

    #[test]
    fn a_burst_is_green_then_yellow_then_red() {
        let mut meter = meter((8000, 2000), (16_000, 3000), false);
        let colours: Vec<_> = (0..4).map(|_| meter.colour(packet(1000, Green), Time::ZERO)).collect();
        assert_eq!(colours, [Green, Green, Yellow, Red]);
    }

    #[test]
    fn a_steady_stream_is_divided_at_the_two_rates() {
        let [green, yellow, red] =
            bytes_by_colour(&mut meter((1_000_000, 10_000), (3_000_000, 20_000), false), 4_000_000, 20);
        assert!(green.abs_diff(2_510_000) <= 1000, "{green}");
        assert!((green + yellow).abs_diff(7_520_000) <= 1000, "{yellow}");
        assert!((green + yellow + red).abs_diff(10_000_000) <= 1000, "{red}");
    }

    #[test]
    fn between_the_rates_nothing_is_red() {
        let [_, yellow, red] =
            bytes_by_colour(&mut meter((1_000_000, 10_000), (3_000_000, 20_000), false), 2_000_000, 20);
        assert!(yellow > 2_000_000);
        assert_eq!(red, 0);
    }

    #[test]
    fn what_is_red_takes_no_tokens() {
        let mut meter = meter((8000, 2000), (16_000, 2000), false);
        meter.colour(packet(1500, Green), Time::ZERO);
        assert_eq!(meter.colour(packet(1500, Green), Time::ZERO), Red);
        assert_eq!(meter.colour(packet(500, Green), Time::ZERO), Green);
    }

    #[test]
    fn what_the_peak_rate_turns_away_leaves_the_committed_tokens() {
        let mut meter = meter((8000, 4000), (16_000, 2000), false);
        let colours = [1500, 1000, 1000].map(|bytes| meter.colour(packet(bytes, Green), Time::ZERO));
        assert_eq!(colours, [Green, Red, Red]);
        // A second later 3500 committed tokens and 2000 of the peak rate are there.
        assert_eq!(meter.colour(packet(2000, Green), Time::from_ms(1000)), Green);
    }

    #[test]
    fn an_aware_meter_improves_no_colour() {
        let mut meter = meter((8000, 2000), (16_000, 4000), true);
        let came = [Red, Yellow, Green, Yellow, Green, Green];
        let left: Vec<_> = came.map(|colour| meter.colour(packet(1000, colour), Time::ZERO)).into();
        assert_eq!(left, [Red, Yellow, Green, Yellow, Green, Red]);
    }
}
