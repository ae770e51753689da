//! The sending end: windows, the states of Linux's recovery, and what goes out next.
//!
//! All steps are made for as many acknowledgements as a time step holds. Outside recovery a window grows with each of
//! them; inside, each lets at most one segment out, as rate halving never leaves the window above what is in flight
//! plus one. Under Linux 6 windows grow with each segment delivered, and fall in proportion.

use super::reduction::Reduction;
use super::window_use::WindowUse;
use super::{Congestion, Report, SenderParameters};
use crate::bound::Bound;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// The host's own queue was full.
    Cwr,
    Recovery,
    /// The retransmission timer ran out.
    Loss,
}

/// Counters for the results.
#[derive(Clone, Copy, Debug, Default)]
pub struct SenderCounts {
    /// Segments sent again.
    pub retransmitted: f64,
    /// Fast recoveries.
    pub recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times the host's own queue was full.
    pub local_congestions: u64,
}

/// The state of the sending end; amounts in segments, times in seconds.
#[derive(Clone, Debug)]
pub struct Sender {
    parameters: SenderParameters,
    congestion: Congestion,
    state: State,
    cwnd: f64,
    ssthresh: f64,
    in_flight: f64,
    /// In flight at a timeout and no longer counted, though it may still arrive.
    given_up: f64,
    /// Known to be lost and not yet sent again.
    lost: f64,
    /// Known to be lost and not yet found to have arrived, under Linux 6.
    unrepaired: f64,
    next: f64,
    una: f64,
    /// The end of what was sent when the present state was entered.
    high: f64,
    srtt_s: f64,
    rttvar_s: f64,
    backoff: f64,
    rto_due_s: f64,
    acks: f64,
    open: bool,
    reduction: Reduction,
    in_use: WindowUse,
    /// Counters for the results.
    pub counts: SenderCounts,
}

/// Amounts below this are rounding.
const NOTHING: f64 = 1e-6;
/// What rounding leaves between two sums of up to a thousand million segments.
const ROUNDING: f64 = 1e-3;

impl Sender {
    /// A connection whose handshake takes so long.
    pub fn new(parameters: SenderParameters, congestion: Congestion, counts: SenderCounts, handshake_s: f64) -> Self {
        Self {
            parameters,
            congestion,
            state: State::Open,
            cwnd: parameters.initial_window,
            ssthresh: parameters.initial_ssthresh,
            in_flight: 0.0,
            given_up: 0.0,
            lost: 0.0,
            unrepaired: 0.0,
            next: 0.0,
            una: 0.0,
            high: 0.0,
            srtt_s: handshake_s,
            rttvar_s: handshake_s / 2.0,
            backoff: 1.0,
            rto_due_s: f64::INFINITY,
            acks: 0.0,
            open: true,
            reduction: Reduction::default(),
            in_use: WindowUse::default(),
            counts,
        }
    }

    /// The congestion window.
    pub const fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// Whether the application still has data.
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// What part of a slow start's flight so many segments are, if they answer no flight; none outside slow start.
    pub fn clumps(&self, pkts: f64) -> f64 {
        if self.in_slow_start() { pkts / self.cwnd } else { 0.0 }
    }

    /// Whether the window doubles.
    pub fn in_slow_start(&self) -> bool {
        matches!(self.state, State::Open | State::Loss) && self.cwnd <= self.ssthresh
    }

    /// Whether what is sent for the first time now begins another recovery if it is lost.
    pub fn may_recover_again(&self) -> bool {
        self.state == State::Recovery && self.next > self.high
    }

    /// The smoothed round-trip time.
    pub const fn srtt_s(&self) -> f64 {
        self.srtt_s
    }

    /// The application has no more data.
    pub const fn close(&mut self) {
        self.open = false;
    }

    /// The receiver's memory has been exhausted.
    pub const fn clamp_window(&mut self) {
        self.parameters.window_limit = self.parameters.window_limit.min(self.parameters.clamped_window_limit);
    }

    /// Take in what a step's acknowledgements tell.
    pub fn on_report(&mut self, report: &Report, now_s: f64) {
        if report.arrived + report.missing <= 0.0 {
            return;
        }
        let in_flight_before = self.in_flight;
        let told = report.arrived + report.missing;
        let late = told.at_most(self.given_up);
        self.given_up -= late;
        self.in_flight = (self.in_flight + late - told).at_least(0.0);
        self.lost += report.missing;
        self.unrepaired = (self.unrepaired + report.missing - report.resent).at_least(0.0);
        self.una += report.advance;
        self.acks = report.acks;
        if report.arrived > NOTHING {
            self.measure(report, now_s);
        }
        match self.state {
            State::Open | State::Loss if report.advance > 0.0 => self.grow(report, in_flight_before, now_s),
            State::Open | State::Loss => {}
            State::Cwr | State::Recovery => self.reduce(report),
        }
        let was_open = self.state == State::Open;
        self.leave_finished_state(now_s);
        if self.is_any_lost(was_open) && matches!(self.state, State::Open | State::Cwr) {
            let reduced = self.state == State::Cwr;
            self.enter_recovery(now_s);
            if !reduced {
                self.reduce(report);
            }
        }
    }

    /// Whether a recovery is to begin. To Linux 6 a segment is lost until it arrives, also if it has been sent again: one
    /// sent during a recovery and lost begins another. Whether there is one, the step after the recovery's last tells, as
    /// a report comes in two steps.
    fn is_any_lost(&self, was_open: bool) -> bool {
        self.lost > NOTHING || (self.parameters.is_linux_6 && was_open && self.unrepaired > ROUNDING)
    }

    fn measure(&mut self, report: &Report, now_s: f64) {
        let rtt_s = now_s - report.stamps / report.arrived;
        self.rttvar_s += ((rtt_s - self.srtt_s).abs() - self.rttvar_s) / 4.0;
        self.srtt_s += (rtt_s - self.srtt_s) / 8.0;
        if report.advance > 0.0 {
            self.backoff = 1.0;
            let outstanding = self.next - self.una > ROUNDING;
            self.rto_due_s = if outstanding { now_s + self.rto_s() } else { f64::INFINITY };
        }
        if let Congestion::HTcp(htcp) = &mut self.congestion {
            let open = self.state == State::Open;
            htcp.on_acked(report.arrived, rtt_s, open, self.cwnd, now_s);
        }
    }

    fn rto_s(&self) -> f64 {
        (self.srtt_s + (4.0 * self.rttvar_s).at_least(self.parameters.min_rto_s)) * self.backoff
    }

    fn grow(&mut self, report: &Report, in_flight: f64, now_s: f64) {
        if !self.is_window_limited(in_flight) {
            return;
        }
        if self.parameters.is_linux_6 {
            self.grow_by_segments(report, now_s);
            return;
        }
        let mut acks = report.acks;
        if self.cwnd <= self.ssthresh {
            let steps = acks.at_most(self.ssthresh - self.cwnd + 1.0);
            self.cwnd += steps;
            acks -= steps;
        }
        if acks <= 0.0 {
            return;
        }
        let acked = report.arrived * acks / report.acks;
        self.cwnd += match &mut self.congestion {
            Congestion::Reno => acks / (self.cwnd + 1.0),
            Congestion::HTcp(htcp) => {
                htcp.update_alpha(now_s);
                // One segment at a time; the acknowledgement that adds it is not counted towards the next.
                let per_ack = acked / acks;
                acks / ((self.cwnd / (htcp.alpha() * per_ack)).whole_up() + 1.0)
            }
        };
    }

    fn is_window_limited(&self, in_flight: f64) -> bool {
        if self.parameters.is_linux_6 {
            return self.in_use.allows_growth(self.cwnd, self.cwnd <= self.ssthresh);
        }
        self.cwnd - in_flight <= self.parameters.limited_burst.at_most(self.cwnd / 3.0).at_least(3.0)
    }

    fn grow_by_segments(&mut self, report: &Report, now_s: f64) {
        let mut segments = report.arrived;
        if self.cwnd <= self.ssthresh {
            let steps = segments.at_most(self.ssthresh - self.cwnd + 1.0);
            self.cwnd += steps;
            segments -= steps;
        }
        if segments <= 0.0 {
            return;
        }
        self.cwnd += match &mut self.congestion {
            Congestion::Reno => segments / self.cwnd,
            Congestion::HTcp(htcp) => {
                htcp.update_alpha(now_s);
                // As above: what an acknowledgement adds it does not count.
                let per_ack = report.arrived / report.acks;
                segments / per_ack / ((self.cwnd / (htcp.alpha() * per_ack)).whole_up() + 1.0)
            }
        };
    }

    /// What a report makes of a window that is being reduced. Rate halving: a segment less every second acknowledgement,
    /// and never above what is in flight plus one.
    fn reduce(&mut self, report: &Report) {
        if self.parameters.is_linux_6 {
            self.cwnd = self.in_flight + self.reduction.allowance(report, self.in_flight, self.ssthresh);
            return;
        }
        let acks = report.acks;
        if !self.parameters.rate_halving {
            return;
        }
        if self.cwnd > self.ssthresh {
            self.cwnd -= acks / 2.0;
        }
        self.cwnd = self.cwnd.at_most(self.in_flight + acks).at_least(1.0);
    }

    fn leave_finished_state(&mut self, now_s: f64) {
        let finished = match self.state {
            State::Open => false,
            State::Cwr | State::Recovery | State::Loss => self.una >= self.high - ROUNDING,
        };
        if finished {
            if self.parameters.is_linux_6 && self.state != State::Loss {
                self.cwnd = self.ssthresh;
            } else if self.state != State::Loss {
                self.cwnd = self.cwnd.at_most(self.ssthresh).at_least(2.0);
            }
            self.state = State::Open;
            if let Congestion::HTcp(htcp) = &mut self.congestion {
                htcp.on_open(now_s);
            }
        }
    }

    fn enter_recovery(&mut self, now_s: f64) {
        self.high = self.next;
        if self.state == State::Open {
            self.ssthresh = self.threshold(now_s);
        }
        if self.parameters.is_linux_6 {
            self.reduction = Reduction::begin(self.cwnd);
        } else if !self.parameters.rate_halving {
            self.cwnd = self.ssthresh;
        }
        self.counts.recoveries += 1;
        self.enter(State::Recovery, now_s);
    }

    fn threshold(&mut self, now_s: f64) -> f64 {
        match &mut self.congestion {
            Congestion::Reno => (self.cwnd / 2.0).at_least(2.0),
            Congestion::HTcp(htcp) => htcp.on_congestion(self.cwnd, now_s),
        }
    }

    fn enter(&mut self, state: State, now_s: f64) {
        self.state = state;
        if let Congestion::HTcp(htcp) = &mut self.congestion {
            htcp.on_trouble(now_s);
        }
    }

    /// Whether the retransmission timer has run out; if so all that is missing is to be sent again.
    pub fn is_timed_out(&self, now_s: f64) -> bool {
        now_s >= self.rto_due_s
    }

    /// The timer ran out; `missing` segments below the highest that arrived have not, `lost_twice` of them sent again.
    pub fn on_timeout(&mut self, missing: f64, lost_twice: f64, now_s: f64) {
        if self.state == State::Open || self.una >= self.high {
            self.ssthresh = self.threshold(now_s);
        }
        self.lost = missing.at_least(0.0);
        self.unrepaired = self.lost;
        self.given_up += (self.in_flight - lost_twice).at_least(0.0);
        self.in_flight = 0.0;
        self.cwnd = 1.0;
        self.high = self.next;
        self.backoff *= 2.0;
        self.counts.timeouts += 1;
        self.acks = 0.0;
        self.enter(State::Loss, now_s);
        self.rto_due_s = now_s + self.rto_s();
    }

    /// Segments the windows allow now: sent again, and for the first time.
    pub fn wanted(&self) -> (f64, f64) {
        let room = self.cwnd - self.in_flight;
        if room <= NOTHING {
            return (0.0, 0.0);
        }
        let again = if matches!(self.state, State::Recovery | State::Loss) { room.at_most(self.lost) } else { 0.0 };
        let allowed = self.parameters.window_limit - (self.next - self.una);
        let fresh = if self.open { (room - again).at_most(allowed).at_least(0.0) } else { 0.0 };
        (again, fresh)
    }

    /// These went out; the bursts they make.
    pub fn on_sent(&mut self, again: f64, fresh: f64, now_s: f64) -> f64 {
        self.in_flight += again + fresh;
        self.lost -= again;
        self.next += fresh;
        if self.parameters.is_linux_6 && self.reduction.on_sent(again + fresh) && self.state == State::Recovery {
            self.high = self.next;
        }
        self.counts.retransmitted += again;
        if self.rto_due_s == f64::INFINITY {
            self.rto_due_s = now_s + self.rto_s();
        }
        let bursts = if self.acks > 0.0 { self.acks } else { 1.0 };
        self.acks = 0.0;
        bursts.at_most(again + fresh)
    }

    /// All that windows and the host's queue allow is sent; so much more the windows allow.
    pub fn note_use(&mut self, held_back: f64) {
        let is_full = held_back <= 0.0 && self.cwnd - self.in_flight < 1.0;
        self.in_use.note(self.una, self.next, is_full);
    }

    /// Segments that may wait in the host's own queue, if there is a rule.
    pub fn queue_limit(&self) -> Option<f64> {
        let small_queue = self.parameters.small_queue?;
        // The pacing rate: twice the window a round trip in the first half of slow start, later 1.2 times.
        let factor = if self.cwnd < self.ssthresh / 2.0 { 2.0 } else { 1.2 };
        Some(small_queue.limit(factor * self.cwnd.at_least(self.next - self.una) / self.srtt_s))
    }

    /// Segments sent again that are not yet known to have arrived.
    pub fn resent_under_way(&self) -> f64 {
        (self.unrepaired - self.lost).at_least(0.0)
    }

    /// The host's own queue was full: the window is reduced as after a loss.
    pub fn on_local_congestion(&mut self, now_s: f64) {
        if self.state == State::Open {
            self.counts.local_congestions += 1;
            self.ssthresh = self.threshold(now_s);
            self.cwnd = self.cwnd.at_most(self.in_flight + 1.0).at_least(1.0);
            self.high = self.next;
            self.enter(State::Cwr, now_s);
        }
    }
}
