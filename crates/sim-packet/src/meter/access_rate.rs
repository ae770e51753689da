//! Cisco's committed access rate (CAR): a token bucket that lends, so that a burst loses single packets, not its end.

use super::Meter;
use crate::packet::{Colour, Label};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;

/// A bucket of the normal burst that may go into debt. A packet that borrows adds the debt which there is then to the
/// compounded debt. It is out of profile if either debt exceeds the extended burst; where it was the compounded one, that
/// starts again from nothing. A packet out of profile borrows nothing. With an extended burst no larger than the normal
/// one nothing is lent.
///
/// Tokens and debts are kept as the time that they take to come, in picoseconds. Counts bytes from the IP header on.
#[derive(Clone, Debug)]
pub struct AccessRate {
    rate: Rate,
    depth_ps: i64,
    lends_ps: i64,
    /// Negative while there is a debt.
    tokens_ps: i64,
    compounded_ps: i64,
    filled_at: Time,
}

impl AccessRate {
    /// A full bucket.
    pub fn new(rate: Rate, normal_burst_bytes: u64, extended_burst_bytes: u64) -> Self {
        let lends = if extended_burst_bytes > normal_burst_bytes { extended_burst_bytes } else { 0 };
        let depth_ps = span_ps(rate.time_of(normal_burst_bytes));
        Self {
            rate,
            depth_ps,
            lends_ps: span_ps(rate.time_of(lends)),
            tokens_ps: depth_ps,
            compounded_ps: 0,
            filled_at: Time::ZERO,
        }
    }

    /// Fill at another rate from now on; tokens and debts stay.
    pub fn set_rate(&mut self, rate: Rate, normal_burst_bytes: u64, extended_burst_bytes: u64, now: Time) {
        self.fill(now);
        let fresh = Self::new(rate, normal_burst_bytes, extended_burst_bytes);
        let at_rate = |ps: i64| {
            let span = span_ps(rate.time_of_span(Time::from_ps(ps.unsigned_abs()), self.rate));
            if ps < 0 { -span } else { span }
        };
        let (tokens_ps, compounded_ps) = (at_rate(self.tokens_ps).min(fresh.depth_ps), at_rate(self.compounded_ps));
        *self = Self { tokens_ps, compounded_ps, filled_at: now, ..fresh };
    }

    fn fill(&mut self, now: Time) {
        let come_ps = span_ps(now.since(self.filled_at));
        self.filled_at = now;
        self.tokens_ps = self.tokens_ps.saturating_add(come_ps).min(self.depth_ps);
    }
}

/// A scenario's bursts take at most 1e6 s, so that sums of some of them fit.
fn span_ps(span: Time) -> i64 {
    i64::try_from(span.ps()).unwrap_or(i64::MAX / 8)
}

impl Meter for AccessRate {
    #[inline]
    fn colour(&mut self, label: Label, now: Time) -> Colour {
        self.fill(now);
        let left_ps = self.tokens_ps - span_ps(self.rate.packet_time(u64::from(label.ip_bytes())));
        if left_ps < 0 {
            if -left_ps > self.lends_ps {
                return Colour::Red;
            }
            self.compounded_ps -= left_ps;
            if self.compounded_ps > self.lends_ps {
                self.compounded_ps = 0;
                return Colour::Red;
            }
        }
        self.tokens_ps = left_ps;
        Colour::Green
    }
}

#[cfg(test)]
mod tests {
    use super::AccessRate;
    use crate::meter::arrivals::packet;
    use crate::meter::{Meter, TokenBucket};
    use crate::packet::Colour::{self, Green, Red};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    /// One unit of 1000 bytes a second.
    const SLOW: u64 = 8000;

    fn every_second(meter: &mut AccessRate, units: u16, count: u64) -> Vec<Colour> {
        (1..=count).map(|second| meter.colour(packet(1000 * units, Green), Time::from_ms(1000 * second))).collect()
    }

    #[test]
    fn debts_grow_as_in_ciscos_example() {
        // Normal burst 2, extended 4, two units a second where one may come: debts 0, 1, 2, then 3, compounded 0, 1, 3,
        // then 6, which is above 4. The unit that comes meanwhile leaves a debt of 1, so the next is 2 and compounded 2.
        let mut meter = AccessRate::new(Rate::from_bps(SLOW), 2000, 4000);
        assert_eq!(every_second(&mut meter, 2, 5), [Green, Green, Green, Red, Green]);
        assert_eq!((meter.tokens_ps, meter.compounded_ps), (-2_000_000_000_000, 2_000_000_000_000));
    }

    #[test]
    fn a_debt_above_the_extended_burst_is_not_lent() {
        let mut meter = AccessRate::new(Rate::from_bps(SLOW), 2000, 4000);
        assert_eq!(meter.colour(packet(6001, Green), Time::ZERO), Red);
        assert_eq!(meter.colour(packet(6000, Green), Time::ZERO), Green);
        assert_eq!(meter.colour(packet(1, Green), Time::ZERO), Red);
    }

    #[test]
    fn an_extended_burst_no_larger_than_the_normal_one_lends_nothing() {
        let rate = Rate::from_bps(1_000_000_000);
        let (mut lending, mut bucket) = (AccessRate::new(rate, 31_000, 31_000), TokenBucket::new(rate, 31_000));
        let (mut random, mut now) = (Random::named(4, "access rate"), Time::ZERO);
        for _ in 0..100_000 {
            now += Time::from_ps(random.bits() % 12_000_000);
            let one = packet(40 + (random.bits() % 1461) as u16, Green);
            assert_eq!(lending.colour(one, now), bucket.colour(one, now), "at {now:?}");
        }
    }

    #[test]
    fn a_burst_is_lent_to_and_the_rate_is_kept() {
        let rate = Rate::from_bps(1_000_000);
        let (mut lending, mut bucket) = (AccessRate::new(rate, 20_000, 40_000), TokenBucket::new(rate, 20_000));
        // twice the rate for a minute
        let arrivals = (0..15_000_u64).map(|number| Time::from_us(4000 * number));
        let colours: Vec<_> = arrivals
            .map(|now| (lending.colour(packet(1000, Green), now), bucket.colour(packet(1000, Green), now)))
            .collect();
        let green = |colour: Colour| usize::from(colour == Green);
        let passed: (usize, usize) = colours.iter().fold((0, 0), |sum, &(a, b)| (sum.0 + green(a), sum.1 + green(b)));
        assert!(passed.0.abs_diff(passed.1) <= 40, "{passed:?}: what is lent is paid back");
        let first = |of: fn(&(Colour, Colour)) -> Colour| colours.iter().position(|pair| of(pair) == Red);
        // The compounded debt asks for a loss before the bucket and its credit are used up.
        assert!(first(|pair| pair.0) > first(|pair| pair.1), "the burst is lent to");
    }
}
