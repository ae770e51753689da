//! A port that is a token bucket, as Linux's `sch_tbf`: it hands a packet over at once when it has tokens for all of it.

use hntes_sim_scenario::time::Time;

/// The bucket, in time at the link's rate.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    /// Bytes it holds.
    pub bytes: u64,
    /// When a link would have sent all that was handed over.
    spent_until: Time,
}

impl TokenBucket {
    /// A full one.
    pub const fn new(bytes: u64) -> Self {
        Self { bytes, spent_until: Time::ZERO }
    }

    /// When there are tokens for a packet that is first in line now and takes so long on the link; `depth` is the time in
    /// which the bucket fills.
    pub fn ready_at(&self, service: Time, depth: Time, now: Time) -> Time {
        now.max((self.spent_until.max(now) + service).since(depth))
    }

    /// It is handed over now.
    pub fn spend(&mut self, service: Time, now: Time) {
        self.spent_until = self.spent_until.max(now) + service;
    }
}

#[cfg(test)]
mod tests {
    use super::TokenBucket;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn a_full_bucket_goes_out_at_once_and_then_a_packet_a_packet_time() {
        let mut bucket = TokenBucket::new(300);
        let (service, depth) = (Time::from_us(1), Time::from_us(3));
        let mut now = Time::from_ms(1);
        let start = now;
        let hand_over = |bucket: &mut TokenBucket, now: Time| {
            let at = bucket.ready_at(service, depth, now);
            bucket.spend(service, at);
            at
        };
        let gone: Vec<Time> = (0..6)
            .map(|_| {
                now = hand_over(&mut bucket, now);
                now.since(start)
            })
            .collect();
        assert_eq!(gone, [0, 0, 0, 1, 2, 3].map(Time::from_us));
        now += Time::from_us(2);
        let after_a_pause: Vec<Time> = (0..4)
            .map(|_| {
                let at = hand_over(&mut bucket, now);
                let waited = at.since(now);
                now = at;
                waited
            })
            .collect();
        assert_eq!(after_a_pause, [0, 0, 1, 1].map(Time::from_us));
    }
}
