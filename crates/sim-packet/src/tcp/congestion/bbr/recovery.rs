//! The window in loss recovery: packet conservation for the first round trip, and the window before it restored at the end.

use super::model::Rounds;
use super::{CaState, Delivery};

/// The state of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recovery {
    state_before: Option<CaState>,
    /// One segment goes out for each that arrives.
    conserves: bool,
    saved_cwnd: u32,
}

impl Recovery {
    /// Keep the window: the present one, or the greatest while it is small on purpose.
    pub(super) fn save(&mut self, cwnd: u32, is_probing_rtt: bool) {
        let is_usual = !self.was_repairing() && !is_probing_rtt;
        self.saved_cwnd = if is_usual { cwnd } else { self.saved_cwnd.max(cwnd) };
    }

    /// The window kept.
    pub(super) const fn saved(self) -> u32 {
        self.saved_cwnd
    }

    pub(super) const fn end_conservation(&mut self) {
        self.conserves = false;
    }

    pub(super) const fn on_timeout(&mut self) {
        self.state_before = Some(CaState::Loss);
    }

    fn was_repairing(self) -> bool {
        self.state_before.is_some_and(|state| state >= CaState::Recovery)
    }

    /// The window after the losses of an acknowledgement, and whether it is final: packet conservation allows no growth.
    pub(super) fn window(&mut self, delivery: &Delivery, cwnd: u32, rounds: &mut Rounds) -> (u32, bool) {
        let conserved = delivery.in_flight + delivery.newly_delivered;
        let mut cwnd = if delivery.newly_lost > 0 { cwnd.saturating_sub(delivery.newly_lost).max(1) } else { cwnd };
        if delivery.state == CaState::Recovery && self.state_before != Some(CaState::Recovery) {
            self.conserves = true;
            rounds.begin(delivery.totals.delivered);
            cwnd = conserved;
        } else if self.was_repairing() && delivery.state < CaState::Recovery {
            cwnd = cwnd.max(self.saved_cwnd);
            self.conserves = false;
        }
        self.state_before = Some(delivery.state);
        if self.conserves { (cwnd.max(conserved), true) } else { (cwnd, false) }
    }
}
