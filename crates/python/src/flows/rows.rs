//! Rows of the lake on their way from records to a part, and the part. Python holds them and does not look inside.

use std::sync::{Arc, Mutex};

use hntes_nfcapd::{Columns, Decision, LAKE_COLUMNS, Limits, PlainRows, Room, RowGroup, Values};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::minute_sums::{Written, written};

const DAY_MS: i64 = 86_400_000;

/// Columns of batches that are gone.
pub type Spare = Arc<Mutex<Vec<Columns>>>;

/// Records of some blocks.
#[derive(Default)]
pub struct Decoded {
    pub blocks: Vec<Columns>,
    pub groups: Vec<u32>,
    pub spare: Spare,
}

impl Drop for Decoded {
    fn drop(&mut self) {
        if let Ok(mut spare) = self.spare.lock() {
            spare.append(&mut self.blocks);
        }
    }
}

/// Rows of one owner: plain records of a batch, and others that were judged elsewhere.
#[pyclass(frozen)]
pub struct Rows {
    decoded: Arc<Decoded>,
    decisions: Arc<Vec<Option<Decision>>>,
    plain: Vec<u32>,
    /// The numbers of the others, and their places in `columns`.
    others: Vec<(u32, u32)>,
    columns: Arc<Vec<Vec<i64>>>,
}

#[pymethods]
impl Rows {
    /// Rows that are given by their columns, in the order of `LAKE_COLUMNS` and in these widths.
    #[new]
    fn new(py: Python<'_>, columns: Vec<PyBuffer<u8>>) -> PyResult<Self> {
        let rows = columns.first().map_or(0, |times| times.len_bytes() / 8);
        let others = (0..rows as u32).collect();
        Self::of(py, Arc::default(), Arc::default(), Vec::new(), others, columns)
    }

    /// How many there are.
    #[getter]
    fn records(&self) -> usize {
        self.plain.len() + self.others.len()
    }

    /// The same by day of their end (days since 1970, UTC).
    fn by_day(slf: &Bound<'_, Self>) -> PyResult<Vec<(i64, Py<Self>)>> {
        let rows = slf.get();
        let column = LAKE_COLUMNS.iter().position(|(name, _)| *name == "last_ms").unwrap_or_default();
        let mut plain = Values::default();
        rows.piece(&rows.plain, &[], |piece, _| piece.append(column, &[], &mut plain));
        let of_other = |place: u32| rows.columns[column][place as usize];
        let others = || rows.others.iter().map(|(_, place)| of_other(*place));
        let bounds = || plain.span().into_iter().flat_map(|(least, most)| [least, most]).chain(others());
        let (Some(least), Some(most)) = (bounds().min(), bounds().max()) else { return Ok(Vec::new()) };
        if least.div_euclid(DAY_MS) == most.div_euclid(DAY_MS) {
            return Ok(vec![(least.div_euclid(DAY_MS), slf.clone().unbind())]);
        }
        let ends = (0..plain.rows()).map(|row| plain.at(row)).chain(others());
        let mut days: Vec<i64> = ends.map(|end| end.div_euclid(DAY_MS)).collect();
        days.dedup();
        days.sort_unstable();
        days.dedup();
        let of_day = |day: &i64| {
            let is_plain = |row: &usize| plain.at(*row).div_euclid(DAY_MS) == *day;
            let mine = Self {
                decoded: Arc::clone(&rows.decoded),
                decisions: Arc::clone(&rows.decisions),
                plain: (0..rows.plain.len()).filter(is_plain).map(|row| rows.plain[row]).collect(),
                others: rows
                    .others
                    .iter()
                    .filter(|(_, place)| of_other(*place).div_euclid(DAY_MS) == *day)
                    .copied()
                    .collect(),
                columns: Arc::clone(&rows.columns),
            };
            Py::new(slf.py(), mine).map(|mine| (*day, mine))
        };
        days.iter().map(of_day).collect()
    }

    /// Their columns, in the order of `LAKE_COLUMNS` and in these widths.
    fn columns<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        let mut group = RowGroup::default();
        self.append(0, self.records(), &mut group);
        let bytes = |(values, (_, width)): (&Values, &(&str, usize))| {
            let number = |row: usize| values.at(row).to_le_bytes();
            let all: Vec<u8> = (0..values.rows()).flat_map(|row| number(row).into_iter().take(*width)).collect();
            PyBytes::new(py, &all)
        };
        group.columns().iter().zip(&LAKE_COLUMNS).map(bytes).collect()
    }
}

impl Rows {
    /// `others` are the numbers of rows whose columns are given.
    pub fn of(
        py: Python<'_>,
        decoded: Arc<Decoded>,
        decisions: Arc<Vec<Option<Decision>>>,
        plain: Vec<u32>,
        others: Vec<u32>,
        columns: Vec<PyBuffer<u8>>,
    ) -> PyResult<Self> {
        if !others.is_empty() && columns.len() != LAKE_COLUMNS.len() {
            return Err(PyValueError::new_err(format!("{} columns are not those of the lake", columns.len())));
        }
        let read = |(buffer, (name, width)): (PyBuffer<u8>, &(&str, usize))| {
            let bytes = buffer.to_vec(py)?;
            if bytes.len() != others.len() * width {
                return Err(PyValueError::new_err(format!("column {name} has {} bytes", bytes.len())));
            }
            Ok(bytes.chunks_exact(*width).map(signed).collect())
        };
        let columns = columns.into_iter().zip(&LAKE_COLUMNS).map(read).collect::<PyResult<_>>()?;
        let others = others.into_iter().zip(0..).collect();
        Ok(Self { decoded, decisions, plain, others, columns: Arc::new(columns) })
    }

    /// Appends the rows from `begin` up to `end`, by their numbers' order, to a row group.
    fn append(&self, begin: usize, end: usize, group: &mut RowGroup) {
        let (plain, others) = (self.cut(begin), self.cut(end));
        self.piece(&self.plain[plain.0..others.0], &self.others[plain.1..others.1], |rows, places| {
            let mut values = Vec::new();
            for (column, to) in group.columns_mut().iter_mut().enumerate() {
                if !places.is_empty() {
                    values.clear();
                    values.extend(places.iter().map(|(_, place)| self.columns[column][*place as usize]));
                }
                rows.append(column, &values, to);
            }
        });
    }

    fn piece<'a>(&'a self, plain: &'a [u32], others: &[(u32, u32)], take: impl FnOnce(&PlainRows<'a>, &[(u32, u32)])) {
        let numbers: Vec<u32> = others.iter().map(|(number, _)| *number).collect();
        let Decoded { blocks, groups, .. } = &*self.decoded;
        take(&PlainRows::new(blocks, groups, &self.decisions, plain, &numbers), others);
    }

    /// How many plain rows and others are among the first rows.
    fn cut(&self, rows: usize) -> (usize, usize) {
        let (mut plain, mut other) = (0, 0);
        if self.others.is_empty() {
            return (rows, 0);
        }
        while plain + other < rows {
            let is_other = match (self.plain.get(plain), self.others.get(other)) {
                (Some(number), Some((other, _))) => other < number,
                (plain, _) => plain.is_none(),
            };
            if is_other { other += 1 } else { plain += 1 }
        }
        (plain, other)
    }
}

/// A little-endian number of 1, 2, 4 or 8 bytes, with its sign.
fn signed(bytes: &[u8]) -> i64 {
    let is_negative = bytes.last().is_some_and(|byte| *byte > 0x7F);
    let mut whole = [if is_negative { 0xFF } else { 0 }; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(whole)
}

/// A part in the making: what is written of it goes to Python, rows that are fewer than a row group wait here.
#[pyclass]
pub struct Part {
    file: Option<hntes_lake::Part>,
    group: RowGroup,
    group_rows: usize,
    sums: hntes_nfcapd::MinuteSums,
    rooms: [Room; 9],
    #[pyo3(get)]
    records: u64,
    #[pyo3(get)]
    bytes: i64,
}

#[pymethods]
impl Part {
    /// `limits` are those of its minute sums: groups, points, milliseconds, counted.
    #[new]
    fn new(group_rows: usize, limits: (usize, usize, i64, i64)) -> PyResult<Self> {
        let (groups, points, lasts_ms, counted) = limits;
        Ok(Self {
            file: Some(hntes_lake::Part::new().map_err(raised)?),
            group: RowGroup::of_at_most(group_rows.max(1)),
            group_rows: group_rows.max(1),
            sums: hntes_nfcapd::MinuteSums::new(Limits { groups, points, lasts_ms, counted }),
            rooms: Default::default(),
            records: 0,
            bytes: 0,
        })
    }

    /// Takes rows. Returns what is to be written now, if anything.
    fn take<'py>(&mut self, py: Python<'py>, rows: &Rows) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let written = py.detach(|| {
            let (mut begin, count) = (0, rows.records());
            let before = self.records;
            while begin < count {
                let held = self.group.rows();
                let end = count.min(begin + self.group_rows - held);
                rows.append(begin, end, &mut self.group);
                if self.group.columns().iter().any(|column| column.rows() != held + end - begin) {
                    return Err(PyRuntimeError::new_err("rows are lost on their way; this is a defect of HNTES"));
                }
                self.records += (end - begin) as u64;
                if self.group.rows() == self.group_rows {
                    self.write_group()?;
                }
                begin = end;
            }
            let groups = self.group_rows as u64;
            if before / groups == self.records / groups { Ok(Vec::new()) } else { self.taken() }
        })?;
        Ok((!written.is_empty()).then(|| PyBytes::new(py, &written)))
    }

    /// Writes the rows that are still held and returns the minute sums of all rows, or None if they were given up.
    fn close(&mut self, py: Python<'_>) -> PyResult<Option<Written>> {
        py.detach(|| if self.group.rows() > 0 { self.write_group() } else { Ok(()) })?;
        Ok(written(&self.sums))
    }

    /// What is still to be written: the footer with these names and values at its end.
    fn finish<'py>(&mut self, py: Python<'py>, footer: Vec<(String, String)>) -> PyResult<Bound<'py, PyBytes>> {
        let part = self.file.take().ok_or_else(|| PyRuntimeError::new_err("it is finished"))?;
        Ok(PyBytes::new(py, &part.finish(footer).map_err(raised)?))
    }
}

impl Part {
    fn taken(&mut self) -> PyResult<Vec<u8>> {
        self.file.as_mut().map_or(Ok(Vec::new()), |part| part.take_bytes().map_err(raised))
    }

    fn write_group(&mut self) -> PyResult<()> {
        let part = self.file.as_mut().ok_or_else(|| PyRuntimeError::new_err("it is finished"))?;
        part.write(&mut self.group).map_err(raised)?;
        let [interface, factor, first, last, bytes, packets, hi, lo, direction] = &mut self.rooms;
        let group = &self.group;
        let rows = hntes_nfcapd::Rows {
            output_interface: group.column("output_interface").all(interface),
            sampling_factor: group.column("sampling_factor").all(factor),
            first_ms: group.column("first_ms").all(first),
            last_ms: group.column("last_ms").all(last),
            bytes: group.column("bytes").all(bytes),
            packets: group.column("packets").all(packets),
            exporter_hi: group.column("exporter_hi").all(hi),
            exporter_lo: group.column("exporter_lo").all(lo),
            direction: group.column("direction").all(direction),
        };
        self.bytes = rows.bytes.iter().fold(self.bytes, |sum, bytes| sum.wrapping_add(*bytes));
        self.sums.add(&rows);
        self.group.clear();
        Ok(())
    }
}

fn raised(cause: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("a part cannot be written: {cause}"))
}
