//! BBR, version 3: the model of version 1 with bounds that follow losses. Probing for bandwidth stops where a fiftieth of a
//! flight is lost, and leaves room for others; losses at other times lower what is sent until the next probe. After
//! draft-ietf-ccwg-bbr and Google's Linux (`net-tcp_bbr: v3`). Its answers to ECN marks are left out.

mod bounds;
mod cycle;
mod min_rtt;
mod startup;

use super::bbr::aggregation::Aggregation;
use super::bbr::bandwidth::{Bandwidth, Gain};
use super::bbr::{INITIAL_CWND, LEAST_CWND, MOST_BUFFER_BYTES, first_bandwidth};
use super::{CaState, CongestionControl, Loss, Pacer, Window};
use crate::tcp::delivery::{Delivery, Totals};
use bounds::Bounds;
use cycle::{Cycle, Phase};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;
use min_rtt::MinRtt;
use startup::FullPipe;

/// 4 ln 2, the least gain that doubles the delivery rate each round trip.
const STARTUP_GAIN: Gain = Gain::thousandths(2770).next();
const DRAIN_GAIN: Gain = Gain::thousandths(346);
const CWND_GAIN: Gain = Gain::thousandths(2000);
const PROBING_CWND_GAIN: Gain = Gain::thousandths(2250);
/// Of a bandwidth-delay product, in flight while the round-trip time is probed.
const PROBE_RTT_CWND_GAIN: Gain = Gain::thousandths(500);
/// A buffer holds what is sent in a 1024th of a second, and on short paths 64 KB halved for each 512 microseconds.
const BUFFERS_PER_S_BITS: u32 = 10;
const HALVED_PER_US_BITS: u32 = 9;
const SHORT_PATH_BYTES: u64 = 65_536;
const LEAST_SEGMENTS_AT_ONCE: u64 = 2;
/// Round trips in each half of the window of the greatest aggregation, before and after the pipe was full.
const AGGREGATION_ROUNDS: [u32; 2] = [1, 5];

/// The modes of BBR's state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw(Phase),
    ProbeRtt,
}

/// The greatest delivery in the latest round trip, which is the least that the path is taken to allow.
#[derive(Clone, Copy, Debug, Default)]
struct Latest {
    bandwidth: Bandwidth,
    delivered: u32,
    round_ends_at: u64,
    starts_round: bool,
    /// Something was lost in this round trip.
    has_losses: bool,
}

/// The state of one connection.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    segment_bytes: u64,
    random: Random,
    mode: Mode,
    pacing_gain: Gain,
    /// Bytes of data per second.
    pacing_rate: u64,
    /// The greatest of the last cycle of probing and of the present one.
    greatest: [Bandwidth; 2],
    round_ends_at: u64,
    starts_round: bool,
    latest: Latest,
    full_pipe: FullPipe,
    min_rtt: MinRtt,
    aggregation: Aggregation,
    bounds: Bounds,
    bounds_before: Bounds,
    cycle: Cycle,
    saved_cwnd: u32,
    state_before: CaState,
    /// The window is where the model wants it: less than that, limited by the application, changes nothing.
    is_settled: bool,
    /// It sends again after the application had nothing to send.
    is_restarting: bool,
    totals: Totals,
    now_us: u64,
}

impl Bbr3 {
    /// A connection with segments of so many bytes.
    pub fn new(segment_bytes: u16, random: Random) -> Self {
        Self {
            segment_bytes: u64::from(segment_bytes),
            random,
            mode: Mode::Startup,
            pacing_gain: STARTUP_GAIN,
            pacing_rate: 0,
            greatest: [Bandwidth::default(); 2],
            round_ends_at: 0,
            starts_round: false,
            latest: Latest::default(),
            full_pipe: FullPipe::default(),
            min_rtt: MinRtt::default(),
            aggregation: Aggregation::default(),
            bounds: Bounds::default(),
            bounds_before: Bounds::none(),
            cycle: Cycle::default(),
            saved_cwnd: 0,
            state_before: CaState::Open,
            is_settled: false,
            is_restarting: false,
            totals: Totals::default(),
            now_us: 0,
        }
    }

    fn greatest_bandwidth(&self) -> Bandwidth {
        self.greatest[0].max(self.greatest[1])
    }

    /// The bandwidth estimate: the greatest, or less while losses say so.
    fn bandwidth(&self) -> Bandwidth {
        self.greatest_bandwidth().min(self.bounds.bandwidth_low)
    }

    fn note_round(&mut self, delivery: &Delivery) {
        self.starts_round = delivery.rate.is_some() && delivery.prior_delivered >= self.round_ends_at;
        if self.starts_round {
            self.round_ends_at = delivery.totals.delivered;
            self.cycle.count_round();
        }
    }

    fn note_latest(&mut self, delivery: &Delivery, sample: Bandwidth) {
        self.latest.starts_round = false;
        let Some((delivered, _)) = delivery.rate.filter(|_| delivery.newly_delivered > 0) else { return };
        self.latest.bandwidth = self.latest.bandwidth.max(sample);
        self.latest.delivered = self.latest.delivered.max(delivered as u32);
        if delivery.prior_delivered >= self.latest.round_ends_at {
            self.latest.round_ends_at = delivery.totals.delivered;
            self.latest.starts_round = true;
        }
    }

    fn update_model(&mut self, delivery: &Delivery, sample: Bandwidth, window: &mut Window) {
        if delivery.rate.is_some() && delivery.newly_delivered > 0 {
            if !delivery.is_app_limited || sample >= self.greatest_bandwidth() {
                self.greatest[1] = self.greatest[1].max(sample);
            }
            self.latest.has_losses |= delivery.newly_lost > 0;
            if self.latest.starts_round {
                self.lower_bounds(window);
                self.latest.has_losses = false;
            }
            let bandwidth = (self.bandwidth(), delivery.totals.delivered_at_us);
            let rounds = AGGREGATION_ROUNDS[usize::from(self.full_pipe.is_reached)];
            let newly = delivery.newly_delivered;
            self.aggregation.on_delivered_within(rounds, newly, bandwidth, self.starts_round, window.cwnd);
        }
        self.note_startup_losses(delivery);
        self.full_pipe.note(sample, self.starts_round, delivery.is_app_limited);
        self.update_modes(delivery, sample, window);
    }

    fn update_modes(&mut self, delivery: &Delivery, sample: Bandwidth, window: &mut Window) {
        self.drain(delivery, window);
        self.update_cycle(delivery, sample, window);
        self.update_min_rtt(delivery, window);
    }

    /// Take an acknowledgement into the model; whether window and rate are to follow. One that the application limited, and
    /// that brings nothing new, moves a settled sender only from mode to mode.
    fn learn(&mut self, delivery: &Delivery, sample: Bandwidth, window: &mut Window) -> bool {
        let is_little = delivery.is_app_limited && sample < self.greatest_bandwidth() && !self.latest.has_losses;
        if !self.is_settled || !is_little {
            self.update_model(delivery, sample, window);
            return true;
        }
        let before = (self.mode, self.min_rtt.us());
        self.update_modes(delivery, sample, window);
        // Another phase unsettles by itself.
        before != (self.mode, self.min_rtt.us()) || !self.is_settled
    }

    const fn gains(&self) -> (Gain, Gain) {
        match self.mode {
            Mode::Startup => (STARTUP_GAIN, CWND_GAIN),
            Mode::Drain => (DRAIN_GAIN, CWND_GAIN),
            Mode::ProbeBw(Phase::Up) => (Phase::Up.pacing_gain(), PROBING_CWND_GAIN),
            Mode::ProbeBw(phase) => (phase.pacing_gain(), CWND_GAIN),
            Mode::ProbeRtt => (Gain::ONE, Gain::ONE),
        }
    }

    fn control(&mut self, delivery: &Delivery, window: &mut Window) {
        let (pacing_gain, cwnd_gain) = self.gains();
        self.pacing_gain = pacing_gain;
        let bandwidth = self.bandwidth();
        self.set_pacing_rate(bandwidth, pacing_gain);
        if delivery.newly_delivered > 0 {
            let target = self.product(bandwidth, cwnd_gain) + self.aggregation.allowance(bandwidth);
            let target = self.with_bursts(target);
            window.cwnd = self.grown(window.cwnd, delivery.newly_delivered, target).max(LEAST_CWND);
        }
        if self.mode == Mode::ProbeRtt {
            window.cwnd = window.cwnd.min(self.probe_rtt_cwnd());
        }
        window.cwnd = window.cwnd.min(self.most_in_flight().max(LEAST_CWND));
    }

    fn grown(&mut self, cwnd: u32, delivered: u32, target: u32) -> u32 {
        let grown = cwnd + delivered;
        if self.full_pipe.is_reached {
            self.is_settled = grown >= target;
            grown.min(target)
        } else {
            self.is_settled = cwnd >= target && cwnd >= 2 * INITIAL_CWND;
            if self.is_settled { cwnd } else { grown }
        }
    }

    fn set_pacing_rate(&mut self, bandwidth: Bandwidth, gain: Gain) {
        let rate = bandwidth.paced_bytes_per_s(self.segment_bytes, gain).max(1);
        if self.full_pipe.is_reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// The bandwidth-delay product at this gain.
    fn product(&self, bandwidth: Bandwidth, gain: Gain) -> u32 {
        self.min_rtt.us().map_or(INITIAL_CWND, |rtt_us| bandwidth.product(rtt_us, gain))
    }

    /// At least three buffers, and two segments more while probing.
    fn with_bursts(&self, segments: u32) -> u32 {
        let least = segments.max(3 * self.segments_at_once()).max(LEAST_CWND);
        least + if self.mode == Mode::ProbeBw(Phase::Up) { 2 } else { 0 }
    }

    /// Segments of a buffer of segmentation offload at the present rate.
    fn segments_at_once(&self) -> u32 {
        let halvings = self.min_rtt.us().map_or(u64::from(u32::MAX), |us| us >> HALVED_PER_US_BITS);
        let on_short_paths = SHORT_PATH_BYTES.checked_shr(halvings.min(64) as u32).unwrap_or(0);
        let bytes = ((self.pacing_rate >> BUFFERS_PER_S_BITS) + on_short_paths).min(MOST_BUFFER_BYTES);
        (bytes / self.segment_bytes).max(LEAST_SEGMENTS_AT_ONCE) as u32
    }

    /// Segments in flight that make a bandwidth-delay product, with the allowance for bursts.
    fn product_in_flight(&self, bandwidth: Bandwidth) -> u32 {
        self.with_bursts(self.product(bandwidth, Gain::ONE))
    }

    /// What is wanted in flight: a product, unless the window is less.
    fn target_in_flight(&self, window: &Window) -> u32 {
        self.product_in_flight(self.bandwidth()).min(window.cwnd)
    }

    /// Segments in flight when the next one may leave: those now, less what is delivered until then.
    fn in_flight_at_departure(&self, in_flight: u32, delivery: &Delivery) -> u32 {
        let burst = if self.pacing_gain > Gain::ONE { self.segments_at_once() } else { 0 };
        let delivered = self.bandwidth().segments_in(delivery.departs_in_us);
        u64::from(in_flight + burst).saturating_sub(delivered) as u32
    }

    fn save_cwnd(&mut self, window: &Window) {
        let is_usual = self.state_before < CaState::Recovery && self.mode != Mode::ProbeRtt;
        self.saved_cwnd = if is_usual { window.cwnd } else { self.saved_cwnd.max(window.cwnd) };
    }
}

impl Pacer for Bbr3 {
    fn on_established(&mut self, rtt_us: u64, cwnd: u32, totals: Totals, now: Time) {
        self.min_rtt.begin(rtt_us, now.ps() / 1_000_000_000);
        let bandwidth = first_bandwidth(rtt_us, cwnd);
        self.pacing_rate = bandwidth.paced_bytes_per_s(self.segment_bytes, STARTUP_GAIN);
        self.round_ends_at = totals.delivered;
        self.latest.round_ends_at = totals.delivered + 1;
        self.aggregation.begin(now.ps() / 1_000_000);
        self.totals = totals;
    }

    fn pacing_rate(&self) -> u64 {
        self.pacing_rate
    }

    fn is_probing_rtt(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }

    fn on_ack(&mut self, delivery: &Delivery, window: &mut Window) {
        self.totals = delivery.totals;
        self.now_us = delivery.now_us;
        if self.state_before == CaState::Loss && delivery.state != CaState::Loss {
            window.cwnd = window.cwnd.max(self.saved_cwnd);
            self.is_settled = false;
        }
        self.note_round(delivery);
        let sample = delivery.rate.map_or(Bandwidth::NONE, |(segments, us)| Bandwidth::of_or_more(segments, us));
        self.note_latest(delivery, sample);
        if self.learn(delivery, sample, window) {
            self.control(delivery, window);
        }
        if self.latest.starts_round {
            self.latest.bandwidth = sample;
            self.latest.delivered = delivery.rate.map_or(0, |(segments, _)| segments as u32);
        }
        self.state_before = delivery.state;
    }

    fn on_lost(&mut self, loss: &Loss, window: &Window) {
        self.totals.delivered = loss.delivered;
        self.now_us = loss.now_us;
        if !self.latest.has_losses {
            self.latest.round_ends_at = loss.delivered;
        }
        self.latest.has_losses = true;
        self.heed_loss_of_probe(loss, window);
    }

    fn on_probe_repaired(&mut self, window: &Window) {
        // A probe of the last segment repairs one loss, of the latest round trip's flight.
        let in_flight = self.latest.delivered + 1;
        let delivered = self.totals.delivered;
        let loss = Loss { in_flight, lost: 1, is_app_limited: false, delivered, now_us: self.now_us };
        self.on_lost(&loss, window);
    }

    fn on_restart(&mut self, now: Time, window: &mut Window) {
        self.is_restarting = true;
        self.aggregation.begin(now.ps() / 1_000_000);
        match self.mode {
            Mode::ProbeBw(_) => self.set_pacing_rate(self.bandwidth(), Gain::ONE),
            Mode::ProbeRtt => self.end_probe_rtt_if_due(now.ps() / 1_000_000_000, window),
            Mode::Startup | Mode::Drain => {}
        }
    }
}

impl CongestionControl for Bbr3 {
    fn grow(&mut self, _window: &mut Window, _now: Time) {}

    fn grow_by(&mut self, _window: &mut Window, _segments: u32, _now: Time) {}

    /// The threshold stays; window and bounds are saved, to go back to if nothing was lost.
    fn ssthresh(&mut self, window: &Window, _now: Time) -> u32 {
        self.save_cwnd(window);
        self.bounds_before = self.bounds;
        window.ssthresh
    }

    fn undo(&mut self, _window: &Window) -> u32 {
        self.full_pipe.look_again();
        self.latest.has_losses = false;
        self.bounds.widen_to(&self.bounds_before);
        self.is_settled = false;
        self.saved_cwnd
    }

    fn on_state(&mut self, state: CaState, _now: Time) {
        if state != CaState::Loss {
            return;
        }
        self.state_before = CaState::Loss;
        self.full_pipe.look_again();
        if !self.is_probing_bandwidth() {
            self.bounds.begin_in_flight_low(self.saved_cwnd);
        }
    }
}
