//! Senders that pace: the connection as BBR sees it, acknowledgement by acknowledgement, and the time at which the next
//! buffer may leave.

use super::congestion::{CongestionKind, Pacer, Window};
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

impl Paced {
    /// A segment is judged lost, when so many have been delivered that the control has yet to be told of.
    pub(super) fn on_lost(
        &mut self,
        seq: u32,
        newly_delivered: u32,
        (congestion, window): (&mut CongestionKind, &Window),
        now: Time,
    ) {
        let loss = self.rate.on_lost(seq, newly_delivered, now);
        if let Some(model) = congestion.pacer_mut() {
            model.on_lost(&loss, window);
        }
    }
}

impl Sender {
    /// The handshake is over: BBR begins to pace by the round-trip time that it took. That is exact unless the echoed time
    /// stamp is an earlier packet's, after a retransmission.
    pub(super) fn begin_pacing(&mut self, echo: Time, now: Time) {
        let Some(model) = self.congestion.pacer_mut() else { return };
        let sent_at = self.rack.syn_sent_at;
        let is_latest = sent_at.floor_to(self.parameters.stamp_step) == echo;
        let rtt = now.since(if is_latest { sent_at } else { echo });
        let rate = DeliveryRate::new(now);
        model.on_established(rtt.ps() / PS_PER_US, self.window.cwnd, rate.totals, now);
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
        self.congestion.pacer().map(Pacer::pacing_rate)
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
            if let Some(model) = self.congestion.pacer_mut() {
                model.on_restart(now, &mut self.window);
            }
        }
        let ends_buffer = !self.parameters.waits_for_bursts || self.ends_buffer(segment);
        let bytes = u64::from(self.parameters.segment_data_bytes) - u64::from(self.lacks(segment.seq));
        let rate = self.pacing_rate().unwrap_or(0);
        let Some(paced) = &mut self.rack.paced else { return };
        paced.pacing.on_sent(bytes, ends_buffer, rate, now);
        let in_flight = self.board.in_flight() + 1;
        paced.rate.on_sent(segment.seq, (self.board.una(), self.board.next()), in_flight, ends_buffer, now);
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

    /// BBR sets the window and the pacing rate by an acknowledgement.
    #[inline(never)]
    pub(super) fn control(&mut self, effect: &AckEffect, now: Time) {
        let Some(paced) = &mut self.rack.paced else { return };
        let Some(model) = self.congestion.pacer_mut() else { return };
        let news = (effect.delivered, self.rack.newly_lost);
        let mut delivery = paced.rate.on_ack(news, effect.latest_sent, self.rack.detection.least_rtt(), now);
        delivery.prior_in_flight = effect.in_flight_before;
        delivery.in_flight = self.board.in_flight();
        delivery.rtt_us = effect.rtt.map(|rtt| rtt.ps() / PS_PER_US);
        delivery.now_ms = now.ps() / PS_PER_MS;
        delivery.departs_in_us = paced.pacing.due(now).map_or(0, |due| due.since(now).ps() / PS_PER_US);
        delivery.state = self.state;
        delivery.is_window_full = self.rack.in_use.was_full();
        let was_probing_rtt = model.is_probing_rtt();
        model.on_ack(&delivery, &mut self.window);
        if was_probing_rtt || model.is_probing_rtt() {
            paced.rate.limit(delivery.in_flight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Outgoing, Sender, Time};
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{Bbr, CongestionKind};
    use crate::tcp::sender::Ack;
    use hntes_sim_scenario::rng::Random;

    const MS: fn(u64) -> Time = Time::from_ms;

    /// A connection asked for at 0.5 ms, whose handshake took 20 ms, with a window of ten segments of 8,948 bytes.
    fn connected() -> Sender {
        let parameters = TcpParameters {
            segment_data_bytes: 8948,
            initial_window: 10,
            window_limit: 1000,
            rack: true,
            small_queues: true,
            slow_start_doubles: true,
            rtt_in_us: true,
            waits_for_bursts: true,
            ..TcpParameters::for_tests()
        };
        let bbr = Bbr::new(8948, Random::named(1, "test"));
        let mut sender = Sender::new(parameters, CongestionKind::Bbr(Box::new(bbr)));
        sender.on_syn_sent(Time::from_us(500));
        // Time stamps are whole milliseconds.
        sender.on_syn_ack(Time::ZERO, Time::from_us(20_500));
        sender.parameters.window_limit = 1000;
        sender
    }

    fn sent(sender: &mut Sender, now: Time) -> Vec<Outgoing> {
        sender.forget_wait_for_room();
        let mut all = Vec::new();
        while let Some(segment) = sender.next_to_send(now) {
            sender.on_sent(segment, now);
            all.push(segment);
        }
        all
    }

    #[test]
    fn the_first_rate_is_the_initial_window_a_round_trip_times_the_gain_of_startup() {
        let bytes_per_s = connected().pacing_rate().unwrap_or(0) as f64;
        let expected = 10.0 * 8948.0 / 0.020 * 739.0 / 256.0 * 0.99;
        assert!((bytes_per_s / expected - 1.0).abs() < 1e-4, "{bytes_per_s}, not {expected}");
    }

    #[test]
    fn after_the_first_ten_segments_a_buffer_leaves_each_time_that_pacing_allows() {
        let mut sender = connected();
        assert_eq!(sent(&mut sender, MS(21)).len(), 10);
        let due = sender.room_due();
        assert_eq!(due, None, "the window holds it back");
        sender.on_ack(Ack { next: 4, echo: MS(21), sack: None, echoes_congestion: false }, MS(41));
        let mut times = Vec::new();
        let mut now = MS(41);
        while times.len() < 3 {
            // Two segments: less than that leaves in a 1024th of a second.
            assert_eq!(sent(&mut sender, now).len(), 2);
            times.push(now);
            let Some(due) = sender.room_due() else { break };
            now = due;
        }
        let bytes_per_s = sender.pacing_rate().unwrap_or(1);
        let apart = Time::from_ps((2 * 8948 * 1_000_000_000_000_u128 / u128::from(bytes_per_s)) as u64);
        assert_eq!(times.len(), 3);
        assert_eq!(times[2].since(times[1]), apart);
    }
}
