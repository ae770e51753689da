//! The evidence for rules, for Python: days of prefix pairs in, what they add up to out.

mod bytes_of_pairs;
mod evidence;
mod pair_days;
mod totals;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Add it to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(bytes_of_pairs::bytes_of_pairs, module)?)?;
    module.add_class::<pair_days::PairDays>()?;
    module.add_class::<evidence::Evidence>()
}

/// Rows as columns of 64 bits, one after another.
fn columns<const COUNT: usize>(
    py: Python<'_>,
    rows: impl ExactSizeIterator<Item = [i64; COUNT]>,
) -> PyResult<Bound<'_, PyBytes>> {
    let count = rows.len();
    PyBytes::new_with(py, 8 * COUNT * count, |content| {
        for (row, values) in rows.enumerate() {
            for (column, value) in values.into_iter().enumerate() {
                let begin = 8 * (column * count + row);
                content[begin..begin + 8].copy_from_slice(&value.to_le_bytes());
            }
        }
        Ok(())
    })
}

/// A column of 64 bits.
fn numbers(column: &[u8]) -> Vec<i64> {
    column.chunks_exact(8).map(|bytes| i64::from_le_bytes(bytes.try_into().unwrap_or_default())).collect()
}
