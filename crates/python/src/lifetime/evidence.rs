//! What the days of prefix pairs add up to, followed day after day; `hntes.rules.lifetime.ageing` has the rules.
//!
//! "At" is a number of complete days: those through a day, itself included.

use std::collections::VecDeque;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::pair_days::{Merged, PairDay, PairDays};
use super::{columns, numbers};

/// Before all complete days, so that whatever was last then is too old.
const NEVER: i64 = i64::MIN / 2;

/// What the days of a pair add up to; `at` is of the last one.
#[derive(Clone, Copy, Default)]
struct Facts {
    first: i64,
    last: i64,
    at: i64,
    days: i64,
    weak_days: i64,
    flows: i64,
    bytes: i64,
    recent_bytes: i64,
    peak_bytes: i64,
    last_peak_bytes: i64,
}

impl Facts {
    fn add(&mut self, day: &Today, row: &PairDay) {
        if self.days == 0 {
            self.first = day.day;
        }
        self.last = day.day;
        self.at = day.at;
        self.days += 1;
        self.weak_days += i64::from(row.is_weak());
        self.flows += row.flows;
        self.bytes += row.bytes;
        self.last_peak_bytes = row.peak_bytes;
        self.peak_bytes = self.peak_bytes.max(row.peak_bytes);
    }

    fn columns(&self) -> [i64; 10] {
        [
            self.first,
            self.last,
            self.at,
            self.days,
            self.weak_days,
            self.flows,
            self.bytes,
            self.recent_bytes,
            self.peak_bytes,
            self.last_peak_bytes,
        ]
    }
}

/// Facts of all pairs by days of one kind.
struct Kind {
    facts: Vec<Facts>,
    /// When each pair was last seen: `Facts::at`, apart because it is looked at every evening.
    at: Vec<i64>,
    /// Pairs and bytes of recent days.
    recent: VecDeque<(i64, Vec<(u32, i64)>)>,
}

impl Kind {
    fn new(pairs: usize) -> Self {
        Self { facts: vec![Facts::default(); pairs], at: vec![NEVER; pairs], recent: VecDeque::new() }
    }

    fn add(&mut self, day: &Today, row: &PairDay) {
        let pair = row.pair as usize;
        self.facts[pair].add(day, row);
        self.at[pair] = day.at;
        if day.is_recent {
            self.facts[pair].recent_bytes += row.bytes;
            if let Some((_, rows)) = self.recent.back_mut() {
                rows.push((row.pair, row.bytes));
            }
        }
    }

    /// Takes the bytes of days before that one from those that are recent.
    fn expire(&mut self, recent_from: i64) {
        while self.recent.front().is_some_and(|(day, _)| *day < recent_from) {
            for (pair, bytes) in self.recent.pop_front().into_iter().flat_map(|(_, rows)| rows) {
                self.facts[pair as usize].recent_bytes -= bytes;
            }
        }
    }
}

struct Today {
    day: i64,
    at: i64,
    /// Of the day before.
    at_eve: i64,
    is_recent: bool,
}

/// A run of days on which evidence kept a pair young; `at` is of the last day with any.
struct Life {
    pair: u32,
    since: i64,
    at: i64,
}

/// Follows the evidence for the rules of a router.
#[pyclass]
pub struct Evidence {
    days: Py<PairDays>,
    complete: Vec<i64>,
    ageing_days: i64,
    accepts_weak: bool,
    accepts_second: bool,
    merged: Merged,
    /// So many days were followed.
    followed: usize,
    counted: Kind,
    passed_over: Kind,
    /// When a pair was last seen on a day that may have kept it young.
    young_at: Vec<i64>,
    lives: Vec<Life>,
    /// Of each pair the number of the latest life, if it has one.
    life: Vec<u32>,
}

#[pymethods]
impl Evidence {
    /// `pairs` is a number that all pairs are below; `complete` are the days with complete data, rising.
    #[new]
    fn new(
        days: Bound<'_, PairDays>,
        pairs: usize,
        complete: Vec<i64>,
        ageing_days: i64,
        weak_evidence: &str,
    ) -> PyResult<Self> {
        let (accepts_weak, accepts_second) = match weak_evidence {
            "accept" => (true, false),
            "second_sighting" => (false, true),
            "ignore" => (false, false),
            _ => return Err(PyValueError::new_err(format!("weak evidence cannot be treated as {weak_evidence:?}"))),
        };
        let pairs = pairs.max(days.get().pairs);
        Ok(Self {
            days: days.unbind(),
            complete,
            ageing_days,
            accepts_weak,
            accepts_second,
            merged: Merged::new(pairs),
            followed: 0,
            counted: Kind::new(pairs),
            passed_over: Kind::new(pairs),
            young_at: vec![NEVER; pairs],
            lives: Vec::new(),
            life: vec![0; pairs],
        })
    }

    /// Follows it through a day, later than the one before. Returns for each pair whether it is young enough, and whether
    /// another sighting on weak evidence would make it so.
    fn advance<'py>(&mut self, py: Python<'py>, day: i64) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        self.follow(py, day);
        let at = self.at(day);
        let flags = |kind: &Kind, holds: bool| {
            PyBytes::new_with(py, kind.at.len(), |flags| {
                for (flag, last_at) in flags.iter_mut().zip(&kind.at) {
                    *flag = u8::from(holds && at - last_at <= self.ageing_days);
                }
                Ok(())
            })
        };
        Ok((flags(&self.counted, true)?, flags(&self.passed_over, self.accepts_second)?))
    }

    /// What the days of some pairs (numbers of 64 bits) add up to that count, or those that were passed over; ten columns.
    fn facts<'py>(&self, py: Python<'py>, pairs: &[u8], are_counted: bool) -> PyResult<Bound<'py, PyBytes>> {
        let facts = if are_counted { &self.counted.facts } else { &self.passed_over.facts };
        let pairs = numbers(pairs);
        if let Some(unknown) = pairs.iter().find(|pair| !(0..facts.len() as i64).contains(*pair)) {
            return Err(PyIndexError::new_err(format!("pair {unknown} is not one of {}", facts.len())));
        }
        columns(py, pairs.iter().map(|pair| facts[*pair as usize].columns()))
    }

    /// All lives in the order in which they began: pair, first day and last day, as far as days are known; three columns
    /// of 64 bits.
    fn lives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let rows = self.lives.iter().map(|life| {
            let too_old = self.complete.get((life.at + self.ageing_days) as usize);
            [i64::from(life.pair), life.since, too_old.map_or(i64::MAX, |day| day - 1)]
        });
        columns(py, rows)
    }
}

impl Evidence {
    /// How many complete days there are through that one.
    fn at(&self, day: i64) -> i64 {
        self.complete.partition_point(|complete| *complete <= day) as i64
    }

    fn follow(&mut self, py: Python<'_>, until: i64) {
        let recent_from = until - self.ageing_days + 1;
        for kind in [&mut self.counted, &mut self.passed_over] {
            kind.expire(recent_from);
        }
        let days = self.days.clone_ref(py);
        let mut merged = std::mem::replace(&mut self.merged, Merged::new(0));
        for number in self.followed..days.get().through(until) {
            let (day, rows) = days.get().rows(number, &mut merged);
            let today = Today { day, at: self.at(day), at_eve: self.at(day - 1), is_recent: day >= recent_from };
            if today.is_recent {
                for kind in [&mut self.counted, &mut self.passed_over] {
                    kind.recent.push_back((day, Vec::new()));
                }
            }
            for row in rows {
                self.add(&today, row);
            }
            self.followed = number + 1;
        }
        self.merged = merged;
    }

    fn add(&mut self, today: &Today, row: &PairDay) {
        let pair = row.pair as usize;
        let is_young = |last_at: i64| today.at - last_at <= self.ageing_days;
        let counts = if row.is_implausible {
            is_young(self.counted.at[pair])
        } else {
            !row.is_weak() || self.accepts_weak || (self.accepts_second && is_young(self.young_at[pair]))
        };
        if counts {
            self.live(today, row.pair);
            self.counted.add(today, row);
        } else if !row.is_implausible {
            self.passed_over.add(today, row);
        } else {
            return;
        }
        self.young_at[pair] = today.at;
    }

    /// Begins a life today, or lengthens that which lasted until the eve.
    fn live(&mut self, today: &Today, pair: u32) {
        let place = pair as usize;
        if today.at_eve - self.counted.at[place] > self.ageing_days {
            self.life[place] = self.lives.len() as u32;
            self.lives.push(Life { pair, since: today.day, at: today.at });
        }
        self.lives[self.life[place] as usize].at = today.at;
    }
}
