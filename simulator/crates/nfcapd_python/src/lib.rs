//! The decoder of nfcapd files for Python: a file's path in, columns of 64-bit numbers out.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use hntes_nfcapd::{Cause, Column, Columns, Exporter, Reader, Refusal, Source, Sums};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

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
/// (number, upper and lower half of the address, 4 or 6, samplers).
type Named = (u16, u64, u64, u8, Vec<Sampler>);
/// (records, numbers of columns, their values).
type Batch = (usize, Vec<usize>, Py<PyBytes>);
/// (packets, bytes) of all records, TCP, UDP and the others.
type Totals = Vec<(u64, u64)>;

/// A file on disk. It is read, not mapped: one that is cut short meanwhile is an error and not the end of the process.
struct Opened(File);

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
struct FlowFile(Reader<Opened>);

#[pymethods]
impl FlowFile {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = File::open(path)?;
        py.detach(|| Reader::new(Opened(file))).map(Self).map_err(|refusal| raised(&refusal))
    }

    /// 1 (nfdump 1.6) or 2 (nfdump 1.7).
    #[getter]
    fn layout(&self) -> u16 {
        self.0.layout()
    }

    /// (records, missed exports, sums) as the file promises them.
    #[getter]
    fn promised(&self) -> (u64, u64, Totals) {
        let statistics = self.0.statistics();
        (statistics.records, statistics.sequence_failures, totals(&statistics.sums))
    }

    /// The sums of the records read so far: by the first counter, and by both.
    #[getter]
    fn counted(&self) -> (Totals, Totals) {
        let (first, both) = self.0.sums();
        (totals(first), totals(both))
    }

    /// How many exporters and samplers the blocks read so far name.
    #[getter]
    fn named(&self) -> usize {
        self.0.exporters().iter().map(|exporter| 1 + exporter.samplers.len()).sum()
    }

    /// The exporters named in the blocks read so far.
    #[getter]
    fn exporters(&self) -> Vec<Named> {
        self.0.exporters().iter().map(named).collect()
    }

    /// (records, numbers of the columns that are not 0 in all of them, these columns one after another in little-endian
    /// order) of the next blocks: of as many as it takes to have `least` records, or of all that are left; None after
    /// the last.
    fn next_blocks(&mut self, py: Python<'_>, least: usize) -> PyResult<Option<Batch>> {
        let blocks = py.detach(|| self.read(least)).map_err(|refusal| raised(&refusal))?;
        if blocks.is_empty() {
            return Ok(None);
        }
        let records: usize = blocks.iter().map(Columns::rows).sum();
        let is_used =
            |column: &usize| blocks.iter().any(|block| values(block, *column).iter().any(|value| *value != 0));
        let used: Vec<usize> = (0..Column::COUNT).filter(is_used).collect();
        let bytes = PyBytes::new_with(py, records * used.len() * 8, |bytes| {
            let all = used.iter().flat_map(|column| blocks.iter().map(|block| values(block, *column)));
            let mut rest = bytes;
            for values in all {
                let (places, later) = rest.split_at_mut(values.len() * 8);
                for (place, value) in places.chunks_exact_mut(8).zip(values) {
                    place.copy_from_slice(&value.to_le_bytes());
                }
                rest = later;
            }
            Ok(())
        })?;
        Ok(Some((records, used, bytes.unbind())))
    }
}

fn values(block: &Columns, column: usize) -> &[u64] {
    &block.values()[column * block.rows()..(column + 1) * block.rows()]
}

impl FlowFile {
    fn read(&mut self, least: usize) -> Result<Vec<Columns>, Refusal> {
        let (mut blocks, mut records) = (Vec::new(), 0);
        while records < least {
            let Some(block) = self.0.next_block()? else { break };
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
    (exporter.sysid, exporter.hi, exporter.lo, exporter.ip_version, samplers)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("COLUMNS", Column::NAMES.to_vec())?;
    module.add("DamagedFileError", module.py().get_type::<DamagedFileError>())?;
    module.add("UnknownFileError", module.py().get_type::<UnknownFileError>())?;
    module.add_class::<FlowFile>()
}
