//! Delivery rate: how fast segments arrived between the sending of a segment and its acknowledgement
//! (draft-cheng-iccrg-delivery-rate-estimation; the clock of Linux, whole microseconds).

use super::congestion::{CaState, Loss};
use hntes_sim_scenario::time::Time;

const US: u64 = 1_000_000;

const fn us(time: Time) -> u64 {
    time.ps() / US
}

/// What a connection has delivered and lost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Segments delivered, the handshake among them.
    pub delivered: u64,
    /// Segments judged lost, again and again.
    pub lost: u64,
    /// When something was last delivered, in microseconds.
    pub delivered_at_us: u64,
}

/// What one acknowledgement tells of the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    /// All so far.
    pub totals: Totals,
    /// Segments delivered in so many microseconds; nothing where no segment tells, or too short a time.
    pub rate: Option<(u64, u64)>,
    /// Segments delivered when the one that tells it was sent.
    pub prior_delivered: u64,
    /// That segment was sent while the application, not the network, was the limit.
    pub is_app_limited: bool,
    /// Segments this acknowledgement delivered.
    pub newly_delivered: u32,
    /// Segments it showed to be lost.
    pub newly_lost: u32,
    /// Segments judged lost since the one that tells the rate was sent.
    pub lost_since: u64,
    /// Segments in flight when that one had been sent, with it.
    pub sent_in_flight: u32,
    /// The window, and nothing else, held the sender back lately.
    pub is_window_full: bool,
    /// Segments in flight before it.
    pub prior_in_flight: u32,
    /// Segments in flight now.
    pub in_flight: u32,
    /// The round-trip time it measured.
    pub rtt_us: Option<u64>,
    /// When it came, in microseconds.
    pub now_us: u64,
    /// The tick it came in.
    pub now_ms: u64,
    /// How long until pacing lets the next segment leave.
    pub departs_in_us: u64,
    /// The sender's state.
    pub state: CaState,
}

/// What is noted of a segment when it is sent.
#[derive(Clone, Copy, Debug, Default)]
struct Noted {
    delivered: u64,
    lost: u64,
    delivered_at_us: u64,
    /// When the segment was sent that was the latest delivered then.
    first_sent_us: u64,
    /// Segments in flight with it.
    in_flight: u32,
    is_app_limited: bool,
    /// The next segment left with another buffer.
    ends_buffer: bool,
}

/// The estimator of one connection.
#[derive(Clone, Debug)]
pub(super) struct DeliveryRate {
    /// Of each segment in flight, in a ring.
    noted: Vec<Noted>,
    pub totals: Totals,
    /// When the segment was sent that is the latest delivered.
    first_sent_us: u64,
    /// What is sent until so much is delivered is limited by the application.
    app_limited_until: Option<u64>,
}

impl DeliveryRate {
    /// A connection whose handshake was delivered at a time. The application has yet to hand over its data.
    pub(super) fn new(now: Time) -> Self {
        let totals = Totals { delivered: 1, lost: 0, delivered_at_us: us(now) };
        Self { noted: vec![Noted::default(); 1024], totals, first_sent_us: us(now), app_limited_until: Some(1) }
    }

    /// A segment goes out, first or again, as the last of its buffer or not; from `una` up to `next` is outstanding, and with
    /// it so much is in flight.
    pub(super) fn on_sent(&mut self, seq: u32, (una, next): (u32, u32), in_flight: u32, ends_buffer: bool, now: Time) {
        if una == next {
            self.first_sent_us = us(now);
            self.totals.delivered_at_us = us(now);
        }
        if (seq - una) as usize >= self.noted.len() {
            self.grow(una, seq);
        }
        let at = seq as usize & (self.noted.len() - 1);
        self.noted[at] = Noted {
            delivered: self.totals.delivered,
            lost: self.totals.lost,
            delivered_at_us: self.totals.delivered_at_us,
            first_sent_us: self.first_sent_us,
            in_flight,
            is_app_limited: self.app_limited_until.is_some(),
            ends_buffer,
        };
    }

    /// Whether this segment, which is outstanding, was the last of its buffer when it was last sent.
    pub(super) fn ended_buffer(&self, seq: u32) -> bool {
        self.noted[seq as usize & (self.noted.len() - 1)].ends_buffer
    }

    /// A segment is judged lost, when so many more have been delivered than an acknowledgement has told.
    pub(super) fn on_lost(&mut self, seq: u32, newly_delivered: u32, now: Time) -> Loss {
        self.totals.lost += 1;
        let noted = self.noted[seq as usize & (self.noted.len() - 1)];
        Loss {
            in_flight: noted.in_flight,
            lost: self.totals.lost - noted.lost,
            is_app_limited: noted.is_app_limited,
            delivered: self.totals.delivered + u64::from(newly_delivered),
            now_us: us(now),
        }
    }

    #[cold]
    fn grow(&mut self, una: u32, next: u32) {
        let old = std::mem::take(&mut self.noted);
        self.noted = vec![Noted::default(); old.len() * 2];
        for seq in una..next {
            let at = seq as usize & (self.noted.len() - 1);
            self.noted[at] = old[seq as usize & (old.len() - 1)];
        }
    }

    /// Nothing but the application keeps the sender from sending more than is in flight.
    pub(super) fn limit(&mut self, in_flight: u32) {
        self.app_limited_until = Some((self.totals.delivered + u64::from(in_flight)).max(1));
    }

    pub(super) const fn is_app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }

    /// An acknowledgement delivered so many segments; of those, `latest` was sent last, and when. A rate over less than the
    /// least round trip is none: acknowledgements came together.
    pub(super) fn on_ack(
        &mut self,
        (newly_delivered, newly_lost): (u32, u32),
        latest: Option<(Time, u32)>,
        least_rtt: Option<Time>,
        now: Time,
    ) -> Delivery {
        self.totals.delivered += u64::from(newly_delivered);
        if self.app_limited_until.is_some_and(|until| self.totals.delivered > until) {
            self.app_limited_until = None;
        }
        if newly_delivered > 0 {
            self.totals.delivered_at_us = us(now);
        }
        let totals = self.totals;
        let mut delivery = Delivery { totals, newly_delivered, newly_lost, now_us: us(now), ..Delivery::default() };
        if let Some((sent, seq)) = latest {
            let noted = self.noted[seq as usize & (self.noted.len() - 1)];
            self.first_sent_us = us(sent);
            let sending_us = us(sent).saturating_sub(noted.first_sent_us);
            let arriving_us = us(now).saturating_sub(noted.delivered_at_us);
            let interval_us = sending_us.max(arriving_us);
            let is_long = interval_us > 0 && least_rtt.is_none_or(|least| interval_us >= us(least));
            delivery.rate = is_long.then_some((self.totals.delivered - noted.delivered, interval_us));
            delivery.prior_delivered = noted.delivered;
            delivery.is_app_limited = noted.is_app_limited;
            delivery.lost_since = self.totals.lost - noted.lost;
            delivery.sent_in_flight = noted.in_flight;
        }
        delivery
    }
}

#[cfg(test)]
mod tests {
    use super::DeliveryRate;
    use hntes_sim_scenario::time::Time;

    const MS: fn(u64) -> Time = Time::from_ms;

    #[test]
    fn a_rate_is_what_was_delivered_since_a_segment_was_sent() {
        let mut rate = DeliveryRate::new(MS(10));
        (0..10).for_each(|seq| rate.on_sent(seq, (0, seq), seq + 1, true, MS(10)));
        let first = rate.on_ack((10, 0), Some((MS(10), 9)), Some(MS(10)), MS(20));
        assert_eq!((first.rate, first.is_app_limited, first.prior_delivered), (Some((10, 10_000)), true, 1));
        // From 20 ms on one segment leaves each millisecond, and each is acknowledged 10 ms later.
        let mut last = first;
        for at in 20..80 {
            let seq = at as u32 - 10;
            if seq >= 20 {
                last = rate.on_ack((1, 0), Some((MS(at - 10), seq - 10)), Some(MS(10)), MS(at));
            }
            let outstanding = seq.min(20) - 10;
            rate.on_sent(seq, (seq - outstanding, seq), outstanding + 1, true, MS(at));
        }
        assert_eq!((last.rate, last.is_app_limited), (Some((10, 10_000)), false));
    }

    #[test]
    fn less_than_a_round_trip_makes_no_rate() {
        let mut rate = DeliveryRate::new(MS(10));
        rate.on_sent(0, (0, 0), 1, true, MS(10));
        assert_eq!(rate.on_ack((1, 0), Some((MS(10), 0)), Some(MS(10)), MS(15)).rate, None);
    }

    #[test]
    fn the_limit_by_the_application_ends_when_what_was_in_flight_is_delivered() {
        let mut rate = DeliveryRate::new(MS(10));
        rate.limit(3);
        (0..3).for_each(|seq| rate.on_sent(seq, (0, seq), seq + 1, true, MS(10)));
        rate.on_ack((3, 0), Some((MS(10), 2)), None, MS(20));
        assert!(rate.is_app_limited());
        rate.on_sent(3, (3, 3), 1, true, MS(20));
        rate.on_ack((1, 0), Some((MS(20), 3)), None, MS(30));
        assert!(!rate.is_app_limited());
    }
}
