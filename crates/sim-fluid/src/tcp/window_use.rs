//! Whether the congestion window held a sender back, judged once a window: in slow start it may grow to twice what was
//! ever in flight (`tcp_cwnd_validate` and `tcp_is_cwnd_limited` of Linux since 3.12).

/// How much of the window was used; amounts in segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct WindowUse {
    was_full: bool,
    most_outstanding: f64,
    until: f64,
}

impl WindowUse {
    /// The sender has sent what it could: `una` to `next` are outstanding; `is_full` when the window allows no more.
    pub fn note(&mut self, una: f64, next: f64, is_full: bool) {
        let outstanding = next - una;
        if una >= self.until || is_full || (!self.was_full && outstanding > self.most_outstanding) {
            *self = Self { was_full: is_full, most_outstanding: outstanding, until: next };
        }
    }

    /// Whether a window may grow, in slow start or not.
    pub fn allows_growth(&self, cwnd: f64, in_slow_start: bool) -> bool {
        self.was_full || (in_slow_start && cwnd < 2.0 * self.most_outstanding)
    }
}

#[cfg(test)]
mod tests {
    use super::WindowUse;

    #[test]
    fn a_window_that_is_not_filled_grows_to_twice_what_is_outstanding_and_in_slow_start_only() {
        let mut in_use = WindowUse::default();
        in_use.note(0.0, 100.0, false);
        assert!(in_use.allows_growth(199.0, true) && !in_use.allows_growth(200.0, true));
        assert!(!in_use.allows_growth(150.0, false));
        in_use.note(0.0, 120.0, true);
        assert!(in_use.allows_growth(500.0, false));
        in_use.note(50.0, 100.0, false);
        assert!(in_use.allows_growth(500.0, false), "that window was full, and is not over");
        in_use.note(120.0, 160.0, false);
        assert!(!in_use.allows_growth(500.0, false));
    }
}
