//! Windows reduced although nothing was lost: marks (RFC 3168) and a full queue of the host itself.

use super::congestion::{CaState, CongestionControl};
use super::sender::{Outgoing, Sender};
use hntes_sim_scenario::time::Time;

impl Sender {
    /// Whether the next new segment is to tell the receiver that its echo was heard.
    #[inline]
    pub const fn owes_window_reduced(&self) -> bool {
        self.owes_window_reduced
    }

    /// Whether a segment may carry a mark: none that is sent again may (RFC 3168, 6.1.5).
    #[inline]
    pub const fn is_ecn_capable(&self, segment: Outgoing) -> bool {
        self.parameters.ecn && !segment.again
    }

    /// The host's own queue was full: the segment stays, the window is reduced as after a loss.
    pub fn on_local_congestion(&mut self, now: Time) {
        if self.state < CaState::Cwr {
            self.counts.local_congestions += 1;
            self.reduce_window(now);
        }
    }

    /// A mark was reported: the window is reduced as after a loss, at most once a window of data (RFC 3168, 6.1.2).
    pub(super) fn on_congestion_echo(&mut self, now: Time) {
        if self.parameters.ecn && self.state < CaState::Cwr {
            self.counts.mark_reductions += 1;
            self.owes_window_reduced = true;
            self.reduce_window(now);
        }
    }

    /// As Linux's `tcp_enter_cwr`.
    fn reduce_window(&mut self, now: Time) {
        self.prior_ssthresh = 0;
        self.undo_from = None;
        if self.parameters.rack {
            self.begin_reduction(now);
            self.enter(CaState::Cwr, now);
            return;
        }
        self.window.ssthresh = self.congestion.ssthresh(&self.window, now);
        self.window.cwnd = self.window.cwnd.min(self.board.in_flight() + 1).max(1);
        self.window.count = 0;
        self.high = self.board.next();
        self.enter(CaState::Cwr, now);
    }
}
