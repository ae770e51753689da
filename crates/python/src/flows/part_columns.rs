//! Columns of the lake's parts, and rows that repeat others, for Python.

use std::fs::{File, OpenOptions, remove_file};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;

use hntes_lake::{Aside, Asked, Chunk, ChunkReader, Failure, Metered, Point};
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

/// A file that is made when something is put there. It has no name then, so that a killed process leaves nothing.
struct ScratchFile {
    path: PathBuf,
    file: Option<File>,
    size: u64,
}

impl Aside for ScratchFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let file = if let Some(file) = &self.file {
            file
        } else {
            let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&self.path)?;
            remove_file(&self.path)?;
            self.file.insert(file)
        };
        let begin = self.size;
        file.write_all_at(bytes, begin)?;
        self.size += bytes.len() as u64;
        Ok(begin)
    }

    fn read(&mut self, begin: u64, bytes: &mut [u8]) -> io::Result<()> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::UnexpectedEof)?;
        file.read_exact_at(bytes, begin)
    }
}

/// Looks for the rows of flows that another metering point read more of.
///
/// Columns of a row group are given one after another in the order of `Metered`; `add` takes them as a group.
#[pyclass]
pub struct Repeats {
    repeats: hntes_lake::Repeats<ScratchFile>,
    given: Given,
}

#[pymethods]
impl Repeats {
    /// `points` are (exporter's halves and direction as bits, place among those that are compared). What finds no place
    /// in `held_bytes` of memory goes to the file `aside`, which must not be there.
    #[new]
    fn new(
        points: Vec<(Point, u8)>,
        bounds_ms: (i64, i64),
        held_bytes: usize,
        multipliers: Vec<u64>,
        aside: PathBuf,
    ) -> PyResult<Self> {
        let asked = Asked { points, from_ms: bounds_ms.0, to_ms: bounds_ms.1, held_bytes };
        let aside = ScratchFile { path: aside, file: None, size: 0 };
        let repeats = hntes_lake::Repeats::new(&asked, multipliers, aside)
            .map_err(|_| PyValueError::new_err("too many metering points, or not eleven multipliers"))?;
        Ok(Self { repeats, given: Given::new()? })
    }

    /// Gives a column as the bytes of its chunk.
    fn give_chunk(&mut self, bytes: &[u8], rows: usize, width: usize) -> PyResult<()> {
        self.given.give_chunk(bytes, rows, width)
    }

    /// Takes what was given as the next group. False where a row cannot be compared.
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
        let added = self.repeats.add(&rows);
        self.given.clear();
        is_comparable(added)
    }

    /// After the last group: compares all. False where that cannot be done.
    fn finish(&mut self) -> PyResult<bool> {
        is_comparable(self.repeats.finish())
    }

    /// At the end, for each of `rows` rows of a group 1 where it repeats what another point counts, else 0.
    fn of_group(&self, py: Python<'_>, group: usize, rows: usize) -> PyResult<Py<PyBytes>> {
        let found = self.repeats.of_group(group, rows);
        let found = found.ok_or_else(|| PyIndexError::new_err(format!("no group {group} of {rows} rows")))?;
        Ok(PyBytes::new(py, &found).unbind())
    }
}

fn is_comparable(done: Result<(), Failure>) -> PyResult<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(Failure::NotComparable) => Ok(false),
        Err(Failure::Aside(cause)) => Err(cause.into()),
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
