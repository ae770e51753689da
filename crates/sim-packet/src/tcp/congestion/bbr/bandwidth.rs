//! Bandwidths, gains, and the greatest bandwidth of the last round trips.

/// Segments per microsecond in steps of 2^-24, the resolution of Linux.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bandwidth(u64);

const BITS: u32 = 24;
const US_PER_S: u128 = 1_000_000;
/// BBR paces a per cent below its estimate, so that what it paces cannot build a queue by itself.
const PACED_PCT: u128 = 99;

/// A factor in steps of 1/256, the resolution of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gain(u64);

impl Gain {
    const WHOLE: u64 = 256;
    /// No change.
    pub const ONE: Self = Self(Self::WHOLE);

    /// So many thousandths, rounded down.
    pub const fn thousandths(thousandths: u64) -> Self {
        Self(Self::WHOLE * thousandths / 1000)
    }

    /// One step more.
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// So much times the gain, rounded down.
    pub const fn of(self, value: u64) -> u64 {
        value * self.0 / Self::WHOLE
    }

    /// The same, rounded up.
    pub const fn of_rounded_up(self, value: u64) -> u64 {
        (value * self.0).div_ceil(Self::WHOLE)
    }

    /// What has to be added to something for `value` to remain of it when this part of the addition, a gain below one, is
    /// taken away again.
    pub const fn more_than_rest(self, value: u64) -> u64 {
        value * Self::WHOLE / (Self::WHOLE - self.0)
    }
}

impl Bandwidth {
    /// None at all.
    pub const NONE: Self = Self(0);
    /// More than any.
    pub const ENDLESS: Self = Self(u64::MAX);

    /// So many segments in so many microseconds.
    pub const fn of(segments: u64, us: u64) -> Self {
        Self((segments << BITS) / us)
    }

    /// The same, rounded up, so that a slow path's can grow.
    pub const fn of_or_more(segments: u64, us: u64) -> Self {
        Self((segments << BITS).div_ceil(us))
    }

    /// The same times a gain, rounded down.
    pub const fn times(self, gain: Gain) -> Self {
        Self(gain.of(self.0))
    }

    /// The middle between two.
    pub const fn middle(self, other: Self) -> Self {
        Self(self.0.midpoint(other.0))
    }

    /// How far apart two are.
    pub const fn distance(self, other: Self) -> Self {
        Self(self.0.abs_diff(other.0))
    }

    /// Whether it is no more than an eighth of another one.
    pub const fn is_within_an_eighth_of(self, other: Self) -> bool {
        self.0 * 8 <= other.0
    }

    /// Whole segments in so many microseconds.
    pub const fn segments_in(self, us: u64) -> u64 {
        (self.0 * us) >> BITS
    }

    /// The bandwidth-delay product at this round-trip time and gain, in begun segments.
    pub fn product(self, rtt_us: u64, gain: Gain) -> u32 {
        let scaled = gain.of(self.0 * rtt_us).div_ceil(1 << BITS);
        u32::try_from(scaled).unwrap_or(u32::MAX)
    }

    /// Bytes of data per second to pace at, with segments of so many bytes.
    pub fn paced_bytes_per_s(self, segment_bytes: u64, gain: Gain) -> u64 {
        let scaled = gain.of(self.0 * segment_bytes);
        ((u128::from(scaled) * (US_PER_S / 100 * PACED_PCT)) >> BITS) as u64
    }
}

/// The greatest bandwidth of a window of round trips, from three samples (K. Nichols' windowed filter): the greatest, the
/// greatest after it, and the greatest after that. Samples spread over the window, so that each can follow the one before.
#[derive(Clone, Copy, Debug, Default)]
pub struct WindowedMax {
    best: [(u32, Bandwidth); 3],
}

impl WindowedMax {
    /// The greatest bandwidth known.
    pub const fn get(&self) -> Bandwidth {
        self.best[0].1
    }

    /// A sample of this round trip, counted from the start; `window` round trips count.
    pub fn note(&mut self, window: u32, round: u32, bandwidth: Bandwidth) {
        let sample = (round, bandwidth);
        if bandwidth >= self.best[0].1 || round - self.best[2].0 > window {
            self.best = [sample; 3];
            return;
        }
        if bandwidth >= self.best[1].1 {
            self.best[1..].fill(sample);
        } else if bandwidth >= self.best[2].1 {
            self.best[2] = sample;
        }
        self.forget_old(window, sample);
    }

    fn forget_old(&mut self, window: u32, sample: (u32, Bandwidth)) {
        let round = sample.0;
        let age = round - self.best[0].0;
        if age > window {
            self.follow(sample);
            if round - self.best[0].0 > window {
                self.follow(sample);
            }
        } else if self.best[1].0 == self.best[0].0 && age > window / 4 {
            self.best[1..].fill(sample);
        } else if self.best[2].0 == self.best[1].0 && age > window / 2 {
            self.best[2] = sample;
        }
    }

    /// The first is too old: the second takes its place.
    const fn follow(&mut self, sample: (u32, Bandwidth)) {
        self.best = [self.best[1], self.best[2], sample];
    }
}

#[cfg(test)]
mod tests {
    use super::{Bandwidth, Gain, WindowedMax};

    /// 10 Gb/s in segments of 8,948 bytes: 139,696 a second.
    fn ten_gbps() -> Bandwidth {
        Bandwidth::of(139_696, 1_000_000)
    }

    #[test]
    fn the_pacing_rate_is_the_bandwidth_times_the_gain_less_one_per_cent() {
        for thousandths in [1000, 1250, 750, 2885] {
            let bytes_per_s = ten_gbps().paced_bytes_per_s(8948, Gain::thousandths(thousandths)) as f64;
            let expected = 139_696.0 * 8948.0 * 0.99 * thousandths as f64 / 1000.0;
            assert!((bytes_per_s / expected - 1.0).abs() < 0.001, "{bytes_per_s}, not {expected}");
        }
    }

    #[test]
    fn a_product_counts_begun_segments() {
        // 139,696 a second in 20 ms.
        assert_eq!(ten_gbps().product(20_000, Gain::ONE), 2794);
        assert_eq!(ten_gbps().product(20_000, Gain::thousandths(2000)), 5588);
        assert_eq!(ten_gbps().segments_in(20_000), 2793);
    }

    #[test]
    fn the_greatest_bandwidth_of_ten_round_trips_is_kept_and_no_longer() {
        let mut filter = WindowedMax::default();
        let at = |segments| Bandwidth::of(segments, 1);
        filter.note(10, 1, at(100));
        for round in 2..=11 {
            filter.note(10, round, at(50));
            assert_eq!(filter.get(), at(100), "round {round}");
        }
        filter.note(10, 12, at(40));
        assert_eq!(filter.get(), at(50));
        filter.note(10, 13, at(60));
        assert_eq!(filter.get(), at(60));
    }
}
