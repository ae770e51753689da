//! A time-sliding window: TSW3CM (RFC 2859), and its form with two colours (Clark and Fang 1998).

use super::{Meter, RateEstimate};
use crate::packet::{Colour, Label};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// An estimate of the rate that forgets over a window. Above the committed rate each packet's colour is drawn, so that
/// green packets add up to the committed rate and yellow ones to what lies between the two rates.
#[derive(Clone, Debug)]
pub struct SlidingWindow {
    estimate: RateEstimate,
    committed_bps: f64,
    peak_bps: f64,
    /// The marker's own stream.
    random: Random,
}

impl SlidingWindow {
    /// The estimate starts at the committed rate. Without a peak rate nothing is yellow.
    pub fn new(committed_bps: f64, peak_bps: Option<f64>, window_s: f64, random: Random) -> Self {
        let peak_bps = peak_bps.unwrap_or(committed_bps);
        Self { estimate: RateEstimate::new(committed_bps, window_s), committed_bps, peak_bps, random }
    }

    /// Hold the estimate against other rates from now on.
    pub fn set_rates(&mut self, committed_bps: f64, peak_bps: Option<f64>) {
        self.committed_bps = committed_bps;
        self.peak_bps = peak_bps.unwrap_or(committed_bps);
    }
}

impl Meter for SlidingWindow {
    #[inline]
    fn colour(&mut self, label: Label, now: Time) -> Colour {
        let average_bps = self.estimate.update(label, now);
        if average_bps <= self.committed_bps {
            return Colour::Green;
        }
        // One draw divides the estimate: red above the peak rate, yellow between the rates, green below.
        let drawn_bps = self.random.unit() * average_bps;
        if drawn_bps < average_bps - self.peak_bps {
            Colour::Red
        } else if drawn_bps < average_bps - self.committed_bps {
            Colour::Yellow
        } else {
            Colour::Green
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SlidingWindow;
    use crate::meter::{Meter, arrivals};
    use hntes_sim_scenario::rng::Random;

    fn meter(peak_bps: Option<f64>) -> SlidingWindow {
        SlidingWindow::new(1e6, peak_bps, 0.5, Random::named(1, "window"))
    }

    /// Shares of the colours at a steady rate.
    fn shares(peak_bps: Option<f64>, bps: u64) -> [f64; 3] {
        let mut meter = meter(peak_bps);
        arrivals::shares(|label, now| meter.colour(label, now), bps)
    }

    #[test]
    fn up_to_the_committed_rate_all_is_green() {
        // The estimate starts at the committed rate, which the first packets add to.
        let [green, _, red] = shares(Some(3e6), 900_000);
        assert!(green > 0.9999, "{green}");
        assert!(red == 0.0, "{red}");
    }

    #[test]
    fn a_steady_stream_is_divided_at_the_two_rates() {
        let [green, yellow, red] = shares(Some(3e6), 4_000_000);
        assert!((green - 0.25).abs() < 0.005, "{green}");
        assert!((yellow - 0.5).abs() < 0.005, "{yellow}");
        assert!((red - 0.25).abs() < 0.005, "{red}");
    }

    #[test]
    fn between_the_rates_nothing_is_red() {
        let [green, yellow, red] = shares(Some(3e6), 2_000_000);
        assert!((green - 0.5).abs() < 0.005, "{green}");
        assert!((yellow - 0.5).abs() < 0.005, "{yellow}");
        assert!(red == 0.0, "{red}");
    }

    #[test]
    fn with_one_rate_nothing_is_yellow() {
        let [green, yellow, red] = shares(None, 4_000_000);
        assert!((green - 0.25).abs() < 0.005, "{green}");
        assert!(yellow == 0.0, "{yellow}");
        assert!((red - 0.75).abs() < 0.005, "{red}");
    }
}
