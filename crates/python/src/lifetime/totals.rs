//! The packed totals of a router's days, and the prefix pairs of their hosts.

use std::collections::{HashMap, HashSet};

use pyo3::pybacked::PyBackedBytes;

/// Of a packed total, which `hntes.sql.host_totals` defines.
pub(super) const TOTAL_BYTES: usize = 58;
/// The number of the pair of totals that do not count.
pub(super) const NO_PAIR: u32 = u32::MAX;
/// Sums of bytes stay below this, so that they can be doubled within 64 bits.
const MAX_SUM: u128 = 1 << 62;

/// Prefix lengths of source and destination.
pub(super) type Lengths = (u32, u32);

/// Two hosts, or the first addresses of two prefixes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
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

impl Total {
    fn of(packed: &[u8]) -> Self {
        Self {
            hosts: Ends {
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

/// The totals of a router's day.
pub(super) struct PackedDay {
    pub(super) day: i64,
    pub(super) packed: PyBackedBytes,
}

impl PackedDay {
    pub(super) fn totals(&self) -> impl Iterator<Item = Total> {
        self.packed.chunks_exact(TOTAL_BYTES).map(Total::of)
    }
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

fn masks((source, destination): Lengths, width: u32) -> (u128, u128) {
    let mask = |length: u32| u128::MAX.checked_shl(width.saturating_sub(length)).unwrap_or(0);
    (mask(source), mask(destination))
}

/// Hosts that were seen believably on any day; None if nothing cannot be true.
pub(super) fn believed(days: &[PackedDay]) -> Option<HashSet<Ends>> {
    let all = || days.iter().flat_map(PackedDay::totals);
    let believed = || all().filter(|total| !total.is_implausible).map(|total| total.hosts).collect();
    days.iter().any(PackedDay::has_implausible).then(believed)
}

impl PackedDay {
    fn has_implausible(&self) -> bool {
        self.packed.chunks_exact(TOTAL_BYTES).any(|packed| packed[TOTAL_BYTES - 1] != 0)
    }
}

/// So many bytes of a total count at most: forged ones may add up to more than a column holds.
pub(super) fn most_bytes(sum: u128, totals: usize) -> u64 {
    if sum < MAX_SUM { u64::MAX } else { (MAX_SUM / totals as u128) as u64 }
}
