//! The packed totals of a router's days, and the prefix pairs of their hosts.

use std::collections::{HashMap, HashSet};

use pyo3::pybacked::PyBackedBytes;

/// The number of the pair of totals that do not count.
pub(super) const NO_PAIR: u32 = u32::MAX;
/// Sums of bytes stay below this, so that they can be doubled within 64 bits.
const MAX_SUM: u128 = 1 << 62;

/// Prefix lengths of source and destination.
pub(super) type Lengths = (u32, u32);

/// Two hosts, or the first addresses of two prefixes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Ends {
    pub(super) is_ipv6: bool,
    pub(super) source: u128,
    pub(super) destination: u128,
}

/// The alpha flows between two hosts on a day.
pub(super) struct Total {
    pub(super) hosts: Ends,
    pub(super) flow_bytes: u64,
    pub(super) peak_bytes: u64,
    pub(super) flows: u32,
    pub(super) weak_flows: u32,
    pub(super) is_implausible: bool,
}

/// The totals of a router's day as `hntes.sql.host_totals` packs them.
pub(super) struct PackedDay {
    pub(super) day: i64,
    pub(super) packed: PyBackedBytes,
}

impl PackedDay {
    pub(super) fn totals(&self) -> Totals<'_> {
        Totals { rest: &self.packed }
    }
}

/// The totals of a day one after another, until one is not whole.
pub(super) struct Totals<'a> {
    rest: &'a [u8],
}

impl Totals<'_> {
    /// The bytes that are no total.
    pub(super) fn damaged(&self) -> usize {
        self.rest.len()
    }

    fn split<const BYTES: usize>(&mut self) -> Option<&[u8; BYTES]> {
        let (total, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(total)
    }
}

impl Iterator for Totals<'_> {
    type Item = Total;

    #[inline]
    fn next(&mut self) -> Option<Total> {
        match *self.rest.first()? {
            4 => {
                let total: &[u8; 34] = self.split()?;
                let [source, destination] = [1, 5].map(|begin| u32::from_be_bytes(field(total, begin)).into());
                Some(Total::of(Ends { is_ipv6: false, source, destination }, &field(total, 9)))
            }
            6 => {
                let total: &[u8; 58] = self.split()?;
                let [source, destination] = [1, 17].map(|begin| u128::from_be_bytes(field(total, begin)));
                Some(Total::of(Ends { is_ipv6: true, source, destination }, &field(total, 33)))
            }
            _ => None,
        }
    }
}

impl Total {
    fn of(hosts: Ends, counters: &[u8; 25]) -> Self {
        Self {
            hosts,
            flow_bytes: u64::from_be_bytes(field(counters, 0)),
            peak_bytes: u64::from_be_bytes(field(counters, 8)),
            flows: u32::from_be_bytes(field(counters, 16)),
            weak_flows: u32::from_be_bytes(field(counters, 20)),
            is_implausible: counters[24] != 0,
        }
    }
}

#[inline]
fn field<const BYTES: usize>(packed: &[u8], begin: usize) -> [u8; BYTES] {
    packed[begin..begin + BYTES].try_into().unwrap_or([0; BYTES])
}

/// The prefix pairs of hosts, numbered as they come.
pub(super) struct Pairs {
    masks: [(u128, u128); 2],
    of_ends: HashMap<Ends, u32>,
    pub(super) ends: Vec<Ends>,
    /// The pair that came after each one last. Pairs come in much the same order day after day.
    next: Vec<u32>,
    last: usize,
}

impl Pairs {
    /// `lengths` are those of IPv4 and of IPv6.
    pub(super) fn new(lengths: [Lengths; 2]) -> Self {
        let masks = [masks(lengths[0], 32), masks(lengths[1], 128)];
        Self { masks, of_ends: HashMap::new(), ends: Vec::new(), next: Vec::new(), last: 0 }
    }

    /// The number of the pair of these hosts.
    pub(super) fn number(&mut self, hosts: Ends) -> u32 {
        let (source, destination) = self.masks[usize::from(hosts.is_ipv6)];
        let ends = Ends { source: hosts.source & source, destination: hosts.destination & destination, ..hosts };
        let expected = self.next.get(self.last).copied().unwrap_or(NO_PAIR);
        let number = match self.ends.get(expected as usize) {
            Some(known) if *known == ends => expected,
            _ => self.found(ends),
        };
        self.next[self.last] = number;
        self.last = number as usize;
        number
    }

    fn found(&mut self, ends: Ends) -> u32 {
        *self.of_ends.entry(ends).or_insert_with(|| {
            self.ends.push(ends);
            self.next.push(NO_PAIR);
            self.ends.len() as u32 - 1
        })
    }
}

/// The masks of source and destination; `width` is 32 or 128.
pub(super) fn masks((source, destination): Lengths, width: u32) -> (u128, u128) {
    let mask = |length: u32| u128::MAX.checked_shl(width.saturating_sub(length)).unwrap_or(0);
    (mask(source), mask(destination))
}

/// Hosts that were seen believably on any day.
pub(super) fn believed(days: &[PackedDay]) -> HashSet<Ends> {
    let all = days.iter().flat_map(PackedDay::totals);
    all.filter(|total| !total.is_implausible).map(|total| total.hosts).collect()
}

/// So many bytes of a total count at most: forged ones may add up to more than a column holds.
pub(super) fn most_bytes(sum: u128, totals: usize) -> u64 {
    if sum < MAX_SUM { u64::MAX } else { (MAX_SUM / totals as u128) as u64 }
}
