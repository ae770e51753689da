//! Reno's window rule (RFC 5681), counted per acknowledgement as Linux 2.6.3x does with ABC off.

use super::{CongestionControl, Window};
use hntes_sim_scenario::time::Time;

/// Reno has no state of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl CongestionControl for Reno {
    fn grow(&mut self, window: &mut Window, _now: Time) {
        if window.cwnd <= window.ssthresh {
            window.slow_start();
        } else if window.count >= window.cwnd {
            window.cwnd += 1;
            window.count = 0;
        } else {
            window.count += 1;
        }
    }

    fn grow_by(&mut self, window: &mut Window, segments: u32, _now: Time) {
        let left = if window.is_in_slow_start() { window.slow_start_by(segments) } else { segments };
        if left > 0 {
            window.grow_every(window.cwnd, left);
        }
    }

    fn ssthresh(&mut self, window: &Window, _now: Time) -> u32 {
        (window.cwnd / 2).max(2)
    }
}
