//! Recovery without selective acknowledgements: Reno's (RFC 5681, 3.2) and `NewReno`'s (RFC 6582), where each partial
//! acknowledgement repairs one more loss. Windows are inflated by duplicate acknowledgements, as the RFCs write them;
//! recoveries are not undone, and no new segment answers the first two duplicates (no limited transmit).

use super::congestion::{CaState, CongestionControl};
use super::sender::{AckFacts, Sender};
use hntes_sim_scenario::LossRecovery;
use hntes_sim_scenario::time::Time;

/// What a sender without selective acknowledgements keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Duplicates {
    /// Of acknowledgements up to here ...
    una: u32,
    /// ... so many repeat another.
    count: u32,
    /// The first unacknowledged segment goes out next, whatever the window.
    pub(super) resend_first: bool,
    /// When the timer that the first partial acknowledgement set runs out; later ones leave it alone.
    timer: Option<Time>,
}

impl Sender {
    /// An acknowledgement that is not plain progress in state Open.
    pub(super) fn on_ack_without_sack(&mut self, facts: &AckFacts, now: Time) {
        if facts.acked == 0 {
            self.on_duplicate_ack(now);
            return;
        }
        match self.state {
            CaState::Recovery if self.board.una() >= self.high => self.end_recovery(now),
            CaState::Recovery if self.parameters.loss_recovery == LossRecovery::Reno => self.end_recovery(now),
            CaState::Recovery => self.on_partial_ack(facts),
            CaState::Loss if self.board.una() >= self.high => self.enter(CaState::Open, now),
            CaState::Cwr if self.board.una() >= self.high => {
                self.window.cwnd = self.window.cwnd.min(self.window.ssthresh).max(2);
                self.enter(CaState::Open, now);
            }
            _ => {}
        }
    }

    fn on_duplicate_ack(&mut self, now: Time) {
        if self.state == CaState::Recovery {
            self.window.cwnd += 1;
            return;
        }
        let una = self.board.una();
        let seen = if self.duplicates.una == una { self.duplicates.count } else { 0 };
        self.duplicates = Duplicates { una, count: seen + 1, ..Duplicates::default() };
        // Up to what was sent before the last trouble, they may answer segments sent again in vain (RFC 6582, 3.2, step 1).
        let is_new_trouble = una > self.high || self.high == 0 || self.state == CaState::Cwr;
        if self.duplicates.count == self.parameters.reordering && is_new_trouble {
            self.fast_retransmit(now);
        }
    }

    fn fast_retransmit(&mut self, now: Time) {
        if self.state < CaState::Cwr {
            self.window.ssthresh = self.congestion.ssthresh(&self.window, now);
        }
        self.window.cwnd = self.window.ssthresh + self.parameters.reordering;
        self.window.count = 0;
        self.high = self.board.next();
        self.resend_first();
        self.counts.recoveries += 1;
        self.enter(CaState::Recovery, now);
    }

    fn resend_first(&mut self) {
        self.board.mark_lost_below(self.board.una() + 1);
        self.duplicates.resend_first = true;
    }

    /// Deflate by what was acknowledged, less one. Only the first such acknowledgement restarts the timer (the "impatient"
    /// variant of RFC 6582, 4), or, as in ns-2, each ("slow but steady").
    fn on_partial_ack(&mut self, facts: &AckFacts) {
        self.window.cwnd = (self.window.cwnd + 1).saturating_sub(facts.acked).max(1);
        self.resend_first();
        if self.parameters.partial_acks_restart_timer {
            return;
        }
        self.duplicates.timer = self.duplicates.timer.or(self.rto_due);
        self.rto_due = self.duplicates.timer;
    }

    /// RFC 6582, 3.2, step 3: no burst, whatever was acknowledged at once.
    fn end_recovery(&mut self, now: Time) {
        let in_flight = self.board.outstanding();
        self.window.cwnd = self.window.ssthresh.min(in_flight.max(1) + 1);
        self.duplicates = Duplicates::default();
        self.enter(CaState::Open, now);
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::sender::{Ack, Sender};
    use hntes_sim_scenario::LossRecovery;
    use hntes_sim_scenario::time::Time;

    /// A sender whose window of ten segments is in the network.
    fn sender(loss_recovery: LossRecovery) -> Sender {
        sender_of(TcpParameters { loss_recovery, ..TcpParameters::for_tests() })
    }

    fn sender_of(parameters: TcpParameters) -> Sender {
        let parameters = TcpParameters { initial_window: 10, ..parameters };
        let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
        sender.on_syn_ack(Time::ZERO, Time::from_ms(100));
        assert_eq!(sent(&mut sender, 100), (0..10).collect::<Vec<_>>());
        sender
    }

    /// The segments that the windows allow now.
    fn sent(sender: &mut Sender, now_ms: u64) -> Vec<u32> {
        let mut numbers = Vec::new();
        while let Some(segment) = sender.next_to_send(Time::from_ms(now_ms)) {
            sender.on_sent(segment, Time::from_ms(now_ms));
            numbers.push(segment.seq);
        }
        numbers
    }

    /// What an acknowledgement that comes so many milliseconds after the start makes it send.
    fn acked(sender: &mut Sender, next: u32, now_ms: u64) -> Vec<u32> {
        let echo = Time::from_ms(now_ms - 100);
        sender.on_ack(Ack { next, echo, sack: None, echoes_congestion: false }, Time::from_ms(now_ms));
        sent(sender, now_ms)
    }

    #[test]
    fn the_third_duplicate_resends_and_each_further_one_lets_a_segment_go() {
        for recovery in [LossRecovery::Newreno, LossRecovery::Reno] {
            let mut sender = sender(recovery);
            // Ten in flight: half of them is the new threshold, three have left the network.
            assert_eq!([200, 200, 200].map(|now| acked(&mut sender, 0, now)), [vec![], vec![], vec![0]]);
            assert_eq!((sender.window.ssthresh, sender.cwnd(), sender.board.outstanding()), (5, 8, 10));
            assert_eq!(
                [201, 202, 203, 204].map(|now| acked(&mut sender, 0, now)),
                [vec![], vec![], vec![10], vec![11]]
            );
            assert_eq!(sender.counts.recoveries, 1);
        }
    }

    /// Segments 0 and 4 are lost: nine duplicates, then an acknowledgement up to 4.
    fn partial(recovery: LossRecovery) -> (Sender, Vec<u32>) {
        after_two_losses(sender(recovery))
    }

    fn after_two_losses(mut sender: Sender) -> (Sender, Vec<u32>) {
        for _ in 0..8 {
            acked(&mut sender, 0, 200);
        }
        // Threshold 5, eight duplicates: a window of 13, so 10, 11 and 12 are out.
        assert_eq!((sender.cwnd(), sender.board.next()), (13, 13));
        let resent = acked(&mut sender, 4, 300);
        (sender, resent)
    }

    #[test]
    fn a_partial_acknowledgement_repairs_the_next_loss_and_deflates_the_window() {
        let (mut sender, resent) = partial(LossRecovery::Newreno);
        // Less the four acknowledged, plus one: room for one more beside the nine in flight.
        assert_eq!((resent, sender.cwnd()), (vec![4, 13], 10));
        // All that was out when it began is acknowledged: at most one more than is in flight, and not above 5.
        assert_eq!(acked(&mut sender, 10, 400), [14]);
        assert_eq!((sender.cwnd(), sender.counts.recoveries, sender.counts.timeouts), (5, 1, 0));
    }

    #[test]
    fn reno_leaves_recovery_at_the_first_new_acknowledgement() {
        let (sender, resent) = partial(LossRecovery::Reno);
        assert_eq!((resent, sender.cwnd()), (vec![], 5));
    }

    #[test]
    fn only_the_first_partial_acknowledgement_restarts_the_timer() {
        let (mut sender, _) = partial(LossRecovery::Newreno);
        let due = sender.rto_due;
        // 300 ms, a smoothed round trip of 100 ms and the least that is added to it.
        assert_eq!(due, Some(Time::from_ms(600)));
        acked(&mut sender, 7, 450);
        assert_eq!(sender.rto_due, due);
    }

    #[test]
    fn slow_but_steady_each_partial_acknowledgement_restarts_it() {
        let plain = TcpParameters { loss_recovery: LossRecovery::Newreno, ..TcpParameters::for_tests() };
        let steady = sender_of(TcpParameters { partial_acks_restart_timer: true, ..plain });
        let (mut sender, _) = after_two_losses(steady);
        assert_eq!(sender.rto_due, Some(Time::from_ms(600)));
        acked(&mut sender, 7, 450);
        assert_eq!(sender.rto_due, Some(Time::from_ms(750)));
    }

    #[test]
    fn after_a_timeout_duplicates_of_old_segments_resend_nothing() {
        let mut sender = sender(LossRecovery::Newreno);
        sender.on_timeout(Time::from_ms(1000));
        assert_eq!((sent(&mut sender, 1000), sender.cwnd()), (vec![0], 1));
        // The others had arrived: all is acknowledged, and each of them sent again would give a duplicate.
        assert_eq!(acked(&mut sender, 10, 1100), [10, 11]);
        for now in 1101..1105 {
            assert!(acked(&mut sender, 10, now).is_empty());
        }
        assert_eq!((sender.counts.recoveries, sender.counts.retransmitted), (0, 1));
    }
}
