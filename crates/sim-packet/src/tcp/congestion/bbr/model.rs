//! The model of the path (bandwidth, round-trip time, full pipe) and the modes that follow from it.

use super::long_term::Change;
use super::{Bandwidth, Bbr, CYCLE, DRAIN_GAIN, Delivery, FIRST_PHASES, Gain, HIGH_GAIN, LEAST_CWND, Mode, Window};

/// Round trips over which the greatest bandwidth counts: a cycle and two.
const BANDWIDTH_ROUNDS: u32 = 10;
/// A pipe is full after three round trips in which the bandwidth grew by less than a quarter.
const GROWTH: Gain = Gain::thousandths(1250);
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
const MIN_RTT_MS: u64 = 10_000;
const PROBE_RTT_MS: u64 = 200;

/// Round trips, counted by what is delivered: one ends when a segment sent after its beginning is delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    count: u32,
    ends_at: u64,
    pub starts: bool,
}

impl Rounds {
    /// The present one ends with what is sent from here on.
    pub(super) const fn begin(&mut self, delivered: u64) {
        self.ends_at = delivered;
    }

    const fn on_delivered(&mut self, delivery: &Delivery) {
        self.starts = delivery.prior_delivered >= self.ends_at;
        if self.starts {
            self.begin(delivery.totals.delivered);
            self.count += 1;
        }
    }
}

/// Whether the bandwidth has stopped growing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    bandwidth: Bandwidth,
    rounds: u32,
    is_reached: bool,
}

impl FullPipe {
    pub(super) const fn is_reached(&self) -> bool {
        self.is_reached
    }

    /// Bandwidths seen so far were not the path's.
    pub(super) const fn look_again(&mut self) {
        self.bandwidth = Bandwidth::of(0, 1);
        self.rounds = 0;
    }

    fn on_round(&mut self, greatest: Bandwidth) {
        if greatest >= self.bandwidth.times(GROWTH) {
            self.bandwidth = greatest;
            self.rounds = 0;
        } else {
            self.rounds += 1;
            self.is_reached = self.rounds >= ROUNDS_WITHOUT_GROWTH;
        }
    }
}

/// The least round-trip time of ten seconds, and the probe for it when it is older.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    us: Option<u64>,
    stamped_ms: u64,
    /// When the probe under way has lasted long enough, once so little is in flight.
    probed_until_ms: Option<u64>,
    is_round_over: bool,
}

impl MinRtt {
    pub(super) const fn begin(&mut self, us: u64, now_ms: u64) {
        self.us = Some(us);
        self.stamped_ms = now_ms;
    }

    pub(super) const fn us(&self) -> Option<u64> {
        self.us
    }

    const fn has_expired(&self, now_ms: u64) -> bool {
        now_ms > self.stamped_ms + MIN_RTT_MS
    }
}

impl Bbr {
    pub(super) fn update_model(&mut self, delivery: &Delivery, window: &mut Window) {
        self.update_bandwidth(delivery);
        if delivery.rate.is_some() && delivery.newly_delivered > 0 {
            let bandwidth = (self.bandwidth(), delivery.totals.delivered_at_us);
            self.aggregation.on_delivered(delivery.newly_delivered, bandwidth, self.rounds.starts, window.cwnd);
        }
        if self.mode == Mode::ProbeBw && self.is_phase_over(delivery) {
            self.begin_phase((self.phase + 1) % CYCLE.len());
        }
        if self.rounds.starts && !self.full_pipe.is_reached && !delivery.is_app_limited {
            self.full_pipe.on_round(self.greatest.get());
        }
        self.drain(delivery, window);
        self.update_min_rtt(delivery, window);
        self.pacing_gain = match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBw if self.long_term.in_use().is_none() => CYCLE[self.phase],
            Mode::ProbeBw | Mode::ProbeRtt => Gain::ONE,
        };
    }

    fn update_bandwidth(&mut self, delivery: &Delivery) {
        self.rounds.starts = false;
        let Some((segments, us)) = delivery.rate else { return };
        self.rounds.on_delivered(delivery);
        if self.rounds.starts {
            self.recovery.end_conservation();
        }
        self.follow_policer(delivery);
        let bandwidth = Bandwidth::of(segments, us);
        if !delivery.is_app_limited || bandwidth >= self.greatest.get() {
            self.greatest.note(BANDWIDTH_ROUNDS, self.rounds.count, bandwidth);
        }
    }

    fn follow_policer(&mut self, delivery: &Delivery) {
        let probes = self.mode == Mode::ProbeBw;
        match self.long_term.on_ack(delivery, self.rounds.starts, probes, self.segment_bytes) {
            Some(Change::Found) => self.pacing_gain = Gain::ONE,
            Some(Change::Expired) => self.begin_cycle(),
            None => {}
        }
    }

    /// A timeout counts as a loss, and its round trip as over.
    pub(super) fn on_timeout(&mut self) {
        self.recovery.on_timeout();
        self.full_pipe.look_again();
        self.rounds.starts = true;
        self.follow_policer(&Delivery { newly_lost: 1, totals: self.totals, ..Delivery::default() });
    }

    /// Cycles begin in a random phase, so that flows do not probe together.
    fn begin_cycle(&mut self) {
        self.mode = Mode::ProbeBw;
        let before = CYCLE.len() - 1 - (self.random.bits() % FIRST_PHASES) as usize;
        self.begin_phase((before + 1) % CYCLE.len());
    }

    const fn begin_phase(&mut self, phase: usize) {
        self.phase = phase;
        self.phase_began_us = self.totals.delivered_at_us;
    }

    /// A phase lasts a round trip; probing lasts until it shows in flight or in losses, and draining ends once it has.
    fn is_phase_over(&self, delivery: &Delivery) -> bool {
        let age_us = delivery.totals.delivered_at_us - self.phase_began_us;
        let is_full_length = self.min_rtt.us.is_some_and(|rtt_us| age_us > rtt_us);
        if self.pacing_gain == Gain::ONE {
            return is_full_length;
        }
        let in_flight = self.in_flight_at_departure(delivery.prior_in_flight, delivery);
        let target = |gain| self.target_in_flight(self.greatest.get(), gain);
        if self.pacing_gain > Gain::ONE {
            return is_full_length && (delivery.newly_lost > 0 || in_flight >= target(self.pacing_gain));
        }
        is_full_length || in_flight <= target(Gain::ONE)
    }

    fn drain(&mut self, delivery: &Delivery, window: &mut Window) {
        let target = self.target_in_flight(self.greatest.get(), Gain::ONE);
        if self.mode == Mode::Startup && self.full_pipe.is_reached {
            self.mode = Mode::Drain;
            window.ssthresh = target;
        }
        if self.mode == Mode::Drain && self.in_flight_at_departure(delivery.in_flight, delivery) <= target {
            self.begin_cycle();
        }
    }

    fn update_min_rtt(&mut self, delivery: &Delivery, window: &mut Window) {
        let has_expired = self.min_rtt.has_expired(delivery.now_ms);
        if let Some(us) = delivery.rtt_us {
            if has_expired || self.min_rtt.us.is_none_or(|least| us < least) {
                self.min_rtt.begin(us, delivery.now_ms);
            }
        }
        if has_expired && !self.is_restarting && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.recovery.save(window.cwnd, true);
            self.min_rtt.probed_until_ms = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(delivery, window);
        }
        if delivery.rate.is_some_and(|(segments, _)| segments > 0) {
            self.is_restarting = false;
        }
    }

    /// The probe lasts 200 ms and a round trip from when no more than the least window is in flight.
    fn probe_rtt(&mut self, delivery: &Delivery, window: &mut Window) {
        if self.min_rtt.probed_until_ms.is_none() {
            if delivery.in_flight <= LEAST_CWND {
                self.min_rtt.probed_until_ms = Some(delivery.now_ms + PROBE_RTT_MS);
                self.min_rtt.is_round_over = false;
                self.rounds.begin(delivery.totals.delivered);
            }
            return;
        }
        self.min_rtt.is_round_over |= self.rounds.starts;
        if self.min_rtt.is_round_over {
            self.end_probe_rtt_if_due(delivery.now_ms, window);
        }
    }

    pub(super) fn end_probe_rtt_if_due(&mut self, now_ms: u64, window: &mut Window) {
        if self.min_rtt.probed_until_ms.is_none_or(|until_ms| now_ms <= until_ms) {
            return;
        }
        self.min_rtt.stamped_ms = now_ms;
        window.cwnd = window.cwnd.max(self.recovery.saved());
        if self.full_pipe.is_reached {
            self.begin_cycle();
        } else {
            self.mode = Mode::Startup;
        }
    }
}
