//! Days of prefix pairs: the alpha flows of each pair on each day.

use std::cell::OnceCell;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::totals::{Lengths, NO_PAIR, PackedDay, Pairs, Total, Totals, believed, most_bytes};
use super::{columns, numbers};

/// What a pair had on a day.
#[derive(Clone, Copy)]
pub(super) struct PairDay {
    pub(super) pair: u32,
    pub(super) is_implausible: bool,
    pub(super) flows: i64,
    pub(super) weak_flows: i64,
    pub(super) bytes: i64,
    pub(super) peak_bytes: i64,
}

impl PairDay {
    fn of(pair: u32, total: &Total, most_bytes: u64) -> Self {
        let bytes = total.flow_bytes.min(most_bytes) as i64;
        let (flows, weak_flows) = (i64::from(total.flows), i64::from(total.weak_flows));
        let peak_bytes = total.peak_bytes as i64;
        Self { pair, is_implausible: total.is_implausible, flows, weak_flows, bytes, peak_bytes }.believed()
    }

    /// Of flows that cannot be true neither the number nor the bytes are known.
    fn believed(self) -> Self {
        if !self.is_implausible {
            return self;
        }
        Self { flows: 0, weak_flows: 0, bytes: 0, peak_bytes: 0, ..self }
    }

    /// Each of the flows may have been below the threshold.
    pub(super) fn is_weak(&self) -> bool {
        !self.is_implausible && self.weak_flows == self.flows
    }

    fn add(&mut self, more: &Self) {
        self.flows += more.flows;
        self.weak_flows += more.weak_flows;
        self.bytes += more.bytes;
        self.peak_bytes = self.peak_bytes.max(more.peak_bytes);
        self.is_implausible &= more.is_implausible;
    }
}

/// The rows of a day, several of a pair perhaps.
enum Rows {
    /// With the number of each total's pair.
    Packed(PackedDay, Vec<u32>),
    Plain(Vec<PairDay>),
}

struct Day {
    day: i64,
    rows: Rows,
}

/// Days of prefix pairs, which go by their numbers.
#[pyclass(frozen)]
pub struct PairDays {
    pub(super) pairs: usize,
    days: Vec<Day>,
    most_bytes: u64,
}

#[pymethods]
impl PairDays {
    /// From the packed totals of days, rising, with hosts widened to prefixes of these lengths, those of IPv4 and of IPv6.
    ///
    /// Flows that cannot be true count between hosts only that were seen otherwise, too, on whatever day.
    ///
    /// Returns the pairs as well, in the order of their numbers: whether they are of IPv6, and the halves of both first
    /// addresses; five columns of 64 bits.
    #[staticmethod]
    fn of_totals(
        py: Python<'_>,
        days: Vec<(i64, PyBackedBytes)>,
        until_day: i64,
        lengths: [Lengths; 2],
    ) -> PyResult<(Py<PyBytes>, Self)> {
        let packed: Vec<PackedDay> = days.into_iter().map(|(day, packed)| PackedDay { day, packed }).collect();
        let (mut pairs, mut sum, mut count) = (Pairs::new(lengths), 0_u128, 0);
        let believed_hosts = OnceCell::new();
        let mut number = |total: Total| {
            if total.is_implausible && !believed_hosts.get_or_init(|| believed(&packed)).contains(&total.hosts) {
                return NO_PAIR;
            }
            count += 1;
            sum += if total.is_implausible { 0 } else { u128::from(total.flow_bytes) };
            pairs.number(total.hosts)
        };
        let mut numbers = Vec::new();
        for each in packed.iter().take_while(|each| each.day <= until_day) {
            let mut totals = each.totals();
            numbers.push(totals.by_ref().map(&mut number).collect());
            check(each, &totals)?;
        }
        let days = packed.into_iter().zip(numbers);
        let days = days.map(|(each, numbers)| Day { day: each.day, rows: Rows::Packed(each, numbers) }).collect();
        let ends = pairs.ends.iter().map(|ends| {
            let halves = [ends.source >> 64, ends.source, ends.destination >> 64, ends.destination];
            let [source_hi, source_lo, destination_hi, destination_lo] = halves.map(|half| half as u64 as i64);
            [i64::from(ends.is_ipv6), source_hi, source_lo, destination_hi, destination_lo]
        });
        let addresses = columns(py, ends)?.unbind();
        Ok((addresses, Self { pairs: pairs.ends.len(), days, most_bytes: most_bytes(sum, count) }))
    }

    /// From columns of 64 bits: pair, day, flows, weak flows, bytes, fullest window, and whether it cannot be true. `most`
    /// is a number that all pairs are below.
    #[staticmethod]
    fn of_rows(most: usize, rows: [PyBackedBytes; 7]) -> PyResult<Self> {
        let [pair, day, flows, weak_flows, bytes, peak_bytes, is_implausible] = rows.map(|each| numbers(&each));
        let mut order: Vec<usize> = (0..day.len()).collect();
        order.sort_by_key(|&row| day[row]);
        let all = [&pair, &flows, &weak_flows, &bytes, &peak_bytes, &is_implausible];
        if all.iter().any(|column| column.len() != day.len()) {
            return Err(PyValueError::new_err("the columns are not of one length"));
        }
        if pair.iter().any(|&pair| usize::try_from(pair).map_or(true, |pair| pair >= most)) {
            return Err(PyValueError::new_err(format!("a pair is not one of {most}")));
        }
        let row_of = |&row: &usize| PairDay {
            pair: pair[row] as u32,
            is_implausible: is_implausible[row] != 0,
            flows: flows[row],
            weak_flows: weak_flows[row],
            bytes: bytes[row],
            peak_bytes: peak_bytes[row],
        };
        let days = order.chunk_by(|&one, &other| day[one] == day[other]).map(|rows| Day {
            day: day[rows[0]],
            rows: Rows::Plain(rows.iter().map(row_of).map(PairDay::believed).collect()),
        });
        Ok(Self { pairs: most, days: days.collect(), most_bytes: u64::MAX })
    }

    /// The first day.
    #[getter]
    fn first_day(&self) -> Option<i64> {
        self.days.first().map(|each| each.day)
    }

    /// One row per pair and day, by day: pair, day, flows, bytes, fullest window, whether it is weak, and whether it cannot
    /// be true; columns of 64 bits.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (mut merged, mut rows) = (Merged::new(self.pairs), Vec::new());
        for number in 0..self.days.len() {
            let (day, found) = self.rows(number, &mut merged);
            rows.extend(found.iter().map(|row| {
                let flags = [row.is_weak(), row.is_implausible].map(i64::from);
                [i64::from(row.pair), day, row.flows, row.bytes, row.peak_bytes, flags[0], flags[1]]
            }));
        }
        columns(py, rows.into_iter())
    }
}

impl PairDays {
    /// The numbers of days through that one.
    pub(super) fn through(&self, day: i64) -> usize {
        self.days.partition_point(|each| each.day <= day)
    }

    /// A day and its rows, one per pair.
    pub(super) fn rows<'a>(&self, number: usize, merged: &'a mut Merged) -> (i64, &'a [PairDay]) {
        let Day { day, rows } = &self.days[number];
        merged.rows.clear();
        match rows {
            Rows::Packed(packed, pairs) => {
                for (total, &pair) in packed.totals().zip(pairs) {
                    if pair != NO_PAIR {
                        merged.add(&PairDay::of(pair, &total, self.most_bytes));
                    }
                }
            }
            Rows::Plain(rows) => rows.iter().for_each(|row| merged.add(row)),
        }
        (*day, &merged.rows)
    }
}

/// The rows of one day after another, those of a pair added up. Beside a believable flow others do not count.
pub(super) struct Merged {
    rows: Vec<PairDay>,
    /// Where the row of a pair is, if it has one.
    row_of_pair: Vec<u32>,
}

impl Merged {
    pub(super) fn new(pairs: usize) -> Self {
        Self { rows: Vec::new(), row_of_pair: vec![0; pairs] }
    }

    fn add(&mut self, row: &PairDay) {
        let place = &mut self.row_of_pair[row.pair as usize];
        match self.rows.get_mut(*place as usize) {
            Some(known) if known.pair == row.pair => known.add(row),
            _ => {
                *place = self.rows.len() as u32;
                self.rows.push(*row);
            }
        }
    }
}

/// That all totals of a day were read.
pub(super) fn check(day: &PackedDay, read: &Totals) -> PyResult<()> {
    if read.damaged() == 0 {
        return Ok(());
    }
    let (day, bytes) = (day.day, read.damaged());
    Err(PyValueError::new_err(format!(
        "the stored totals of day {day} are damaged: their last {bytes} bytes are no total"
    )))
}
