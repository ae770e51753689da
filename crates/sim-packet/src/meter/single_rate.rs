//! A single rate, three colours: srTCM, RFC 2697.

use super::Meter;
use crate::packet::{Colour, Label};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;

/// Two buckets that fill at one rate: the second gets what the first, which is full, cannot hold.
///
/// Tokens are kept as the time that they take to come, whole picoseconds, so that nothing drifts. Counts bytes from the
/// IP header on.
#[derive(Clone, Debug)]
pub struct SingleRate {
    rate: Rate,
    committed_depth: Time,
    excess_depth: Time,
    committed: Time,
    excess: Time,
    filled_at: Time,
    is_colour_aware: bool,
}

impl SingleRate {
    /// Both buckets full. A colour-aware meter never improves the colour that a packet came with.
    pub fn new(rate: Rate, committed_burst_bytes: u64, excess_burst_bytes: u64, is_colour_aware: bool) -> Self {
        let (committed, excess) = (rate.time_of(committed_burst_bytes), rate.time_of(excess_burst_bytes));
        Self {
            rate,
            committed_depth: committed,
            excess_depth: excess,
            committed,
            excess,
            filled_at: Time::ZERO,
            is_colour_aware,
        }
    }

    /// Fill at another rate from now on; the tokens stay.
    pub fn set_rate(&mut self, rate: Rate, committed_burst_bytes: u64, excess_burst_bytes: u64, now: Time) {
        self.fill(now);
        let before = std::mem::replace(&mut self.rate, rate);
        (self.committed_depth, self.excess_depth) =
            (rate.time_of(committed_burst_bytes), rate.time_of(excess_burst_bytes));
        self.committed = rate.time_of_span(self.committed, before).min(self.committed_depth);
        self.excess = rate.time_of_span(self.excess, before).min(self.excess_depth);
    }

    fn fill(&mut self, now: Time) {
        let come = now.since(self.filled_at);
        self.filled_at = now;
        let held = come.min(self.committed_depth - self.committed);
        self.committed += held;
        self.excess = self.excess.saturating_add(come - held).min(self.excess_depth);
    }
}

impl Meter for SingleRate {
    #[inline]
    fn colour(&mut self, label: Label, now: Time) -> Colour {
        self.fill(now);
        let came = if self.is_colour_aware { label.colour() } else { Colour::Green };
        let cost = self.rate.packet_time(u64::from(label.ip_bytes()));
        if came == Colour::Green && self.committed >= cost {
            self.committed = self.committed - cost;
            Colour::Green
        } else if came <= Colour::Yellow && self.excess >= cost {
            self.excess = self.excess - cost;
            Colour::Yellow
        } else {
            Colour::Red
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SingleRate;
    use crate::meter::arrivals::{bytes_by_colour, packet};
    use crate::meter::{Meter, TokenBucket};
    use crate::packet::Colour::{Green, Red, Yellow};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    /// 1000 bytes a second.
    const SLOW: u64 = 8000;

    fn meter(committed: u64, excess: u64) -> SingleRate {
        SingleRate::new(Rate::from_bps(SLOW), committed, excess, false)
    }

    #[test]
    fn a_burst_is_green_then_yellow_then_red() {
        let mut meter = meter(3000, 2000);
        let colours: Vec<_> = (0..6).map(|_| meter.colour(packet(1000, Green), Time::ZERO)).collect();
        assert_eq!(colours, [Green, Green, Green, Yellow, Yellow, Red]);
    }

    #[test]
    fn the_excess_bucket_gets_only_what_the_committed_one_cannot_hold() {
        let mut meter = meter(2000, 2000);
        for _ in 0..5 {
            meter.colour(packet(1000, Green), Time::ZERO);
        }
        // Both are empty. Two seconds fill the committed bucket, the third goes to the excess one.
        let later = Time::from_ms(3000);
        let colours: Vec<_> = (0..4).map(|_| meter.colour(packet(1000, Green), later)).collect();
        assert_eq!(colours, [Green, Green, Yellow, Red]);
    }

    #[test]
    fn a_stream_above_the_rate_is_green_at_the_rate_then_red() {
        let [green, yellow, red] =
            bytes_by_colour(&mut SingleRate::new(Rate::from_bps(1_000_000), 10_000, 30_000, false), 4_000_000, 20);
        assert!(green.abs_diff(2_510_000) <= 1000, "{green}");
        assert_eq!(yellow, 30_000);
        assert!(red.abs_diff(10_000_000 - 2_540_000) <= 2000, "{red}");
    }

    #[test]
    fn without_excess_burst_it_equals_a_token_bucket() {
        let rate = Rate::from_bps(1_000_000_000);
        let (mut single, mut bucket) = (SingleRate::new(rate, 31_000, 0, false), TokenBucket::new(rate, 31_000));
        let (mut random, mut now) = (Random::named(3, "single rate"), Time::ZERO);
        for _ in 0..100_000 {
            now += Time::from_ps(random.bits() % 12_000_000);
            let one = packet(40 + (random.bits() % 1461) as u16, Green);
            assert_eq!(single.colour(one, now), bucket.colour(one, now), "at {now:?}");
        }
    }

    #[test]
    fn an_aware_meter_improves_no_colour() {
        let mut meter = SingleRate::new(Rate::from_bps(SLOW), 2000, 2000, true);
        let came = [Red, Yellow, Green, Yellow, Yellow, Green, Green];
        let left: Vec<_> = came.map(|colour| meter.colour(packet(1000, colour), Time::ZERO)).into();
        assert_eq!(left, [Red, Yellow, Green, Yellow, Red, Green, Red]);
    }
}
