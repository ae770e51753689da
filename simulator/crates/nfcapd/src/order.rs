//! The order of rows in a row group of the lake, as `etl/lake/order.py` defines it, and columns put into it.

use std::cmp::Ordering;

use crate::lake::LAKE_COLUMNS;

const KEY: [&str; 3] = ["exporter_domain", "first_ms", "last_ms"];
const NEXT: [&str; 6] = ["src_lo", "dst_lo", "src_port", "dst_port", "bytes", "packets"];
/// Columns in which rows with the same times mostly differ, and the number by which each is multiplied.
const MIXED: [(&str, u64); 3] =
    [("src_lo", 0x9E37_79B9_7F4A_7C15), ("dst_lo", 0xC2B2_AE3D_27D4_EB4F), ("src_port", 0x1656_67B1_9E37_79F9)];
const KEY_BITS: u32 = 64;
const DIGIT_BITS: u32 = 11;

/// The places of rows in their order; `columns` are those of the lake in the order of its schema, in bytes.
///
/// Rows come by exporter, times, a mixture of addresses and port, and then all other columns. The mixture has as many
/// bits as `etl/lake/order.py` leaves it, so that both give the same order.
pub fn row_order(columns: &[Vec<u8>], rows: usize) -> Vec<u32> {
    let mut keyed = joined(columns, rows);
    sort_by_key(&mut keyed);
    let ties = runs(&keyed);
    let alike: usize = ties.iter().map(|(begin, end)| end - begin).sum();
    let mixed = KEY_BITS - index_bits(rows + 1) - index_bits(alike);
    let mut order: Vec<u32> = keyed.iter().map(|(_, place)| *place).collect();
    let mixed_columns = MIXED.map(|(name, factor)| (column(name), factor));
    for (begin, end) in ties {
        sort_ties(columns, &mixed_columns, &mut order[begin..end], mixed);
    }
    order
}

/// A column's bytes with its rows in an order; `place` is as long.
pub fn in_order(values: &[u8], width: usize, order: &[u32], place: &mut [u8]) {
    match width {
        1 => in_order_of::<1>(values, order, place),
        2 => in_order_of::<2>(values, order, place),
        4 => in_order_of::<4>(values, order, place),
        _ => in_order_of::<8>(values, order, place),
    }
}

fn in_order_of<const WIDTH: usize>(values: &[u8], order: &[u32], place: &mut [u8]) {
    if values.get(WIDTH..) == values.get(..values.len().saturating_sub(WIDTH)) {
        // all alike
        place.copy_from_slice(values);
        return;
    }
    for (row, place) in order.iter().zip(place.chunks_exact_mut(WIDTH)) {
        let begin = *row as usize * WIDTH;
        place.copy_from_slice(&values[begin..begin + WIDTH]);
    }
}

/// One number per row, in the order of exporter and times, and the row's place.
fn joined(columns: &[Vec<u8>], rows: usize) -> Vec<(u64, u32)> {
    let keys = KEY.map(|name| numbers(columns, name));
    let spans = keys.each_ref().map(|values| {
        let least = values.iter().min().copied().unwrap_or(0);
        (least, (i128::from(values.iter().max().copied().unwrap_or(0)) - i128::from(least) + 1) as u128)
    });
    let product = spans.iter().try_fold(1_u128, |product, (_, span)| product.checked_mul(*span));
    if product.is_some_and(|product| product < 1 << 63) {
        let number = |row: usize| {
            keys.iter().zip(&spans).fold(0, |joined, (values, (least, span))| {
                joined * (*span as u64) + values[row].wrapping_sub(*least) as u64
            })
        };
        return (0..rows).map(|row| (number(row), row as u32)).collect();
    }
    let mut places: Vec<u32> = (0..rows as u32).collect();
    let key = |place: &u32| keys.each_ref().map(|values| values[*place as usize]);
    places.sort_unstable_by_key(key);
    let mut rank = 0;
    let mut ranked: Vec<(u64, u32)> = Vec::with_capacity(rows);
    for (number, place) in places.iter().enumerate() {
        rank += u64::from(number > 0 && key(place) != key(&places[number - 1]));
        ranked.push((rank, *place));
    }
    ranked
}

/// Sorts by the keys, digit by digit from the lowest; digits that are all alike cost a count.
fn sort_by_key(keyed: &mut Vec<(u64, u32)>) {
    let differing = keyed.iter().fold(0, |bits, (key, _)| bits | (key ^ keyed[0].0));
    let mut other = vec![(0, 0); keyed.len()];
    let mut shift = 0;
    while shift < KEY_BITS {
        let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT_BITS) - 1);
        if digit(differing) != 0 {
            let mut places = [0_usize; 1 << DIGIT_BITS];
            for (key, _) in keyed.iter() {
                places[digit(*key)] += 1;
            }
            let mut begin = 0;
            for place in &mut places {
                begin += std::mem::replace(place, begin);
            }
            for entry in keyed.iter() {
                let place = &mut places[digit(entry.0)];
                other[*place] = *entry;
                *place += 1;
            }
            std::mem::swap(keyed, &mut other);
        }
        shift += DIGIT_BITS;
    }
}

/// Where more than one row has the same key: (begin, end).
fn runs(keyed: &[(u64, u32)]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut begin = 0;
    for group in keyed.chunk_by(|one, other| one.0 == other.0) {
        if group.len() > 1 {
            found.push((begin, begin + group.len()));
        }
        begin += group.len();
    }
    found
}

/// Sorts rows with the same exporter and times, by so many bits of the mixture and then by the other columns.
fn sort_ties(columns: &[Vec<u8>], mixed_columns: &[(usize, u64)], order: &mut [u32], bits: u32) {
    let mix = |place: u32| {
        mixed_columns.iter().fold(0_u64, |mixed, (column, factor)| {
            mixed.wrapping_add((number(columns, *column, place) as u64).wrapping_mul(*factor))
        }) >> (KEY_BITS - bits)
    };
    let mut mixed: Vec<(u64, u32)> = order.iter().map(|place| (mix(*place), *place)).collect();
    mixed.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| by_others(columns, one.1, other.1)));
    for (place, (_, sorted)) in order.iter_mut().zip(mixed) {
        *place = sorted;
    }
}

fn by_others(columns: &[Vec<u8>], one: u32, other: u32) -> Ordering {
    let rest = LAKE_COLUMNS.iter().map(|(name, _)| *name).filter(|name| !KEY.contains(name) && !NEXT.contains(name));
    NEXT.into_iter()
        .chain(rest)
        .map(column)
        .map(|column| number(columns, column, one).cmp(&number(columns, column, other)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// How many bits an index of so many rows has.
fn index_bits(size: usize) -> u32 {
    usize::BITS - size.saturating_sub(1).leading_zeros()
}

fn column(name: &str) -> usize {
    LAKE_COLUMNS.iter().position(|(each, _)| *each == name).unwrap_or_default()
}

/// A column's values.
fn numbers(columns: &[Vec<u8>], name: &str) -> Vec<i64> {
    let column = column(name);
    let values = &columns[column];
    match LAKE_COLUMNS[column].1 {
        1 => values.iter().map(|byte| i64::from(*byte as i8)).collect(),
        2 => values.chunks_exact(2).map(wide2).collect(),
        4 => values.chunks_exact(4).map(wide4).collect(),
        _ => values.chunks_exact(8).map(wide8).collect(),
    }
}

/// A row's value in a column.
#[inline]
fn number(columns: &[Vec<u8>], column: usize, place: u32) -> i64 {
    let (values, place) = (&columns[column], place as usize);
    match LAKE_COLUMNS[column].1 {
        1 => i64::from(values[place] as i8),
        2 => wide2(&values[place * 2..place * 2 + 2]),
        4 => wide4(&values[place * 4..place * 4 + 4]),
        _ => wide8(&values[place * 8..place * 8 + 8]),
    }
}

#[inline]
fn wide2(bytes: &[u8]) -> i64 {
    i64::from(i16::from_le_bytes([bytes[0], bytes[1]]))
}

#[inline]
fn wide4(bytes: &[u8]) -> i64 {
    i64::from(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

#[inline]
fn wide8(bytes: &[u8]) -> i64 {
    i64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
}
