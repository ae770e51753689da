//! Simulated time: whole picoseconds since the start of a run.

use std::ops::{Add, AddAssign, Sub};

/// A moment or a span of simulated time in picoseconds. 64 bits reach 213 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The start of a run, and the empty span.
    pub const ZERO: Self = Self(0);
    /// Later than any event.
    pub const NEVER: Self = Self(u64::MAX);
    /// Picoseconds in a second.
    pub const PS_PER_S: u64 = 1_000_000_000_000;

    /// A time of so many picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// A time of so many microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }

    /// A time of so many milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000_000)
    }

    /// A time of so many seconds, rounded to the nearest picosecond; negative values become zero.
    pub fn from_s(seconds: f64) -> Self {
        Self((seconds * Self::PS_PER_S as f64).round() as u64)
    }

    /// Picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds.
    pub fn s(self) -> f64 {
        self.0 as f64 / Self::PS_PER_S as f64
    }

    /// The span from `earlier` to here, zero when `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// This time moved on, stopping at [`Time::NEVER`].
    #[must_use]
    pub const fn saturating_add(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// The last multiple of `step` at or before this time.
    #[must_use]
    pub const fn floor_to(self, step: Self) -> Self {
        if step.0 == 0 { self } else { Self(self.0 - self.0 % step.0) }
    }
}

impl Add for Time {
    type Output = Self;
    fn add(self, span: Self) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, span: Self) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Self;
    fn sub(self, span: Self) -> Self {
        Self(self.0 - span.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Time;

    #[test]
    fn seconds_and_picoseconds_agree() {
        assert_eq!(Time::from_s(1.5).ps(), 1_500_000_000_000);
        assert!((Time::from_ms(250).s() - 0.25).abs() < 1e-15);
    }

    #[test]
    fn a_span_never_turns_negative() {
        assert_eq!(Time::from_us(1).since(Time::from_us(2)), Time::ZERO);
    }

    #[test]
    fn floor_goes_down_to_the_step() {
        assert_eq!(Time::from_us(1999).floor_to(Time::from_ms(1)), Time::from_ms(1));
        assert_eq!(Time::from_us(7).floor_to(Time::ZERO), Time::from_us(7));
    }
}
