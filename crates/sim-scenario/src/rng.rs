//! Random numbers: one named stream for each source of chance, so that one draw more here moves nothing there.

/// A stream of random numbers (xoshiro256++ of Blackman and Vigna, seeded through `SplitMix64`).
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of this name under a run's seed.
    pub fn named(seed: u64, name: &str) -> Self {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64; // FNV-1a
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let mut mixer = seed ^ hash;
        Self { state: std::array::from_fn(|_| split_mix(&mut mixer)) }
    }

    /// A stream of its own, which the next draw fixes.
    #[must_use]
    pub fn split(&mut self) -> Self {
        let mut mixer = self.bits();
        Self { state: std::array::from_fn(|_| split_mix(&mut mixer)) }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number from 0 up to, but not including, 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// True with this probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number of this mean after Pareto: beyond a least value the chance of more than x falls with x to the minus
    /// `shape`, which is above 1.
    pub fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        mean * (shape - 1.0) / shape * (1.0 - self.unit()).powf(-1.0 / shape)
    }

    /// An exponentially distributed number of this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_name_and_a_seed_fix_the_stream() {
        let draw = |seed, name: &str| Random::named(seed, name).bits();
        assert_eq!(draw(1, "wred"), draw(1, "wred"));
        assert_ne!(draw(1, "wred"), draw(2, "wred"));
        assert_ne!(draw(1, "wred"), draw(1, "udp"));
    }

    #[test]
    fn means_are_right() {
        let mut random = Random::named(7, "means");
        let n = 200_000;
        let unit: f64 = (0..n).map(|_| random.unit()).sum::<f64>() / f64::from(n);
        let waits: f64 = (0..n).map(|_| random.exponential(3.0)).sum::<f64>() / f64::from(n);
        assert!((unit - 0.5).abs() < 0.005, "{unit}");
        assert!((waits - 3.0).abs() < 0.03, "{waits}");
    }
}
