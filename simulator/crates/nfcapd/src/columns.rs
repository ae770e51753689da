//! Decoded records: one column of 64-bit numbers per field.

/// The fields of a record, in the order in which their columns lie in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Column {
    /// 1 where a firewall's event was recorded, not a flow.
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
    pub const NAMES: [&'static str; 28] = [
        "event", "sampled", "sysid", "first_ms", "last_ms", "received_ms", "in_packets", "in_bytes", "out_packets",
        "out_bytes", "protocol", "src_port", "dst_port", "src4", "dst4", "has4", "src6_hi", "src6_lo", "dst6_hi",
        "dst6_lo", "has6", "input_interface", "output_interface", "direction", "tos", "exporter_hi",
        "exporter_lo", "exporter_version",
    ];
}

/// One record's fields.
pub(crate) type Row = [u64; Column::COUNT];

/// The records of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    rows: usize,
    /// Columns of `room` numbers each, 0 where nothing was written.
    values: Vec<u64>,
    room: usize,
    /// A bit for each column in which something was written.
    used: u32,
}

impl Columns {
    /// Room for so many records, in columns that were used before where these are long enough.
    pub(crate) fn new(rows: usize, mut before: Self) -> Self {
        if before.room < rows {
            return Self { rows, values: vec![0; rows * Column::COUNT], room: rows, used: 0 };
        }
        // half of the columns are 0 in most files
        for number in (0..Column::COUNT).filter(|number| before.used >> number & 1 != 0) {
            let begin = number * before.room;
            before.values[begin..begin + before.rows].fill(0);
        }
        Self { rows, used: 0, ..before }
    }

    /// Writes the fields of one record.
    pub(crate) fn put(&mut self, record: usize, row: &Row) {
        for (number, value) in row.iter().enumerate().filter(|(_, value)| **value != 0) {
            if let Some(place) = self.values.get_mut(number * self.room + record) {
                *place = *value;
                self.used |= 1 << number;
            }
        }
    }

    /// Writes one field of records that are given as (number, place in the block).
    #[inline(always)]
    pub(crate) fn fill(&mut self, column: Column, records: &[(u32, u32)], value: impl Fn(usize) -> u64) {
        let begin = column as usize * self.room;
        let Some(cells) = self.values.get_mut(begin..begin + self.rows) else { return };
        let mut all = 0;
        for (record, place) in records {
            let value = value(*place as usize);
            cells[*record as usize] = value;
            all |= value;
        }
        self.used |= u32::from(all != 0) << column as usize;
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
}

/// The first millisecond of the year 10000, which nfdump's listing cannot show as a time.
const YEAR_10000_MS: u64 = 253_402_300_800_000;

/// A time as the listing shows it.
#[inline]
pub(crate) fn shown_ms(time_ms: u64) -> u64 {
    if time_ms < YEAR_10000_MS { time_ms } else { 0 }
}

/// ICMP and ICMP for IPv6, whose records have a type and a code in place of ports.
#[inline]
pub(crate) fn is_icmp(protocol: u8) -> bool {
    protocol == 1 || protocol == 58
}
