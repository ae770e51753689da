//! A column of a row group as the bytes of its pages, not compressed.

use hntes_nfcapd::distinct;
use parquet::basic::Encoding;

use crate::{delta, hybrid};

/// A dictionary has at most so many values.
const LARGEST_DICTIONARY: usize = 1 << 16;
/// Values within such a span are looked up in a table.
const TABLE: i128 = 1 << 16;

/// Rows by which it is decided whether a dictionary is tried, and the share of different values up to which it is.
const SAMPLE: usize = 1024;
const LARGEST_SHARE: (usize, usize) = (1, 2);

/// With a step back in fewer rows than these, differences take more bytes than the values do.
const ROWS_FOR_STEP_BACK: usize = 128;

const SPLIT_AT_ONCE: usize = 1024;

/// What decides how a column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Bytes of a kind side by side.
    Split,
    /// Differences from row to row where nearly all rows are in order; else as `Split`.
    Ordered,
    /// A dictionary where at most one row in so many has a value of its own; else as `Split`.
    FewValues(usize),
}

/// Pages before compression.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// The dictionary's values, and how many they are; none without a dictionary.
    pub(crate) dictionary: Vec<u8>,
    pub(crate) distinct: usize,
    is_delta: bool,
    /// The rows.
    pub(crate) rows: Vec<u8>,
}

impl Pages {
    pub(crate) fn clear(&mut self) {
        self.dictionary.clear();
        self.rows.clear();
        (self.distinct, self.is_delta) = (0, false);
    }

    pub(crate) fn encoding(&self) -> Encoding {
        match (self.distinct, self.is_delta) {
            (0, false) => Encoding::BYTE_STREAM_SPLIT,
            (0, true) => Encoding::DELTA_BINARY_PACKED,
            _ => Encoding::RLE_DICTIONARY,
        }
    }
}

/// What goes before the values of a column that may have nulls and has none.
pub(crate) fn levels_of_no_null(rows: usize, to: &mut Vec<u8>) {
    let mut run = Vec::new();
    hybrid::append_run(1, rows, 1, &mut run);
    to.extend_from_slice(&(run.len() as u32).to_le_bytes());
    to.extend_from_slice(&run);
}

/// A column in which all rows have the same value, of `width` bytes.
pub(crate) fn same(value: i64, rows: usize, width: usize, pages: &mut Pages) {
    pages.dictionary.extend_from_slice(&value.to_le_bytes()[..width]);
    pages.distinct = 1;
    pages.rows.push(1);
    hybrid::append_run(0, rows, 1, &mut pages.rows);
}

/// A column of values of `width` bytes, 4 or 8.
pub(crate) fn values(values: &[i64], width: usize, way: Way, pages: &mut Pages) {
    if let Way::FewValues(rows_for_each) = way {
        if let Some((distinct, places)) = dictionary(values, (values.len() / rows_for_each).min(LARGEST_DICTIONARY)) {
            // widths that fill bytes compress best
            let bits = [1, 2, 4, 8].into_iter().find(|bits| distinct.len() <= 1 << bits).unwrap_or(16);
            pages.dictionary.extend(distinct.iter().flat_map(|value| value.to_le_bytes().into_iter().take(width)));
            pages.distinct = distinct.len();
            pages.rows.push(bits as u8);
            hybrid::append(&places, bits, &mut pages.rows);
            return;
        }
    }
    let steps_back = || values.windows(2).filter(|pair| pair[1] < pair[0]).count();
    if way == Way::Ordered && steps_back() * ROWS_FOR_STEP_BACK < values.len() {
        pages.is_delta = true;
        delta::append(values, &mut pages.rows);
        return;
    }
    if width == 8 { split::<8>(values, &mut pages.rows) } else { split::<4>(values, &mut pages.rows) }
}

fn split<const WIDTH: usize>(values: &[i64], to: &mut Vec<u8>) {
    let Some(first) = values.first().copied() else { return };
    let differing = values.iter().fold(0, |bits, value| bits | (value ^ first));
    let begin = to.len();
    to.resize(begin + values.len() * WIDTH, 0);
    let mut kinds: Vec<&mut [u8]> = to[begin..].chunks_exact_mut(values.len()).collect();
    // values are taken again for each kind of byte while they are in the processor's cache
    for (number, some) in values.chunks(SPLIT_AT_ONCE).enumerate() {
        for (kind, place) in kinds.iter_mut().enumerate() {
            let byte = |value: i64| (value >> (8 * kind)) as u8;
            let place = &mut place[number * SPLIT_AT_ONCE..][..some.len()];
            if byte(differing) == 0 {
                place.fill(byte(first));
                continue;
            }
            for (place, value) in place.iter_mut().zip(some) {
                *place = byte(*value);
            }
        }
    }
}

/// The different values in their order, and each row's place among them; None where there are more than `most`.
fn dictionary(values: &[i64], most: usize) -> Option<(Vec<i64>, Vec<u16>)> {
    let (least, largest) = (values.iter().min().copied()?, values.iter().max().copied()?);
    let span = i128::from(largest) - i128::from(least) + 1;
    if are_many(values, most) {
        return None;
    }
    if span <= TABLE { by_table(values, least, span as usize, most) } else { distinct(values, most) }
}

/// Whether a sample has so many different values that all rows surely have too many.
fn are_many(values: &[i64], most: usize) -> bool {
    if values.len() < 2 * SAMPLE {
        return false;
    }
    let mut sample: Vec<i64> = values.iter().step_by(values.len() / SAMPLE).copied().collect();
    let size = sample.len();
    sample.sort_unstable();
    sample.dedup();
    // the share of new values falls from the sample to the whole, by how much depends on their distribution
    sample.len() * LARGEST_SHARE.1 > size * LARGEST_SHARE.0 || sample.len() > most
}

fn by_table(values: &[i64], least: i64, span: usize, most: usize) -> Option<(Vec<i64>, Vec<u16>)> {
    let mut is_there = vec![false; span];
    for value in values {
        is_there[(value - least) as usize] = true;
    }
    let distinct: Vec<i64> =
        is_there.iter().enumerate().filter(|(_, there)| **there).map(|(place, _)| least + place as i64).collect();
    if distinct.len() > most {
        return None;
    }
    let mut places = vec![0_u16; span];
    for (place, value) in distinct.iter().enumerate() {
        places[(value - least) as usize] = place as u16;
    }
    let found = values.iter().map(|value| places[(value - least) as usize]).collect();
    Some((distinct, found))
}
