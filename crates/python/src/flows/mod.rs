//! The decoder of nfcapd files for Python: a file's path in, columns of 64-bit numbers out.

mod minute_sums;
mod part_columns;
mod rows;

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use hntes_nfcapd::{
    Cause, Column, Columns, Counted, Decision, Exporter, GroupKey, Groups, LAKE_COLUMNS, Reader, Refusal, Source,
    Split, Sums,
};
use pyo3::buffer::PyBuffer;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use minute_sums::MinuteSums;
use part_columns::{ColumnChunks, Repeats};
use rows::{Decoded, Part, Rows, Spare};

create_exception!(
    _native,
    DamagedFileError,
    PyValueError,
    "A file that contradicts itself; the message names the byte."
);
create_exception!(
    _native,
    UnknownFileError,
    PyValueError,
    "A file with something unknown; the message names the byte."
);

/// (id, interval, space).
type Sampler = (i64, u32, u32);
/// (number, upper and lower half of the address, 4 or 6, samplers, (export packets, sequence failures)).
type Named = (u32, u64, u64, u8, Vec<Sampler>, (u64, u64));
/// (records, numbers of columns, their values).
type Stored = (usize, Vec<usize>, Py<PyBytes>);
/// (owner, multiplier, factor, flags, halves of the exporter's address, bytes per millisecond of the owner's slowest
/// port, by how many milliseconds times are moved, whether the collector's clock decides on them).
type Ruled = (u32, i64, i64, i64, i64, i64, f64, i64, bool);
/// (group, how many of its plain records have times in whole seconds and how many others, how many of several packets do
/// not last and how many last, the times from their ends to their reception as signed 64-bit numbers).
type Times = (usize, (u64, u64), (u64, u64), Py<PyBytes>);
/// (records, bytes; the same of records of more than a day before they were received).
type Counts = (u64, i64, u64, i64);
/// (packets, bytes) of all records, TCP, UDP and the others.
type Totals = Vec<(u64, u64)>;

/// A file on disk. It is read, not mapped: one that is cut short meanwhile is an error and not the end of the process.
struct Opened(File);

/// `O_NONBLOCK` of Linux, on x86 as on ARM.
const WITHOUT_WAITING: i32 = 0o4000;

impl Opened {
    /// Whatever else has the file's name by now, such as a pipe that nobody writes into, is not waited for.
    fn at(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).custom_flags(WITHOUT_WAITING).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file but a folder, pipe, device or socket"));
        }
        Ok(Self(file))
    }
}

impl Source for Opened {
    fn read(&self, offset: usize, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let mut file = &self.0;
        file.seek(SeekFrom::Start(offset as u64))?;
        let mut bytes = Vec::with_capacity(length);
        file.take(length as u64).read_to_end(&mut bytes)?;
        Ok(Cow::Owned(bytes))
    }
}

/// A file that is read block by block.
#[pyclass]
struct FlowFile {
    reader: Reader<Opened>,
    groups: Groups,
    /// Columns of batches that are gone.
    spare: Spare,
}

#[pymethods]
impl FlowFile {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = Opened::at(path)?;
        let reader = py.detach(|| Reader::new(file)).map_err(|refusal| raised(&refusal))?;
        Ok(Self { reader, groups: Groups::default(), spare: Spare::default() })
    }

    /// 1 (nfdump 1.6), 2 (nfdump 1.7) or 3 (nfdump 1.8).
    #[getter]
    fn layout(&self) -> u16 {
        self.reader.layout()
    }

    /// (records, missed exports, sums) as the file promises them.
    #[getter]
    fn promised(&self) -> (u64, u64, Totals) {
        let statistics = self.reader.statistics();
        (statistics.records, statistics.sequence_failures, totals(&statistics.sums))
    }

    /// The sums of the records read so far: by the first counter, and by both.
    #[getter]
    fn counted(&self) -> (Totals, Totals) {
        let (first, both) = self.reader.sums();
        (totals(first), totals(both))
    }

    /// Of the records read so far: how many have no counters, and how many flows the others stand for.
    #[getter]
    fn flows(&self) -> (u64, u64) {
        self.reader.flows()
    }

    /// A number that grows whenever `exporters` changes.
    #[getter]
    fn named(&self) -> usize {
        self.reader.exporter_changes()
    }

    /// The exporters named in the blocks read so far.
    #[getter]
    fn exporters(&self) -> Vec<Named> {
        self.reader.exporters().iter().map(named).collect()
    }

    /// The next blocks: as many as it takes to have `least` records, or all that are left; None after the last.
    fn next_batch(&mut self, py: Python<'_>, least: usize) -> PyResult<Option<Batch>> {
        let blocks = py.detach(|| self.read(least)).map_err(|refusal| raised(&refusal))?;
        if blocks.is_empty() {
            return Ok(None);
        }
        let groups = py.detach(|| self.groups.of(&blocks));
        let spare = Arc::clone(&self.spare);
        let decoded = Arc::new(Decoded { blocks, groups, spare });
        Ok(Some(Batch { decoded, decisions: Arc::default(), parted: Split::default() }))
    }

    /// (sysid, sampled, version of the exporter's address, its halves) of each group of the records read so far, from the
    /// group `first` on.
    fn groups(&self, first: usize) -> Vec<GroupKey> {
        self.groups.keys().get(first..).unwrap_or_default().to_vec()
    }
}

/// What is decided on the groups of a file.
#[pyclass]
#[derive(Default)]
struct Decisions(hntes_nfcapd::Decisions);

#[pymethods]
impl Decisions {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Sets what is decided on the groups from `first` on, None where their records are not plain.
    fn decide(&mut self, first: usize, decisions: Vec<Option<Ruled>>) {
        self.0.of.truncate(first);
        self.0.of.extend(decisions.into_iter().map(|one| one.map(decision)));
    }

    /// Of each group's plain records so far.
    #[getter]
    fn counted(&self) -> Vec<Counts> {
        let counts = |group: &Counted| (group.records, group.bytes, group.old_records, group.old_bytes);
        self.0.counted.iter().map(counts).collect()
    }
}

/// Records of some blocks. They are numbered from 0 on.
#[pyclass]
struct Batch {
    decoded: Arc<Decoded>,
    decisions: Arc<Vec<Option<Decision>>>,
    parted: Split,
}

#[pymethods]
impl Batch {
    #[getter]
    fn records(&self) -> usize {
        self.decoded.blocks.iter().map(Columns::rows).sum()
    }

    /// Finds the plain records. The times of groups that have some; and the numbers of the others, in their order, as
    /// unsigned 32-bit numbers.
    fn split(
        &mut self,
        py: Python<'_>,
        mut decisions: PyRefMut<'_, Decisions>,
        ahead_ms: i64,
    ) -> PyResult<(Vec<Times>, Py<PyBytes>)> {
        let decided = &mut decisions.0;
        let before = decided.counted.clone();
        self.parted = decided.split(&self.decoded.blocks, &self.decoded.groups, ahead_ms);
        self.decisions = Arc::new(decided.of.clone());
        let then = before.into_iter().chain(std::iter::repeat(Counted::default()));
        let with_some =
            decided.counted.iter().zip(then).enumerate().filter(|(_, (now, then))| now.records > then.records);
        let times = with_some.map(|(group, (now, then))| {
            let fine = now.fine - then.fine;
            let seconds = (now.records - then.records - fine, fine);
            let durations = (now.instants - then.instants, now.lasting - then.lasting);
            Ok((group, seconds, durations, signed_bytes(py, &self.parted.lags_ms[group])?))
        });
        let times = times.collect::<PyResult<_>>()?;
        Ok((times, PyBytes::new(py, &bytes_of(&self.parted.rest)).unbind()))
    }

    /// (records, numbers of the columns that are not 0 in all of them, these columns one after another in little-endian
    /// order) of all records.
    fn stored(&self, py: Python<'_>) -> PyResult<Stored> {
        self.written(py, self.records(), |block, _| (0..block.rows()).collect())
    }

    /// The same of the records that are not plain.
    fn rest(&self, py: Python<'_>) -> PyResult<Stored> {
        let rest = &self.parted.rest;
        self.written(py, rest.len(), |block, begin| {
            let from = rest.partition_point(|number| (*number as usize) < begin);
            let inside = rest[from..].iter().map(|number| *number as usize - begin);
            inside.take_while(|row| *row < block.rows()).collect()
        })
    }

    /// Rows of an owner's plain records and of others that were judged elsewhere, in the order of their numbers. `others`
    /// are these numbers and the bytes of their columns, in the order of `LAKE_COLUMNS`.
    fn rows(&self, py: Python<'_>, owner: usize, others: Option<(Vec<u32>, Vec<PyBuffer<u8>>)>) -> PyResult<Rows> {
        let (numbers, columns) = others.unwrap_or_default();
        let plain = self.parted.plain.get(owner).cloned().unwrap_or_default();
        Rows::of(py, Arc::clone(&self.decoded), Arc::clone(&self.decisions), plain, numbers, columns)
    }
}

impl Batch {
    /// Some records of each block, which `chosen` gives by their places in it; it is given the block's first number.
    fn written(
        &self,
        py: Python<'_>,
        records: usize,
        chosen: impl Fn(&Columns, usize) -> Vec<usize>,
    ) -> PyResult<Stored> {
        let mut begin = 0;
        let blocks: Vec<(&Columns, Vec<usize>)> = self
            .decoded
            .blocks
            .iter()
            .map(|block| {
                begin += block.rows();
                (block, chosen(block, begin - block.rows()))
            })
            .collect();
        let is_used = |column: &usize| {
            blocks.iter().any(|(block, rows)| rows.iter().any(|row| block.numbered(*column)[*row] != 0))
        };
        let used: Vec<usize> = (0..Column::COUNT).filter(is_used).collect();
        let bytes = PyBytes::new_with(py, records * used.len() * 8, |bytes| {
            let all = used.iter().flat_map(|column| {
                blocks.iter().flat_map(|(block, rows)| rows.iter().map(|row| block.numbered(*column)[*row]))
            });
            for (place, value) in bytes.chunks_exact_mut(8).zip(all) {
                place.copy_from_slice(&value.to_le_bytes());
            }
            Ok(())
        })?;
        Ok((records, used, bytes.unbind()))
    }
}

fn decision(ruled: Ruled) -> Decision {
    let (owner, multiplier, factor, flags, exporter_hi, exporter_lo, bytes_per_ms, shift_ms, by_collector) = ruled;
    let multiplier = multiplier.max(1);
    Decision { owner, multiplier, factor, flags, exporter_hi, exporter_lo, bytes_per_ms, shift_ms, by_collector }
}

fn signed_bytes(py: Python<'_>, numbers: &[i64]) -> PyResult<Py<PyBytes>> {
    let bytes = PyBytes::new_with(py, numbers.len() * 8, |bytes| {
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        Ok(())
    })?;
    Ok(bytes.unbind())
}

fn bytes_of(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

impl FlowFile {
    fn read(&mut self, least: usize) -> Result<Vec<Columns>, Refusal> {
        if let Ok(mut spare) = self.spare.lock() {
            spare.drain(..).for_each(|buffer| self.reader.reuse(buffer));
        }
        let (mut blocks, mut records) = (Vec::new(), 0);
        while records < least {
            let Some(block) = self.reader.next_block()? else { break };
            records += block.rows();
            blocks.push(block);
        }
        Ok(blocks)
    }
}

fn raised(refusal: &Refusal) -> PyErr {
    match refusal.cause {
        Cause::Damaged => DamagedFileError::new_err(refusal.to_string()),
        Cause::Unknown => UnknownFileError::new_err(refusal.to_string()),
    }
}

fn totals(sums: &Sums) -> Totals {
    sums.kinds.iter().map(|totals| (totals.packets, totals.bytes)).collect()
}

fn named(exporter: &Exporter) -> Named {
    let samplers = exporter.samplers.iter().map(|sampler| (sampler.id, sampler.interval, sampler.space)).collect();
    let counts = (exporter.exported.packets, exporter.exported.sequence_failures);
    (exporter.sysid, exporter.hi, exporter.lo, exporter.ip_version, samplers, counts)
}

/// Add what reads flow files and writes the lake to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("COLUMNS", Column::NAMES.to_vec())?;
    module.add("LAKE_COLUMNS", LAKE_COLUMNS.to_vec())?;
    module.add("DamagedFileError", module.py().get_type::<DamagedFileError>())?;
    module.add("UnknownFileError", module.py().get_type::<UnknownFileError>())?;
    module.add("PanicException", module.py().get_type::<PanicException>())?;
    module.add_class::<FlowFile>()?;
    module.add_class::<Batch>()?;
    module.add_class::<Decisions>()?;
    module.add_class::<MinuteSums>()?;
    module.add_class::<ColumnChunks>()?;
    module.add_class::<Repeats>()?;
    module.add_class::<Rows>()?;
    module.add_class::<Part>()
}
