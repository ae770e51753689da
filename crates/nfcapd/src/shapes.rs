//! Records of nfdump 1.7 that have the same elements in the same places: their fields are read column by column.
//!
//! The records of an exporter mostly have one of a few shapes. What a record of a shape needs is one comparison for each of
//! its elements; that these are known and fit was looked at when the first one of them was decoded (`record_v3.rs`).

use std::ops::Range;

use crate::bytes::{u16_in, u32_in, u64_in};
use crate::columns::{Column, Columns, is_icmp, shown_ms};
use crate::record_v3::{ANONYMOUS, EVENT, SAMPLED};

/// A file with more has its other records decoded one by one.
const MOST_SHAPES: usize = 8;
/// So many records are read together: their bytes and cells stay in the processor's caches.
const AT_ONCE: usize = 512;
const HEAD_BYTES: usize = 12;
const ELEMENT_HEAD_BYTES: usize = 4;
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
    /// Place in the record, type and length of each element.
    heads: Vec<(usize, u32)>,
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
    pub(crate) fn learn(&mut self, record: &[u8]) {
        if self.known.len() < MOST_SHAPES {
            self.known.extend(Shape::of(record));
        }
    }

    /// Forgets records that wait, of a block that is refused.
    pub(crate) fn forget(&mut self) {
        self.known.iter_mut().for_each(|shape| shape.waiting.clear());
        self.waiting = 0;
    }
}

impl Shape {
    /// The shape of a record that was decoded; none where the order of its elements counts.
    fn of(record: &[u8]) -> Option<Self> {
        let elements = u16_in(record, COUNT_AT);
        let mut shape = Self {
            bytes: record.len(),
            elements,
            heads: Vec::new(),
            fields: Vec::new(),
            columns: 0,
            waiting: Vec::new(),
        };
        shape.fields.extend([
            (Column::Event, Form::Bits(EVENT), FLAGS_AT),
            (Column::Sampled, Form::Bits(SAMPLED), FLAGS_AT),
            (Column::Sysid, Form::U16, 8),
        ]);
        let (mut at, mut kinds) = (HEAD_BYTES, 0_u64);
        for _ in 0..elements {
            let head = u32_in(record, at);
            let (kind, length) = (head & 0xFFFF, (head >> 16) as usize);
            shape.heads.push((at, head));
            shape.add_element(kind, at + ELEMENT_HEAD_BYTES);
            kinds |= 1 << kind;
            at += length;
        }
        shape.columns = shape.fields.iter().fold(0, |columns, (column, _, _)| columns | 1 << *column as u32);
        // of addresses of both versions the later ones count
        let both = |one: u64, other: u64| kinds >> one & 1 != 0 && kinds >> other & 1 != 0;
        (!both(2, 3) && !both(12, 13)).then_some(shape)
    }

    fn add_element(&mut self, kind: u32, at: usize) {
        use Column as C;
        let fields: &[(Column, Form, usize)] = match kind {
            1 => &[
                (C::FirstMs, Form::Time, 0),
                (C::LastMs, Form::Time, 8),
                (C::ReceivedMs, Form::Time, 16),
                (C::InPackets, Form::U64, 24),
                (C::InBytes, Form::U64, 32),
                (C::SrcPort, Form::Port(4), 40),
                (C::DstPort, Form::U16, 42),
                (C::Protocol, Form::U8, 44),
                (C::Tos, Form::U8, 47),
            ],
            2 => &[(C::Src4, Form::U32, 0), (C::Dst4, Form::U32, 4), (C::Has4, Form::Always(1), 0)],
            3 => &[
                (C::Src6Hi, Form::U64, 0),
                (C::Src6Lo, Form::U64, 8),
                (C::Dst6Hi, Form::U64, 16),
                (C::Dst6Lo, Form::U64, 24),
                (C::Has6, Form::Always(1), 0),
            ],
            4 => &[(C::InputInterface, Form::U32, 0), (C::OutputInterface, Form::U32, 4), (C::Direction, Form::U8, 10)],
            5 => &[(C::OutPackets, Form::U64, 8), (C::OutBytes, Form::U64, 16)],
            12 => &[(C::ExporterLo, Form::U32, 0), (C::ExporterVersion, Form::Always(4), 0)],
            13 => &[
                (C::ExporterHi, Form::U64, 0),
                (C::ExporterLo, Form::U64, 8),
                (C::ExporterVersion, Form::Always(6), 0),
            ],
            _ => &[],
        };
        self.fields.extend(fields.iter().map(|(column, form, place)| (*column, *form, at + place)));
    }

    /// Whether all these rows are of records of the shape that wait.
    fn fills(&self, rows: Range<usize>) -> bool {
        self.waiting.len() == rows.len() && self.waiting.first().is_some_and(|(row, _)| *row as usize >= rows.start)
    }

    #[inline]
    fn fits(&self, record: &[u8]) -> bool {
        record.len() == self.bytes
            && u16_in(record, COUNT_AT) == self.elements
            && record[FLAGS_AT] & !(EVENT | SAMPLED | ANONYMOUS) == 0
            && self.heads.iter().all(|(at, head)| u32_in(record, *at) == *head)
    }
}
