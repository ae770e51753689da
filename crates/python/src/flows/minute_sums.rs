//! The sums of records by interface and minute, for rows that Python holds as columns.

use hntes_nfcapd::{Group, Limits, MinuteTotals, Point, Rows};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What rows add up to minute by minute.
#[pyclass]
pub struct MinuteSums(hntes_nfcapd::MinuteSums);

/// (interface, factor, minute, pieces, records, bytes, packets, squares) of a group.
type Totalled = (i64, i64, i64, i64, i64, i128, i128, i128);

#[pymethods]
impl MinuteSums {
    #[new]
    fn new(groups: usize, points: usize, lasts_ms: i64, counted: i64) -> Self {
        Self(hntes_nfcapd::MinuteSums::new(Limits { groups, points, lasts_ms, counted }))
    }

    /// Adds rows: their columns in the order of `Rows`.
    #[expect(clippy::needless_pass_by_value, reason = "Python arguments arrive as owned values")]
    fn add(&mut self, py: Python<'_>, columns: [PyBuffer<i64>; 9]) -> PyResult<()> {
        let columns: Vec<Vec<i64>> = columns.iter().map(|column| column.to_vec(py)).collect::<PyResult<_>>()?;
        if columns.iter().any(|column| column.len() != columns[0].len()) {
            return Err(PyValueError::new_err("the columns are not of one length"));
        }
        py.detach(|| {
            self.0.add(&Rows {
                output_interface: &columns[0],
                sampling_factor: &columns[1],
                first_ms: &columns[2],
                last_ms: &columns[3],
                bytes: &columns[4],
                packets: &columns[5],
                exporter_hi: &columns[6],
                exporter_lo: &columns[7],
                direction: &columns[8],
            });
        });
        Ok(())
    }

    /// The groups in their order, and the metering points; None if sums were given up.
    fn finish(&self) -> Option<(Vec<Totalled>, Vec<Point>)> {
        let (groups, points) = self.0.finish()?;
        let totalled = groups.iter().map(|((interface, factor, minute), of)| {
            (*interface, *factor, *minute, of.pieces, of.records, of.bytes, of.packets, of.square_bytes_64)
        });
        Some((totalled.collect(), points.iter().copied().collect()))
    }
}

/// The columns of the groups in the order of `Totalled`, each as its numbers with commas between them, and the metering
/// points.
pub type Written = (Vec<String>, Vec<Point>);

/// The sums; None if they were given up.
pub fn written(sums: &hntes_nfcapd::MinuteSums) -> Option<Written> {
    let (groups, points) = sums.finish()?;
    let column = |value: &dyn Fn(&Group, &MinuteTotals) -> i128| {
        let mut text = String::new();
        for (group, totals) in &groups {
            let comma = if text.is_empty() { "" } else { "," };
            text.push_str(comma);
            text.push_str(&value(group, totals).to_string());
        }
        text
    };
    let columns = vec![
        column(&|group, _| group.0.into()),
        column(&|group, _| group.1.into()),
        column(&|group, _| group.2.into()),
        column(&|_, totals| totals.pieces.into()),
        column(&|_, totals| totals.records.into()),
        column(&|_, totals| totals.bytes),
        column(&|_, totals| totals.packets),
        column(&|_, totals| totals.square_bytes_64),
    ];
    Some((columns, points.iter().copied().collect()))
}
