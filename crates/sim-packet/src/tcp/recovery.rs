//! From the first sign of trouble back to normal: Disorder, Recovery, Loss and their undoing, after Linux 2.6.3x
//! (`tcp_fastretrans_alert`). RFC 6675 judges losses alike; rate halving and undo are Linux's own.

use super::TcpParameters;
use super::congestion::{CaState, CongestionControl};
use super::sender::{AckFacts, Sender};
use hntes_sim_scenario::time::Time;

impl Sender {
    /// An acknowledgement that is not plain progress in state Open.
    pub(super) fn on_doubtful_ack(&mut self, facts: &AckFacts, now: Time) {
        self.note_reordering(facts);
        self.leave_finished_state(facts, now);
        let judge_losses = match self.state {
            CaState::Recovery => facts.acked == 0 || self.still_losing(facts),
            CaState::Loss => {
                if !self.undo_loss(facts, now) {
                    self.moderate();
                    return;
                }
                if self.state != CaState::Open {
                    return;
                }
                true
            }
            _ => {
                if !self.is_time_to_recover() {
                    self.stay_open(facts, now);
                    return;
                }
                self.enter_recovery(now);
                true
            }
        };
        if judge_losses {
            self.judge_losses();
        }
        self.reduce(facts);
    }

    /// Everything sent before the trouble has arrived: what was it?
    fn leave_finished_state(&mut self, facts: &AckFacts, now: Time) {
        if self.state == CaState::Open {
            self.first_resent_at = None;
            return;
        }
        if self.board.una() < self.high {
            return;
        }
        match self.state {
            CaState::Cwr => {
                if self.board.una() > self.high || self.board.outstanding() == 0 {
                    self.window.cwnd = self.window.cwnd.min(self.window.ssthresh).max(2);
                    self.enter(CaState::Open, now);
                }
            }
            CaState::Disorder => {
                self.undo_by_duplicates();
                let waits_for_reports = self.parameters.disorder_after_recovery && self.board.una() == self.high;
                if self.undo_from.is_none() || !waits_for_reports {
                    self.undo_from = None;
                    self.enter(CaState::Open, now);
                }
            }
            CaState::Recovery | CaState::Loss => {
                self.undo_completely(facts);
                if self.state == CaState::Recovery {
                    self.window.cwnd = self.window.cwnd.min(self.window.ssthresh).max(2);
                }
                self.enter(CaState::Open, now);
            }
            CaState::Open => {}
        }
    }

    fn note_reordering(&mut self, facts: &AckFacts) {
        if let Some(distance) = facts.reordered_by {
            self.reordering = self.reordering.max(distance.min(self.parameters.reordering_limit));
            self.fack = false;
        }
    }

    /// The number compared with the reordering threshold.
    fn dup_count(&self) -> u32 {
        if self.fack { self.board.forward_distance() } else { self.board.sacked() + 1 }
    }

    fn is_time_to_recover(&self) -> bool {
        if self.board.lost() > 0 || (self.dup_count() > self.reordering && self.board.sacked() > 0) {
            return true;
        }
        // Early retransmit: so little is in flight that more duplicates cannot come.
        let outstanding = self.board.outstanding();
        outstanding <= self.reordering
            && self.board.sacked() >= (outstanding / 2).max(self.parameters.reordering)
            && outstanding > 0
    }

    /// Nothing that needs repair yet.
    fn stay_open(&mut self, facts: &AckFacts, now: Time) {
        if self.state == CaState::Disorder {
            self.undo_by_duplicates();
        }
        if self.board.resent() == 0 {
            self.first_resent_at = None;
        }
        if self.state == CaState::Cwr {
            self.reduce(facts);
            return;
        }
        let left_out = self.board.sacked() + self.board.lost();
        let state = if left_out > 0 || self.undo_from.is_some() { CaState::Disorder } else { CaState::Open };
        if state != self.state {
            self.enter(state, now);
            self.high = self.board.next();
        }
        self.moderate();
    }

    fn enter_recovery(&mut self, now: Time) {
        self.high = self.board.next();
        self.prior_ssthresh = 0;
        self.undo_from = Some(self.board.una());
        self.undo_resent = i64::from(self.board.resent());
        if self.state < CaState::Cwr {
            self.prior_ssthresh = self.current_ssthresh();
            self.window.ssthresh = self.congestion.ssthresh(&self.window, now);
        }
        self.window.count = 0;
        if !self.parameters.rate_halving {
            self.window.cwnd = self.window.ssthresh;
        }
        self.counts.recoveries += 1;
        self.enter(CaState::Recovery, now);
    }

    /// The threshold an undo goes back to: three quarters of the window, if that is more (`tcp_current_ssthresh`).
    pub(super) fn current_ssthresh(&self) -> u32 {
        let cwnd = self.window.cwnd;
        if matches!(self.state, CaState::Cwr | CaState::Recovery) {
            self.window.ssthresh
        } else {
            self.window.ssthresh.max((cwnd >> 1) + (cwnd >> 2))
        }
    }

    pub(super) fn enter_loss(&mut self, now: Time) {
        let first = self.state <= CaState::Disorder || self.board.una() >= self.high;
        if first || (self.state == CaState::Loss && self.first_resent_at.is_none()) {
            self.prior_ssthresh = self.current_ssthresh();
            self.window.ssthresh = self.congestion.ssthresh(&self.window, now);
        }
        self.window.cwnd = 1;
        self.window.count = 0;
        self.undo_from = Some(self.board.una());
        self.undo_resent = 0;
        self.first_resent_at = None;
        self.board.mark_all_lost();
        self.reordering = self.reordering.min(self.parameters.reordering);
        self.high = self.board.next();
        self.counts.timeouts += 1;
        self.enter(CaState::Loss, now);
    }

    fn judge_losses(&mut self) {
        if self.fack {
            let lost = self.board.forward_distance().saturating_sub(self.reordering).max(1);
            self.board.mark_lost_below((self.board.una() + lost).min(self.high));
        } else {
            let allowed = self.board.sacked().saturating_sub(self.reordering).max(1);
            self.board.mark_lost_below_sacks(allowed, self.high);
        }
    }

    /// One step of window reduction: rate halving, never above what is in flight plus one.
    fn reduce(&mut self, facts: &AckFacts) {
        let progress = facts.acked > 0 || facts.newly_sacked > 0 || facts.duplicate_reported;
        if !self.parameters.rate_halving || !progress {
            return;
        }
        let steps = self.window.count + 1;
        self.window.count = steps & 1;
        if self.window.cwnd > self.window.ssthresh {
            self.window.cwnd -= steps >> 1;
        }
        self.window.cwnd = self.window.cwnd.min(self.board.in_flight() + 1).max(1);
    }

    /// Linux bounds bursts after a doubtful acknowledgement (`tcp_moderate_cwnd`).
    fn moderate(&mut self) {
        let burst = match self.parameters {
            TcpParameters { disorder_burst: 0, .. } => return,
            TcpParameters { burst_follows_reordering: true, disorder_burst, .. } => disorder_burst.max(self.reordering),
            TcpParameters { disorder_burst, .. } => disorder_burst,
        };
        self.window.cwnd = self.window.cwnd.min(self.board.in_flight() + burst).max(1);
    }

    /// Whether all that was sent again was sent needlessly.
    fn may_undo(&self, facts: &AckFacts) -> bool {
        let echoes_original = || self.first_resent_at.is_none_or(|at| facts.acked > 0 && facts.echo < at);
        self.parameters.undo && self.undo_from.is_some() && (self.undo_resent <= 0 || echoes_original())
    }

    fn go_back(&mut self, threshold_too: bool) {
        if self.prior_ssthresh > 0 {
            self.window.cwnd = self.congestion.undo(&self.window);
            if threshold_too {
                self.window.ssthresh = self.window.ssthresh.max(self.prior_ssthresh);
            }
            self.counts.undone += 1;
        } else {
            self.window.cwnd = self.window.cwnd.max(self.window.ssthresh);
        }
        self.moderate();
    }

    fn undo_completely(&mut self, facts: &AckFacts) {
        let is_undone = self.may_undo(facts);
        if is_undone {
            self.go_back(true);
        }
        if is_undone || !self.parameters.disorder_after_recovery {
            self.undo_from = None;
        }
    }

    /// Part of what was thought lost has arrived: undo, or say whether losses are still to be judged.
    fn still_losing(&mut self, facts: &AckFacts) -> bool {
        if self.may_undo(facts) {
            if self.board.resent() == 0 {
                self.first_resent_at = None;
            }
            let distance = self.board.forward_distance() + facts.acked;
            self.reordering = self.reordering.max(distance.min(self.parameters.reordering_limit));
            self.go_back(false);
            return false;
        }
        self.board.forward_distance() > self.reordering
    }

    fn undo_by_duplicates(&mut self) {
        if self.parameters.undo && self.undo_from.is_some() && self.undo_resent <= 0 {
            self.go_back(true);
            self.undo_from = None;
        }
    }

    fn undo_loss(&mut self, facts: &AckFacts, now: Time) -> bool {
        if !self.may_undo(facts) || facts.acked == 0 {
            return false;
        }
        self.board.clear_lost();
        self.go_back(true);
        self.undo_from = None;
        self.enter(CaState::Open, now);
        true
    }
}
