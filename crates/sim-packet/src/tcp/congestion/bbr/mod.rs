//! BBR, version 1, as Linux 6.1 runs it: the window and the pacing rate follow a model of the path, the greatest delivery
//! rate of ten round trips and the least round-trip time of ten seconds. After Cardwell et al., "BBR: Congestion-Based
//! Congestion Control" (ACM Queue 14(5), 2016), draft-cardwell-iccrg-bbr-congestion-control-00, and its IETF presentations
//! (ack aggregation, IETF 101; policers, IETF 97).

pub(super) mod aggregation;
pub(super) mod bandwidth;
mod long_term;
mod model;
mod recovery;

use super::{CaState, CongestionControl, Pacer, Window};
use crate::tcp::delivery::{Delivery, Totals};
use aggregation::Aggregation;
use bandwidth::{Bandwidth, Gain, WindowedMax};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;
use long_term::LongTerm;
use model::{FullPipe, MinRtt, Rounds};
use recovery::Recovery;

/// 2/ln 2, the least gain that doubles the delivery rate each round trip, and its inverse, which drains in one round trip
/// what queued in the last.
const HIGH_GAIN: Gain = Gain::thousandths(2885).next();
const DRAIN_GAIN: Gain = Gain::thousandths(346);
const CWND_GAIN: Gain = Gain::thousandths(2000);
/// One round trip probes for bandwidth, one drains what that queued, and six cruise.
const CYCLE: [Gain; 8] = {
    let mut gains = [Gain::ONE; 8];
    gains[PROBING] = Gain::thousandths(1250);
    gains[1] = Gain::thousandths(750);
    gains
};
const PROBING: usize = 0;
/// Phases in which a cycle may begin: all but the one that drains.
const FIRST_PHASES: u64 = 7;
/// Segments in flight at least, and while the round-trip time is probed.
pub(super) const LEAST_CWND: u32 = 4;
/// Segments of a window before anything is known (`TCP_INIT_CWND`).
pub(super) const INITIAL_CWND: u32 = 10;
/// Before the first round trip, one of a millisecond is assumed.
const ASSUMED_RTT_US: u64 = 1000;
/// Bytes of a buffer of segmentation offload, less headers.
pub(super) const MOST_BUFFER_BYTES: u64 = 65_536 - 1 - 320;
/// Below 1.2 Mb/s a buffer holds one segment.
const SLOW_BYTES_PER_S: u64 = 150_000;
/// A buffer holds what is sent in a 1024th of a second.
const BUFFERS_PER_S_BITS: u32 = 10;
const MOST_SEGMENTS_AT_ONCE: u64 = 127;

/// The modes of BBR's state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Doubles the sending rate each round trip until the delivery rate no longer grows.
    Startup,
    /// Drains the queue that Startup left.
    Drain,
    /// Cycles through the pacing gains.
    ProbeBw,
    /// Keeps four segments in flight, so that the queue empties and the least round-trip time shows.
    ProbeRtt,
}

/// The state of one connection.
#[derive(Clone, Debug)]
pub struct Bbr {
    segment_bytes: u64,
    random: Random,
    mode: Mode,
    pacing_gain: Gain,
    /// Bytes of data per second.
    pacing_rate: u64,
    greatest: WindowedMax,
    rounds: Rounds,
    full_pipe: FullPipe,
    phase: usize,
    phase_began_us: u64,
    min_rtt: MinRtt,
    aggregation: Aggregation,
    long_term: LongTerm,
    recovery: Recovery,
    /// It sends again after the application had nothing to send.
    is_restarting: bool,
    totals: Totals,
}

impl Bbr {
    /// A connection with segments of so many bytes.
    pub fn new(segment_bytes: u16, random: Random) -> Self {
        Self {
            segment_bytes: u64::from(segment_bytes),
            random,
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            pacing_rate: 0,
            greatest: WindowedMax::default(),
            rounds: Rounds::default(),
            full_pipe: FullPipe::default(),
            phase: PROBING,
            phase_began_us: 0,
            min_rtt: MinRtt::default(),
            aggregation: Aggregation::default(),
            long_term: LongTerm::default(),
            recovery: Recovery::default(),
            is_restarting: false,
            totals: Totals::default(),
        }
    }

    /// Segments handed over at once, at least.
    pub const fn least_at_once(&self) -> u64 {
        if self.pacing_rate < SLOW_BYTES_PER_S { 1 } else { 2 }
    }

    /// The bandwidth estimate: the greatest of the filter, or a policer's rate.
    fn bandwidth(&self) -> Bandwidth {
        self.long_term.in_use().unwrap_or_else(|| self.greatest.get())
    }

    fn set_pacing_rate(&mut self, bandwidth: Bandwidth, gain: Gain) {
        let rate = bandwidth.paced_bytes_per_s(self.segment_bytes, gain);
        if self.full_pipe.is_reached() || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    fn set_cwnd(&mut self, delivery: &Delivery, bandwidth: Bandwidth, window: &mut Window) {
        let acked = delivery.newly_delivered;
        if acked > 0 {
            let (cwnd, is_final) = self.recovery.window(delivery, window.cwnd, &mut self.rounds);
            window.cwnd = if is_final { cwnd } else { self.grown(cwnd, delivery, bandwidth) };
        }
        if self.mode == Mode::ProbeRtt {
            window.cwnd = window.cwnd.min(LEAST_CWND);
        }
    }

    /// The window after an acknowledgement, outside packet conservation.
    fn grown(&self, cwnd: u32, delivery: &Delivery, bandwidth: Bandwidth) -> u32 {
        let more = if self.full_pipe.is_reached() { self.aggregation.allowance(bandwidth) } else { 0 };
        let gain = match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBw => CWND_GAIN,
            Mode::ProbeRtt => Gain::ONE,
        };
        let target = self.with_bursts(self.product(bandwidth, gain) + more);
        let grown = cwnd + delivery.newly_delivered;
        let cwnd = if self.full_pipe.is_reached() {
            grown.min(target)
        } else if cwnd < target || delivery.totals.delivered < u64::from(INITIAL_CWND) {
            grown
        } else {
            cwnd
        };
        cwnd.max(LEAST_CWND)
    }

    /// The bandwidth-delay product at this gain.
    fn product(&self, bandwidth: Bandwidth, gain: Gain) -> u32 {
        self.min_rtt.us().map_or(INITIAL_CWND, |rtt_us| bandwidth.product(rtt_us, gain))
    }

    /// Segments plus the allowance for bursts: three buffers, rounded up to an even number, and two more while probing.
    fn with_bursts(&self, segments: u32) -> u32 {
        let even = (segments + 3 * self.segments_at_once() + 1) & !1;
        even + if self.mode == Mode::ProbeBw && self.phase == PROBING { 2 } else { 0 }
    }

    /// Segments of a buffer of segmentation offload at the present rate.
    fn segments_at_once(&self) -> u32 {
        let bytes = (self.pacing_rate >> BUFFERS_PER_S_BITS).min(MOST_BUFFER_BYTES);
        (bytes / self.segment_bytes).max(self.least_at_once()).min(MOST_SEGMENTS_AT_ONCE) as u32
    }

    /// Segments in flight that make a bandwidth-delay product at this gain, with the allowance for bursts.
    fn target_in_flight(&self, bandwidth: Bandwidth, gain: Gain) -> u32 {
        self.with_bursts(self.product(bandwidth, gain))
    }

    /// Segments in flight when the next one may leave: those now, less what is delivered until then.
    fn in_flight_at_departure(&self, in_flight: u32, delivery: &Delivery) -> u32 {
        let burst = if self.pacing_gain > Gain::ONE { self.segments_at_once() } else { 0 };
        let delivered = self.bandwidth().segments_in(delivery.departs_in_us);
        u64::from(in_flight + burst).saturating_sub(delivered) as u32
    }
}

const fn us(time: Time) -> u64 {
    time.ps() / 1_000_000
}

const fn ms(time: Time) -> u64 {
    time.ps() / 1_000_000_000
}

/// The bandwidth assumed before anything was delivered: the window a round trip.
pub(super) fn first_bandwidth(rtt_us: u64, cwnd: u32) -> Bandwidth {
    Bandwidth::of(u64::from(cwnd), if rtt_us == 0 { ASSUMED_RTT_US } else { rtt_us })
}

impl Pacer for Bbr {
    fn on_established(&mut self, rtt_us: u64, cwnd: u32, totals: Totals, now: Time) {
        self.min_rtt.begin(rtt_us, ms(now));
        self.pacing_rate = first_bandwidth(rtt_us, cwnd).paced_bytes_per_s(self.segment_bytes, HIGH_GAIN);
        self.long_term.reset(totals);
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
        self.update_model(delivery, window);
        let bandwidth = self.bandwidth();
        self.set_pacing_rate(bandwidth, self.pacing_gain);
        self.set_cwnd(delivery, bandwidth, window);
    }

    fn on_restart(&mut self, now: Time, window: &mut Window) {
        self.is_restarting = true;
        self.aggregation.begin(us(now));
        match self.mode {
            Mode::ProbeBw => self.set_pacing_rate(self.bandwidth(), Gain::ONE),
            Mode::ProbeRtt => self.end_probe_rtt_if_due(ms(now), window),
            Mode::Startup | Mode::Drain => {}
        }
    }
}

impl CongestionControl for Bbr {
    fn grow(&mut self, _window: &mut Window, _now: Time) {}

    fn grow_by(&mut self, _window: &mut Window, _segments: u32, _now: Time) {}

    /// The threshold stays; the window is saved for the end of the recovery.
    fn ssthresh(&mut self, window: &Window, _now: Time) -> u32 {
        self.recovery.save(window.cwnd, self.mode == Mode::ProbeRtt);
        window.ssthresh
    }

    /// A spurious recovery proves neither a full pipe nor a policer.
    fn undo(&mut self, window: &Window) -> u32 {
        self.full_pipe.look_again();
        self.long_term.reset(self.totals);
        window.cwnd
    }

    fn on_state(&mut self, state: CaState, _now: Time) {
        if state == CaState::Loss {
            self.on_timeout();
        }
    }
}
