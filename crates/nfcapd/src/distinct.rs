//! The different values of a column, and the column as places among them.

use std::collections::HashMap;

/// The different values, at most 65,536, in their order, and each row's place among them; None where there are more than `most`.
pub fn distinct<N: Copy + Into<i64>>(values: &[N], most: usize) -> Option<(Vec<i64>, Vec<u16>)> {
    let mut seen = Seen::new(most);
    // with its length ahead: collecting options would let it grow step by step
    let mut numbers = vec![0_u16; values.len()];
    for (number, value) in numbers.iter_mut().zip(values) {
        *number = seen.number((*value).into())?;
    }
    let mut order: Vec<u16> = (0..seen.distinct.len()).map(|number| number as u16).collect();
    order.sort_unstable_by_key(|number| seen.distinct[usize::from(*number)]);
    let mut places = vec![0_u16; order.len()];
    for (place, number) in order.iter().enumerate() {
        places[usize::from(*number)] = place as u16;
    }
    let distinct = order.iter().map(|number| seen.distinct[usize::from(*number)]).collect();
    for number in &mut numbers {
        *number = places[usize::from(*number)];
    }
    Some((distinct, numbers))
}

/// Values numbered as they come. Most are found at their place in a table; the others by search.
struct Seen {
    most: usize,
    distinct: Vec<i64>,
    table: Vec<(i64, u32)>,
    places: HashMap<i64, u16>,
}

const SEEN_BITS: u32 = 15;
const NOT_SEEN: u32 = u32::MAX;

impl Seen {
    fn new(most: usize) -> Self {
        Self { most, distinct: Vec::new(), table: vec![(0, NOT_SEEN); 1 << SEEN_BITS], places: HashMap::new() }
    }

    #[inline]
    fn number(&mut self, value: i64) -> Option<u16> {
        let mixed = (value as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SEEN_BITS);
        let (held, number) = &mut self.table[mixed as usize];
        if *number != NOT_SEEN && *held == value {
            return Some(*number as u16);
        }
        if *number == NOT_SEEN {
            (*held, *number) = (value, self.distinct.len() as u32);
        } else if let Some(number) = self.places.get(&value) {
            return Some(*number);
        } else {
            self.places.insert(value, self.distinct.len() as u16);
        }
        if self.distinct.len() == self.most {
            return None;
        }
        self.distinct.push(value);
        Some(self.distinct.len() as u16 - 1)
    }
}
