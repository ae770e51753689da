//! The order of rows in a row group of the lake, as `etl/lake/order.py` defines it.

use std::cmp::Ordering;

use crate::distinct::distinct;
use crate::lake::LAKE_COLUMNS;
use crate::rows::{Numbers, RowGroup, Values, least_and_most, place_of};

/// Who metered the rows where; then they come by the begin of their records, and by all other columns.
const METER: [&str; 5] = ["exporter_domain", "direction", "input_interface", "output_interface", "ip_version"];
const BEGIN: &str = "first_ms";
const NEXT: [&str; 7] = ["last_ms", "src_lo", "dst_lo", "src_port", "dst_port", "bytes", "packets"];
const DIGIT_BITS: u32 = 11;
const LARGEST_RANK: usize = 1 << 16;

/// The places of rows in their order.
pub fn row_order(group: &RowGroup) -> Vec<u32> {
    let rows = group.rows();
    let place_bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
    let keys: Vec<&Values> = METER.iter().chain([&BEGIN]).map(|name| group.column(name)).collect();
    let Some(mut keyed) = joined(&keys, rows, place_bits) else {
        let columns = ordered_by(&keys, group);
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_unstable_by(|one, other| compared(&columns, *one, *other));
        return order;
    };
    sort_by_key(&mut keyed, place_bits);
    let mask = (1_u64 << place_bits) - 1;
    let mut order: Vec<u32> = keyed.iter().map(|key| (key & mask) as u32).collect();
    let columns = ordered_by(&[], group);
    let mut begin = 0;
    for tied in keyed.chunk_by(|one, other| one >> place_bits == other >> place_bits) {
        if tied.len() > 1 {
            order[begin..begin + tied.len()].sort_unstable_by(|one, other| compared(&columns, *one, *other));
        }
        begin += tied.len();
    }
    order
}

/// One number per row, in the order of the columns, with the row's place in its lowest bits; None where 64 bits are too
/// few.
fn joined(columns: &[&Values], rows: usize, place_bits: u32) -> Option<Vec<u64>> {
    let mut keys = Narrowed { numbers: vec![0; rows], span: 1 };
    for values in columns.iter().filter(|column| column.same().is_none()) {
        let next = Narrowed::from(values)?;
        // numbers of interfaces and exporters span much and are few
        keys = if let Some(both) = keys.followed_by(&next, place_bits) {
            both
        } else {
            let few = keys.ranked();
            few.followed_by(&next, place_bits).or_else(|| few.followed_by(&next.ranked(), place_bits))?
        };
    }
    let placed = |(place, key): (usize, &i64)| (*key as u64) << place_bits | place as u64;
    Some(keys.numbers.iter().enumerate().map(placed).collect())
}

/// Numbers of 0 and more, below `span`.
struct Narrowed {
    numbers: Vec<i64>,
    span: u128,
}

impl Narrowed {
    /// Values less the least of them; None where that is more than 63 bits hold.
    fn from(values: &Values) -> Option<Self> {
        match values.numbers() {
            Numbers::Narrow(_, numbers) => {
                let (least, most) = least_and_most(numbers)?;
                let numbers = numbers.iter().map(|number| i64::from(number - least)).collect();
                Some(Self { numbers, span: u128::from(most - least) + 1 })
            }
            Numbers::Wide(values) => {
                let (least, most) = least_and_most(values)?;
                let span = most.checked_sub(least)? as u128 + 1;
                Some(Self { numbers: values.iter().map(|value| value - least).collect(), span })
            }
        }
    }

    /// In the same order, and as many as there are different ones, where these are not too many.
    fn ranked(self) -> Self {
        match distinct(&self.numbers, LARGEST_RANK) {
            Some((different, ranks)) => {
                Self { numbers: ranks.into_iter().map(i64::from).collect(), span: different.len() as u128 }
            }
            None => self,
        }
    }

    /// In the order of both; None where these are more than bits above a place hold.
    fn followed_by(&self, next: &Self, place_bits: u32) -> Option<Self> {
        let span = self.span.checked_mul(next.span).filter(|span| *span <= 1 << (u64::BITS - place_bits - 1))?;
        let width = next.span as i64;
        let numbers = self.numbers.iter().zip(&next.numbers).map(|(number, next)| number * width + next).collect();
        Some(Self { numbers, span })
    }
}

/// Sorts by what stands above the places, digit by digit from the lowest; rows of one key stay as they came.
fn sort_by_key(keyed: &mut Vec<u64>, place_bits: u32) {
    let most = keyed.iter().max().copied().unwrap_or(0);
    let mut other = vec![0; keyed.len()];
    let mut shift = place_bits;
    while shift < u64::BITS && most >> shift > 0 {
        let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT_BITS) - 1);
        let mut places = [0_usize; 1 << DIGIT_BITS];
        for key in keyed.iter() {
            places[digit(*key)] += 1;
        }
        let mut begin = 0;
        for place in &mut places {
            begin += std::mem::replace(place, begin);
        }
        for key in keyed.iter() {
            let place = &mut places[digit(*key)];
            other[*place] = *key;
            *place += 1;
        }
        std::mem::swap(keyed, &mut other);
        shift += DIGIT_BITS;
    }
}

/// The columns by which rows are compared, after `first`.
fn ordered_by<'a>(first: &[&'a Values], group: &'a RowGroup) -> Vec<&'a Values> {
    let is_later = |name: &&str| !METER.contains(name) && *name != BEGIN && !NEXT.contains(name);
    let rest = LAKE_COLUMNS.iter().map(|(name, _)| *name).filter(is_later);
    let names = NEXT.into_iter().chain(rest).map(|name| &group.columns()[place_of(name)]);
    first.iter().copied().chain(names).filter(|column| column.same().is_none()).collect()
}

fn compared(columns: &[&Values], one: u32, other: u32) -> Ordering {
    let orders = columns.iter().map(|column| column.at(one as usize).cmp(&column.at(other as usize)));
    orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn group(rows: &[Vec<i64>]) -> RowGroup {
        let mut group = RowGroup::default();
        for (column, values) in group.columns_mut().iter_mut().enumerate() {
            values.extend(rows.iter().map(|row| row[column]));
            values.settle();
        }
        group
    }

    fn key(row: &[i64]) -> Vec<i64> {
        let names = METER.into_iter().chain([BEGIN]).chain(NEXT);
        names.map(|name| row[place_of(name)]).chain(row.iter().copied()).collect()
    }

    fn a_row(largest: i64) -> impl Strategy<Value = Vec<i64>> {
        prop::collection::vec(prop_oneof![Just(0), Just(1), Just(-largest), Just(largest)], LAKE_COLUMNS.len())
    }

    proptest! {
        #[test]
        fn rows_come_by_meter_begin_and_all_other_columns(
            rows in prop_oneof![Just(2_i64), Just(1 << 30), Just(i64::MAX)]
                .prop_flat_map(|largest| prop::collection::vec(a_row(largest), 1..40)),
        ) {
            let ordered: Vec<_> = row_order(&group(&rows)).iter().map(|place| rows[*place as usize].clone()).collect();
            let mut expected = rows;
            expected.sort_by_key(|row| key(row));
            prop_assert_eq!(ordered, expected);
        }
    }
}
