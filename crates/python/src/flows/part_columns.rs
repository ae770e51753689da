//! Columns of the lake's parts, the rows of keys that carry much, and those that repeat others, for Python.

use hntes_lake_columns::{Asked, Chunk, ChunkReader, Looked, Metered, NotComparable, Point};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Columns of a row group, which are given one after another.
struct Given {
    reader: ChunkReader,
    columns: Vec<Vec<u64>>,
    spare: Vec<Vec<u64>>,
}

impl Given {
    fn new() -> PyResult<Self> {
        Ok(Self { reader: reader()?, columns: Vec::new(), spare: Vec::new() })
    }

    /// False where the bytes of a chunk are for a general reader.
    fn give_chunk(&mut self, bytes: &[u8], rows: usize, width: usize) -> bool {
        let mut values = self.spare.pop().unwrap_or_default();
        let chunk = Chunk { bytes, rows, width, is_optional: false };
        let is_read = self.reader.all(&chunk, &mut values).is_some();
        if is_read { &mut self.columns } else { &mut self.spare }.push(values);
        is_read
    }

    /// What was given, which must be so many columns of one length.
    fn whole<const COLUMNS: usize>(&self) -> PyResult<[&[u64]; COLUMNS]> {
        let columns: Vec<&[u64]> = self.columns.iter().map(Vec::as_slice).collect();
        let is_whole = columns.iter().all(|column| column.len() == columns[0].len());
        columns.try_into().ok().filter(|_| is_whole).ok_or_else(|| {
            PyValueError::new_err(format!("not {COLUMNS} columns of one length, but {}", self.columns.len()))
        })
    }

    /// Forgets it.
    fn clear(&mut self) {
        self.spare.append(&mut self.columns);
    }
}

/// Looks for the rows of a day whose key may add up to more than a number of bytes.
///
/// Columns of a row group are given one after another, those of the key and then the bytes; `add`, or `look_again`, takes
/// them as a group.
#[pyclass]
pub struct HeavyRows {
    rows: hntes_lake_columns::HeavyRows,
    given: Given,
    key_columns: usize,
}

#[pymethods]
impl HeavyRows {
    #[new]
    fn new(multipliers: Vec<u64>, most_kept: usize) -> PyResult<Self> {
        let key_columns = multipliers.len();
        Ok(Self { rows: hntes_lake_columns::HeavyRows::new(multipliers, most_kept), given: Given::new()?, key_columns })
    }

    /// Gives a column as the bytes of its chunk; False where they are for a general reader, whose values are given then.
    fn give_chunk(&mut self, bytes: &[u8], rows: usize, width: usize) -> bool {
        self.given.give_chunk(bytes, rows, width)
    }

    /// Gives a column as the bits of its values.
    #[expect(clippy::needless_pass_by_value, reason = "Python arguments arrive as owned values")]
    fn give_values(&mut self, py: Python<'_>, values: PyBuffer<u64>) -> PyResult<()> {
        self.given.columns.push(values.to_vec(py)?);
        Ok(())
    }

    /// Looks at a group for the first time.
    fn add(&mut self) -> PyResult<()> {
        self.checked()?;
        self.rows.add(&self.given.columns[..self.key_columns], &self.given.columns[self.key_columns]);
        self.given.clear();
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
        let (key, bytes) = self.given.columns.split_at(self.key_columns);
        let found = self.rows.look_again(key, &bytes[0]);
        self.given.clear();
        Ok(found)
    }

    /// By row group the places of the rows of keys that may have more than so many bytes.
    fn places(&self, most_bytes: u64) -> Vec<Vec<u32>> {
        self.rows.places(most_bytes)
    }
}

impl HeavyRows {
    fn checked(&self) -> PyResult<()> {
        let given = &self.given.columns;
        if given.len() != self.key_columns + 1 || given.iter().any(|column| column.len() != given[0].len()) {
            return Err(PyValueError::new_err("the columns are not those of the key and bytes, or not of one length"));
        }
        Ok(())
    }
}

/// Looks for the rows of flows that another metering point read more of.
///
/// Columns of a row group are given one after another in the order of `Metered`; `add` takes them as a group.
#[pyclass]
pub struct Repeats {
    repeats: hntes_lake_columns::Repeats,
    given: Given,
}

#[pymethods]
impl Repeats {
    /// `points` are (exporter's halves and direction as bits, place among those that are compared).
    #[new]
    fn new(
        points: Vec<(Point, u8)>,
        bounds_ms: (i64, i64),
        held_bytes: usize,
        multipliers: Vec<u64>,
    ) -> PyResult<Self> {
        let asked = Asked { points, from_ms: bounds_ms.0, to_ms: bounds_ms.1, held_bytes };
        let repeats = hntes_lake_columns::Repeats::new(&asked, multipliers)
            .map_err(|NotComparable| PyValueError::new_err("too many metering points, or not eleven multipliers"))?;
        Ok(Self { repeats, given: Given::new()? })
    }

    /// Gives a column as the bytes of its chunk; False where they are for a general reader, whose values are given then.
    fn give_chunk(&mut self, bytes: &[u8], rows: usize, width: usize) -> bool {
        self.given.give_chunk(bytes, rows, width)
    }

    /// Gives a column as the bits of its values.
    #[expect(clippy::needless_pass_by_value, reason = "Python arguments arrive as owned values")]
    fn give_values(&mut self, py: Python<'_>, values: PyBuffer<u64>) -> PyResult<()> {
        self.given.columns.push(values.to_vec(py)?);
        Ok(())
    }

    /// Takes the next group of a pass; each pass has the same groups in the same order. False where a row cannot be
    /// compared.
    fn add(&mut self) -> PyResult<bool> {
        let [
            ip_version,
            src_hi,
            src_lo,
            dst_hi,
            dst_lo,
            src_port,
            dst_port,
            protocol,
            exporter_hi,
            exporter_lo,
            direction,
            output_interface,
            first_ms,
            last_ms,
            bytes,
        ] = self.given.whole()?;
        let rows = Metered {
            ip_version,
            src_hi,
            src_lo,
            dst_hi,
            dst_lo,
            src_port,
            dst_port,
            protocol,
            exporter_hi,
            exporter_lo,
            direction,
            output_interface,
            first_ms,
            last_ms,
            bytes,
        };
        let is_comparable = self.repeats.add(&rows).is_ok();
        self.given.clear();
        Ok(is_comparable)
    }

    /// After the last group of a pass: whether there must be another; None where rows cannot be compared.
    fn end_pass(&mut self) -> Option<bool> {
        self.repeats.end_pass().ok()
    }

    /// After the last pass, for each of `rows` rows of a group 1 where it repeats what another point counts, else 0.
    fn of_group(&self, py: Python<'_>, group: usize, rows: usize) -> PyResult<Py<PyBytes>> {
        let found = self.repeats.of_group(group, rows);
        let found = found.ok_or_else(|| PyIndexError::new_err(format!("no group {group} of {rows} rows")))?;
        Ok(PyBytes::new(py, &found).unbind())
    }
}

/// Takes values out of columns.
#[pyclass]
pub struct ColumnChunks(ChunkReader);

#[pymethods]
impl ColumnChunks {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(Self(reader()?))
    }

    /// The bits of all values of a column in which none is missing, eight bytes each, the lowest first; None where they
    /// are for a general reader.
    fn all(&mut self, py: Python<'_>, bytes: &[u8], rows: usize, width: usize) -> PyResult<Option<Py<PyBytes>>> {
        let mut values = Vec::new();
        if self.0.all(&Chunk { bytes, rows, width, is_optional: false }, &mut values).is_none() {
            return Ok(None);
        }
        let copied = PyBytes::new_with(py, rows * 8, |to| {
            to.chunks_exact_mut(8).zip(&values).for_each(|(to, value)| to.copy_from_slice(&value.to_le_bytes()));
            Ok(())
        })?;
        Ok(Some(copied.unbind()))
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
