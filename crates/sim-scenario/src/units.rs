//! Quantities as types: rates, which say how long bytes take and how many bytes a span holds, times and shares.

use crate::time::Time;

/// Fractional bits of the picoseconds a byte takes.
const FRACTION_BITS: u32 = 20;

/// The rate of a link, a queue or a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    bps: u64,
    ps_per_byte_q20: u64,
}

impl Rate {
    /// The slowest rate whose service times fit the fixed-point arithmetic.
    pub const MIN_BPS: u64 = 1_000;
    /// The fastest rate: a packet of 20 bytes still takes more than a picosecond.
    pub const MAX_BPS: u64 = 100_000_000_000_000;

    /// A rate between [`Rate::MIN_BPS`] and [`Rate::MAX_BPS`] bits per second.
    ///
    /// # Panics
    /// When the rate is outside that range; scenarios are checked before.
    pub fn from_bps(bps: u64) -> Self {
        assert!((Self::MIN_BPS..=Self::MAX_BPS).contains(&bps), "rate of {bps} bit/s is out of range");
        let ps_per_byte_q20 = ((u128::from(8 * Time::PS_PER_S) << FRACTION_BITS) / u128::from(bps)) as u64;
        Self { bps, ps_per_byte_q20 }
    }

    /// Bits per second.
    pub const fn bps(self) -> u64 {
        self.bps
    }

    /// The largest packet whose time fits the fixed-point arithmetic.
    pub const fn largest_packet_bytes(self) -> u64 {
        u64::MAX / self.ps_per_byte_q20
    }

    /// How long one packet of up to [`Rate::largest_packet_bytes`] takes, cut to whole picoseconds.
    #[inline]
    pub const fn packet_time(self, bytes: u64) -> Time {
        Time::from_ps((bytes * self.ps_per_byte_q20) >> FRACTION_BITS)
    }

    /// How long any number of bytes takes; [`Time::NEVER`] when that is more than a time can hold.
    pub fn time_of(self, bytes: u64) -> Time {
        let ps = (u128::from(bytes) * u128::from(self.ps_per_byte_q20)) >> FRACTION_BITS;
        Time::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// How long this rate takes for what another one takes such a span for; [`Time::NEVER`] when that is too long.
    pub fn time_of_span(self, span: Time, at: Self) -> Time {
        let ps = u128::from(span.ps()) * u128::from(self.ps_per_byte_q20) / u128::from(at.ps_per_byte_q20);
        Time::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// How many whole bytes go out in a span.
    pub fn bytes_in(self, span: Time) -> u64 {
        (u128::from(span.ps()) * u128::from(self.bps) / u128::from(8 * Time::PS_PER_S)) as u64
    }
}

/// A rate as a scenario gives it, in bits per second; within the range of [`Rate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BitRate(f64);

impl BitRate {
    pub(crate) const fn from_bps(bps: f64) -> Self {
        Self(bps)
    }

    /// Bits per second.
    pub const fn bps(self) -> f64 {
        self.0
    }

    /// The nearest rate in whole bits per second.
    pub fn rate(self) -> Rate {
        Rate::from_bps(self.0.round() as u64)
    }
}

/// A time or a span as a scenario gives it; not negative.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Seconds(f64);

impl Seconds {
    pub(crate) const fn from_s(seconds: f64) -> Self {
        Self(seconds)
    }

    pub(crate) const fn from_ms(milliseconds: f64) -> Self {
        Self(milliseconds * 1e-3)
    }

    pub(crate) const fn from_us(microseconds: f64) -> Self {
        Self(microseconds * 1e-6)
    }

    /// Seconds.
    pub const fn s(self) -> f64 {
        self.0
    }

    /// The nearest time in whole picoseconds.
    pub fn time(self) -> Time {
        Time::from_s(self.0)
    }
}

/// A share in per cent; from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Percent(f64);

impl Percent {
    pub(crate) const fn from_pct(pct: f64) -> Self {
        Self(pct)
    }

    /// Per cent.
    pub const fn pct(self) -> f64 {
        self.0
    }

    /// The same as a part of 1.
    pub const fn part(self) -> f64 {
        self.0 / 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::Rate;
    use crate::time::Time;

    #[test]
    fn a_packet_at_ten_gigabit_takes_800_ps_a_byte() {
        assert_eq!(Rate::from_bps(10_000_000_000).packet_time(1538).ps(), 1_230_400);
    }

    #[test]
    fn small_packets_take_time_at_the_fastest_rates() {
        assert!(Rate::from_bps(400_000_000_000).packet_time(64) > Time::ZERO);
        assert_eq!(Rate::from_bps(Rate::MAX_BPS).packet_time(20).ps(), 1);
        assert_eq!(Rate::from_bps(Rate::MAX_BPS).packet_time(9038).ps(), 723);
    }

    #[test]
    fn service_times_add_up_within_a_picosecond_a_packet() {
        for bps in [1_000_000, 3_333_333, 622_080_000, 10_000_000_000, 100_000_000_000, 400_000_000_000] {
            let rate = Rate::from_bps(bps);
            let sum: u64 = (0..10_000).map(|_| rate.packet_time(1538).ps()).sum();
            let exact = 10_000.0 * 1538.0 * 8e12 / bps as f64;
            assert!((sum as f64 - exact).abs() <= 10_000.0, "{bps}: {sum} against {exact}");
        }
    }

    #[test]
    fn a_span_at_another_rate_is_the_time_of_the_same_bytes() {
        let (fast, slow) = (Rate::from_bps(10_000_000_000), Rate::from_bps(622_080_000));
        assert_eq!(fast.time_of_span(Time::from_us(7), fast), Time::from_us(7));
        let apart = slow.time_of_span(fast.time_of(125_000_000), fast).ps().abs_diff(slow.time_of(125_000_000).ps());
        // a byte takes 12,860 ps, cut to a millionth of one
        assert!(apart < 125, "{apart} ps in 1.6 s");
        assert_eq!(Rate::from_bps(1000).time_of_span(Time::from_s(1e6), fast), Time::NEVER);
    }

    #[test]
    fn bytes_and_time_are_inverse() {
        let rate = Rate::from_bps(10_000_000_000);
        assert_eq!(rate.time_of(125_000_000), Time::from_ms(100));
        assert_eq!(rate.bytes_in(Time::from_ms(100)), 125_000_000);
    }
}
