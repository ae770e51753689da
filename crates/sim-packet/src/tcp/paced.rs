//! Senders that pace: the connection as BBR sees it, acknowledgement by acknowledgement, and the time at which the next
//! buffer may leave.

use super::congestion::CongestionKind;
use super::delivery::DeliveryRate;
use super::pacing::Pacing;
use super::rack::AckEffect;
use super::scoreboard::{LOST, RESENT, SACKED};
use super::sender::{Outgoing, Sender};
use hntes_sim_scenario::time::Time;

const PS_PER_US: u64 = 1_000_000;
const PS_PER_MS: u64 = 1_000_000_000;

/// The state that only a sender that paces has.
#[derive(Clone, Debug)]
pub(super) struct Paced {
    rate: DeliveryRate,
    pacing: Pacing,
}

impl Sender {
    /// The handshake is over and took `rtt`: BBR begins to pace.
    pub(super) fn begin_pacing(&mut self, rtt: Time, now: Time) {
        let CongestionKind::Bbr(bbr) = &mut self.congestion else { return };
        let rate = DeliveryRate::new(now);
        bbr.on_established(rtt.ps() / PS_PER_US, self.window.cwnd, rate.totals, now);
        self.rack.detection.on_rtt(rtt);
        self.rack.paced = Some(Box::new(Paced { rate, pacing: Pacing::default() }));
    }

    /// Whether the sender paces.
    #[inline(always)]
    pub(super) const fn is_paced(&self) -> bool {
        self.rack.paced.is_some()
    }

    /// Bytes of data per second at which segments are to leave; nothing of a sender that does not pace.
    pub(super) fn pacing_rate(&self) -> Option<u64> {
        match &self.congestion {
            CongestionKind::Bbr(bbr) => Some(bbr.pacing_rate()),
            _ => None,
        }
    }

    /// Whether pacing holds the next buffer back; [`Sender::room_due`] then has the time at which it may leave.
    #[inline(never)]
    pub(super) fn waits_for_pacing(&mut self, now: Time) -> bool {
        let Some(due) = self.rack.paced.as_ref().and_then(|paced| paced.pacing.due(now)) else { return false };
        self.rack.own_queue.wait_until(due);
        true
    }

    /// A segment leaves; it does not count as outstanding yet.
    #[inline(never)]
    pub(super) fn note_departure(&mut self, segment: Outgoing, now: Time) {
        let Some(paced) = &mut self.rack.paced else { return };
        if self.board.in_flight() == 0 && paced.rate.is_app_limited() {
            if let CongestionKind::Bbr(bbr) = &mut self.congestion {
                bbr.on_restart(now, &mut self.window);
            }
        }
        let ends_buffer = !self.parameters.waits_for_bursts || self.ends_buffer(segment);
        let bytes = u64::from(self.parameters.segment_data_bytes) - u64::from(self.lacks(segment.seq));
        let rate = self.pacing_rate().unwrap_or(0);
        let Some(paced) = &mut self.rack.paced else { return };
        paced.pacing.on_sent(bytes, ends_buffer, rate, now);
        paced.rate.on_sent(segment.seq, (self.board.una(), self.board.next()), ends_buffer, now);
    }

    /// Whether the segment is the last of its buffer. Retransmissions keep the buffers of the first transmission, less the
    /// segments that arrived, as far as the window and the size of a buffer allow.
    fn ends_buffer(&self, segment: Outgoing) -> bool {
        let Some(paced) = self.rack.paced.as_ref().filter(|_| segment.again) else {
            return self.rack.offload.in_burst == 0;
        };
        let next = segment.seq + 1;
        let is_next_resent = next < self.board.next() && self.board.flag(next) & (LOST | RESENT | SACKED) == LOST;
        !is_next_resent
            || paced.rate.ended_buffer(segment.seq)
            || self.board.in_flight() + 1 >= self.window.cwnd
            || paced.pacing.segments_in_buffer() + 1 >= self.segments_at_once()
    }

    /// The sender has sent all it could. If the window allows more and the application has no more, what is in flight
    /// measures the application's rate, not the path's.
    pub(super) fn note_app_limit(&mut self) {
        let is_first_flight = self.scaled_limit.is_some();
        let has_data = self.board.next() < self.available && !is_first_flight;
        if has_data || self.board.in_flight() >= self.window.cwnd || self.board.lost() > self.board.resent() {
            return;
        }
        if let Some(paced) = &mut self.rack.paced {
            paced.rate.limit(self.board.in_flight());
        }
    }

    /// Segments were judged lost.
    #[inline]
    pub(super) fn note_lost(&mut self, segments: u32) {
        if let Some(paced) = &mut self.rack.paced {
            paced.rate.totals.lost += u64::from(segments);
        }
    }

    /// BBR sets the window and the pacing rate by an acknowledgement.
    #[inline(never)]
    pub(super) fn control(&mut self, effect: &AckEffect, now: Time) {
        let Some(paced) = &mut self.rack.paced else { return };
        let CongestionKind::Bbr(bbr) = &mut self.congestion else { return };
        let news = (effect.delivered, self.rack.newly_lost);
        let mut delivery = paced.rate.on_ack(news, effect.latest_sent, self.rack.detection.least_rtt(), now);
        delivery.prior_in_flight = effect.in_flight_before;
        delivery.in_flight = self.board.in_flight();
        delivery.rtt_us = effect.rtt.map(|rtt| rtt.ps() / PS_PER_US);
        delivery.now_ms = now.ps() / PS_PER_MS;
        delivery.departs_in_us = paced.pacing.due(now).map_or(0, |due| due.since(now).ps() / PS_PER_US);
        delivery.state = self.state;
        let was_probing_rtt = bbr.is_probing_rtt();
        bbr.on_ack(&delivery, &mut self.window);
        if was_probing_rtt || bbr.is_probing_rtt() {
            paced.rate.limit(delivery.in_flight);
        }
    }
}
