//! Single-rate two-colour token bucket, as a Junos policer: a packet out of profile takes no tokens.

use super::Meter;
use crate::packet::{Colour, Label};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;

/// A bucket that fills at a rate up to a depth. Counts bytes from the IP header on.
///
/// Tokens are kept as the moment at which the bucket would have been empty: the tokens now are the rate times the
/// time since then, never more than the depth. This needs one comparison and one addition per packet, all in integers.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    rate: Rate,
    depth: Time,
    empty_at: Time,
    /// Added to every time, so that a bucket that starts full does not need a moment before zero.
    offset: Time,
}

impl TokenBucket {
    /// A full bucket.
    pub fn new(rate: Rate, burst_bytes: u64) -> Self {
        let depth = rate.time_of(burst_bytes);
        Self { rate, depth, empty_at: Time::ZERO, offset: depth }
    }
}

impl TokenBucket {
    /// Take a packet's tokens, if there are that many.
    #[inline]
    pub fn take(&mut self, label: Label, now: Time) -> bool {
        let now = now + self.offset;
        let cost = self.rate.packet_time(u64::from(label.ip_bytes()));
        let empty_at = self.empty_at.max(now.since(self.depth));
        let has_tokens = empty_at + cost <= now;
        if has_tokens {
            self.empty_at = empty_at + cost;
        }
        has_tokens
    }
}

impl TokenBucket {
    /// Fill at another rate from now on; the tokens stay.
    pub fn set_rate(&mut self, rate: Rate, burst_bytes: u64, now: Time) {
        let tokens = (now + self.offset).since(self.empty_at).min(self.depth);
        let kept = rate.time_of_span(tokens, self.rate);
        self.depth = rate.time_of(burst_bytes);
        self.offset = self.depth;
        self.empty_at = (now + self.offset).since(kept.min(self.depth));
        self.rate = rate;
    }
}

impl Meter for TokenBucket {
    #[inline]
    fn colour(&mut self, label: Label, now: Time) -> Colour {
        if self.take(label, now) { Colour::Green } else { Colour::Red }
    }
}

#[cfg(test)]
mod tests {
    use super::TokenBucket;
    use crate::meter::Meter;
    use crate::packet::{Colour, FlowNumber, Label, Packet, PacketKind};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    fn packet(ip_bytes: u16) -> Label {
        Packet::new(PacketKind::Segment, FlowNumber::new(0), ip_bytes).label()
    }

    #[test]
    fn a_full_bucket_passes_its_burst_and_no_more() {
        let mut bucket = TokenBucket::new(Rate::from_bps(1_000_000_000), 31_000);
        let green = (0..100).filter(|_| bucket.colour(packet(1500), Time::ZERO) == Colour::Green).count();
        assert_eq!(green, 20);
    }

    #[test]
    fn green_bytes_never_exceed_rate_times_time_plus_burst() {
        let mut random = Random::named(5, "bucket");
        let rate = Rate::from_bps(1_000_000_000);
        let mut bucket = TokenBucket::new(rate, 31_000);
        let (mut now, mut green) = (Time::ZERO, 0_u64);
        for _ in 0..200_000 {
            now += Time::from_ps(random.bits() % 5_000_000);
            let size = 40 + (random.bits() % 1461) as u16;
            if bucket.colour(packet(size), now) == Colour::Green {
                green += u64::from(size);
            }
            assert!(green <= rate.bytes_in(now) + 31_000 + 1);
        }
        assert!(green as f64 > 0.98 * rate.bytes_in(now) as f64, "an overloaded bucket passes its rate");
    }

    #[test]
    fn another_rate_leaves_the_tokens_and_the_burst() {
        let mut bucket = TokenBucket::new(Rate::from_bps(1_000_000), 30_000);
        let green = |bucket: &mut TokenBucket, now| {
            (0..100).filter(|_| bucket.colour(packet(1500), now) == Colour::Green).count()
        };
        // 30 kB, of which a second leaves 30 kB again; 12 packets take 18 kB of it
        assert_eq!(green(&mut bucket, Time::ZERO), 20);
        let later = Time::from_ms(1000);
        assert_eq!((0..12).filter(|_| bucket.colour(packet(1500), later) == Colour::Green).count(), 12);
        bucket.set_rate(Rate::from_bps(8_000_000), 30_000, later);
        assert_eq!(green(&mut bucket, later), 8);
        // 6 kB in 6 ms, and never more than the burst
        assert_eq!(green(&mut bucket, later + Time::from_ms(6)), 4);
        assert_eq!(green(&mut bucket, later + Time::from_ms(5000)), 20);
    }

    #[test]
    fn a_stream_at_exactly_the_rate_is_all_green() {
        let rate = Rate::from_bps(1_000_000_000);
        let mut bucket = TokenBucket::new(rate, 3000);
        for n in 0..10_000_u64 {
            assert_eq!(bucket.colour(packet(1500), Time::from_ps(n * 12_000_000)), Colour::Green);
        }
    }
}
