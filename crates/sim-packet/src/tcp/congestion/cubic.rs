//! CUBIC (RFC 9438) as Linux runs it: `W_cubic` is computed once per tick, the minimum delay ahead (section 4.2); growth is
//! at most one segment per two delivered, and before the first loss at least one per twenty. Slow start ends by `HyStart`.

use super::hystart::HyStart;
use super::{AckSample, CaState, CongestionControl, Round, Window};
use hntes_sim_scenario::time::Time;

/// C of RFC 9438, section 5.1: 0.4 segments per second cubed, per step cubed and of 2^40 as in Linux.
const C_NUMERATOR: u64 = 410;
const C_SHIFT: u32 = 40;
/// Time runs in steps of 1/1024 s, Linux's `BICTCP_HZ`.
const STEPS_PER_S: u64 = 1024;
/// `beta_cubic` (RFC 9438, section 4.6), of 1024.
const BETA: u32 = 717;
const WHOLE: u32 = 1024;
/// Segments delivered per segment of `W_est` (RFC 9438, section 4.3), in eighths of the window.
const RENO_EIGHTHS: u32 = 8 * (WHOLE + BETA) / 3 / (WHOLE - BETA);
const TICK: Time = Time::from_ms(1);
/// `W_cubic` is not computed again within this time while the window is unchanged.
const UNCHANGED_FOR: Time = Time::from_us(31_250);
/// Delay samples within this time of the start of an epoch belong to the recovery before it.
const AFTER_RECOVERY: Time = Time::from_ms(1000);

/// A congestion avoidance stage, from one congestion event to the next.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Time,
    /// K (RFC 9438, section 4.2): when `W_cubic` is back at `origin_point`, in steps from the start.
    k: u64,
    origin_point: u64,
    /// `W_est`, the window of the Reno-friendly region (RFC 9438, section 4.3), and segments counted towards its next one.
    w_est: u32,
    est_count: u32,
}

/// The state of one connection.
#[derive(Clone, Debug)]
pub struct Cubic {
    segment_bytes: u64,
    hystart: HyStart,
    round: Round,
    epoch: Option<Epoch>,
    /// `W_max` (RFC 9438, section 4.1).
    w_max: u32,
    delay_min: Option<Time>,
    /// Segments delivered per segment that cwnd grows by.
    cwnd_increment: u32,
    last_update: Time,
    last_cwnd: u32,
}

impl Cubic {
    /// A connection with segments of so many bytes.
    pub fn new(segment_bytes: u16) -> Self {
        Self {
            segment_bytes: u64::from(segment_bytes),
            hystart: HyStart::default(),
            round: Round::default(),
            epoch: None,
            w_max: 0,
            delay_min: None,
            cwnd_increment: 2,
            last_update: Time::ZERO,
            last_cwnd: 0,
        }
    }

    /// Where the connection is; comes before [`CongestionControl::on_acked`].
    pub const fn on_round(&mut self, round: &Round) {
        self.round = *round;
    }

    fn update(&mut self, cwnd: u32, segments: u32, now: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.est_count = epoch.est_count.saturating_add(segments);
        }
        let tick = now.floor_to(TICK);
        if self.last_cwnd == cwnd && tick.since(self.last_update) <= UNCHANGED_FOR {
            return;
        }
        let (w_max, is_new) = (self.w_max, self.epoch.is_none());
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(cwnd, w_max, segments, tick));
        if is_new || tick != self.last_update {
            (self.last_update, self.last_cwnd) = (tick, cwnd);
            let ahead = tick.since(epoch.start) + whole_ticks(self.delay_min.unwrap_or(Time::ZERO));
            self.cwnd_increment = match epoch.target(ahead).saturating_sub(u64::from(cwnd)) {
                0 => 100 * cwnd,
                more => (u64::from(cwnd) / more) as u32,
            };
            // Before the first congestion event W_cubic is too flat for a path not yet known.
            if w_max == 0 {
                self.cwnd_increment = self.cwnd_increment.min(20);
            }
        }
        self.cwnd_increment = self.cwnd_increment.min(epoch.est_increment(cwnd)).max(2);
    }
}

/// Begun ticks count whole.
fn whole_ticks(span: Time) -> Time {
    (span + TICK - Time::from_ps(1)).floor_to(TICK)
}

impl Epoch {
    fn new(cwnd: u32, w_max: u32, segments: u32, start: Time) -> Self {
        let below = u64::from(w_max.saturating_sub(cwnd));
        let k = (below as f64 * (1_u64 << C_SHIFT) as f64 / C_NUMERATOR as f64).cbrt() as u64;
        Self { start, k, origin_point: u64::from(w_max.max(cwnd)), w_est: cwnd, est_count: segments }
    }

    /// `W_cubic` (RFC 9438, section 4.2) at a time after the start, in whole segments.
    fn target(&self, after: Time) -> u64 {
        let steps = after.ps() / TICK.ps() * STEPS_PER_S / 1000;
        let away = u128::from(steps.abs_diff(self.k));
        let change = ((u128::from(C_NUMERATOR) * away * away * away) >> C_SHIFT) as u64;
        if steps < self.k { self.origin_point.saturating_sub(change) } else { self.origin_point + change }
    }

    /// Segments delivered per segment that `W_est` grows by (RFC 9438, section 4.3).
    fn est_increment(&mut self, cwnd: u32) -> u32 {
        let for_one = ((cwnd * RENO_EIGHTHS) >> 3).max(1);
        if self.est_count > for_one {
            let more = (self.est_count - 1) / for_one;
            self.est_count -= more * for_one;
            self.w_est += more;
        }
        match self.w_est.saturating_sub(cwnd) {
            0 => u32::MAX,
            behind => cwnd / behind,
        }
    }
}

impl CongestionControl for Cubic {
    fn on_acked(&mut self, sample: &AckSample, window: &mut Window) {
        let Some(delay) = sample.rtt else { return };
        if self.epoch.is_some_and(|epoch| sample.now.since(epoch.start) < AFTER_RECOVERY) {
            return;
        }
        let least = self.delay_min.map_or(delay, |known| known.min(delay));
        self.delay_min = Some(least);
        if window.is_in_slow_start() {
            let delays = (delay, least);
            self.hystart.on_acked(sample.now, &self.round, delays, self.segment_bytes, window);
        }
    }

    fn grow(&mut self, window: &mut Window, now: Time) {
        self.grow_by(window, 1, now);
    }

    fn grow_by(&mut self, window: &mut Window, segments: u32, now: Time) {
        let left = if window.is_in_slow_start() { window.slow_start_by(segments) } else { segments };
        if left > 0 {
            self.update(window.cwnd, left, now);
            window.grow_every(self.cwnd_increment, left);
        }
    }

    fn ssthresh(&mut self, window: &Window, _now: Time) -> u32 {
        self.epoch = None;
        let cwnd = u64::from(window.cwnd);
        // Fast convergence (RFC 9438, section 4.7).
        let lowered = (cwnd * u64::from(WHOLE + BETA) / u64::from(2 * WHOLE)) as u32;
        self.w_max = if window.cwnd < self.w_max { lowered } else { window.cwnd };
        ((cwnd * u64::from(BETA) / u64::from(WHOLE)) as u32).max(2)
    }

    fn on_state(&mut self, state: CaState, _now: Time) {
        if state == CaState::Loss {
            *self = Self::new(self.segment_bytes as u16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cubic;
    use crate::tcp::congestion::{AckSample, CaState, CongestionControl, Window};
    use hntes_sim_scenario::time::Time;

    /// The window at each whole second after a loss at `before`, at this round-trip time.
    fn windows_after_loss(before: u32, rtt_ms: u64, seconds: u64) -> Vec<u32> {
        let mut cubic = Cubic::new(1448);
        let mut window = Window { cwnd: before, count: 0, ssthresh: 2 };
        window.ssthresh = cubic.ssthresh(&window, Time::ZERO);
        window.cwnd = window.ssthresh;
        let mut seen = vec![window.cwnd];
        for ms in 1..=seconds * 1000 {
            let now = Time::from_ms(ms);
            let delivered = u64::from(window.cwnd) * ms / rtt_ms - u64::from(window.cwnd) * (ms - 1) / rtt_ms;
            for _ in 0..delivered {
                cubic.grow_by(&mut window, 1, now);
            }
            if ms % 1000 == 0 {
                seen.push(window.cwnd);
            }
        }
        seen
    }

    #[test]
    fn the_window_follows_the_curve_of_rfc_9438() {
        let before = 20_000.0_f64;
        let k_s = (before * (1.0 - 717.0 / 1024.0) / 0.4).cbrt();
        for (second, window) in windows_after_loss(before as u32, 20, 40).into_iter().enumerate().skip(1) {
            let expected = before + 0.4 * (second as f64 - k_s).powi(3);
            assert!((f64::from(window) / expected - 1.0).abs() < 0.01, "{second} s: {window}, not {expected}");
        }
    }

    #[test]
    fn where_the_curve_is_flat_the_window_grows_like_renos() {
        // RFC 9438, 4.3: 3 (1 - beta) / (1 + beta) segments a round trip.
        let windows = windows_after_loss(100, 5, 1);
        let per_rtt = 3.0 * (1.0 - 0.7) / (1.0 + 0.7);
        let expected = 70.0 + per_rtt * 1000.0 / 5.0;
        assert!((f64::from(windows[1]) / expected - 1.0).abs() < 0.1, "{}, not {expected}", windows[1]);
    }

    #[test]
    fn a_loss_below_the_w_maximum_lowers_it_further() {
        let mut cubic = Cubic::new(1448);
        let mut ssthresh = |cwnd| cubic.ssthresh(&Window { cwnd, count: 0, ssthresh: 2 }, Time::ZERO);
        assert_eq!(ssthresh(1000), 700);
        assert_eq!(ssthresh(800), 560);
        assert_eq!(cubic.w_max, 680);
    }

    #[test]
    fn delays_right_after_a_recovery_do_not_count() {
        let mut cubic = Cubic::new(1448);
        let mut window = Window { cwnd: 100, count: 0, ssthresh: 50 };
        cubic.grow_by(&mut window, 1, Time::from_ms(1));
        let mut sample = |ms| {
            let (rtt, now) = (Some(Time::from_ms(5)), Time::from_ms(ms));
            cubic.on_acked(&AckSample { acked: 1, rtt, state: CaState::Open, now }, &mut window);
            cubic.delay_min
        };
        assert_eq!(sample(900), None);
        assert_eq!(sample(1001), Some(Time::from_ms(5)));
    }
}
