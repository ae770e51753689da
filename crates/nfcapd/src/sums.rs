//! Sums of a file's counters, modulo 2^64 as the collector forms them.

use crate::columns::{Column, Columns};

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
    fn join(&mut self, other: &Self) {
        for (totals, more) in self.kinds.iter_mut().zip(&other.kinds) {
            totals.add(more.packets, more.bytes);
        }
    }

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
    pub(crate) fn add(&mut self, records: &Columns) {
        let [protocols, packets, bytes] =
            [Column::Protocol, Column::InPackets, Column::InBytes].map(|column| records.column(column));
        let mut first = Sums::default();
        for ((protocol, packets), bytes) in protocols.iter().zip(packets).zip(bytes) {
            first.add(*protocol, *packets, *bytes);
        }
        let mut second = Sums::default();
        let counters = [Column::OutPackets, Column::OutBytes];
        if !counters.iter().all(|column| records.is_zero(*column)) {
            let [packets, bytes] = counters.map(|column| records.column(column));
            for ((protocol, packets), bytes) in protocols.iter().zip(packets).zip(bytes) {
                second.add(*protocol, *packets, *bytes);
            }
        }
        self.first.join(&first);
        self.both.join(&first);
        self.both.join(&second);
    }
}
