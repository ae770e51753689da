//! The timer of a sender that judges losses by time. It runs in whole ticks, and serves the retransmission timeout, probes
//! of the last segment and late segments.

use super::congestion::CaState;
use super::rack::Pending;
use super::sender::{Outgoing, Sender};
use hntes_sim_scenario::time::Time;

const TICK: Time = Time::from_ms(1);
/// What a timer for probes or late segments adds, for delays of the host.
const SLACK: Time = Time::from_ms(2);
/// Ticks from which on Linux's wheel of timers goes in steps of eight.
const FINE_TICKS: u64 = 63;
const COARSE_TICKS: u64 = 8;

const fn ticks_in(span: Time) -> u64 {
    span.ps().div_ceil(TICK.ps())
}

/// When a timer of Linux set for so long runs out: never early, so on the next tick after the whole ticks of the span, or
/// the next eighth one if it is far away (`calc_wheel_index`).
fn wheel(span: Time, now: Time) -> Time {
    let ticks = ticks_in(span);
    let expires = now.ps() / TICK.ps() + ticks;
    let step = if ticks < FINE_TICKS { 1 } else { COARSE_TICKS };
    Time::from_ps((expires + step) / step * step * TICK.ps())
}

impl Sender {
    pub(super) const fn wait_for(&mut self, pending: Pending, due: Time) {
        self.rack.pending = pending;
        self.rto_due = Some(due);
    }

    /// The retransmission timeout, counted from here.
    pub(super) fn wait_for_timeout(&mut self, now: Time) {
        let rto = self.rtt.rto();
        let due = if self.parameters.shared_timer { wheel(rto, now) } else { now + rto };
        self.wait_for(Pending::Retransmission, due);
    }

    /// The end of the tick in which so much time, begun ticks counted whole, has passed.
    fn after(&self, span: Time, now: Time) -> Time {
        if self.parameters.shared_timer {
            wheel(span, now)
        } else {
            (now + span + TICK - Time::from_ps(1)).floor_to(TICK)
        }
    }

    /// A probe after two round trips while all goes well, else the retransmission timeout.
    pub(super) fn set_timer(&mut self, now: Time) {
        if self.board.outstanding() == 0 {
            self.rto_due = None;
        } else if matches!(self.state, CaState::Open | CaState::Cwr) {
            self.wait_for_probe(self.rtt.rto(), now);
        } else {
            self.rearm(now);
        }
    }

    /// A probe of the last segment, no later than after `longest`.
    fn wait_for_probe(&mut self, longest: Time, now: Time) {
        let slack = if self.board.outstanding() == 1 { self.parameters.min_rto } else { SLACK };
        let srtt = self.rtt.srtt().unwrap_or(self.parameters.initial_rto);
        self.wait_for(Pending::Probe, self.after((srtt + srtt + slack).min(longest), now));
    }

    /// Until the timeout of the first segment in flight, at least a tick.
    fn left_of_timeout(&self, now: Time) -> Time {
        (self.rack.detection.sent_at(self.board.una()) + self.rtt.rto()).since(now).max(Time::from_us(1))
    }

    /// New segments went out: a probe is due two round trips from now, or the timeout takes its place.
    pub(super) fn set_timer_after_new(&mut self, now: Time) {
        if !self.parameters.shared_timer || self.board.outstanding() == 0 {
            return;
        }
        if matches!(self.state, CaState::Open | CaState::Cwr) {
            self.wait_for_probe(self.left_of_timeout(now), now);
        } else if self.rack.pending == Pending::Probe {
            self.rearm(now);
        }
    }

    /// The retransmission timeout; after another timer it counts from when the first segment in flight was sent.
    pub(super) fn rearm(&mut self, now: Time) {
        if self.board.outstanding() == 0 {
            self.rto_due = None;
        } else if self.rack.pending == Pending::Retransmission {
            self.wait_for_timeout(now);
        } else if self.parameters.shared_timer {
            self.wait_for(Pending::Retransmission, wheel(self.left_of_timeout(now), now));
        } else {
            let due = self.rack.detection.sent_at(self.board.una()) + self.rtt.rto();
            self.wait_for(Pending::Retransmission, due.max(now + TICK));
        }
    }

    /// Late segments get their time. In place of the timeout, if the timer is shared, so that it may never come where
    /// packets overtake one another all the time; else the first in flight gets no more than a timeout (RFC 6298, 5).
    pub(super) fn wait_until_settled(&mut self, wait: Time, now: Time) {
        let rto = self.rtt.rto();
        if self.parameters.shared_timer {
            return self.wait_for(Pending::Settling, wheel((wait + SLACK).min(rto), now));
        }
        let due = self.after(wait + SLACK, now).min(now + rto);
        if due < self.rack.detection.sent_at(self.board.una()) + rto {
            self.wait_for(Pending::Settling, due);
        } else if self.rack.pending != Pending::Retransmission {
            self.rearm(now);
        }
    }

    /// The timer ran out.
    pub(super) fn on_timer(&mut self, now: Time) {
        self.rack.newly_lost = 0;
        match self.rack.pending {
            Pending::Retransmission => self.on_timeout_rack(now),
            Pending::Probe => self.send_probe(now),
            Pending::Settling => self.on_settled(now),
        }
    }

    fn send_probe(&mut self, now: Time) {
        if self.rack.probe.is_none() {
            let last = Outgoing { seq: self.board.next() - 1, again: true };
            self.rack.forced = self.next_new().or(Some(last));
        } else if self.parameters.shared_timer {
            return self.rearm(now);
        }
        self.wait_for_timeout(now);
    }
}

#[cfg(test)]
mod tests {
    use super::wheel;
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::rack::Pending;
    use crate::tcp::sender::{Ack, Sender};
    use hntes_sim_scenario::time::Time;

    const MS: fn(u64) -> Time = Time::from_ms;

    /// A connection with a round-trip time of 10 ms and ten segments sent at 10 ms.
    fn connected() -> Sender {
        let parameters = TcpParameters {
            initial_window: 10,
            initial_ssthresh: 1 << 30,
            segment_data_bytes: 100,
            rack: true,
            shared_timer: true,
            ..TcpParameters::for_tests()
        };
        let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
        sender.on_syn_sent(Time::ZERO);
        sender.on_syn_ack(Time::ZERO, MS(10));
        send(&mut sender, MS(10));
        sender
    }

    fn send(sender: &mut Sender, now: Time) {
        let before = sender.next_new_number();
        while let Some(segment) = sender.next_to_send(now) {
            sender.on_sent(segment, now);
        }
        sender.note_sent_all(sender.next_new_number() > before, now);
    }

    fn timer(sender: &Sender) -> (Pending, Option<Time>) {
        (sender.rack.pending, sender.rto_due)
    }

    #[test]
    fn timers_run_out_on_the_next_tick_and_from_63_ticks_on_at_every_eighth() {
        let now = Time::from_us(10_300);
        assert_eq!([6_000, 6_001, 62_000].map(|us| wheel(Time::from_us(us), now)), [17, 18, 73].map(MS));
        assert_eq!([63_000, 200_000, 206_000].map(|us| wheel(Time::from_us(us), now)), [80, 216, 224].map(MS));
    }

    #[test]
    fn late_segments_take_the_place_of_the_timeout_however_often_they_come() {
        let mut sender = connected();
        for at_ms in (50..1_000).step_by(10) {
            sender.wait_until_settled(MS(5), MS(at_ms));
            assert_eq!(timer(&sender), (Pending::Settling, Some(MS(at_ms + 5 + 2 + 1))));
        }
        // After them the timeout counts from when the first in flight was sent: at once, if that is long ago.
        sender.rearm(MS(1_000));
        assert_eq!(timer(&sender), (Pending::Retransmission, Some(MS(1_000 + 1 + 1))));
    }

    #[test]
    fn each_burst_of_new_segments_puts_off_the_probe_but_not_beyond_the_timeout_of_the_first() {
        let mut sender = connected();
        // Two round trips and 2 ms from the sending.
        assert_eq!(timer(&sender), (Pending::Probe, Some(MS(10 + 22 + 1))));
        sender.window.cwnd += 5;
        send(&mut sender, MS(15));
        assert_eq!(timer(&sender), (Pending::Probe, Some(MS(15 + 22 + 1))));
        // The timeout of the first is 10 + 10 + 200 ms after it was sent, at 10 ms.
        sender.window.cwnd += 5;
        send(&mut sender, MS(215));
        assert_eq!(timer(&sender), (Pending::Probe, Some(MS(220 + 1))));
        sender.on_ack(Ack { next: 1, echo: MS(10), sack: None, echoes_congestion: false }, MS(216));
        assert_eq!(timer(&sender).0, Pending::Probe);
    }
}
