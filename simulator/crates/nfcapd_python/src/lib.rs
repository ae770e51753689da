//! The decoder of nfcapd files for Python: a file's bytes in, columns of 64-bit numbers out.

use hntes_nfcapd::{Cause, Column, Exporter, Reader, Refusal, Sums};
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
/// (packets, bytes) of all records, TCP, UDP and the others.
type Totals = Vec<(u64, u64)>;

/// A file that is read block by block.
#[pyclass]
struct FlowFile(Reader<Vec<u8>>);

#[pymethods]
impl FlowFile {
    #[new]
    fn new(py: Python<'_>, content: &[u8]) -> PyResult<Self> {
        let content = content.to_vec();
        py.detach(|| Reader::new(content)).map(Self).map_err(|refusal| raised(&refusal))
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

    /// The exporters named in the blocks read so far.
    #[getter]
    fn exporters(&self) -> Vec<Named> {
        self.0.exporters().iter().map(named).collect()
    }

    /// (records, columns one after another in little-endian order) of the next block; None after the last.
    fn next_block(&mut self, py: Python<'_>) -> PyResult<Option<(usize, Py<PyBytes>)>> {
        let Some(columns) = py.detach(|| self.0.next_block()).map_err(|refusal| raised(&refusal))? else {
            return Ok(None);
        };
        let bytes = PyBytes::new_with(py, columns.values().len() * 8, |bytes| {
            for (place, value) in bytes.chunks_exact_mut(8).zip(columns.values()) {
                place.copy_from_slice(&value.to_le_bytes());
            }
            Ok(())
        })?;
        Ok(Some((columns.rows(), bytes.unbind())))
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
