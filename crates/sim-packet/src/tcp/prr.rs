//! Proportional rate reduction (RFC 6937), with the slow-start bound where the last acknowledgement found no new loss,
//! as Linux has it.

/// A reduction of the window from start to end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reduction {
    /// The window before.
    pub window_before: u32,
    delivered: u32,
    sent: u32,
}

impl Reduction {
    /// It begins, at this window.
    pub const fn begin(window_before: u32) -> Self {
        Self { window_before, delivered: 0, sent: 0 }
    }

    /// A segment went out.
    #[inline]
    pub const fn on_sent(&mut self) {
        self.sent += 1;
    }

    /// How many segments may go out after an acknowledgement that tells of `delivered` ones; `is_clean` when it advances
    /// and tells of no new loss.
    pub fn allowance(&mut self, delivered: u32, in_flight: u32, ssthresh: u32, is_clean: bool) -> u32 {
        self.delivered += delivered;
        let allowed = if in_flight > ssthresh {
            let share =
                (u64::from(self.delivered) * u64::from(ssthresh)).div_ceil(u64::from(self.window_before.max(1)));
            (share as u32).saturating_sub(self.sent)
        } else {
            let owed = self.delivered.saturating_sub(self.sent).max(delivered);
            (owed + u32::from(is_clean)).min(ssthresh - in_flight)
        };
        allowed.max(u32::from(self.sent == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::Reduction;

    /// Segments sent and left in flight after acknowledgements that tell of one segment each.
    fn run(window: u32, ssthresh: u32, lost: u32, acks: u32, is_clean: bool) -> (u32, u32) {
        let mut reduction = Reduction::begin(window);
        let (mut in_flight, mut sent) = (window - lost, 0);
        for _ in 0..acks {
            in_flight -= 1;
            let allowed = reduction.allowance(1, in_flight, ssthresh, is_clean);
            for _ in 0..allowed {
                reduction.on_sent();
            }
            in_flight += allowed;
            sent += allowed;
        }
        (sent, in_flight)
    }

    #[test]
    fn a_window_falls_in_proportion_and_ends_at_the_threshold() {
        // RFC 6937, figure 2: ssthresh 10, one of 20 segments lost: every second acknowledgement sends one.
        let (sent, in_flight) = run(20, 10, 1, 19, false);
        assert_eq!((sent, in_flight), (10, 10));
        let (sent, _) = run(100, 70, 1, 99, false);
        assert_eq!(sent, 70);
    }

    #[test]
    fn after_heavy_loss_each_arrival_lets_one_segment_out_or_two_where_nothing_more_is_lost() {
        // RFC 6937, figure 3: 15 of 20 lost, so 5 are in flight, below the threshold of 10.
        assert_eq!(run(20, 10, 15, 4, false), (4, 5));
        assert_eq!(run(20, 10, 15, 4, true), (8, 9));
    }

    #[test]
    fn the_first_retransmission_goes_out_at_once() {
        assert_eq!(Reduction::begin(1000).allowance(0, 999, 500, false), 1);
    }
}
