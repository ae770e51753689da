//! The end of Startup: the bandwidth no longer grows, or a round trip has lost too much in too many pieces.

use super::bounds::is_too_much;
use super::{Bandwidth, Bbr3, CaState, Delivery, Gain, Mode, Window};

const GROWTH: Gain = Gain::thousandths(1250);
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
/// Acknowledgements of a round trip that each report a loss.
const LOSS_REPORTS: u32 = 6;

/// Whether the bandwidth has stopped growing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    pub bandwidth: Bandwidth,
    rounds: u32,
    /// Since the search was begun last.
    pub is_now: bool,
    /// Ever.
    pub is_reached: bool,
    loss_reports: u32,
}

impl FullPipe {
    pub(super) const fn look_again(&mut self) {
        self.look_for_more_than(Bandwidth::NONE);
    }

    pub(super) const fn look_for_more_than(&mut self, bandwidth: Bandwidth) {
        self.bandwidth = bandwidth;
        self.rounds = 0;
        self.is_now = false;
    }

    pub(super) fn note(&mut self, sample: Bandwidth, starts_round: bool, is_app_limited: bool) {
        if self.is_now || is_app_limited {
            return;
        }
        if sample >= self.bandwidth.times(GROWTH) {
            self.look_for_more_than(sample);
        } else if starts_round {
            self.rounds += 1;
            self.is_now = self.rounds >= ROUNDS_WITHOUT_GROWTH;
            self.is_reached |= self.is_now;
        }
    }
}

impl Bbr3 {
    pub(super) fn note_startup_losses(&mut self, delivery: &Delivery) {
        if self.full_pipe.is_reached {
            return;
        }
        self.full_pipe.loss_reports += u32::from(delivery.newly_lost > 0);
        if !self.latest.starts_round {
            return;
        }
        let are_many = self.full_pipe.loss_reports >= LOSS_REPORTS;
        let is_recovering = delivery.state == CaState::Recovery;
        if are_many && is_recovering && is_too_much(delivery.lost_since, delivery.sent_in_flight) {
            self.full_pipe.is_reached = true;
            let product = self.product_in_flight(self.greatest_bandwidth());
            self.bounds.in_flight_high = product.max(self.latest.delivered);
            return;
        }
        self.full_pipe.loss_reports = 0;
    }

    pub(super) fn drain(&mut self, delivery: &Delivery, window: &mut Window) {
        let product = self.product_in_flight(self.greatest_bandwidth());
        if self.mode == Mode::Startup && self.full_pipe.is_reached {
            self.mode = Mode::Drain;
            window.ssthresh = product;
            self.forget_signals();
        }
        if self.mode == Mode::Drain && self.in_flight_at_departure(delivery.in_flight, delivery) <= product {
            self.begin_down();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bandwidth, FullPipe};

    #[test]
    fn the_pipe_is_full_after_three_round_trips_without_a_quarter_more() {
        let mut pipe = FullPipe::default();
        let mut full = Vec::new();
        for segments in [100, 200, 240, 249, 249] {
            pipe.note(Bandwidth::of(segments, 1000), true, false);
            full.push(pipe.is_reached);
        }
        assert_eq!(full, [false, false, false, false, true]);
        pipe.look_again();
        assert!(pipe.is_reached && !pipe.is_now);
    }
}
