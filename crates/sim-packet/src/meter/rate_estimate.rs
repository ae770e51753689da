//! The rate estimator of time-sliding windows (Clark and Fang 1998; RFC 2859, 2).

use crate::packet::Label;
use hntes_sim_scenario::time::Time;

/// An estimate of a rate that forgets over a window.
#[derive(Clone, Debug)]
pub struct RateEstimate {
    window_s: f64,
    average_bps: f64,
    front: Time,
}

impl RateEstimate {
    /// It starts at this rate.
    pub const fn new(start_bps: f64, window_s: f64) -> Self {
        Self { window_s, average_bps: start_bps, front: Time::ZERO }
    }

    /// The rate in bit/s, with the packet that arrives now.
    #[inline]
    pub fn update(&mut self, label: Label, now: Time) -> f64 {
        let (bits, since_s) = (f64::from(label.ip_bytes()) * 8.0, now.since(self.front).s());
        self.average_bps = (self.average_bps * self.window_s + bits) / (since_s + self.window_s);
        self.front = now;
        self.average_bps
    }
}

#[cfg(test)]
mod tests {
    use super::RateEstimate;
    use crate::meter::arrivals::packet;
    use crate::packet::Colour;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn the_estimate_follows_the_formula_of_the_rfc() {
        let mut estimate = RateEstimate::new(1e6, 0.5);
        // 12.5 kB arrive at once: (1e6 x 0.5 + 1e5) / 0.5; then nothing for a second: (1.2e6 x 0.5 + 8000) / 1.5
        let first_bps = estimate.update(packet(12_500, Colour::Green), Time::ZERO);
        assert!((first_bps - 1.2e6).abs() < 1e-6);
        let second_bps = estimate.update(packet(1000, Colour::Green), Time::from_ms(1000));
        assert!((second_bps - 608_000.0 / 1.5).abs() < 1e-6);
    }
}
