//! When and by how much windows grow.

use super::congestion::{AckSample, CongestionControl, CongestionKind, Round};
use super::sender::Sender;
use hntes_sim_scenario::time::Time;

impl Sender {
    /// Tell the congestion control of an acknowledgement.
    #[inline]
    pub(super) fn tell(&mut self, acked: u32, rtt: Option<Time>, now: Time) {
        if let CongestionKind::Cubic(cubic) = &mut self.congestion {
            let srtt = self.rtt.srtt().unwrap_or(Time::ZERO);
            cubic.on_round(&Round { srtt, una: self.board.una(), next: self.board.next() });
        }
        self.congestion.on_acked(&AckSample { acked, rtt, state: self.state, now }, &mut self.window);
    }

    /// Grow, if the window and nothing else held the sender back.
    #[inline]
    pub(super) fn grow(&mut self, delivered: u32, in_flight_before: u32, now: Time) {
        if !self.is_window_limited(in_flight_before) {
            return;
        }
        if self.parameters.growth_counts_segments {
            self.congestion.grow_by(&mut self.window, delivered, now);
        } else {
            self.congestion.grow(&mut self.window, now);
        }
    }

    /// The sender has sent what it could, new segments among it or not.
    #[inline]
    pub fn note_sent_all(&mut self, are_new_among: bool, now: Time) {
        if are_new_among {
            self.write_ahead();
            self.set_timer_after_new(now);
        }
        self.note_window_use();
        if self.is_paced() {
            self.note_app_limit();
        }
    }

    /// How much of the window is in use.
    #[inline]
    pub const fn note_window_use(&mut self) {
        if self.parameters.slow_start_doubles {
            let is_full = self.rack.offload.is_held_back || self.board.in_flight() >= self.window.cwnd;
            self.rack.in_use.note(self.board.una(), self.board.next(), is_full);
            self.rack.offload.is_held_back = false;
        }
    }

    /// Whether the congestion window held the sender back (`tcp_is_cwnd_limited` of Linux 2.6.3x, or of 3.12 and later).
    #[inline]
    fn is_window_limited(&self, in_flight: u32) -> bool {
        if self.parameters.slow_start_doubles {
            return self.rack.in_use.allows_growth(&self.window);
        }
        if in_flight >= self.window.cwnd {
            return true;
        }
        let left = self.window.cwnd - in_flight;
        let burst = self.parameters.limited_burst_bytes;
        let small = left * u32::from(self.parameters.segment_data_bytes) < burst && left * 3 < self.window.cwnd;
        small || left <= 3
    }
}
