//! The days of prefix pairs with alpha flows, from the packed totals of a router's days.

use std::collections::{HashMap, HashSet};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

/// Of a packed total, which `hntes.sql.host_totals` defines.
const TOTAL_BYTES: usize = 58;
/// Sums of bytes stay below this, so that they can be doubled within 64 bits.
const MAX_SUM: u128 = 1 << 62;
const NO_DAY: i64 = -1;

/// Prefix lengths of source and destination.
type Lengths = (u32, u32);

/// Two hosts or the first addresses of two prefixes. The order is that of the fields: IPv4 first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Pair {
    is_ipv6: bool,
    source: u128,
    destination: u128,
}

impl Pair {
    fn masked(self, masks: &[(u128, u128); 2]) -> Self {
        let (source, destination) = masks[usize::from(self.is_ipv6)];
        Self { source: self.source & source, destination: self.destination & destination, ..self }
    }
}

/// The alpha flows between two hosts on a day.
struct Total {
    hosts: Pair,
    flow_bytes: u64,
    peak_bytes: u64,
    flows: u32,
    weak_flows: u32,
    is_implausible: bool,
}

impl Total {
    fn of(packed: &[u8]) -> Self {
        Self {
            hosts: Pair {
                is_ipv6: packed[56] == 6,
                source: u128::from_be_bytes(field(packed, 0)),
                destination: u128::from_be_bytes(field(packed, 16)),
            },
            flow_bytes: u64::from_be_bytes(field(packed, 32)),
            peak_bytes: u64::from_be_bytes(field(packed, 40)),
            flows: u32::from_be_bytes(field(packed, 48)),
            weak_flows: u32::from_be_bytes(field(packed, 52)),
            is_implausible: packed[57] != 0,
        }
    }
}

fn field<const BYTES: usize>(packed: &[u8], begin: usize) -> [u8; BYTES] {
    std::array::from_fn(|place| packed[begin + place])
}

/// A router's day.
struct Day {
    day: i64,
    totals: PyBackedBytes,
}

impl Day {
    fn totals(&self) -> impl Iterator<Item = Total> {
        self.totals.chunks_exact(TOTAL_BYTES).map(Total::of)
    }
}

/// The totals that count, by day, and the number of each one's pair.
struct Counted<'a> {
    days: &'a [Day],
    until_day: i64,
    /// Hosts that were seen believably on any day; None if nothing is implausible.
    believed: Option<HashSet<Pair>>,
}

impl<'a> Counted<'a> {
    fn of(days: &'a [Day], until_day: i64) -> Self {
        let all = || days.iter().flat_map(Day::totals);
        let believed = all()
            .any(|total| total.is_implausible)
            .then(|| all().filter(|total| !total.is_implausible).map(|total| total.hosts).collect());
        Self { days, until_day, believed }
    }

    fn totals(&self) -> impl Iterator<Item = (i64, Total)> {
        let days = self.days.iter().filter(|each| each.day <= self.until_day);
        days.flat_map(|each| each.totals().map(|total| (each.day, total))).filter(|(_, total)| {
            !total.is_implausible || self.believed.as_ref().is_none_or(|hosts| hosts.contains(&total.hosts))
        })
    }
}

/// Numbers for pairs as they come. Pairs come in much the same order day after day, so that the pair which followed
/// the last one before is tried first.
#[derive(Default)]
struct Numbers {
    of_pair: HashMap<Pair, u32>,
    pairs: Vec<Pair>,
    next: Vec<u32>,
    last: usize,
}

impl Numbers {
    fn of(&mut self, pair: Pair) -> u32 {
        if let Some(&number) = self.next.get(self.last) {
            if self.pairs[number as usize] == pair {
                self.last = number as usize;
                return number;
            }
        }
        let number = *self.of_pair.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            self.next.push(0);
            self.pairs.len() as u32 - 1
        });
        self.next[self.last] = number;
        self.last = number as usize;
        number
    }

    /// For each pair its place in their order.
    fn places(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.sort_unstable_by_key(|&number| self.pairs[number]);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &number)| places[number] = place);
        places
    }
}

/// What a pair had on a day.
#[derive(Clone, Copy)]
struct PairDay {
    day: i64,
    flows: u64,
    weak_flows: u64,
    bytes: u64,
    peak_bytes: u64,
    is_believed: bool,
}

impl PairDay {
    const fn new(day: i64) -> Self {
        Self { day, flows: 0, weak_flows: 0, bytes: 0, peak_bytes: 0, is_believed: false }
    }

    /// Beside a believable flow those that cannot be true do not count.
    fn add(&mut self, total: &Total, most_bytes: u64) {
        if !total.is_implausible {
            self.flows += u64::from(total.flows);
            self.weak_flows += u64::from(total.weak_flows);
            self.bytes += total.flow_bytes.min(most_bytes);
            self.peak_bytes = self.peak_bytes.max(total.peak_bytes);
            self.is_believed = true;
        }
    }
}

/// Columns of the days of pairs, one after another: five of 64 bits, two of bytes.
struct Columns<'a> {
    numbers: [&'a mut [u8]; 5],
    flags: [&'a mut [u8]; 2],
}

impl<'a> Columns<'a> {
    const BYTES_PER_ROW: usize = 42;

    fn of(mut rest: &'a mut [u8]) -> Self {
        let rows = rest.len() / Self::BYTES_PER_ROW;
        let mut column = |bytes: usize| {
            let (begin, end) = std::mem::take(&mut rest).split_at_mut(bytes);
            rest = end;
            begin
        };
        Self { numbers: std::array::from_fn(|_| column(8 * rows)), flags: std::array::from_fn(|_| column(rows)) }
    }

    fn set(&mut self, row: usize, pair: usize, of: &PairDay) {
        let numbers = [pair as u64, of.day as u64, of.flows, of.bytes, of.peak_bytes];
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column[8 * row..8 * row + 8].copy_from_slice(&number.to_le_bytes());
        }
        let is_weak = of.is_believed && of.weak_flows == of.flows;
        for (column, flag) in self.flags.iter_mut().zip([is_weak, !of.is_believed]) {
            column[row] = u8::from(flag);
        }
    }
}

/// The pair of each total that counts, in their order, and on how many days each pair was seen.
struct Numbered {
    of_total: Vec<u32>,
    numbers: Numbers,
    days: Vec<usize>,
    believed_bytes: u128,
}

impl Numbered {
    fn of(counted: &Counted, lengths: [Lengths; 2]) -> Self {
        let masks = [masks(lengths[0], 32), masks(lengths[1], 128)];
        let mut found = Self { of_total: Vec::new(), numbers: Numbers::default(), days: Vec::new(), believed_bytes: 0 };
        let mut last_days: Vec<i64> = Vec::new();
        for (day, total) in counted.totals() {
            let number = found.numbers.of(total.hosts.masked(&masks));
            found.of_total.push(number);
            let pair = number as usize;
            if pair == last_days.len() {
                last_days.push(NO_DAY);
                found.days.push(0);
            }
            found.days[pair] += usize::from(last_days[pair] != day);
            last_days[pair] = day;
            if !total.is_implausible {
                found.believed_bytes += u128::from(total.flow_bytes);
            }
        }
        found
    }

    /// So many bytes of a total count at most: forged ones may add up to more than a column holds.
    fn most_bytes(&self) -> u64 {
        if self.believed_bytes < MAX_SUM { u64::MAX } else { (MAX_SUM / self.of_total.len() as u128) as u64 }
    }

    fn write(&self, counted: &Counted, places: &[usize], columns: &mut Columns) {
        let mut row_of_place = vec![0; places.len()];
        places.iter().zip(&self.days).for_each(|(&place, &days)| row_of_place[place] = days);
        let mut begin = 0;
        for row in &mut row_of_place {
            begin += std::mem::replace(row, begin);
        }
        let most_bytes = self.most_bytes();
        let mut open = vec![PairDay::new(NO_DAY); places.len()];
        let mut put = |pair: usize, of: &PairDay| {
            columns.set(row_of_place[places[pair]], places[pair], of);
            row_of_place[places[pair]] += 1;
        };
        for ((day, total), &number) in counted.totals().zip(&self.of_total) {
            let pair = number as usize;
            if open[pair].day != day {
                let ended = std::mem::replace(&mut open[pair], PairDay::new(day));
                if ended.day != NO_DAY {
                    put(pair, &ended);
                }
            }
            open[pair].add(&total, most_bytes);
        }
        open.iter().enumerate().for_each(|(pair, ended)| put(pair, ended));
    }
}

fn masks(lengths: Lengths, width: u32) -> (u128, u128) {
    let mask = |length: u32| {
        let host_bits = width.saturating_sub(length);
        u128::MAX.checked_shl(host_bits).unwrap_or(0)
    };
    (mask(lengths.0), mask(lengths.1))
}

/// The days, rising, through `until_day` of hosts widened to prefixes of these lengths, those of IPv4 and of IPv6.
///
/// Flows that cannot be true count between hosts only that were seen otherwise, too, on whatever day.
///
/// Returns the first addresses of the pairs, 16 bytes for each side, in the order of family and address; how many of
/// the pairs are of IPv4; and columns of the days by pair and day: pair, day, flows, bytes, fullest window, whether all
/// flows are weak, whether none of them can be true.
#[pyfunction]
fn pair_history<'py>(
    py: Python<'py>,
    days: Vec<(i64, PyBackedBytes)>,
    until_day: i64,
    lengths: [Lengths; 2],
) -> PyResult<(Bound<'py, PyBytes>, usize, Bound<'py, PyBytes>)> {
    let days: Vec<Day> = days.into_iter().map(|(day, totals)| Day { day, totals }).collect();
    if let Some(cut) = days.iter().find(|each| each.totals.len() % TOTAL_BYTES != 0) {
        let (day, length) = (cut.day, cut.totals.len());
        return Err(PyValueError::new_err(format!("day {day}: {length} bytes are no multiple of {TOTAL_BYTES}")));
    }
    let counted = Counted::of(&days, until_day);
    let numbered = Numbered::of(&counted, lengths);
    let places = numbered.numbers.places();
    let pairs = &numbered.numbers.pairs;
    let addresses = PyBytes::new_with(py, 32 * pairs.len(), |content| {
        for (pair, &place) in pairs.iter().zip(&places) {
            content[32 * place..32 * place + 16].copy_from_slice(&pair.source.to_be_bytes());
            content[32 * place + 16..32 * place + 32].copy_from_slice(&pair.destination.to_be_bytes());
        }
        Ok(())
    })?;
    let rows: usize = numbered.days.iter().sum();
    let columns = PyBytes::new_with(py, Columns::BYTES_PER_ROW * rows, |content| {
        numbered.write(&counted, &places, &mut Columns::of(content));
        Ok(())
    })?;
    let ipv4 = pairs.iter().filter(|pair| !pair.is_ipv6).count();
    Ok((addresses, ipv4, columns))
}

/// Add it to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pair_history, module)?)
}
