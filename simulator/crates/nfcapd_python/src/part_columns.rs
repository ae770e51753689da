//! Columns of the lake's parts, and the rows of keys that carry much, for Python.

use hntes_part_columns::{Chunk, ChunkReader, Looked};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

/// Looks for the rows of a day whose key may add up to more than a number of bytes.
///
/// Columns of a row group are given one after another, those of the key and then the bytes; `add`, or `look_again`, takes
/// them as a group.
#[pyclass]
pub struct HeavyRows {
    rows: hntes_part_columns::HeavyRows,
    reader: ChunkReader,
    key_columns: usize,
    given: Vec<Vec<u64>>,
    spare: Vec<Vec<u64>>,
}

#[pymethods]
impl HeavyRows {
    #[new]
    fn new(multipliers: Vec<u64>, most_kept: usize) -> PyResult<Self> {
        let key_columns = multipliers.len();
        let rows = hntes_part_columns::HeavyRows::new(multipliers, most_kept);
        Ok(Self { rows, reader: reader()?, key_columns, given: Vec::new(), spare: Vec::new() })
    }

    /// Gives a column as the bytes of its chunk; False where they are for a general reader, whose values are given then.
    fn give_chunk(&mut self, bytes: &[u8], rows: usize, width: usize) -> bool {
        let mut values = self.spare.pop().unwrap_or_default();
        let chunk = Chunk { bytes, rows, width, is_optional: false };
        if self.reader.all(&chunk, &mut values).is_some() {
            self.given.push(values);
            return true;
        }
        self.spare.push(values);
        false
    }

    /// Gives a column as the bits of its values.
    #[expect(clippy::needless_pass_by_value, reason = "Python arguments arrive as owned values")]
    fn give_values(&mut self, py: Python<'_>, values: PyBuffer<u64>) -> PyResult<()> {
        self.given.push(values.to_vec(py)?);
        Ok(())
    }

    /// Looks at a group for the first time.
    fn add(&mut self) -> PyResult<()> {
        self.checked()?;
        self.rows.add(&self.given[..self.key_columns], &self.given[self.key_columns]);
        self.spare.append(&mut self.given);
        Ok(())
    }

    /// After the last group.
    fn sum_up(&mut self, most_bytes: u64) {
        self.rows.sum_up(most_bytes);
    }

    /// Looks again at the next group: how many rows are in busy cells so far, or None where its columns were not kept.
    fn look(&mut self) -> Option<usize> {
        match self.rows.look() {
            Looked::Hits(rows) => Some(rows),
            Looked::NotKept => None,
        }
    }

    /// The same with the group's columns.
    fn look_again(&mut self) -> PyResult<usize> {
        self.checked()?;
        let found = self.rows.look_again(&self.given[..self.key_columns], &self.given[self.key_columns]);
        self.spare.append(&mut self.given);
        Ok(found)
    }

    /// By row group the places of the rows of keys that may have more than so many bytes.
    fn places(&self, most_bytes: u64) -> Vec<Vec<u32>> {
        self.rows.places(most_bytes)
    }
}

impl HeavyRows {
    fn checked(&self) -> PyResult<()> {
        let is_whole = self.given.len() == self.key_columns + 1;
        if !is_whole || self.given.iter().any(|column| column.len() != self.given[0].len()) {
            return Err(PyValueError::new_err("the columns are not those of the key and bytes, or not of one length"));
        }
        Ok(())
    }
}

/// Takes the values of few rows out of columns.
#[pyclass]
pub struct ColumnChunks(ChunkReader);

#[pymethods]
impl ColumnChunks {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(Self(reader()?))
    }

    /// The bits of the values at these rows, in their order; None where they are for a general reader.
    #[expect(clippy::needless_pass_by_value, reason = "Python arguments arrive as owned values")]
    fn at(&mut self, bytes: &[u8], rows: usize, width: usize, is_optional: bool, places: Vec<u32>) -> Option<Vec<u64>> {
        self.0.at(&Chunk { bytes, rows, width, is_optional }, &places)
    }
}

fn reader() -> PyResult<ChunkReader> {
    ChunkReader::new().map_err(|cause| PyMemoryError::new_err(cause.to_string()))
}
