//! The rows whose key may add up to more than a number of bytes in all row groups together.
//!
//! Bytes are summed over cells, a small hash of the key, and of the rows in busy cells over a hash of 32 bits. Each sum
//! holds at least what any key in it holds, so that no row of a heavy key is lost. Whoever forges keys does not know the
//! multipliers, and if two keys share a hash, rows too many are kept.

use std::collections::HashMap;

const CELL_BITS: u32 = 20;
const MIXED_BITS: u32 = 32;
/// Bytes are summed in units of 1,024, rounded up, and a counter counts as a terabyte at most: no sum exceeds 64 bits.
const UNIT_BITS: u32 = 10;
const MOST_UNITS: u64 = 1 << 30;

/// Mixed keys and units of a row group.
#[derive(Debug, Default)]
struct Mixed {
    keys: Vec<u32>,
    units: Vec<u32>,
}

/// A row in a busy cell.
#[derive(Clone, Copy, Debug)]
struct Hit {
    group: u32,
    row: u32,
    key: u32,
    units: u32,
}

/// What the second look at a group came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    /// Rows in busy cells so far.
    Hits(usize),
    /// The keys of this group were not kept, and must be given again.
    NotKept,
}

/// Looks at all row groups, and then again at those rows that matter.
#[derive(Debug)]
pub struct HeavyRows {
    multipliers: Vec<u64>,
    most_kept: usize,
    sums: Vec<u64>,
    is_busy: Vec<bool>,
    kept: Vec<Mixed>,
    kept_rows: usize,
    spare: Mixed,
    groups: u32,
    hits: Vec<Hit>,
}

impl HeavyRows {
    /// Keys have as many columns as there are multipliers, which are odd; the keys of at most so many rows are kept.
    pub fn new(multipliers: Vec<u64>, most_kept: usize) -> Self {
        Self {
            multipliers,
            most_kept,
            sums: vec![0; 1 << CELL_BITS],
            is_busy: Vec::new(),
            kept: Vec::new(),
            kept_rows: 0,
            spare: Mixed::default(),
            groups: 0,
            hits: Vec::new(),
        }
    }

    /// Looks at the next group: columns of its key, and bytes. All have one length.
    pub fn add(&mut self, key: &[Vec<u64>], bytes: &[u64]) {
        let mut mixed = std::mem::take(&mut self.spare);
        self.mix(key, bytes, &mut mixed);
        for (key, units) in mixed.keys.iter().zip(&mixed.units) {
            self.sums[cell(*key)] += u64::from(*units);
        }
        self.kept_rows += mixed.keys.len();
        if self.kept_rows <= self.most_kept {
            self.kept.push(mixed);
        } else {
            self.spare = mixed;
        }
    }

    /// After the last group: cells with more than so many bytes are busy.
    pub fn sum_up(&mut self, most_bytes: u64) {
        let most_units = most_bytes >> UNIT_BITS;
        self.is_busy = self.sums.iter().map(|sum| *sum > most_units).collect();
        self.sums = Vec::new();
    }

    /// Looks again at the next group, in the order in which they were added.
    pub fn look(&mut self) -> Looked {
        let Some(mixed) = self.kept.get_mut(self.groups as usize) else { return Looked::NotKept };
        let mixed = std::mem::take(mixed);
        self.look_at(&mixed);
        Looked::Hits(self.hits.len())
    }

    /// The same where it was not kept: with its columns again.
    pub fn look_again(&mut self, key: &[Vec<u64>], bytes: &[u64]) -> usize {
        let mut mixed = std::mem::take(&mut self.spare);
        self.mix(key, bytes, &mut mixed);
        self.look_at(&mixed);
        self.spare = mixed;
        self.hits.len()
    }

    /// By row group the rows, in their order, of keys that may have more than so many bytes.
    pub fn places(&self, most_bytes: u64) -> Vec<Vec<u32>> {
        let most_units = most_bytes >> UNIT_BITS;
        let mut sums = HashMap::<u32, u64>::new();
        for hit in &self.hits {
            *sums.entry(hit.key).or_default() += u64::from(hit.units);
        }
        let mut found = vec![Vec::new(); self.groups as usize];
        for hit in self.hits.iter().filter(|hit| sums[&hit.key] > most_units) {
            found[hit.group as usize].push(hit.row);
        }
        found
    }

    fn look_at(&mut self, mixed: &Mixed) {
        for (row, (key, units)) in mixed.keys.iter().zip(&mixed.units).enumerate() {
            if self.is_busy[cell(*key)] {
                self.hits.push(Hit { group: self.groups, row: row as u32, key: *key, units: *units });
            }
        }
        self.groups += 1;
    }

    fn mix(&self, key: &[Vec<u64>], bytes: &[u64], mixed: &mut Mixed) {
        let mut keys = vec![0_u64; bytes.len()];
        for (column, multiplier) in key.iter().zip(&self.multipliers) {
            let values = keys.iter_mut().zip(column);
            values.for_each(|(mixed, value)| *mixed = mixed.wrapping_add(value.wrapping_mul(*multiplier)));
        }
        mixed.keys.clear();
        mixed.keys.extend(keys.iter().map(|key| (key >> MIXED_BITS) as u32));
        mixed.units.clear();
        mixed.units.extend(bytes.iter().map(|bytes| units(*bytes)));
    }
}

fn cell(key: u32) -> usize {
    (key >> (MIXED_BITS - CELL_BITS)) as usize
}

/// Rounded up. No counter is negative; one that were would count as the largest.
fn units(bytes: u64) -> u32 {
    bytes.div_ceil(1 << UNIT_BITS).min(MOST_UNITS) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const MULTIPLIERS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F];

    fn found(groups: &[(Vec<u64>, Vec<u64>, Vec<u64>)], most_kept: usize, most_bytes: u64) -> Vec<Vec<u32>> {
        let mut rows = HeavyRows::new(MULTIPLIERS.to_vec(), most_kept);
        for (source, destination, bytes) in groups {
            rows.add(&[source.clone(), destination.clone()], bytes);
        }
        rows.sum_up(most_bytes);
        for (source, destination, bytes) in groups {
            if rows.look() == Looked::NotKept {
                rows.look_again(&[source.clone(), destination.clone()], bytes);
            }
        }
        rows.places(most_bytes)
    }

    #[test]
    fn rows_of_a_key_are_found_in_all_groups_kept_or_not() {
        let many: Vec<u64> = (0..1000).collect();
        let light = (many.clone(), many.clone(), vec![1000; 1000]);
        let heavy = (vec![1, 5000, 2, 5000], vec![1, 7, 2, 7], vec![1, 400_000, 1, 400_000]);
        let last = (vec![5000, 7], vec![7, 5000], vec![400_000, 400_000]);
        for most_kept in [0, 1000, 1004, 2000] {
            let places = found(&[light.clone(), heavy.clone(), last.clone()], most_kept, 1_000_000);
            assert_eq!(places, [vec![], vec![1, 3], vec![0]], "{most_kept}");
        }
    }

    #[test]
    fn a_light_key_in_the_cell_of_a_heavy_one_is_left_out() {
        // with this multiplier a key below 2^12 is in the first cell, and its own number there
        let mut rows = HeavyRows::new(vec![1 << MIXED_BITS], 0);
        let (keys, bytes) = (vec![(0..100).chain([7, 7]).collect::<Vec<u64>>()], vec![100_000; 102]);
        rows.add(&keys, &bytes);
        rows.sum_up(200_000);
        assert_eq!(rows.look_again(&keys, &bytes), 102);
        assert_eq!(rows.places(200_000), [vec![7, 100, 101]]);
    }

    #[test]
    fn sums_are_rounded_up_and_the_largest_counters_do_not_wrap() {
        let largest = i64::MAX as u64;
        assert_eq!(found(&[(vec![1; 3], vec![1; 3], vec![largest; 3])], 9, 1 << 39), [vec![0, 1, 2]]);
        assert_eq!(found(&[(vec![1], vec![1], vec![1 << 20])], 9, 1 << 20), [Vec::<u32>::new()]);
        assert_eq!(found(&[(vec![1], vec![1], vec![(1 << 20) + 1])], 9, 1 << 20), [vec![0]]);
        assert_eq!(found(&[(vec![1], vec![1], vec![0])], 9, 0), [Vec::<u32>::new()]);
    }
}
