//! Columns of the lake's parts, and rows that repeat others, for Python.

use hntes_lake::{Asked, Chunk, ChunkReader, Metered, NotComparable, Point};
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

    fn give_chunk(&mut self, bytes: &[u8], rows: usize, width: usize) -> PyResult<()> {
        let mut values = self.spare.pop().unwrap_or_default();
        self.reader.all(&Chunk { bytes, rows, width, is_optional: false }, &mut values).ok_or_else(foreign)?;
        self.columns.push(values);
        Ok(())
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

/// Looks for the rows of flows that another metering point read more of.
///
/// Columns of a row group are given one after another in the order of `Metered`; `add` takes them as a group.
#[pyclass]
pub struct Repeats {
    repeats: hntes_lake::Repeats,
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
        let repeats = hntes_lake::Repeats::new(&asked, multipliers)
            .map_err(|NotComparable| PyValueError::new_err("too many metering points, or not eleven multipliers"))?;
        Ok(Self { repeats, given: Given::new()? })
    }

    /// Gives a column as the bytes of its chunk.
    fn give_chunk(&mut self, bytes: &[u8], rows: usize, width: usize) -> PyResult<()> {
        self.given.give_chunk(bytes, rows, width)
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

/// Takes values out of columns, in memory that it uses again.
#[pyclass]
pub struct ColumnChunks {
    reader: ChunkReader,
    values: Vec<u64>,
}

#[pymethods]
impl ColumnChunks {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(Self { reader: reader()?, values: Vec::new() })
    }

    /// The bits of all values of a column in which none is missing, eight bytes each, the lowest first.
    fn all(&mut self, py: Python<'_>, bytes: &[u8], rows: usize, width: usize) -> PyResult<Py<PyBytes>> {
        let chunk = Chunk { bytes, rows, width, is_optional: false };
        self.reader.all(&chunk, &mut self.values).ok_or_else(foreign)?;
        as_bytes(py, &self.values)
    }

    /// The bits of the values at these rows, which ascend, in the same form.
    #[expect(clippy::needless_pass_by_value, reason = "Python arguments arrive as owned values")]
    fn at(
        &mut self,
        py: Python<'_>,
        bytes: &[u8],
        rows: usize,
        width: usize,
        is_optional: bool,
        places: PyBuffer<u32>,
    ) -> PyResult<Py<PyBytes>> {
        let values = self.reader.at(&Chunk { bytes, rows, width, is_optional }, &places.to_vec(py)?);
        as_bytes(py, &values.ok_or_else(foreign)?)
    }
}

fn as_bytes(py: Python<'_>, values: &[u64]) -> PyResult<Py<PyBytes>> {
    let copied = PyBytes::new_with(py, values.len() * 8, |to| {
        to.chunks_exact_mut(8).zip(values).for_each(|(to, value)| to.copy_from_slice(&value.to_le_bytes()));
        Ok(())
    })?;
    Ok(copied.unbind())
}

fn foreign() -> PyErr {
    PyValueError::new_err("not written as ingest writes it")
}

fn reader() -> PyResult<ChunkReader> {
    ChunkReader::new().map_err(|cause| PyMemoryError::new_err(cause.to_string()))
}
