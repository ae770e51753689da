//! Whether the congestion window held a sender back, judged once a window: in slow start it may grow to twice what was
//! ever in flight (`tcp_cwnd_validate` and `tcp_is_cwnd_limited` of Linux since 3.12; RFC 7661 has the reasons).

use super::congestion::Window;

/// How much of the window was used.
#[derive(Clone, Copy, Debug, Default)]
pub struct WindowUse {
    was_full: bool,
    most_outstanding: u32,
    until: u32,
}

impl WindowUse {
    /// The sender has sent what it could: `una` to `next` are outstanding; `is_full` when the window allows no more.
    #[inline]
    pub const fn note(&mut self, una: u32, next: u32, is_full: bool) {
        let outstanding = next - una;
        if una >= self.until || is_full || (!self.was_full && outstanding > self.most_outstanding) {
            *self = Self { was_full: is_full, most_outstanding: outstanding, until: next };
        }
    }

    /// Whether the window, and nothing else, held the sender back.
    pub const fn was_full(&self) -> bool {
        self.was_full
    }

    /// Whether the window may grow.
    #[inline]
    pub const fn allows_growth(&self, window: &Window) -> bool {
        self.was_full || (window.is_in_slow_start() && window.cwnd < 2 * self.most_outstanding)
    }
}

#[cfg(test)]
mod tests {
    use super::WindowUse;
    use crate::tcp::congestion::Window;

    /// Grows by one segment a segment while 100 can be outstanding, for so many round trips.
    fn window_after(round_trips: u32, ssthresh: u32) -> u32 {
        let mut window = Window { cwnd: 10, count: 0, ssthresh };
        let mut in_use = WindowUse::default();
        let mut una = 0;
        for _ in 0..round_trips {
            let outstanding = window.cwnd.min(100);
            in_use.note(una, una + outstanding, outstanding >= window.cwnd);
            for _ in 0..outstanding {
                if in_use.allows_growth(&window) {
                    window.cwnd += 1;
                }
            }
            una += outstanding;
        }
        window.cwnd
    }

    #[test]
    fn a_window_that_is_not_filled_grows_to_twice_what_is_outstanding_and_in_slow_start_only() {
        assert_eq!([window_after(3, u32::MAX), window_after(20, u32::MAX)], [80, 200]);
        // 10, 20, 40, 80, 160: not filled for the first time, and above the threshold.
        assert_eq!(window_after(20, 50), 160);
    }
}
