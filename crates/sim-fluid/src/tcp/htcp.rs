//! H-TCP (Leith and Shorten) with the constants and switches of Linux 2.6.3x, as a rate of growth and a back-off.

use crate::bound::Bound;

/// Back-off factors: the least, and the greatest (102/128).
const BETA_MIN: f64 = 0.5;
const BETA_MAX: f64 = 102.0 / 128.0;
/// Below this round-trip time the back-off is always one half.
const GENTLE_ABOVE_MS: f64 = 10.0;

/// The state of one connection.
#[derive(Clone, Debug)]
pub struct HTcp {
    rtt_scaling: bool,
    bandwidth_switch: bool,
    alpha: f64,
    beta: f64,
    gentle: bool,
    last_congestion_s: f64,
    troubled: bool,
    /// Round-trip times in whole milliseconds, as the sender's clock ticks.
    min_rtt_ms: f64,
    max_rtt_ms: f64,
    pps: f64,
    max_pps: f64,
    old_max_pps: f64,
    counted_pkts: f64,
    counted_since_s: f64,
}

impl HTcp {
    /// A connection that starts now.
    pub const fn new(rtt_scaling: bool, bandwidth_switch: bool, now_s: f64) -> Self {
        Self {
            rtt_scaling,
            bandwidth_switch,
            alpha: 1.0,
            beta: BETA_MIN,
            gentle: false,
            last_congestion_s: now_s,
            troubled: false,
            min_rtt_ms: 0.0,
            max_rtt_ms: 0.0,
            pps: 0.0,
            max_pps: 0.0,
            old_max_pps: 0.0,
            counted_pkts: 0.0,
            counted_since_s: now_s,
        }
    }

    /// Segments by which the window grows in a round-trip time.
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The share of the window that is kept after a loss.
    pub const fn beta(&self) -> f64 {
        self.beta
    }

    /// Segments were acknowledged, in state Open or not, with this round-trip time.
    pub fn on_acked(&mut self, pkts: f64, rtt_s: f64, open: bool, cwnd: f64, now_s: f64) {
        let sample_ms = (rtt_s * 1e3).whole().at_least(1.0);
        if self.min_rtt_ms == 0.0 || sample_ms < self.min_rtt_ms {
            self.min_rtt_ms = sample_ms;
        }
        if open {
            self.max_rtt_ms = self.max_rtt_ms.at_least(self.min_rtt_ms);
            // Stamps have whole milliseconds: the greatest sample is up to one above.
            let most = sample_ms + 1.0;
            if self.max_rtt_ms < most && most <= self.max_rtt_ms + 20.0 {
                self.max_rtt_ms = most;
            }
        }
        if self.bandwidth_switch {
            self.measure_rate(pkts, open, cwnd, now_s);
        }
    }

    fn measure_rate(&mut self, pkts: f64, open: bool, cwnd: f64, now_s: f64) {
        if !open {
            self.counted_pkts = 0.0;
            self.counted_since_s = now_s;
            return;
        }
        self.counted_pkts += pkts;
        let elapsed_s = now_s - self.counted_since_s;
        let wanted = cwnd - self.alpha.whole().at_least(1.0);
        if self.counted_pkts < wanted || elapsed_s * 1e3 < self.min_rtt_ms || elapsed_s <= 0.0 {
            return;
        }
        let current = self.counted_pkts / elapsed_s;
        if ((now_s - self.last_congestion_s) * 1e3 / self.min_rtt_ms).floor() <= 3.0 {
            self.pps = current;
            self.max_pps = current;
        } else {
            self.pps = (3.0 * self.pps + current) / 4.0;
            self.max_pps = self.max_pps.at_least(self.pps);
        }
        self.counted_pkts = 0.0;
        self.counted_since_s = now_s;
    }

    /// The slow-start threshold to fall to.
    pub fn on_congestion(&mut self, cwnd: f64, now_s: f64) -> f64 {
        self.update_beta();
        self.update_alpha(now_s);
        if self.max_rtt_ms > self.min_rtt_ms {
            self.max_rtt_ms = self.min_rtt_ms + ((self.max_rtt_ms - self.min_rtt_ms) * 0.95).floor();
        }
        (cwnd * self.beta).at_least(2.0)
    }

    fn update_beta(&mut self) {
        if self.bandwidth_switch {
            let old = std::mem::replace(&mut self.old_max_pps, self.max_pps);
            if !(4.0 * old..=6.0 * old).contains(&(5.0 * self.max_pps)) {
                self.beta = BETA_MIN;
                self.gentle = false;
                return;
            }
        }
        if self.gentle && self.min_rtt_ms > GENTLE_ABOVE_MS && self.max_rtt_ms > 0.0 {
            self.beta = (self.min_rtt_ms / self.max_rtt_ms).clamp(BETA_MIN, BETA_MAX);
        } else {
            self.beta = BETA_MIN;
            self.gentle = true;
        }
    }

    /// Time has passed since the last congestion: growth quickens.
    pub fn update_alpha(&mut self, now_s: f64) {
        let late_s = now_s - self.last_congestion_s - 1.0;
        let mut factor = if late_s > 0.0 { (1.0 + 10.0 * late_s + (late_s / 2.0).powi(2)).whole() } else { 1.0 };
        if self.rtt_scaling && self.min_rtt_ms > 0.0 {
            // In eighths, as the kernel counts.
            let scale = (800.0 / self.min_rtt_ms).whole().clamp(4.0, 80.0);
            factor = (factor * 8.0 / scale).whole().at_least(1.0);
        }
        self.alpha = 2.0 * factor * (1.0 - self.beta);
    }

    /// The window is being reduced; time counts from here, and again from the end of it.
    pub const fn on_trouble(&mut self, now_s: f64) {
        self.troubled = true;
        self.last_congestion_s = now_s;
    }

    /// The trouble is over.
    pub const fn on_open(&mut self, now_s: f64) {
        if self.troubled {
            self.troubled = false;
            self.last_congestion_s = now_s;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HTcp;

    fn alpha_after(rtt_ms: f64, seconds: f64) -> f64 {
        let mut htcp = HTcp::new(true, true, 0.0);
        htcp.on_acked(1.0, rtt_ms * 1e-3, true, 100.0, 0.001);
        htcp.update_alpha(seconds);
        htcp.alpha()
    }

    #[test]
    fn growth_follows_the_kernels_arithmetic() {
        let table =
            [(5.0, [1, 1, 4, 11, 28, 77]), (50.0, [1, 5, 22, 55, 140, 385]), (100.0, [1, 11, 45, 111, 281, 771])];
        for (rtt_ms, expected) in table {
            for (seconds, alpha) in [0.5, 2.0, 5.0, 10.0, 20.0, 40.0].into_iter().zip(expected) {
                let got = alpha_after(rtt_ms, seconds);
                assert!((got - f64::from(alpha)).abs() <= 1.0, "{rtt_ms} ms, {seconds} s: {got}, not {alpha}");
            }
        }
    }

    #[test]
    fn the_back_off_is_gentle_only_at_long_round_trips_and_steady_rates() {
        for (rtt_ms, expected) in [(5.0, 0.5), (80.0, 0.8 * 80.0 / 81.0 / 0.8)] {
            let mut htcp = HTcp::new(true, false, 0.0);
            htcp.on_acked(10.0, rtt_ms * 1e-3, true, 100.0, 1.0);
            htcp.on_congestion(100.0, 2.0);
            let kept = htcp.on_congestion(100.0, 3.0) / 100.0;
            assert!((kept - f64::clamp(expected, 0.5, 102.0 / 128.0)).abs() < 1e-9, "{rtt_ms}: {kept}");
        }
    }
}
