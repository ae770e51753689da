//! Probing for bandwidth: Down gives up what the last probe queued, Cruise leaves room for others, Refill fills the pipe,
//! and Up sends a quarter more, until too much is lost or nothing more arrives. Two to three seconds lie between probes, or
//! as many round trips as a Reno flow would take to grow by a segment each.

use super::bounds::is_too_much;
use super::{Bandwidth, Bbr3, Delivery, Gain, Latest, Mode, Window};

const LEAST_WAIT_US: u64 = 2_000_000;
const RANDOM_WAIT_US: u64 = 1_000_000;
const MOST_ROUNDS: u32 = 63;
const RANDOM_ROUNDS: u64 = 2;
const MOST_COUNTED_ROUNDS: u32 = 255;
const MOST_DOUBLINGS: u32 = 30;

/// The phases of the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Up,
    Down,
    Cruise,
    Refill,
}

impl Phase {
    pub(super) const fn pacing_gain(self) -> Gain {
        match self {
            Self::Up => Gain::thousandths(1250),
            Self::Down => Gain::thousandths(910),
            Self::Cruise | Self::Refill => Gain::ONE,
        }
    }
}

/// What acknowledgements tell of a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    #[default]
    Nothing,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// The state of the cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    began_us: u64,
    wait_us: u64,
    /// Since the last probe.
    rounds: u32,
    pub ack_phase: AckPhase,
    /// Segments arriving now were sent by a probe.
    pub has_samples: bool,
    /// The last probe lost too much.
    pub was_too_high: bool,
    /// It ended because it had reached the bound.
    has_stopped_at_bound: bool,
    doublings: u32,
    /// Segments delivered for each that the bound rises by; 0 while it does not.
    every: u32,
    delivered: u32,
}

impl Cycle {
    pub(super) fn count_round(&mut self) {
        self.rounds = (self.rounds + 1).min(MOST_COUNTED_ROUNDS);
    }

    /// So many segments were delivered: by how many the bound rises.
    pub(super) const fn raised_by(&mut self, delivered: u32) -> u32 {
        if self.every == 0 {
            return 0;
        }
        self.delivered += delivered;
        let more = self.delivered / self.every;
        self.delivered %= self.every;
        more
    }

    /// The bound rises twice as fast as in the round trip before.
    pub(super) fn steepen(&mut self, cwnd: u32) {
        self.every = (cwnd >> self.doublings).max(1);
        self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS);
    }
}

impl Bbr3 {
    pub(super) fn forget_signals(&mut self) {
        self.latest = Latest { bandwidth: Bandwidth::NONE, delivered: 0, has_losses: false, ..self.latest };
    }

    fn enter(&mut self, phase: Phase) {
        self.mode = Mode::ProbeBw(phase);
        self.is_settled = false;
    }

    pub(super) fn begin_down(&mut self) {
        self.forget_signals();
        self.cycle.every = 0;
        self.cycle.rounds = (self.random.bits() % RANDOM_ROUNDS) as u32;
        self.cycle.wait_us = LEAST_WAIT_US + self.random.bits() % RANDOM_WAIT_US;
        self.cycle.began_us = self.now_us;
        self.cycle.ack_phase = AckPhase::Stopping;
        self.round_ends_at = self.totals.delivered;
        self.enter(Phase::Down);
    }

    pub(super) fn begin_cruise(&mut self) {
        if self.bounds.in_flight_low != super::bounds::UNBOUNDED {
            self.bounds.in_flight_low = self.bounds.in_flight_low.min(self.bounds.in_flight_high);
        }
        self.enter(Phase::Cruise);
    }

    fn begin_refill(&mut self) {
        self.bounds.forget_low();
        self.cycle.doublings = 0;
        self.cycle.delivered = 0;
        self.cycle.has_stopped_at_bound = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.round_ends_at = self.totals.delivered;
        self.enter(Phase::Refill);
    }

    fn begin_up(&mut self, sample: Bandwidth, window: &Window) {
        self.cycle.has_samples = true;
        self.cycle.ack_phase = AckPhase::Starting;
        self.round_ends_at = self.totals.delivered;
        self.cycle.began_us = self.now_us;
        self.full_pipe.look_for_more_than(sample);
        self.enter(Phase::Up);
        self.cycle.steepen(window.cwnd);
    }

    pub(super) fn update_cycle(&mut self, delivery: &Delivery, sample: Bandwidth, window: &Window) {
        if !self.full_pipe.is_reached || self.adapt_high(delivery, window) {
            return;
        }
        let Mode::ProbeBw(phase) = self.mode else { return };
        let in_flight = self.in_flight_at_departure(delivery.prior_in_flight, delivery);
        match phase {
            Phase::Cruise | Phase::Down if self.is_time_to_probe(window) => self.begin_refill(),
            Phase::Down => {
                let is_low = in_flight <= self.bounds.with_headroom();
                if is_low && in_flight <= self.product_in_flight(self.greatest_bandwidth()) {
                    self.begin_cruise();
                }
            }
            Phase::Refill if self.starts_round => self.begin_up(sample, window),
            Phase::Up => self.end_probe_if_done(in_flight, delivery, sample, window),
            Phase::Cruise | Phase::Refill => {}
        }
    }

    fn end_probe_if_done(&mut self, in_flight: u32, delivery: &Delivery, sample: Bandwidth, window: &Window) {
        if self.cycle.was_too_high && in_flight >= self.bounds.in_flight_high {
            self.cycle.has_stopped_at_bound = true;
        } else if delivery.is_window_full && window.cwnd >= self.bounds.in_flight_high {
            return self.full_pipe.look_for_more_than(sample);
        } else if !self.full_pipe.is_now {
            return;
        }
        self.cycle.was_too_high = false;
        self.begin_down();
    }

    /// Whether enough time has passed, or as many round trips as there are segments in a product.
    fn is_time_to_probe(&self, window: &Window) -> bool {
        self.now_us > self.cycle.began_us + self.cycle.wait_us
            || self.cycle.rounds >= self.target_in_flight(window).min(MOST_ROUNDS)
    }

    /// Move the upper bound by what a probe found; whether the next phase has begun.
    fn adapt_high(&mut self, delivery: &Delivery, window: &Window) -> bool {
        if self.starts_round && self.cycle.ack_phase == AckPhase::Starting {
            self.cycle.ack_phase = AckPhase::Feedback;
        }
        if self.starts_round && self.cycle.ack_phase == AckPhase::Stopping && self.end_samples(delivery) {
            return true;
        }
        if !is_too_much(delivery.lost_since, delivery.sent_in_flight) {
            self.raise_high(delivery, window);
        } else if self.cycle.has_samples {
            self.end_probe_too_high(delivery.sent_in_flight, delivery.is_app_limited, window);
        }
        false
    }

    /// The last segments of a probe have arrived. If it reached the bound and lost little, the next one begins at once.
    fn end_samples(&mut self, delivery: &Delivery) -> bool {
        self.cycle.has_samples = false;
        self.cycle.ack_phase = AckPhase::Nothing;
        let Mode::ProbeBw(_) = self.mode else { return false };
        if !delivery.is_app_limited && self.greatest[1] > Bandwidth::NONE {
            self.greatest = [self.greatest[1], Bandwidth::NONE];
        }
        let goes_on = self.cycle.has_stopped_at_bound && !self.cycle.was_too_high;
        if goes_on {
            self.begin_refill();
        }
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::Cycle;

    #[test]
    fn the_bound_rises_by_one_two_four_segments_a_window() {
        let mut cycle = Cycle::default();
        assert_eq!(cycle.raised_by(1000), 0);
        let mut raised = Vec::new();
        for _ in 0..4 {
            cycle.steepen(1000);
            raised.push((0..10).map(|_| cycle.raised_by(100)).sum::<u32>());
        }
        assert_eq!(raised, [1, 2, 4, 8]);
    }
}
