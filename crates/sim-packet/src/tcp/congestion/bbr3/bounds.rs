//! What losses say about how much may be in flight and how fast: lower bounds for the time until the next probe, and an
//! upper one that each probe moves.

use super::{Bandwidth, Bbr3, Delivery, Gain, LEAST_CWND, Loss, Mode, Phase, Window};

/// What losses leave of bandwidth and of segments in flight.
const KEPT: Gain = Gain::thousandths(700).next();
/// More than so much of a flight lost is too much.
const MOST_LOST: Gain = Gain::thousandths(20);
/// Kept free for others while not probing.
const HEADROOM: Gain = Gain::thousandths(150);
pub(super) const UNBOUNDED: u32 = u32::MAX;

/// The bounds of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub bandwidth_low: Bandwidth,
    pub in_flight_low: u32,
    pub in_flight_high: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { bandwidth_low: Bandwidth::ENDLESS, in_flight_low: UNBOUNDED, in_flight_high: UNBOUNDED }
    }
}

impl Bounds {
    /// Bounds that widen nothing.
    pub(super) fn none() -> Self {
        Self { bandwidth_low: Bandwidth::default(), in_flight_low: 0, in_flight_high: 0 }
    }

    pub(super) fn widen_to(&mut self, before: &Self) {
        self.bandwidth_low = self.bandwidth_low.max(before.bandwidth_low);
        self.in_flight_low = self.in_flight_low.max(before.in_flight_low);
        self.in_flight_high = self.in_flight_high.max(before.in_flight_high);
    }

    pub(super) const fn forget_low(&mut self) {
        self.bandwidth_low = Bandwidth::ENDLESS;
        self.in_flight_low = UNBOUNDED;
    }

    pub(super) const fn begin_in_flight_low(&mut self, segments: u32) {
        if self.in_flight_low == UNBOUNDED {
            self.in_flight_low = segments;
        }
    }

    /// The upper bound minus the headroom that is left to other flows.
    pub(super) fn with_headroom(&self) -> u32 {
        if self.in_flight_high == UNBOUNDED {
            return UNBOUNDED;
        }
        let headroom = part(self.in_flight_high, HEADROOM).max(1);
        self.in_flight_high.saturating_sub(headroom).max(LEAST_CWND)
    }
}

fn part(segments: u32, gain: Gain) -> u32 {
    gain.of(u64::from(segments)) as u32
}

/// What is left of so many segments after a loss.
fn kept(segments: u32) -> u32 {
    part(segments, KEPT)
}

pub(super) fn is_too_much(lost: u64, in_flight: u32) -> bool {
    lost > 0 && in_flight > 0 && lost > u64::from(part(in_flight, MOST_LOST))
}

/// The flight at which the losses up to this segment became too many.
fn in_flight_when_too_much(loss: &Loss) -> u32 {
    let before = u64::from(loss.in_flight.saturating_sub(1));
    let allowed = MOST_LOST.of_rounded_up(before);
    let lost_before = loss.lost.saturating_sub(1);
    let more = allowed.saturating_sub(lost_before);
    (before + MOST_LOST.more_than_rest(more)) as u32
}

impl Bbr3 {
    pub(super) const fn is_probing_bandwidth(&self) -> bool {
        matches!(self.mode, Mode::Startup | Mode::ProbeBw(Phase::Refill | Phase::Up))
    }

    /// Losses while not probing: seven tenths of what was sent, but no less than what was delivered.
    pub(super) fn lower_bounds(&mut self, window: &Window) {
        if self.is_probing_bandwidth() || !self.latest.has_losses {
            return;
        }
        let bounds = &mut self.bounds;
        if bounds.bandwidth_low == Bandwidth::ENDLESS {
            bounds.bandwidth_low = self.greatest[0].max(self.greatest[1]);
        }
        bounds.begin_in_flight_low(window.cwnd);
        bounds.bandwidth_low = bounds.bandwidth_low.times(KEPT).max(self.latest.bandwidth);
        bounds.in_flight_low = kept(bounds.in_flight_low).max(self.latest.delivered);
    }

    /// What the bounds allow in flight.
    pub(super) fn most_in_flight(&self) -> u32 {
        let high = match self.mode {
            Mode::ProbeBw(Phase::Cruise) | Mode::ProbeRtt => self.bounds.with_headroom(),
            Mode::ProbeBw(_) => self.bounds.in_flight_high,
            Mode::Startup | Mode::Drain => UNBOUNDED,
        };
        high.min(self.bounds.in_flight_low)
    }

    pub(super) fn heed_loss_of_probe(&mut self, loss: &Loss, window: &Window) {
        if self.cycle.has_samples && is_too_much(loss.lost, loss.in_flight) {
            self.end_probe_too_high(in_flight_when_too_much(loss), loss.is_app_limited, window);
        }
    }

    /// A probe lost too much: the upper bound becomes the flight that did, once a probe.
    pub(super) fn end_probe_too_high(&mut self, in_flight: u32, is_app_limited: bool, window: &Window) {
        self.cycle.was_too_high = true;
        self.cycle.has_samples = false;
        if !is_app_limited {
            self.bounds.in_flight_high = in_flight.max(kept(self.target_in_flight(window)));
        }
        if self.mode == Mode::ProbeBw(Phase::Up) {
            self.begin_down();
        }
    }

    /// More was in flight than the bound, and that was safe.
    pub(super) fn raise_high(&mut self, delivery: &Delivery, window: &Window) {
        if self.bounds.in_flight_high == UNBOUNDED {
            return;
        }
        self.bounds.in_flight_high = self.bounds.in_flight_high.max(delivery.sent_in_flight);
        if self.mode == Mode::ProbeBw(Phase::Up) {
            self.probe_upward(delivery, window);
        }
    }

    /// Where the window fills the bound, it rises by 1, 2, 4 ... segments a window from round trip to round trip.
    fn probe_upward(&mut self, delivery: &Delivery, window: &Window) {
        if !delivery.is_window_full || window.cwnd < self.bounds.in_flight_high {
            return;
        }
        let more = self.cycle.raised_by(delivery.newly_delivered);
        if more > 0 {
            self.bounds.in_flight_high += more;
            self.is_settled = false;
        }
        if self.starts_round {
            self.cycle.steepen(window.cwnd);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Loss, in_flight_when_too_much, is_too_much, kept};

    #[test]
    fn a_fiftieth_of_a_flight_may_be_lost() {
        // 5 of 256.
        assert_eq!([19, 20].map(|lost| is_too_much(lost, 1000)), [false, true]);
        assert!(!is_too_much(0, 10) && is_too_much(1, 10));
    }

    #[test]
    fn the_bound_is_the_flight_at_which_it_was_too_much() {
        let at = |in_flight, lost| in_flight_when_too_much(&Loss { in_flight, lost, ..Loss::default() });
        // 19 and a half of 999 may be lost, 20 with the rounding; the twentieth of a thousand is the first too many.
        assert_eq!(at(1000, 20), 1000);
        assert_eq!(at(1000, 200), 999, "it was too much before");
    }

    #[test]
    fn three_tenths_go_and_fifteen_hundredths_stay_free() {
        assert_eq!(kept(1000), 703);
        let bounds = Bounds { in_flight_high: 1000, ..Bounds::default() };
        assert_eq!(bounds.with_headroom(), 852);
    }
}
