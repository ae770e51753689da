//! Sums of a file's counters, modulo 2^64 as the collector forms them.

use crate::columns::{Column, Row};

/// Packets and bytes of some records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets.
    pub packets: u64,
    /// Bytes, IP headers included.
    pub bytes: u64,
}

impl Totals {
    fn add(&mut self, packets: u64, bytes: u64) {
        self.packets = self.packets.wrapping_add(packets);
        self.bytes = self.bytes.wrapping_add(bytes);
    }
}

/// Totals by protocol: all, TCP, UDP, and those that are neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// All, TCP, UDP, other; in this order.
    pub kinds: [Totals; 4],
}

impl Sums {
    fn add(&mut self, protocol: u64, packets: u64, bytes: u64) {
        let kind = match protocol {
            6 => 1,
            17 => 2,
            _ => 3,
        };
        self.kinds[0].add(packets, bytes);
        self.kinds[kind].add(packets, bytes);
    }
}

/// What the records add up to: by the first counter alone, and by both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub(crate) first: Sums,
    pub(crate) both: Sums,
}

impl Counted {
    #[inline]
    pub(crate) fn add(&mut self, row: &Row) {
        let [packets, bytes] = [row[Column::InPackets as usize], row[Column::InBytes as usize]];
        let protocol = row[Column::Protocol as usize];
        self.first.add(protocol, packets, bytes);
        let packets = packets.wrapping_add(row[Column::OutPackets as usize]);
        self.both.add(protocol, packets, bytes.wrapping_add(row[Column::OutBytes as usize]));
    }
}
