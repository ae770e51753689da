//! H-TCP (Leith and Shorten), with the arithmetic, switches and clock of Linux 2.6.3x.

use super::{AckSample, CaState, CongestionControl, Window};
use hntes_sim_scenario::time::Time;

/// Clock ticks a second; all of H-TCP's times are counted in them.
const HZ: u64 = 1000;
const TICK: Time = Time::from_ms(1);
/// 1.0 in the fixed-point numbers `alpha` and `beta`.
const ONE: u32 = 1 << 7;
const BETA_MIN: u32 = ONE / 2;
const BETA_MAX: u32 = 102;

/// What can be switched.
#[derive(Clone, Copy, Debug)]
pub struct HTcpParameters {
    /// Growth is scaled by the round-trip time, relative to 100 ms.
    pub rtt_scaling: bool,
    /// The gentle back-off is left when the throughput changed by more than a fifth between losses.
    pub bandwidth_switch: bool,
    /// Round-trip times count as whole ticks begun, not as whole ticks ended: they are measured finer than a tick.
    pub rtt_rounds_up: bool,
    /// Growth counts acknowledgements, whatever they cover, instead of the segments they cover.
    pub counts_acks: bool,
}

#[derive(Clone, Copy, Debug)]
struct Saved {
    last_congestion: u64,
    max_rtt: u64,
    old_max_bandwidth: u64,
}

/// The state of one connection.
#[derive(Clone, Debug)]
pub struct HTcp {
    parameters: HTcpParameters,
    alpha: u32,
    beta: u32,
    mode_switch: bool,
    acked: u32,
    last_congestion: u64,
    saved: Option<Saved>,
    min_rtt: u64,
    max_rtt: u64,
    bandwidth: u64,
    max_bandwidth: u64,
    old_max_bandwidth: u64,
    counted: u64,
    counted_since: u64,
}

impl HTcp {
    /// A connection that starts now.
    pub fn new(parameters: HTcpParameters, now: Time) -> Self {
        Self {
            parameters,
            alpha: ONE,
            beta: BETA_MIN,
            mode_switch: false,
            acked: 1,
            last_congestion: ticks(now),
            saved: None,
            min_rtt: 0,
            max_rtt: 0,
            bandwidth: 0,
            max_bandwidth: 0,
            old_max_bandwidth: 0,
            counted: 0,
            counted_since: 0,
        }
    }

    fn measure_rtt(&mut self, rtt: u64, state: CaState) {
        if self.min_rtt > rtt || self.min_rtt == 0 {
            self.min_rtt = rtt;
        }
        if state == CaState::Open {
            self.max_rtt = self.max_rtt.max(self.min_rtt);
            // One sample cannot raise the maximum by more than 20 ms at a time.
            if self.max_rtt < rtt && rtt <= self.max_rtt + HZ / 50 {
                self.max_rtt = rtt;
            }
        }
    }

    fn measure_bandwidth(&mut self, sample: &AckSample, window: &Window) {
        let now = ticks(sample.now);
        if !matches!(sample.state, CaState::Open | CaState::Disorder) {
            self.counted = 0;
            self.counted_since = now;
            return;
        }
        self.counted += u64::from(sample.acked);
        let elapsed = now - self.counted_since;
        let wanted = u64::from(window.cwnd).saturating_sub(u64::from((self.alpha >> 7).max(1)));
        if self.counted < wanted || elapsed < self.min_rtt || self.min_rtt == 0 || elapsed == 0 {
            return;
        }
        let current = self.counted * HZ / elapsed;
        if (now - self.last_congestion) / self.min_rtt <= 3 {
            self.bandwidth = current;
            self.max_bandwidth = current;
        } else {
            self.bandwidth = (3 * self.bandwidth + current) / 4;
            self.max_bandwidth = self.max_bandwidth.max(self.bandwidth);
        }
        self.counted = 0;
        self.counted_since = now;
    }

    fn update_beta(&mut self) {
        if self.parameters.bandwidth_switch {
            let (old, new) = (self.old_max_bandwidth, self.max_bandwidth);
            self.old_max_bandwidth = new;
            if !(4 * old..=6 * old).contains(&(5 * new)) {
                self.beta = BETA_MIN;
                self.mode_switch = false;
                return;
            }
        }
        if self.mode_switch && self.min_rtt > HZ / 100 && self.max_rtt > 0 {
            self.beta = ((self.min_rtt << 7) / self.max_rtt).clamp(u64::from(BETA_MIN), u64::from(BETA_MAX)) as u32;
        } else {
            self.beta = BETA_MIN;
            self.mode_switch = true;
        }
    }

    #[inline]
    fn avoid_congestion(&mut self, window: &mut Window, now: Time) {
        if (u64::from(window.count) * u64::from(self.alpha)) >> 7 >= u64::from(window.cwnd) {
            window.cwnd += 1;
            window.count = 0;
            self.update_alpha(now);
        } else {
            window.count += self.acked;
        }
        self.acked = 1;
    }

    fn update_alpha(&mut self, now: Time) {
        let since = ticks(now).saturating_sub(self.last_congestion);
        let mut factor = 1;
        if since > HZ {
            let late = since - HZ;
            factor = 1 + (10 * late + (late / 2) * (late / 2) / HZ) / HZ;
        }
        if self.parameters.rtt_scaling && self.min_rtt > 0 {
            let scale = ((HZ << 3) / (10 * self.min_rtt)).clamp(1 << 2, 10 << 3);
            factor = ((factor << 3) / scale).max(1);
        }
        self.alpha = (2 * factor * u64::from(ONE - self.beta)) as u32;
        if self.alpha == 0 {
            self.alpha = ONE;
        }
    }
}

impl CongestionControl for HTcp {
    fn on_acked(&mut self, sample: &AckSample, window: &mut Window) {
        if sample.state == CaState::Open && !self.parameters.counts_acks {
            self.acked = sample.acked;
        }
        if let Some(rtt) = sample.rtt {
            let whole = if self.parameters.rtt_rounds_up { rtt + TICK - Time::from_ps(1) } else { rtt };
            self.measure_rtt(ticks(whole).max(1), sample.state);
        }
        if self.parameters.bandwidth_switch {
            self.measure_bandwidth(sample, window);
        }
    }

    fn grow(&mut self, window: &mut Window, now: Time) {
        if window.cwnd <= window.ssthresh {
            window.slow_start();
        } else {
            self.avoid_congestion(window, now);
        }
    }

    fn grow_by(&mut self, window: &mut Window, segments: u32, now: Time) {
        if window.is_in_slow_start() {
            window.slow_start_by(segments);
        } else {
            self.avoid_congestion(window, now);
        }
    }

    fn ssthresh(&mut self, window: &Window, now: Time) -> u32 {
        self.update_beta();
        self.update_alpha(now);
        if self.min_rtt > 0 && self.max_rtt > self.min_rtt {
            self.max_rtt = self.min_rtt + (self.max_rtt - self.min_rtt) * 95 / 100;
        }
        ((u64::from(window.cwnd) * u64::from(self.beta)) >> 7).max(2) as u32
    }

    fn undo(&mut self, window: &Window) -> u32 {
        if let Some(saved) = self.saved.take() {
            self.last_congestion = saved.last_congestion;
            self.max_rtt = saved.max_rtt;
            self.old_max_bandwidth = saved.old_max_bandwidth;
        }
        let before = (u64::from(window.ssthresh) << 7) / u64::from(self.beta);
        window.cwnd.max(before.min(u64::from(u32::MAX)) as u32)
    }

    fn on_state(&mut self, state: CaState, now: Time) {
        match state {
            // Time counts from the end of a recovery, unless the recovery was undone.
            CaState::Open => {
                if self.saved.take().is_some() {
                    self.last_congestion = ticks(now);
                }
            }
            CaState::Disorder => {}
            CaState::Cwr | CaState::Recovery | CaState::Loss => {
                self.saved = Some(Saved {
                    last_congestion: self.last_congestion,
                    max_rtt: self.max_rtt,
                    old_max_bandwidth: self.old_max_bandwidth,
                });
                self.last_congestion = ticks(now);
            }
        }
    }
}

fn ticks(time: Time) -> u64 {
    time.ps() / TICK.ps()
}

#[cfg(test)]
mod tests {
    use super::{HTcp, HTcpParameters};
    use crate::tcp::congestion::{AckSample, CaState, CongestionControl, Window};
    use hntes_sim_scenario::time::Time;

    const PARAMETERS: HTcpParameters =
        HTcpParameters { rtt_scaling: true, bandwidth_switch: true, rtt_rounds_up: false, counts_acks: false };

    fn alpha_after(rtt_ms: u64, seconds: f64) -> u32 {
        let mut htcp = HTcp::new(PARAMETERS, Time::ZERO);
        let mut window = Window { cwnd: 100, count: 0, ssthresh: 2 };
        let rtt = Some(Time::from_ms(rtt_ms));
        let sample = AckSample { acked: 1, rtt, state: CaState::Open, now: Time::from_ms(1) };
        htcp.on_acked(&sample, &mut window);
        htcp.update_alpha(Time::from_s(seconds));
        htcp.alpha >> 7
    }

    #[test]
    fn growth_follows_the_published_table() {
        let table = [(5, [1, 1, 4, 11, 28, 77]), (50, [1, 5, 22, 55, 140, 385]), (100, [1, 11, 45, 111, 281, 771])];
        for (rtt_ms, expected) in table {
            for (seconds, alpha) in [0.5, 2.0, 5.0, 10.0, 20.0, 40.0].into_iter().zip(expected) {
                let got = alpha_after(rtt_ms, seconds);
                assert!(got.abs_diff(alpha) <= 1, "rtt {rtt_ms} ms, {seconds} s: {got}, not {alpha}");
            }
        }
    }

    #[test]
    fn the_window_is_halved_at_small_round_trip_times() {
        let mut htcp = HTcp::new(PARAMETERS, Time::ZERO);
        assert_eq!(htcp.ssthresh(&Window { cwnd: 1000, count: 0, ssthresh: 10 }, Time::ZERO), 500);
    }

    #[test]
    fn growth_counts_what_an_acknowledgement_covers_and_one_in_disorder() {
        let mut htcp = HTcp::new(PARAMETERS, Time::ZERO);
        let mut window = Window { cwnd: 100, count: 0, ssthresh: 2 };
        let counts = [CaState::Open, CaState::Disorder, CaState::Open].map(|state| {
            let rtt = Some(Time::from_ms(2));
            htcp.on_acked(&AckSample { acked: 44, rtt, state, now: Time::from_ms(1) }, &mut window);
            htcp.grow(&mut window, Time::from_ms(1));
            (window.cwnd, window.count)
        });
        assert_eq!(counts, [(100, 44), (100, 45), (100, 89)]);
    }

    #[test]
    fn growth_by_acknowledgements_takes_a_window_of_them_whatever_they_cover() {
        let mut htcp = HTcp::new(HTcpParameters { counts_acks: true, ..PARAMETERS }, Time::ZERO);
        let mut window = Window { cwnd: 100, count: 0, ssthresh: 2 };
        // One acknowledgement raises the window and is not counted itself.
        let acks = (100..110).map(|cwnd| cwnd + 1).sum();
        for _ in 0..acks {
            let rtt = Some(Time::from_ms(2));
            htcp.on_acked(&AckSample { acked: 44, rtt, state: CaState::Open, now: Time::from_ms(1) }, &mut window);
            htcp.grow(&mut window, Time::from_ms(1));
        }
        assert_eq!((window.cwnd, window.count), (110, 0));
    }

    #[test]
    fn undo_goes_back_to_the_window_before() {
        let mut htcp = HTcp::new(PARAMETERS, Time::ZERO);
        let ssthresh = htcp.ssthresh(&Window { cwnd: 1000, count: 0, ssthresh: 10 }, Time::ZERO);
        htcp.on_state(CaState::Recovery, Time::from_ms(5));
        assert_eq!(htcp.undo(&Window { cwnd: 600, count: 0, ssthresh }), 1000);
    }
}
