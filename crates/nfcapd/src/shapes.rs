//! Records of nfdump 1.7 and 1.8 that have the same elements in the same places: their fields are read column by column.
//!
//! The records of an exporter mostly have one of a few shapes. What a record of a shape needs is one comparison for each of
//! its elements; that these are known and fit was looked at when the first one of them was decoded (`record_v3.rs`, `record_v4.rs`).

use std::ops::Range;

use crate::bytes::{u16_in, u32_in, u64_in};
use crate::columns::{Column, Columns, is_icmp, shown_ms};
use crate::record_v3::{EVENT, GENERIC, KNOWN_FLAGS, SAMPLED};
use crate::record_v4;

/// A file with more has its other records decoded one by one.
const MOST_SHAPES: usize = 8;
/// So many records are read together: their bytes and cells stay in the processor's caches.
const AT_ONCE: usize = 512;
const HEAD_BYTES: usize = 12;
const ELEMENT_HEAD_BYTES: usize = 4;
/// How many elements or extensions there are, in records of both versions.
const COUNT_AT: usize = 4;
const FLAGS_AT: usize = 10;

/// How a field lies in a record.
#[derive(Clone, Copy, Debug)]
enum Form {
    U8,
    U16,
    U32,
    U64,
    Time,
    /// A port, of which ICMP has none; the protocol lies so many bytes behind it.
    Port(usize),
    /// Bits of a byte: 1 where one of them is set.
    Bits(u8),
    /// The same number in all records of the shape.
    Always(u64),
}

#[derive(Clone, Debug)]
struct Shape {
    bytes: usize,
    elements: u16,
    /// Place in the record, type and length of each element; or the places of numbers that say where extensions lie.
    heads: Vec<(usize, u32)>,
    /// Where the flags lie, and the bits there of which none is set.
    flags_at: usize,
    unknown_flags: u16,
    fields: Vec<(Column, Form, usize)>,
    /// A bit for each column of these.
    columns: u32,
    /// (row, place) of records that are to be read.
    waiting: Vec<(u32, u32)>,
}

/// The shapes seen so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    known: Vec<Shape>,
    latest: usize,
    waiting: usize,
}

impl Shapes {
    /// Takes a record at a place of its block that is to be read into a row; false where its shape is not known.
    #[inline]
    pub(crate) fn take(&mut self, record: &[u8], place: usize, row: usize) -> bool {
        if !self.known.get(self.latest).is_some_and(|shape| shape.fits(record)) {
            let Some(found) = self.known.iter().position(|shape| shape.fits(record)) else { return false };
            self.latest = found;
        }
        self.known[self.latest].waiting.push((row as u32, place as u32));
        self.waiting += 1;
        true
    }

    /// Whether enough records wait.
    #[inline]
    pub(crate) fn are_full(&self) -> bool {
        self.waiting >= AT_ONCE
    }

    /// Reads the records that wait, into rows of the first `end`.
    pub(crate) fn read(&mut self, records: &[u8], end: usize, columns: &mut Columns) {
        let only = self.known.iter().find(|shape| shape.fills(columns.cleared()..end));
        columns.clear_to(end, only.map_or(0, |shape| shape.columns));
        for shape in &mut self.known {
            for (column, form, at) in &shape.fields {
                let waiting = &shape.waiting;
                match *form {
                    Form::U8 => columns.fill(*column, waiting, |place| u64::from(records[place + at])),
                    Form::U16 => columns.fill(*column, waiting, |place| u64::from(u16_in(records, place + at))),
                    Form::U32 => columns.fill(*column, waiting, |place| u64::from(u32_in(records, place + at))),
                    Form::U64 => columns.fill(*column, waiting, |place| u64_in(records, place + at)),
                    Form::Time => columns.fill(*column, waiting, |place| shown_ms(u64_in(records, place + at))),
                    Form::Port(protocol) => columns.fill(*column, waiting, |place| {
                        let port = u64::from(u16_in(records, place + at));
                        if is_icmp(records[place + at + protocol]) { 0 } else { port }
                    }),
                    Form::Bits(bits) => {
                        columns.fill(*column, waiting, |place| u64::from(records[place + at] & bits != 0));
                    }
                    Form::Always(value) => columns.fill(*column, waiting, |_| value),
                }
            }
            shape.waiting.clear();
        }
        self.waiting = 0;
    }

    /// Remembers the shape of a record that was decoded, if it can be read by it.
    pub(crate) fn learn(&mut self, record: &[u8], is_v4: bool) {
        if self.known.len() < MOST_SHAPES {
            self.known.extend(if is_v4 { Shape::of_v4(record) } else { Shape::of_v3(record) });
        }
    }

    /// Forgets records that wait, of a block that is refused.
    pub(crate) fn forget(&mut self) {
        self.known.iter_mut().for_each(|shape| shape.waiting.clear());
        self.waiting = 0;
    }
}

impl Shape {
    /// The shape of a record of nfdump 1.7 that was decoded; none where it has addresses of both versions, no counters, or
    /// elements that are struck out or later than all that are known.
    fn of_v3(record: &[u8]) -> Option<Self> {
        let mut shape = Self::new(record, FLAGS_AT, !u16::from(KNOWN_FLAGS) & 0xFF, Form::U16);
        let (mut at, mut kinds) = (HEAD_BYTES, 0_u64);
        for _ in 0..shape.elements {
            let head = u32_in(record, at);
            let (kind, length) = (head & 0xFFFF, (head >> 16) as usize);
            shape.heads.push((at, head));
            shape.add(fields_v3(kind), at + ELEMENT_HEAD_BYTES);
            kinds |= 1_u64.checked_shl(kind).filter(|_| kind > 0)?;
            at += length;
        }
        let has = |kind: u16| kinds >> kind & 1 != 0;
        (has(GENERIC) && !(has(2) && has(3)) && !(has(12) && has(13))).then_some(shape.complete())
    }

    /// The same of nfdump 1.8, whose extensions are named by bits and lie where a table says.
    fn of_v4(record: &[u8]) -> Option<Self> {
        let mut shape = Self::new(record, record_v4::FLAGS_AT, !u16::from(KNOWN_FLAGS), Form::U32);
        let bits = u64_in(record, record_v4::BITS_AT);
        let table =
            record_v4::LEAST_BYTES..(record_v4::LEAST_BYTES + 2 * usize::from(shape.elements)).next_multiple_of(4);
        for (kind, at) in record_v4::extensions(record, bits) {
            // the table is compared by four bytes
            if at < table.end {
                return None;
            }
            shape.add(fields_v4(kind), at);
        }
        let numbers = (record_v4::BITS_AT..table.end).step_by(4);
        shape.heads.extend(numbers.map(|at| (at, u32_in(record, at))));
        let has = |kind| record_v4::has(bits, kind);
        (has(1) && !(has(2) && has(3)) && !(has(11) && has(12))).then_some(shape.complete())
    }

    fn new(record: &[u8], flags_at: usize, unknown_flags: u16, sysid: Form) -> Self {
        Self {
            bytes: record.len(),
            elements: u16_in(record, COUNT_AT),
            // type and length of the record
            heads: vec![(0, u32_in(record, 0))],
            flags_at,
            unknown_flags,
            fields: vec![
                (Column::Event, Form::Bits(EVENT), flags_at),
                (Column::Sampled, Form::Bits(SAMPLED), flags_at),
                (Column::Sysid, sysid, 8),
            ],
            columns: 0,
            waiting: Vec::new(),
        }
    }

    fn add(&mut self, fields: &[(Column, Form, usize)], at: usize) {
        self.fields.extend(fields.iter().map(|(column, form, place)| (*column, *form, at + place)));
    }

    fn complete(mut self) -> Self {
        self.columns = self.fields.iter().fold(0, |columns, (column, _, _)| columns | 1 << *column as u32);
        self
    }

    /// Whether all these rows are of records of the shape that wait.
    fn fills(&self, rows: Range<usize>) -> bool {
        self.waiting.len() == rows.len() && self.waiting.first().is_some_and(|(row, _)| *row as usize >= rows.start)
    }

    #[inline]
    fn fits(&self, record: &[u8]) -> bool {
        record.len() == self.bytes
            && u16_in(record, COUNT_AT) == self.elements
            && u16_in(record, self.flags_at) & self.unknown_flags == 0
            && self.heads.iter().all(|(at, head)| u32_in(record, *at) == *head)
    }
}

const GENERIC_FIELDS: &[(Column, Form, usize)] = &[
    (Column::FirstMs, Form::Time, 0),
    (Column::LastMs, Form::Time, 8),
    (Column::ReceivedMs, Form::Time, 16),
    (Column::InPackets, Form::U64, 24),
    (Column::InBytes, Form::U64, 32),
    (Column::SrcPort, Form::Port(4), 40),
    (Column::DstPort, Form::U16, 42),
    (Column::Protocol, Form::U8, 44),
    (Column::Tos, Form::U8, 47),
];
const IPV4: &[(Column, Form, usize)] =
    &[(Column::Src4, Form::U32, 0), (Column::Dst4, Form::U32, 4), (Column::Has4, Form::Always(1), 0)];
const IPV6: &[(Column, Form, usize)] = &[
    (Column::Src6Hi, Form::U64, 0),
    (Column::Src6Lo, Form::U64, 8),
    (Column::Dst6Hi, Form::U64, 16),
    (Column::Dst6Lo, Form::U64, 24),
    (Column::Has6, Form::Always(1), 0),
];
const COUNTERS: &[(Column, Form, usize)] =
    &[(Column::Flows, Form::U64, 0), (Column::OutPackets, Form::U64, 8), (Column::OutBytes, Form::U64, 16)];
const EXPORTER_4: &[(Column, Form, usize)] =
    &[(Column::ExporterLo, Form::U32, 0), (Column::ExporterVersion, Form::Always(4), 0)];
const EXPORTER_6: &[(Column, Form, usize)] = &[
    (Column::ExporterHi, Form::U64, 0),
    (Column::ExporterLo, Form::U64, 8),
    (Column::ExporterVersion, Form::Always(6), 0),
];

/// The fields of an element of nfdump 1.7, by their place in its content.
fn fields_v3(kind: u32) -> &'static [(Column, Form, usize)] {
    match kind {
        1 => GENERIC_FIELDS,
        2 => IPV4,
        3 => IPV6,
        4 => &[
            (Column::InputInterface, Form::U32, 0),
            (Column::OutputInterface, Form::U32, 4),
            (Column::Direction, Form::U8, 10),
            (Column::BiflowDirection, Form::U8, 12),
        ],
        5 => COUNTERS,
        12 => EXPORTER_4,
        13 => EXPORTER_6,
        _ => &[],
    }
}

/// The same of an extension of nfdump 1.8.
fn fields_v4(kind: u32) -> &'static [(Column, Form, usize)] {
    match kind {
        1 => GENERIC_FIELDS,
        2 => IPV4,
        3 => IPV6,
        4 => &[(Column::InputInterface, Form::U32, 0), (Column::OutputInterface, Form::U32, 4)],
        5 => &[(Column::Direction, Form::U8, 2), (Column::BiflowDirection, Form::U8, 3)],
        6 => COUNTERS,
        11 => EXPORTER_4,
        12 => EXPORTER_6,
        _ => &[],
    }
}
