//! New segments sent at one moment, counted together.

use super::congestion::CaState;
use super::sender::{Outgoing, Sender};
use hntes_sim_scenario::time::Time;

impl Sender {
    /// How many segments never sent before the windows allow one after another, and the first of them; for a sender of
    /// which [`Sender::sends_plainly`] holds. None where something is to be sent again or a segment differs from the next.
    #[inline(always)]
    pub fn plain_burst(&self) -> (Outgoing, u32) {
        let seq = self.board.next();
        let may_resend = self.state >= CaState::Recovery && self.board.lost() > 0;
        if may_resend || self.owes_window_reduced || !self.is_established() {
            return (Outgoing { seq, again: false }, 0);
        }
        let allowed = self.window.cwnd.saturating_sub(self.board.in_flight());
        let room = self.parameters.window_limit.saturating_sub(self.board.outstanding());
        let count = allowed.min(room).min(self.available.saturating_sub(seq));
        (Outgoing { seq, again: false }, count)
    }

    /// So many of them went out.
    #[inline(always)]
    pub fn on_sent_burst(&mut self, count: u32, now: Time) {
        self.board.send_burst(count);
        if count > 0 && self.rto_due.is_none() {
            self.rto_due = Some(now + self.rtt.rto());
        }
    }
}
