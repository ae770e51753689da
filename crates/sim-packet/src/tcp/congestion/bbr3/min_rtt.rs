//! The least round-trip time of ten seconds, and every five seconds half a bandwidth-delay product in flight, so that queues
//! empty and it shows.

use super::cycle::AckPhase;
use super::{Bbr3, Delivery, LEAST_CWND, Mode, PROBE_RTT_CWND_GAIN, Window};

const KEPT_MS: u64 = 10_000;
const PROBED_EVERY_MS: u64 = 5_000;
const PROBE_MS: u64 = 200;

/// The filters, and the probe under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    us: Option<u64>,
    stamped_ms: u64,
    /// The least since the last probe.
    recent_us: u64,
    recent_stamped_ms: u64,
    probed_until_ms: Option<u64>,
    is_round_over: bool,
}

impl MinRtt {
    pub(super) const fn begin(&mut self, us: u64, now_ms: u64) {
        self.us = Some(us);
        self.stamped_ms = now_ms;
        self.recent_us = us;
        self.recent_stamped_ms = now_ms;
    }

    pub(super) const fn us(&self) -> Option<u64> {
        self.us
    }

    /// Take in a round-trip time, if there is one; whether a probe is due.
    fn note(&mut self, rtt_us: Option<u64>, now_ms: u64) -> bool {
        let is_probe_due = now_ms > self.recent_stamped_ms + PROBED_EVERY_MS;
        if let Some(us) = rtt_us.filter(|&us| us < self.recent_us || is_probe_due) {
            self.recent_us = us;
            self.recent_stamped_ms = now_ms;
        }
        if self.us.is_none_or(|us| self.recent_us <= us) || now_ms > self.stamped_ms + KEPT_MS {
            self.us = Some(self.recent_us);
            self.stamped_ms = self.recent_stamped_ms;
        }
        is_probe_due
    }
}

impl Bbr3 {
    pub(super) fn probe_rtt_cwnd(&self) -> u32 {
        self.product(self.bandwidth(), PROBE_RTT_CWND_GAIN).max(LEAST_CWND)
    }

    pub(super) fn update_min_rtt(&mut self, delivery: &Delivery, window: &mut Window) {
        let is_due = self.min_rtt.note(delivery.rtt_us, delivery.now_ms);
        if is_due && !self.is_restarting && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd(window);
            self.min_rtt.probed_until_ms = None;
            self.cycle.ack_phase = AckPhase::Stopping;
            self.round_ends_at = self.totals.delivered;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(delivery, window);
        }
        if delivery.rate.is_some_and(|(segments, _)| segments > 0) {
            self.is_restarting = false;
        }
    }

    fn probe_rtt(&mut self, delivery: &Delivery, window: &mut Window) {
        if self.min_rtt.probed_until_ms.is_some() {
            self.min_rtt.is_round_over |= self.starts_round;
            if self.min_rtt.is_round_over {
                self.end_probe_rtt_if_due(delivery.now_ms, window);
            }
        } else if delivery.in_flight <= self.probe_rtt_cwnd() {
            self.min_rtt.probed_until_ms = Some(delivery.now_ms + PROBE_MS);
            self.min_rtt.is_round_over = false;
            self.round_ends_at = self.totals.delivered;
        }
    }

    pub(super) fn end_probe_rtt_if_due(&mut self, now_ms: u64, window: &mut Window) {
        if self.min_rtt.probed_until_ms.is_none_or(|until_ms| now_ms <= until_ms) {
            return;
        }
        self.min_rtt.recent_stamped_ms = now_ms;
        window.cwnd = window.cwnd.max(self.saved_cwnd);
        self.bounds.forget_low();
        if self.full_pipe.is_reached {
            self.begin_down();
            self.begin_cruise();
        } else {
            self.mode = Mode::Startup;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MinRtt;

    #[test]
    fn a_probe_is_due_after_five_seconds_and_the_least_is_kept_for_ten() {
        let mut least = MinRtt::default();
        least.begin(20_000, 0);
        assert!(!least.note(Some(25_000), 5_000));
        assert!(least.note(Some(25_000), 5_001));
        assert_eq!(least.us(), Some(20_000));
        assert!(!least.note(Some(26_000), 10_000));
        assert!(least.note(Some(26_000), 10_002));
        assert_eq!(least.us(), Some(26_000));
    }
}
