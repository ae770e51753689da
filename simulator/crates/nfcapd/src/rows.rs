//! Rows of the lake in columns, as they are collected for a row group.

use crate::lake::LAKE_COLUMNS;

/// One column. Nothing is stored of one in which all rows have the same value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    rows: usize,
    /// The value of all rows, unless `numbers` has one for each.
    same: Option<i64>,
    numbers: Vec<i64>,
    /// How many rows there will be at most, where that is known.
    most: usize,
}

/// A column of a row group gets its whole room once it has this part of it: many groups stay small.
const WHOLE_ROOM_AT: usize = 8;

impl Values {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The value of all rows, where it is known that all have the same.
    pub fn same(&self) -> Option<i64> {
        self.same
    }

    /// The values of all rows; empty where they are known to be the same.
    pub fn numbers(&self) -> &[i64] {
        &self.numbers
    }

    /// A row's value.
    #[inline]
    pub fn at(&self, row: usize) -> i64 {
        self.same.unwrap_or_else(|| self.numbers[row])
    }

    /// The values of all rows, in `room` where they are not stored.
    pub fn all<'a>(&'a self, room: &'a mut Vec<i64>) -> &'a [i64] {
        let Some(value) = self.same else { return &self.numbers };
        if room.len() != self.rows || room.first() != Some(&value) {
            room.clear();
            room.resize(self.rows, value);
        }
        room
    }

    /// Adds rows that have the same value.
    pub fn extend_same(&mut self, value: i64, count: usize) {
        if count == 0 {
            return;
        }
        if self.rows == 0 || self.same == Some(value) {
            self.same = Some(value);
        } else {
            self.spread();
            self.make_room(count);
            self.numbers.resize(self.rows + count, value);
        }
        self.rows += count;
    }

    /// Adds rows.
    #[inline]
    pub fn extend(&mut self, values: impl Iterator<Item = i64>) {
        self.spread();
        self.make_room(values.size_hint().0);
        self.numbers.extend(values);
        self.rows = self.numbers.len();
    }

    /// Takes note where all values are the same.
    pub fn settle(&mut self) {
        if self.same.is_some() {
            return;
        }
        if let Some(first) = self.numbers.first().copied() {
            if self.numbers.iter().all(|value| *value == first) {
                self.same = Some(first);
                self.numbers.clear();
            }
        }
    }

    /// Puts the rows into an order, given as their places; `room` is used.
    pub fn put_in_order(&mut self, order: &[u32], room: &mut Vec<i64>) {
        if self.same.is_none() {
            room.clear();
            room.extend(order.iter().map(|place| self.numbers[*place as usize]));
            std::mem::swap(room, &mut self.numbers);
        }
    }

    /// Forgets all rows and keeps their room.
    pub fn clear(&mut self) {
        self.numbers.clear();
        (self.rows, self.same) = (0, None);
    }

    /// Room that grew by doubling would be up to twice what is needed, and be copied each time.
    fn make_room(&mut self, count: usize) {
        let needed = self.numbers.len() + count;
        if needed > self.numbers.capacity() && needed >= self.most / WHOLE_ROOM_AT && needed <= self.most {
            self.numbers.reserve_exact(self.most - self.numbers.len());
        }
    }

    fn spread(&mut self) {
        if let Some(value) = self.same.take() {
            self.numbers.clear();
            self.make_room(self.rows);
            self.numbers.resize(self.rows, value);
        }
    }
}

/// The rows of a row group, in the columns of the lake.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    proptest! {
        #[test]
        fn values_are_those_that_were_added(
            pieces in prop::collection::vec((any::<bool>(), prop::collection::vec(-1_i64..2, 0..4)), 0..8),
            orders in any::<u32>(),
        ) {
            let (mut values, mut added, mut room) = (Values::default(), Vec::new(), Vec::new());
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
            prop_assert_eq!(values.same().is_some(), !added.is_empty() && added.iter().all(|value| *value == added[0]));
            let count = added.len() as u32;
            let order: Vec<u32> = (0..count).map(|place| (place + orders % count.max(1)) % count).collect();
            values.put_in_order(&order, &mut Vec::new());
            for (row, place) in order.iter().enumerate() {
                prop_assert_eq!(values.at(row), added[*place as usize]);
            }
        }
    }
}
