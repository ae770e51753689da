//! The sending end of Linux 6: acknowledgements and timers where losses are judged by time (RACK-TLP, RFC 8985) and
//! windows fall in proportion (PRR, RFC 6937). What follows from a loss is in `recovery`.

pub mod burst;
mod detection;
mod recovery;
mod sent_once;
#[cfg(test)]
mod tests;

use super::congestion::CaState;
use super::offload::Offload;
use super::paced::Paced;
use super::partial::Partial;
use super::prr::Reduction;
use super::sack::SackBlocks;
use super::scoreboard::{EVER_RESENT, RESENT, SACKED};
use super::sender::{Ack, Outgoing, Sender};
use super::small_queue::SmallQueue;
use super::window_use::WindowUse;
use detection::Detection;
use hntes_sim_scenario::time::Time;

/// Round-trip times by time stamps are no shorter.
const TICK: Time = Time::from_ms(1);

/// What the one timer of a sender is set for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pending {
    /// The retransmission timeout.
    #[default]
    Retransmission,
    /// A probe of the last segment (RFC 8985, section 7).
    Probe,
    /// Segments that may only be late.
    Settling,
}

/// A probe under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// The next new segment when it went out.
    pub high: u32,
    /// It was a segment sent before.
    pub is_again: bool,
}

/// What a sender that judges by time knows besides.
#[derive(Clone, Debug)]
pub(super) struct RackState {
    pub detection: Detection,
    pub reduction: Reduction,
    pub in_use: WindowUse,
    pub own_queue: SmallQueue,
    pub offload: Offload,
    pub partial: Partial,
    /// When the connection was last asked for.
    pub syn_sent_at: Time,
    /// Of a sender that paces.
    pub paced: Option<Box<Paced>>,
    pub pending: Pending,
    pub probe: Option<Probe>,
    /// A segment to send whatever the window.
    pub forced: Option<Outgoing>,
    /// The last acknowledgement lets lost segments be sent again.
    pub resends: bool,
    /// Segments found lost by the event at hand.
    pub newly_lost: u32,
}

impl RackState {
    pub(super) fn new() -> Self {
        Self {
            detection: Detection::new(),
            reduction: Reduction::default(),
            in_use: WindowUse::default(),
            own_queue: SmallQueue::default(),
            offload: Offload::default(),
            partial: Partial::default(),
            syn_sent_at: Time::ZERO,
            paced: None,
            pending: Pending::default(),
            probe: None,
            forced: None,
            resends: false,
            newly_lost: 0,
        }
    }
}

/// When the first and the last of some segments, none sent again, were sent.
type Sent = Option<(Time, Time)>;

fn extend(known: &mut Sent, sent: Time) {
    *known = Some((known.map_or(sent, |(first, _)| first), sent));
}

/// What one acknowledgement effect.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckEffect {
    pub una_before: u32,
    pub in_flight_before: u32,
    pub acked: u32,
    pub newly_sacked: u32,
    /// Segments that arrived, in order or not, and duplicates.
    pub delivered: u32,
    pub duplicate: Option<(u32, u32)>,
    pub echo: Time,
    pub echoes_congestion: bool,
    /// The lowest segment, never sent again, that arrived after a higher one.
    reordered: Option<u32>,
    acked_sent: Sent,
    sacked_sent: Sent,
    is_resent_acked: bool,
    /// The last sent of what arrived: when, and its number.
    pub latest_sent: Option<(Time, u32)>,
    /// The round-trip time of what arrived last.
    pub rtt: Option<Time>,
    /// The timer is to be set anew.
    pub sets_timer: bool,
}

impl Sender {
    /// Take in an acknowledgement.
    #[inline(never)]
    pub(super) fn on_ack_rack(&mut self, ack: Ack<'_>, now: Time) {
        let had_outstanding = self.board.outstanding() > 0;
        let Ack { echo, echoes_congestion, .. } = ack;
        let (una_before, in_flight_before) = (self.board.una(), self.board.in_flight());
        let mut effect = AckEffect { una_before, in_flight_before, echo, echoes_congestion, ..AckEffect::default() };
        self.rack.newly_lost = 0;
        let forward_before = self.forward_or_una();
        if let Some(blocks) = ack.sack {
            self.take_in_reports(blocks, forward_before, &mut effect, now);
        }
        if had_outstanding {
            self.take_in_arrivals(ack.next, forward_before, &mut effect, now);
            self.measure(&mut effect, now);
            if let Some((sent, _)) = effect.latest_sent {
                self.rack.detection.adapt(sent, now);
            }
            self.on_probe_answer(ack.next, &effect, now);
        }
        self.follow_offer(ack.next, self.board.sacked());
        if self.is_alarming(&effect) {
            self.on_alarm(&mut effect, now);
        }
        if !had_outstanding {
            return;
        }
        if effect.sets_timer {
            self.set_timer(now);
        }
        self.adjust_window(&effect, now);
    }

    fn is_alarming(&self, effect: &AckEffect) -> bool {
        effect.acked == 0
            || effect.newly_sacked > 0
            || effect.duplicate.is_some()
            || effect.echoes_congestion
            || self.state != CaState::Open
    }

    /// One past the highest segment reported, or the first in flight.
    pub(super) fn forward_or_una(&self) -> u32 {
        if self.board.sacked() > 0 { self.board.forward() } else { self.board.una() }
    }

    fn take_in_reports(&mut self, blocks: &SackBlocks, forward_before: u32, effect: &mut AckEffect, now: Time) {
        if blocks.duplicate_first {
            self.take_in_duplicate(blocks.ranges[0], effect);
        }
        let rack = &mut self.rack.detection;
        self.board.apply_sack_by_time(blocks, |seq, flags| {
            let sent = rack.sent_at(seq);
            rack.on_delivered(seq, flags, sent, now);
            effect.newly_sacked += 1;
            effect.latest_sent = effect.latest_sent.max(Some((sent, seq)));
            if flags & (RESENT | EVER_RESENT) == 0 {
                if seq < forward_before {
                    effect.reordered = Some(effect.reordered.map_or(seq, |lowest| lowest.min(seq)));
                }
                extend(&mut effect.sacked_sent, sent);
            }
        });
        effect.delivered += effect.newly_sacked;
        if self.state != CaState::Loss || self.undo_from.is_some() {
            if let Some(lowest) = effect.reordered.take() {
                self.note_reordering_from(lowest);
            }
        }
    }

    fn take_in_duplicate(&mut self, (first, end): (u32, u32), effect: &mut AckEffect) {
        effect.duplicate = Some((first, end));
        effect.delivered += end - first;
        let is_probe = self.rack.probe.is_some_and(|probe| probe.high == end);
        if !is_probe {
            self.rack.detection.on_duplicate();
        }
        for seq in first..end {
            let was_resent = if seq < self.board.una() {
                true
            } else {
                let flags = self.board.on_duplicate(seq);
                if flags & SACKED != 0 && flags & (RESENT | EVER_RESENT) != 0 {
                    effect.reordered = Some(effect.reordered.map_or(seq, |lowest| lowest.min(seq)));
                }
                flags & (RESENT | EVER_RESENT) != 0
            };
            if was_resent && self.undo_from.is_some_and(|from| seq >= from) && self.undo_resent > 0 {
                self.undo_resent -= 1;
            }
        }
    }

    fn take_in_arrivals(&mut self, next: u32, forward_before: u32, effect: &mut AckEffect, now: Time) {
        if let Some(acked) = self.board.acknowledge_sent_once(next) {
            return self.take_in_sent_once(next - acked, next, forward_before, effect, now);
        }
        let (echo, stamp_step) = (effect.echo, self.parameters.stamp_step);
        let rack = &mut self.rack.detection;
        let acked = self.board.acknowledge_by_time(next, |seq, flags| {
            let sent = rack.sent_at(seq);
            let was_resent = flags & (RESENT | EVER_RESENT) != 0;
            effect.is_resent_acked |= was_resent;
            if flags & SACKED != 0 {
                return;
            }
            effect.delivered += 1;
            effect.latest_sent = effect.latest_sent.max(Some((sent, seq)));
            if !was_resent {
                if seq < forward_before && effect.reordered.is_none() {
                    effect.reordered = Some(seq);
                }
                extend(&mut effect.acked_sent, sent);
            }
            if !(was_resent && echo < sent.floor_to(stamp_step)) {
                rack.on_delivered(seq, flags, sent, now);
            }
        });
        self.note_acknowledged(acked, effect);
    }

    /// Round-trip times come from the times of sending; time stamps serve where all was sent again (RFC 6298, Karn).
    fn measure(&mut self, effect: &mut AckEffect, now: Time) {
        let clock = |at: Time| if self.parameters.rtt_in_us { at.floor_to(Time::from_us(1)) } else { at };
        let of = |sent: Sent| sent.map(|(first, last)| (clock(now).since(clock(first)), clock(now).since(clock(last))));
        let in_order = if effect.is_resent_acked { None } else { of(effect.acked_sent) };
        let reported = of(effect.sacked_sent);
        let stamped = || {
            let rtt = now.floor_to(self.parameters.stamp_step).since(effect.echo).max(TICK);
            (effect.acked > 0).then_some((rtt, rtt))
        };
        let smoothed = in_order.or(reported).or_else(stamped);
        let latest = reported.or(smoothed).map(|(_, last)| last);
        if let Some((first, _)) = smoothed {
            self.rtt.on_sample_between(first, self.board.una(), self.board.next());
        }
        effect.rtt = latest;
        if let Some(last) = latest {
            self.rack.detection.on_rtt(last);
        }
        if let (0, Some((first, _)), true) = (effect.acked, reported, self.board.outstanding() > 0) {
            effect.sets_timer = first > now.since(self.rack.detection.sent_at(self.board.una()));
        }
        self.tell(effect.acked, latest, now);
    }

    fn adjust_window(&mut self, effect: &AckEffect, now: Time) {
        if self.is_paced() {
            return self.control(effect, now);
        }
        if matches!(self.state, CaState::Cwr | CaState::Recovery) {
            self.reduce_in_proportion(effect.delivered, effect.acked > 0);
            return;
        }
        let is_reordering_usual = self.reordering > self.parameters.reordering;
        let may_grow = effect.acked > 0 || (is_reordering_usual && effect.newly_sacked > 0);
        if may_grow {
            self.grow(effect.delivered, effect.in_flight_before, now);
        }
    }

    /// Segments of the reduction that an arrival lets out.
    pub(super) fn reduce_in_proportion(&mut self, delivered: u32, has_advanced: bool) {
        if delivered > 0 && !self.is_paced() {
            let in_flight = self.board.in_flight();
            let is_clean = has_advanced && self.rack.newly_lost == 0;
            let allowed = self.rack.reduction.allowance(delivered, in_flight, self.window.ssthresh, is_clean);
            self.window.cwnd = in_flight + allowed;
        }
    }

    /// The next segment to send, lost ones first.
    #[inline(never)]
    pub(super) fn next_rack(&mut self, now: Time) -> Option<Outgoing> {
        if self.rack.forced.is_some() {
            return self.rack.forced;
        }
        if self.board.in_flight() >= self.window.cwnd || (self.is_paced() && self.waits_for_pacing(now)) {
            return None;
        }
        let resends = self.rack.resends || self.is_paced();
        if resends && self.state >= CaState::Recovery && self.board.resent() < self.board.lost() {
            if let Some(seq) = self.board.first_to_resend(u32::MAX) {
                return Some(Outgoing { seq, again: true });
            }
        }
        let short = || self.fits_as_short().then(|| Outgoing { seq: self.board.next(), again: false });
        let next = self.next_new().or_else(|| if self.parameters.partial_segments { short() } else { None });
        next.filter(|_| !self.parameters.waits_for_bursts || self.is_handed_over(now))
    }

    /// A segment went out.
    #[inline(never)]
    pub(super) fn on_sent_rack(&mut self, segment: Outgoing, now: Time) {
        let is_probe = self.rack.forced.take().is_some();
        self.note_handed_over(!segment.again, now);
        if self.is_paced() {
            self.note_departure(segment, now);
        }
        if segment.again {
            if is_probe {
                self.board.mark_probed(segment.seq);
                self.counts.retransmitted += 1;
            } else {
                self.undo_resent = self.undo_resent.max(0) + 1;
                self.note_resent(segment.seq, now);
            }
            self.rack.detection.on_resent(segment.seq, now);
            if segment.seq == self.board.una() && self.rack.pending != Pending::Settling {
                self.wait_for_timeout(now);
            }
        } else {
            self.note_short_sent(segment.seq);
            self.note_new();
            self.rack.detection.on_sent(segment.seq, self.board.una(), now);
        }
        if is_probe {
            self.rack.probe = Some(Probe { high: self.board.next(), is_again: segment.again });
        }
        if matches!(self.state, CaState::Cwr | CaState::Recovery) {
            self.rack.reduction.on_sent();
        }
        if self.rto_due.is_none() {
            self.set_timer(now);
        }
    }

    /// What an answer to a probe tells (RFC 8985, 7.4).
    fn on_probe_answer(&mut self, next: u32, effect: &AckEffect, now: Time) {
        let Some(probe) = self.rack.probe else { return };
        if next < probe.high {
            return;
        }
        let is_needless = effect.duplicate.is_some_and(|(_, end)| end == probe.high);
        if !probe.is_again || is_needless || (effect.acked == 0 && effect.newly_sacked == 0) {
            self.rack.probe = None;
        } else if next > probe.high {
            if let Some(model) = self.congestion.pacer_mut() {
                model.on_probe_repaired(&self.window);
            }
            self.begin_reduction(now);
            self.enter(CaState::Cwr, now);
            self.end_reduction();
            self.keep_open(now);
        }
    }
}
