//! Numbers by chance that are the same on every machine: `SplitMix64` (Steele, Lea and Flood, 2014).

use crate::file::Compression;

pub struct Chance(u64);

impl Chance {
    /// Another sequence for each seed and number.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut mixed = Self(seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ number);
        mixed.next();
        Self(mixed.next())
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// 0 to `count` - 1, or 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// bzip2 and zstd have large tables to set up, so they are tried less often.
    pub fn compression(&mut self, layout: u16) -> Compression {
        match self.below(100) {
            ..40 => Compression::None,
            40..69 => Compression::Lzo,
            69..97 => Compression::Lz4,
            97..99 if layout > 1 => Compression::Zstd,
            _ => Compression::Bz2,
        }
    }

    /// A number at a limit of its size, a small one, or any.
    pub fn odd_number(&mut self) -> u64 {
        match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << self.below(64),
            3 => (1_u64 << self.below(64)).wrapping_sub(1),
            4 | 5 => self.next() % 64,
            _ => self.next(),
        }
    }
}
