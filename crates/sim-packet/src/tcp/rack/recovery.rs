//! From the first sign of trouble back to normal where losses are judged by time, after Linux 6.1: a recovery begins
//! with a proven loss and is undone as soon as an original is found to have arrived late.

use super::{AckEffect, RackState};
use crate::tcp::congestion::{CaState, CongestionControl};
use crate::tcp::prr::Reduction;
use crate::tcp::scoreboard::by_time::Judged;
use crate::tcp::sender::Sender;
use hntes_sim_scenario::time::Time;

impl Sender {
    /// An acknowledgement that is not plain progress in state Open.
    pub(in crate::tcp) fn on_alarm(&mut self, effect: &mut AckEffect, now: Time) {
        self.rack.resends = false;
        if effect.echoes_congestion {
            self.prior_ssthresh = 0;
        }
        self.leave_passed_state(effect, now);
        match self.state {
            CaState::Recovery => {
                if effect.acked > 0 && self.is_waiting_for_originals(effect, now) {
                    return;
                }
                if self.undo_by_reports() {
                    self.try_to_open(effect, now);
                }
                self.judge(effect, now);
                if self.state != CaState::Recovery {
                    if self.board.lost() == 0 {
                        return;
                    }
                    self.enter_recovery_timed(now);
                }
            }
            CaState::Loss => {
                self.continue_loss(effect, now);
                let is_lost_again = self.judge(effect, now);
                if self.state == CaState::Open || is_lost_again {
                    self.recover_or_open(effect, now);
                }
                return;
            }
            CaState::Open | CaState::Disorder | CaState::Cwr => {
                self.recover_or_open(effect, now);
                return;
            }
        }
        self.rack.resends = true;
    }

    fn recover_or_open(&mut self, effect: &mut AckEffect, now: Time) {
        if self.state <= CaState::Disorder {
            self.undo_by_reports();
        }
        self.judge(effect, now);
        if self.board.lost() == 0 {
            self.try_to_open(effect, now);
        } else {
            self.enter_recovery_timed(now);
            self.rack.resends = true;
        }
    }

    /// Everything sent before the trouble has arrived.
    fn leave_passed_state(&mut self, effect: &AckEffect, now: Time) {
        if self.state == CaState::Open {
            self.first_resent_at = None;
            return;
        }
        if self.board.una() < self.high {
            return;
        }
        match self.state {
            CaState::Cwr if self.board.una() > self.high => {
                self.end_reduction();
                self.enter(CaState::Open, now);
            }
            CaState::Recovery => {
                self.undo_whole_recovery(effect, now);
                self.end_reduction();
            }
            _ => {}
        }
    }

    fn undo_whole_recovery(&mut self, effect: &AckEffect, now: Time) {
        if self.may_undo_timed(effect) {
            self.go_back_timed(false);
        } else {
            self.rack.detection.on_recovery_ended(false);
        }
        self.enter(CaState::Open, now);
    }

    /// Reordering that reaches from this segment up to the highest one reported.
    pub(in crate::tcp) fn note_reordering_from(&mut self, lowest: u32) {
        let forward = self.forward_or_una();
        if lowest < forward {
            let distance = (forward - lowest).min(self.parameters.reordering_limit);
            self.reordering = self.reordering.max(distance);
            self.rack.detection.on_reordering();
        }
    }

    /// Look for losses; whether something sent again was lost.
    fn judge(&mut self, effect: &mut AckEffect, now: Time) -> bool {
        if self.board.outstanding() == 0 {
            return false;
        }
        let settling = self.settling_time();
        let Self { rack: RackState { detection, paced, .. }, board, congestion, window, .. } = self;
        let verdict = detection.judge(board, settling, now, |seq| {
            if let Some(paced) = paced {
                paced.on_lost(seq, effect.delivered, (congestion, window), now);
            }
        });
        self.rack.newly_lost += verdict.lost;
        if let Some(wait) = verdict.wait {
            self.wait_until_settled(wait, now);
            effect.sets_timer = false;
        }
        verdict.lost_again > 0
    }

    fn settling_time(&self) -> Time {
        let is_pressed = self.state >= CaState::Recovery || self.board.sacked() >= self.reordering;
        self.rack.detection.settling_time(is_pressed, self.rtt.srtt().unwrap_or(Time::ZERO))
    }

    /// Late segments have had their time.
    pub(in crate::tcp) fn on_settled(&mut self, now: Time) {
        let settling = self.settling_time();
        let Self { rack: RackState { detection, paced, .. }, board, congestion, window, .. } = self;
        let verdict = detection.judge_late(board, settling, now, |seq| {
            if let Some(paced) = paced {
                paced.on_lost(seq, 0, (congestion, window), now);
            }
        });
        self.rack.newly_lost += verdict.lost;
        if verdict.lost > 0 {
            if self.state != CaState::Recovery {
                self.enter_recovery_timed(now);
                self.reduce_in_proportion(1, false);
            }
            self.rack.resends = true;
        }
        self.rearm(now);
    }

    /// A hole was filled by an original that was late: undo, unless something sent again is still under way. Then new
    /// segments go out and nothing more is judged lost.
    fn is_waiting_for_originals(&mut self, effect: &AckEffect, now: Time) -> bool {
        if self.undo_from.is_none() || !self.is_original_late(effect) {
            return false;
        }
        self.note_reordering_from(effect.una_before);
        if self.board.resent() > 0 {
            return true;
        }
        self.forget_first_resent();
        self.go_back_timed(true);
        self.keep_open(now);
        false
    }

    /// The echoed time stamp is older than the first retransmission.
    fn is_original_late(&self, effect: &AckEffect) -> bool {
        self.first_resent_at.is_none_or(|at| effect.echo < at)
    }

    fn may_undo_timed(&self, effect: &AckEffect) -> bool {
        self.parameters.undo && self.undo_from.is_some() && (self.undo_resent == 0 || self.is_original_late(effect))
    }

    fn undo_by_reports(&mut self) -> bool {
        let is_due = self.parameters.undo && self.undo_from.is_some() && self.undo_resent == 0;
        if is_due {
            self.rack.detection.on_recovery_ended(true);
            self.go_back_timed(false);
        }
        is_due
    }

    fn go_back_timed(&mut self, forgets_losses: bool) {
        if forgets_losses {
            self.board.forget_losses();
        }
        if self.prior_ssthresh > 0 {
            let cwnd = self.congestion.undo(&self.window);
            self.window.cwnd =
                if self.is_paced() { cwnd } else { self.window.cwnd.max(self.rack.reduction.window_before) };
            self.window.ssthresh = self.window.ssthresh.max(self.prior_ssthresh);
        }
        self.counts.undone += 1;
        self.undo_from = None;
        self.rack.detection.look_again();
    }

    fn forget_first_resent(&mut self) {
        if !self.board.is_any_resent() {
            self.first_resent_at = None;
        }
    }

    fn begin_undo(&mut self) {
        self.undo_from = Some(self.board.una());
        let probes = i64::from(self.rack.probe.is_some_and(|probe| probe.is_again));
        let resent = i64::from(self.board.resent()) + probes;
        // None would mean that all of it was reported as needless.
        self.undo_resent = if resent == 0 { -1 } else { resent };
    }

    fn enter_recovery_timed(&mut self, now: Time) {
        self.forget_first_resent();
        self.prior_ssthresh = 0;
        self.begin_undo();
        if !matches!(self.state, CaState::Cwr | CaState::Recovery) {
            self.prior_ssthresh = self.current_ssthresh();
            self.begin_reduction(now);
        }
        self.counts.recoveries += 1;
        self.enter(CaState::Recovery, now);
    }

    pub(in crate::tcp) fn begin_reduction(&mut self, now: Time) {
        self.high = self.board.next();
        self.rack.probe = None;
        self.window.count = 0;
        self.rack.reduction = Reduction::begin(self.window.cwnd);
        self.window.ssthresh = self.congestion.ssthresh(&self.window, now);
    }

    pub(super) const fn end_reduction(&mut self) {
        if !self.is_paced() && (matches!(self.state, CaState::Cwr) || self.undo_from.is_some()) {
            self.window.cwnd = self.window.ssthresh;
        }
    }

    fn try_to_open(&mut self, effect: &AckEffect, now: Time) {
        self.forget_first_resent();
        if effect.echoes_congestion {
            self.on_congestion_echo(now);
        }
        if self.state != CaState::Cwr {
            self.keep_open(now);
        }
    }

    pub(in crate::tcp) fn keep_open(&mut self, now: Time) {
        let is_doubtful = self.board.sacked() + self.board.lost() > 0 || self.board.is_any_resent();
        let state = if is_doubtful { CaState::Disorder } else { CaState::Open };
        if state != self.state {
            self.enter(state, now);
            self.high = self.board.next();
        }
    }

    fn continue_loss(&mut self, effect: &AckEffect, now: Time) {
        if effect.acked > 0 && self.may_undo_timed(effect) {
            self.go_back_timed(true);
            self.enter(CaState::Open, now);
        } else if self.board.una() >= self.high {
            self.undo_whole_recovery(effect, now);
        } else {
            self.rack.resends = true;
        }
    }

    /// The retransmission timeout has passed.
    pub(in crate::tcp) fn on_timeout_rack(&mut self, now: Time) {
        self.rtt.on_timeout();
        for seq in self.board.una()..self.board.next() {
            let is_late = seq == self.board.una() || !self.rack.detection.is_recent(seq, now);
            if is_late && self.board.judge_lost(seq) != Judged::Known {
                if let Some(paced) = &mut self.rack.paced {
                    paced.on_lost(seq, 0, (&mut self.congestion, &self.window), now);
                }
            }
        }
        if self.state <= CaState::Disorder || self.board.una() >= self.high {
            self.prior_ssthresh = self.current_ssthresh();
            self.rack.reduction = Reduction::begin(self.window.cwnd);
            self.window.ssthresh = self.congestion.ssthresh(&self.window, now);
            self.begin_undo();
        }
        self.window.cwnd = self.board.in_flight() + 1;
        self.window.count = 0;
        if self.state <= CaState::Disorder && self.board.sacked() >= self.parameters.reordering {
            self.reordering = self.reordering.min(self.parameters.reordering);
        }
        self.high = self.board.next();
        self.rack.probe = None;
        self.rack.resends = true;
        self.counts.timeouts += 1;
        self.enter(CaState::Loss, now);
        self.wait_for_timeout(now);
    }
}
