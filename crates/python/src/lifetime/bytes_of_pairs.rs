//! The bytes between hosts of prefix pairs by day.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::pair_days::check;
use super::totals::{Ends, PackedDay, masks, most_bytes};

/// Whether it is of IPv6, and address and length of source and destination.
type Prefixes = (bool, u128, u32, u128, u32);

/// Pairs of one family and of the same lengths, sorted, with their places among all.
struct Shape {
    is_ipv6: bool,
    masks: (u128, u128),
    pairs: Vec<(Ends, usize)>,
}

impl Shape {
    fn all(mut pairs: Vec<(usize, Prefixes)>) -> Vec<Self> {
        let shape = |(_, pair): &(usize, Prefixes)| (pair.0, pair.2, pair.4);
        pairs.sort_unstable_by_key(shape);
        pairs.chunk_by(|one, other| shape(one) == shape(other)).map(Self::of).collect()
    }

    fn of(alike: &[(usize, Prefixes)]) -> Self {
        let (_, (is_ipv6, _, source_length, _, destination_length)) = alike[0];
        let masks = masks((source_length, destination_length), if is_ipv6 { 128 } else { 32 });
        let pair = |&(place, (is_ipv6, source, _, destination, _)): &_| (Ends { is_ipv6, source, destination }, place);
        let mut pairs: Vec<(Ends, usize)> = alike.iter().map(pair).collect();
        pairs.sort_unstable();
        Self { is_ipv6, masks, pairs }
    }

    /// The place of the pair that contains these hosts.
    fn place(&self, hosts: Ends) -> Option<usize> {
        if hosts.is_ipv6 != self.is_ipv6 {
            return None;
        }
        let ends = Ends { source: hosts.source & self.masks.0, destination: hosts.destination & self.masks.1, ..hosts };
        let found = self.pairs.binary_search_by_key(&ends, |(ends, _)| *ends).ok()?;
        Some(self.pairs[found].1)
    }
}

/// For each pair the bytes of flows that can be true, from the packed totals of days; on each day from the first through
/// the last a number of 64 bits.
#[pyfunction]
pub(super) fn bytes_of_pairs(
    py: Python<'_>,
    days: Vec<(i64, PyBackedBytes)>,
    pairs: Vec<Prefixes>,
    first_day: i64,
    last_day: i64,
) -> PyResult<Bound<'_, PyBytes>> {
    let span = (last_day - first_day + 1).max(0) as usize;
    let mut bytes = vec![0_u64; span * pairs.len()];
    let shapes = Shape::all(pairs.into_iter().enumerate().collect());
    let mut found = Vec::new();
    for (day, packed) in days {
        let day = PackedDay { day, packed };
        if !(first_day..=last_day).contains(&day.day) {
            continue;
        }
        let mut totals = day.totals();
        for total in totals.by_ref().filter(|total| !total.is_implausible) {
            for place in shapes.iter().filter_map(|shape| shape.place(total.hosts)) {
                found.push((span * place + (day.day - first_day) as usize, total.flow_bytes));
            }
        }
        check(&day, &totals)?;
    }
    let most = most_bytes(found.iter().map(|(_, bytes)| u128::from(*bytes)).sum(), found.len());
    for (place, more) in found {
        bytes[place] += more.min(most);
    }
    let content: Vec<u8> = bytes.iter().flat_map(|number| number.to_le_bytes()).collect();
    Ok(PyBytes::new(py, &content))
}
