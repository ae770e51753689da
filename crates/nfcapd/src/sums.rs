//! Sums of a file's counters, modulo 2^64 as the collector forms them.

use crate::columns::{Column, Columns, NO_COUNTERS};

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
    pub(crate) without_counters: u64,
    /// Those that the records with counters stand for: one each, unless it names more.
    pub(crate) flows: u64,
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
        let without = match records.same(Column::Event) {
            Some(event) if event != NO_COUNTERS => 0,
            _ => records.column(Column::Event).iter().filter(|event| **event == NO_COUNTERS).count() as u64,
        };
        let more = if records.is_zero(Column::Flows) {
            0
        } else {
            records.column(Column::Flows).iter().fold(0, |sum: u64, flows| sum.wrapping_add(flows.saturating_sub(1)))
        };
        self.without_counters += without;
        self.flows = self.flows.wrapping_add(records.rows() as u64 - without).wrapping_add(more);
        self.first.join(&first);
        self.both.join(&first);
        self.both.join(&second);
    }
}
