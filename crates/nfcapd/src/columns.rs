//! Decoded records: one column of 64-bit numbers per field.

/// The fields of a record, in the order in which their columns lie in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Column {
    /// 0 for a flow, 1 for an event of a firewall, 2 where the record has no counters and times.
    Event,
    /// 1 where the collector has multiplied the counters by the sampling rate.
    Sampled,
    /// The collector's number for exporter and observation domain.
    Sysid,
    /// First packet, epoch milliseconds; 0 where unknown or beyond the year 9999.
    FirstMs,
    /// Last packet, likewise.
    LastMs,
    /// When the collector received the record, likewise.
    ReceivedMs,
    /// Packets of the record's own direction, unsigned.
    InPackets,
    /// Bytes of the record's own direction, unsigned.
    InBytes,
    /// Packets by the second counter, unsigned.
    OutPackets,
    /// Bytes by the second counter, unsigned.
    OutBytes,
    /// IP protocol number.
    Protocol,
    /// Source port, 0 for ICMP.
    SrcPort,
    /// Destination port; ICMP type x 256 + code.
    DstPort,
    /// IPv4 source address.
    Src4,
    /// IPv4 destination address.
    Dst4,
    /// Whether the record has IPv4 addresses (1) or none (0).
    Has4,
    /// Upper half of the IPv6 source address.
    Src6Hi,
    /// Lower half of the IPv6 source address.
    Src6Lo,
    /// Upper half of the IPv6 destination address.
    Dst6Hi,
    /// Lower half of the IPv6 destination address.
    Dst6Lo,
    /// Whether the record has IPv6 addresses (1) or none (0).
    Has6,
    /// SNMP index of the input interface.
    InputInterface,
    /// SNMP index of the output interface.
    OutputInterface,
    /// 0 metered at ingress, 1 at egress.
    Direction,
    /// Type of service or traffic class as exported; 0 where it was not.
    Tos,
    /// Flows that the record stands for, where it says so.
    Flows,
    /// IPFIX `biflowDirection`: other than 0, the second counters are the reverse direction's.
    BiflowDirection,
    /// Upper half of the exporter's address, where the record names it.
    ExporterHi,
    /// Lower half of the exporter's address; all of an IPv4 address.
    ExporterLo,
    /// 4 or 6; 0 where the record names no exporter.
    ExporterVersion,
}

impl Column {
    /// Number of columns.
    pub const COUNT: usize = Self::NAMES.len();

    /// Names of the columns, in their order.
    #[rustfmt::skip]
    pub const NAMES: [&'static str; 30] = [
        "event", "sampled", "sysid", "first_ms", "last_ms", "received_ms", "in_packets", "in_bytes", "out_packets",
        "out_bytes", "protocol", "src_port", "dst_port", "src4", "dst4", "has4", "src6_hi", "src6_lo", "dst6_hi",
        "dst6_lo", "has6", "input_interface", "output_interface", "direction", "tos", "flows",
        "biflow_direction", "exporter_hi", "exporter_lo", "exporter_version",
    ];
}

/// One record's fields.
pub(crate) type Row = [u64; Column::COUNT];

/// The records of a block.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    rows: usize,
    /// Columns of `room` numbers each.
    values: Vec<u64>,
    room: usize,
    /// A bit for each column in which something other than 0 was written.
    used: u32,
    /// A bit for each column that may hold records of former blocks, from the row `cleared` on.
    stale: u32,
    cleared: usize,
    /// Of each column how many records were written, the first one's value, and a bit where another one differs.
    written: [u32; Column::COUNT],
    first: [u64; Column::COUNT],
    varied: u32,
}

impl Columns {
    /// Room for so many records, in columns that were used before where these are long enough.
    pub(crate) fn new(rows: usize, before: Self) -> Self {
        let (values, room, stale) = if before.room < rows {
            (vec![0; rows * Column::COUNT], rows, 0)
        } else {
            (before.values, before.room, before.stale | before.used)
        };
        Self { rows, values, room, stale, ..Self::default() }
    }

    /// How many rows hold nothing of former blocks.
    pub(crate) fn cleared(&self) -> usize {
        self.cleared
    }

    /// Makes the rows up to `end` 0 where former blocks wrote: these are to be written now, while they are in the
    /// processor's cache. Columns of `overwritten`, a bit for each, are written in all of these rows.
    pub(crate) fn clear_to(&mut self, end: usize, overwritten: u32) {
        let stale = self.stale & !overwritten;
        for number in (0..Column::COUNT).filter(|number| stale >> number & 1 != 0) {
            let begin = number * self.room;
            self.values[begin + self.cleared..begin + end].fill(0);
        }
        self.cleared = end;
    }

    /// Writes the fields of one record, which is to be cleared before.
    pub(crate) fn put(&mut self, record: usize, row: &Row) {
        for (number, value) in row.iter().copied().enumerate() {
            self.note(number, 1, value, false);
            if let Some(place) = self.values.get_mut(number * self.room + record).filter(|_| value != 0) {
                *place = value;
                self.used |= 1 << number;
            }
        }
    }

    /// Writes one field of records that are given as (number, place in the block), and are to be cleared before.
    #[inline(always)]
    pub(crate) fn fill(&mut self, column: Column, records: &[(u32, u32)], value: impl Fn(usize) -> u64) {
        let begin = column as usize * self.room;
        let Some(cells) = self.values.get_mut(begin..begin + self.rows) else { return };
        let Some(first) = records.first().map(|(_, place)| value(*place as usize)) else { return };
        let (mut all, mut differing) = (0, 0);
        for (record, place) in records {
            let value = value(*place as usize);
            cells[*record as usize] = value;
            all |= value;
            differing |= value ^ first;
        }
        self.used |= u32::from(all != 0) << column as usize;
        self.note(column as usize, records.len(), first, differing != 0);
    }

    fn note(&mut self, column: usize, records: usize, first: u64, is_varied: bool) {
        if self.written[column] == 0 {
            self.first[column] = first;
        }
        self.varied |= u32::from(is_varied || self.first[column] != first) << column;
        self.written[column] += records as u32;
    }

    /// Number of records.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// One column.
    pub fn column(&self, column: Column) -> &[u64] {
        self.numbered(column as usize)
    }

    /// The column of this place in `Column::NAMES`.
    pub fn numbered(&self, column: usize) -> &[u64] {
        let begin = column * self.room;
        self.values.get(begin..begin + self.rows).unwrap_or_default()
    }

    /// Whether a column is 0 in all records.
    pub fn is_zero(&self, column: Column) -> bool {
        self.used >> column as usize & 1 == 0
    }

    /// The value of all records, where it is known that they have the same.
    pub fn same(&self, column: Column) -> Option<u64> {
        if self.is_zero(column) {
            return Some(0);
        }
        let is_same = self.written[column as usize] as usize == self.rows && self.varied >> column as usize & 1 == 0;
        is_same.then_some(self.first[column as usize])
    }
}

/// The same records, wherever they lie.
impl PartialEq for Columns {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && (0..Column::COUNT).all(|number| self.numbered(number) == other.numbered(number))
    }
}

impl Eq for Columns {}

/// The first millisecond of the year 10000, which nfdump's listing cannot show as a time.
const YEAR_10000_MS: u64 = 253_402_300_800_000;

/// A time as the listing shows it.
#[inline]
pub(crate) fn shown_ms(time_ms: u64) -> u64 {
    if time_ms < YEAR_10000_MS { time_ms } else { 0 }
}

/// The place of `Column::Event` that marks a record without counters and times.
pub(crate) const NO_COUNTERS: u64 = 2;

/// ICMP and ICMP for IPv6, whose records have a type and a code in place of ports.
#[inline]
pub(crate) fn is_icmp(protocol: u8) -> bool {
    protocol == 1 || protocol == 58
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Records of a block: each is written alone, or waits and is written together with those before it that wait.
    fn a_block() -> impl Strategy<Value = Vec<(bool, u64, u64)>> {
        prop::collection::vec((any::<bool>(), 0_u64..3, 0_u64..2), 0..20)
    }

    fn written(block: &[(bool, u64, u64)], before: Columns) -> Columns {
        let mut columns = Columns::new(block.len(), before);
        let mut waiting = Vec::new();
        let read = |waiting: &mut Vec<(u32, u32)>, columns: &mut Columns| {
            columns.fill(Column::InBytes, waiting, |place| block[place].1);
            columns.fill(Column::SrcPort, waiting, |place| block[place].2);
            waiting.clear();
        };
        for (number, (is_alone, bytes, port)) in block.iter().enumerate() {
            columns.clear_to(number + 1, 0);
            if *is_alone {
                let mut row = [0; Column::COUNT];
                (row[Column::InBytes as usize], row[Column::OutBytes as usize]) = (*bytes, *port);
                columns.put(number, &row);
            } else {
                waiting.push((number as u32, number as u32));
                if waiting.len() == 3 {
                    read(&mut waiting, &mut columns);
                }
            }
        }
        read(&mut waiting, &mut columns);
        columns
    }

    proptest! {
        #[test]
        fn columns_used_again_hold_only_what_was_written(blocks in prop::collection::vec(a_block(), 1..5)) {
            let mut columns = Columns::default();
            for block in &blocks {
                columns = written(block, columns);
                let port = |of_alone: bool| block.iter().map(move |row| if row.0 == of_alone { row.2 } else { 0 });
                let mut expected = vec![vec![0; block.len()]; Column::COUNT];
                expected[Column::InBytes as usize] = block.iter().map(|row| row.1).collect();
                expected[Column::OutBytes as usize] = port(true).collect();
                expected[Column::SrcPort as usize] = port(false).collect();
                for (number, values) in expected.iter().enumerate() {
                    prop_assert_eq!(columns.numbered(number), &values[..]);
                }
                for column in [Column::InBytes, Column::OutBytes, Column::SrcPort, Column::Tos] {
                    let values = &expected[column as usize];
                    prop_assert_eq!(columns.is_zero(column), values.iter().all(|value| *value == 0));
                    if let Some(value) = columns.same(column) {
                        prop_assert!(values.iter().all(|each| *each == value), "{:?} is not {}", values, value);
                    }
                }
                // known where all records have the field
                let all_alike = block.iter().all(|row| row.1 == block[0].1);
                prop_assert_eq!(columns.same(Column::InBytes).is_some(), all_alike);
            }
        }
    }
}
