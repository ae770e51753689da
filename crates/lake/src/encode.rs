//! A column of a row group as the bytes of its pages, not compressed.

use hntes_nfcapd::{distinct, least_and_most};
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

/// A column of values of `width` bytes, 4 or 8; each is `base` and its number.
pub(crate) fn values<N>(numbers: &[N], base: i64, width: usize, way: Way, pages: &mut Pages)
where
    N: Copy + Ord + Into<i64>,
{
    if let Way::FewValues(rows_for_each) = way {
        if let Some((distinct, places)) = dictionary(numbers, (numbers.len() / rows_for_each).min(LARGEST_DICTIONARY)) {
            // widths that fill bytes compress best
            let bits = [1, 2, 4, 8].into_iter().find(|bits| distinct.len() <= 1 << bits).unwrap_or(16);
            let values = distinct.iter().map(|number| base + number);
            pages.dictionary.extend(values.flat_map(|value| value.to_le_bytes().into_iter().take(width)));
            pages.distinct = distinct.len();
            pages.rows.push(bits as u8);
            hybrid::append(&places, bits, &mut pages.rows);
            return;
        }
    }
    let steps_back = || numbers.windows(2).filter(|pair| pair[1] < pair[0]).count();
    if way == Way::Ordered && steps_back() * ROWS_FOR_STEP_BACK < numbers.len() {
        pages.is_delta = true;
        delta::append(numbers, base, &mut pages.rows);
        return;
    }
    if width == 8 {
        split::<8, N>(numbers, base, &mut pages.rows);
    } else {
        split::<4, N>(numbers, base, &mut pages.rows);
    }
}

fn split<const WIDTH: usize, N: Copy + Into<i64>>(numbers: &[N], base: i64, to: &mut Vec<u8>) {
    let value = |number: &N| base + (*number).into();
    let Some(first) = numbers.first().map(value) else { return };
    let differing = numbers.iter().fold(0, |bits, number| bits | (value(number) ^ first));
    let begin = to.len();
    to.resize(begin + numbers.len() * WIDTH, 0);
    let mut kinds: Vec<&mut [u8]> = to[begin..].chunks_exact_mut(numbers.len()).collect();
    // values are taken again for each kind of byte while they are in the processor's cache
    for (number, some) in numbers.chunks(SPLIT_AT_ONCE).enumerate() {
        for (kind, place) in kinds.iter_mut().enumerate() {
            let byte = |value: i64| (value >> (8 * kind)) as u8;
            let place = &mut place[number * SPLIT_AT_ONCE..][..some.len()];
            if byte(differing) == 0 {
                place.fill(byte(first));
                continue;
            }
            for (place, number) in place.iter_mut().zip(some) {
                *place = byte(value(number));
            }
        }
    }
}

/// The different numbers in their order, and each row's place among them; None where there are more than `most`.
fn dictionary<N: Copy + Ord + Into<i64>>(numbers: &[N], most: usize) -> Option<(Vec<i64>, Vec<u16>)> {
    if are_many(numbers, most) {
        return None;
    }
    let (least, largest) = least_and_most(numbers).map(|(least, largest)| (least.into(), largest.into()))?;
    let span = i128::from(largest) - i128::from(least) + 1;
    if span <= TABLE { by_table(numbers, least, span as usize, most) } else { distinct(numbers, most) }
}

/// Whether a sample has so many different numbers that all rows surely have too many.
fn are_many<N: Copy + Ord>(numbers: &[N], most: usize) -> bool {
    if numbers.len() < 2 * SAMPLE {
        return false;
    }
    let mut sample: Vec<N> = numbers.iter().step_by(numbers.len() / SAMPLE).copied().collect();
    let size = sample.len();
    sample.sort_unstable();
    sample.dedup();
    // the share of new values falls from the sample to the whole, by how much depends on their distribution
    sample.len() * LARGEST_SHARE.1 > size * LARGEST_SHARE.0 || sample.len() > most
}

fn by_table<N: Copy + Into<i64>>(numbers: &[N], least: i64, span: usize, most: usize) -> Option<(Vec<i64>, Vec<u16>)> {
    let above = |number: &N| ((*number).into() - least) as usize;
    let mut is_there = vec![false; span];
    for number in numbers {
        is_there[above(number)] = true;
    }
    let distinct: Vec<i64> =
        is_there.iter().enumerate().filter(|(_, there)| **there).map(|(place, _)| least + place as i64).collect();
    if distinct.len() > most {
        return None;
    }
    let mut places = vec![0_u16; span];
    for (place, number) in distinct.iter().enumerate() {
        places[(number - least) as usize] = place as u16;
    }
    let found = numbers.iter().map(|number| places[above(number)]).collect();
    Some((distinct, found))
}
