//! Rows of the lake in columns, as they are collected for a row group.

use crate::lake::LAKE_COLUMNS;

/// One column. Nothing is stored of one in which all rows have the same value, and of the others 32 bits of each value
/// where these suffice: sorting and encoding wait for memory most of the time.
#[derive(Clone, Debug, Default)]
pub struct Values {
    rows: usize,
    /// The value of all rows, unless there is a number for each.
    same: Option<i64>,
    /// Values less `base`, unless the column is wide.
    narrow: Vec<u32>,
    base: i64,
    wide: Vec<i64>,
    is_wide: bool,
    /// How many rows there will be at most, where that is known.
    most: usize,
}

/// The numbers of a column in which not all rows have the same value.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    /// A row's value is its number and the first one.
    Narrow(i64, &'a [u32]),
    /// The values.
    Wide(&'a [i64]),
}

/// Memory that is used for one column after another.
#[derive(Debug, Default)]
pub struct Room {
    narrow: Vec<u32>,
    wide: Vec<i64>,
    /// The value with which `wide` is filled, if it is.
    filled: Option<i64>,
}

/// A column of a row group gets its whole room once it has this part of it: many groups stay small.
const WHOLE_ROOM_AT: usize = 8;
const NARROW_BITS: u32 = u32::BITS;

impl Values {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The value of all rows, where it is known that all have the same.
    pub fn same(&self) -> Option<i64> {
        self.same
    }

    /// The numbers of all rows; none where their values are known to be the same.
    pub fn numbers(&self) -> Numbers<'_> {
        if self.is_wide { Numbers::Wide(&self.wide) } else { Numbers::Narrow(self.base, &self.narrow) }
    }

    /// A row's value.
    #[inline]
    pub fn at(&self, row: usize) -> i64 {
        match self.same {
            Some(value) => value,
            None if self.is_wide => self.wide[row],
            None => self.base + i64::from(self.narrow[row]),
        }
    }

    /// The least and the greatest value; None without rows.
    pub fn span(&self) -> Option<(i64, i64)> {
        match (self.same, self.numbers()) {
            (Some(value), _) => Some((value, value)),
            (None, Numbers::Wide(values)) => least_and_most(values),
            (None, Numbers::Narrow(base, numbers)) => {
                least_and_most(numbers).map(|(least, most)| (base + i64::from(least), base + i64::from(most)))
            }
        }
    }

    /// The values of all rows, in `room` where they are not stored as they are.
    pub fn all<'a>(&'a self, room: &'a mut Room) -> &'a [i64] {
        match (self.same, self.numbers()) {
            (None, Numbers::Wide(values)) => return values,
            (None, Numbers::Narrow(base, numbers)) => {
                room.filled = None;
                room.wide.clear();
                room.wide.extend(numbers.iter().map(|number| base + i64::from(*number)));
            }
            (Some(value), _) if room.wide.len() != self.rows || room.filled != Some(value) => {
                room.filled = Some(value);
                room.wide.clear();
                room.wide.resize(self.rows, value);
            }
            (Some(_), _) => {}
        }
        &room.wide
    }

    /// Adds rows that have the same value.
    pub fn extend_same(&mut self, value: i64, count: usize) {
        if count == 0 {
            return;
        }
        if self.rows == 0 || self.same == Some(value) {
            self.same = Some(value);
            self.rows += count;
        } else {
            self.extend(std::iter::repeat_n(value, count));
        }
    }

    /// Adds rows.
    #[inline]
    pub fn extend(&mut self, values: impl Iterator<Item = i64> + Clone) {
        if let Some(value) = self.same.take() {
            let rows = std::mem::take(&mut self.rows);
            self.add(std::iter::repeat_n(value, rows));
        }
        self.add(values);
    }

    /// Adds rows where there is a number for each.
    #[inline]
    fn add(&mut self, values: impl Iterator<Item = i64> + Clone) {
        if !self.is_wide && !self.add_narrow(values.clone()) {
            self.narrow.truncate(self.rows);
            self.is_wide = true;
            make_room(&mut self.wide, self.rows, self.most);
            self.wide.extend(self.narrow.iter().map(|number| self.base + i64::from(*number)));
            self.narrow.clear();
        }
        if self.is_wide {
            make_room(&mut self.wide, values.size_hint().0, self.most);
            self.wide.extend(values);
        }
        self.rows = if self.is_wide { self.wide.len() } else { self.narrow.len() };
    }

    /// Whether the numbers of all of these were added; if not, some were.
    #[inline]
    fn add_narrow(&mut self, values: impl Iterator<Item = i64> + Clone) -> bool {
        if self.rows == 0 {
            let Some(base) = values.clone().next().map_or(Some(0), base_for) else { return false };
            self.base = base;
        }
        make_room(&mut self.narrow, values.size_hint().0, self.most);
        let (base, mut all) = (self.base, 0);
        self.narrow.extend(values.map(|value| {
            let number = value.wrapping_sub(base) as u64;
            all |= number;
            number as u32
        }));
        all >> NARROW_BITS == 0
    }

    /// Takes note where all values are the same.
    pub fn settle(&mut self) {
        let Some(first) = (self.same.is_none() && self.rows > 0).then(|| self.at(0)) else { return };
        let is_same = match self.numbers() {
            Numbers::Wide(values) => values.iter().all(|value| *value == first),
            Numbers::Narrow(_, numbers) => numbers.iter().all(|number| *number == numbers[0]),
        };
        if is_same {
            self.same = Some(first);
            self.narrow.clear();
            self.wide.clear();
        }
    }

    /// Puts the rows into an order, given as their places; `room` is used.
    pub fn put_in_order(&mut self, order: &[u32], room: &mut Room) {
        room.filled = None;
        match (self.same, self.is_wide) {
            (Some(_), _) => {}
            (None, true) => put_in_order(&mut self.wide, order, &mut room.wide),
            (None, false) => put_in_order(&mut self.narrow, order, &mut room.narrow),
        }
    }

    /// Forgets all rows and keeps their room. What was wide is likely to be so again.
    pub fn clear(&mut self) {
        self.narrow.clear();
        self.wide.clear();
        (self.rows, self.same) = (0, None);
    }
}

/// What is taken off a column's values, whose first one this is: they are stored in 32 bits then if they are near.
/// None where the sum of it and such a number might not be one of 64 bits.
fn base_for(first: i64) -> Option<i64> {
    const HALF: i64 = 1 << (NARROW_BITS - 1);
    if first >> NARROW_BITS == 0 {
        return Some(0);
    }
    first.checked_add(HALF).and_then(|_| first.checked_sub(HALF))
}

/// The least and the greatest of numbers.
pub fn least_and_most<N: Copy + Ord>(numbers: &[N]) -> Option<(N, N)> {
    let first = *numbers.first()?;
    let (mut least, mut most) = ([first; LANES], [first; LANES]);
    let chunks = numbers.chunks_exact(LANES);
    for number in chunks.remainder() {
        (least[0], most[0]) = (least[0].min(*number), most[0].max(*number));
    }
    for chunk in chunks {
        for lane in 0..LANES {
            (least[lane], most[lane]) = (least[lane].min(chunk[lane]), most[lane].max(chunk[lane]));
        }
    }
    Some((least.into_iter().min()?, most.into_iter().max()?))
}

/// Comparisons that need not wait for each other.
const LANES: usize = 8;

fn put_in_order<N: Copy>(numbers: &mut Vec<N>, order: &[u32], room: &mut Vec<N>) {
    room.clear();
    room.extend(order.iter().map(|place| numbers[*place as usize]));
    std::mem::swap(room, numbers);
}

/// Room that grew by doubling would be up to twice what is needed, and be copied each time.
fn make_room<N>(numbers: &mut Vec<N>, count: usize, most: usize) {
    let needed = numbers.len() + count;
    if needed > numbers.capacity() && needed >= most / WHOLE_ROOM_AT && needed <= most {
        numbers.reserve_exact(most - numbers.len());
    }
}

/// The rows of a row group, in the columns of the lake.
#[derive(Clone, Debug)]
pub struct RowGroup {
    columns: Vec<Values>,
}

impl Default for RowGroup {
    fn default() -> Self {
        Self { columns: vec![Values::default(); LAKE_COLUMNS.len()] }
    }
}

impl RowGroup {
    /// A row group that will have at most so many rows.
    pub fn of_at_most(rows: usize) -> Self {
        Self { columns: vec![Values { most: rows, ..Values::default() }; LAKE_COLUMNS.len()] }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Values::rows)
    }

    /// All columns, in the order of `LAKE_COLUMNS`.
    pub fn columns(&self) -> &[Values] {
        &self.columns
    }

    /// All columns, to be extended by as many rows each.
    pub fn columns_mut(&mut self) -> &mut [Values] {
        &mut self.columns
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> &Values {
        &self.columns[place_of(name)]
    }

    /// Forgets all rows and keeps their room.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Values::clear);
    }
}

/// The place of a column in `LAKE_COLUMNS`.
pub(crate) fn place_of(name: &str) -> usize {
    LAKE_COLUMNS.iter().position(|(each, _)| *each == name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn a_value() -> impl Strategy<Value = i64> {
        let near = |middle: i64| (-1_i64..2).prop_map(move |step| middle.saturating_add(step));
        prop_oneof![
            6 => near(0),
            1 => prop_oneof![near(1 << 31), near(1 << 32), near(1_795_198_720_827), near(i64::MIN), near(i64::MAX)],
        ]
    }

    proptest! {
        #[test]
        fn values_are_those_that_were_added(
            groups in prop::collection::vec(
                prop::collection::vec((any::<bool>(), prop::collection::vec(a_value(), 0..4)), 0..8), 1..4,
            ),
            orders in any::<u32>(),
        ) {
            let (mut values, mut room) = (Values::default(), Room::default());
            for pieces in groups {
                let mut added = Vec::new();
                values.clear();
                for (same, piece) in pieces {
                    match piece.first() {
                        Some(value) if same => {
                            values.extend_same(*value, piece.len());
                            added.extend(vec![*value; piece.len()]);
                        }
                        _ => {
                            values.extend_same(9, 0);
                            values.extend(piece.iter().copied());
                            added.extend(piece);
                        }
                    }
                }
                values.settle();
                prop_assert_eq!(values.rows(), added.len());
                prop_assert_eq!(values.all(&mut room), &added[..]);
                prop_assert_eq!(values.span(), added.iter().min().copied().zip(added.iter().max().copied()));
                prop_assert_eq!(
                    values.same().is_some(), !added.is_empty() && added.iter().all(|value| *value == added[0])
                );
                let count = added.len() as u32;
                let order: Vec<u32> = (0..count).map(|place| (place + orders % count.max(1)) % count).collect();
                values.put_in_order(&order, &mut room);
                for (row, place) in order.iter().enumerate() {
                    prop_assert_eq!(values.at(row), added[*place as usize]);
                }
            }
        }

        #[test]
        fn least_and_most_are_found(numbers in prop::collection::vec(any::<i64>(), 0..40)) {
            prop_assert_eq!(least_and_most(&numbers), numbers.iter().min().copied().zip(numbers.iter().max().copied()));
        }
    }
}
