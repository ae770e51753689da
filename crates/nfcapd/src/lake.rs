//! Rows of the lake (`etl/schema.py`), made of records.

use std::ops::Range;

use crate::columns::{Column, Columns};
use crate::plain::Decision;
use crate::rows::Values;

/// Names and widths in bytes of the columns, in the order of the schema.
#[rustfmt::skip]
pub const LAKE_COLUMNS: [(&str, usize); 21] = [
    ("first_ms", 8), ("last_ms", 8), ("ip_version", 1), ("src_hi", 8), ("src_lo", 8), ("dst_hi", 8), ("dst_lo", 8),
    ("src_port", 4), ("dst_port", 4), ("protocol", 2), ("input_interface", 8), ("output_interface", 8),
    ("direction", 1), ("bytes", 8), ("packets", 8), ("sampling_factor", 8), ("exporter_hi", 8), ("exporter_lo", 8),
    ("exporter_domain", 8), ("record_flags", 4), ("tos", 2),
];
/// Plain records as rows, among others that were judged elsewhere.
pub struct PlainRows<'a> {
    blocks: &'a [Columns],
    groups: &'a [u32],
    decisions: &'a [Option<Decision>],
    rows: usize,
    pieces: Vec<Piece<'a>>,
}

/// Where a row comes from.
enum Piece<'a> {
    Plain(Plain<'a>),
    /// The rows of the others from one place up to another.
    Others(usize, usize),
}

/// Plain records of a block that begins with the record number `begin`.
struct Plain<'a> {
    block: &'a Columns,
    begin: usize,
    numbers: &'a [u32],
    /// The same as rows of the block, where so many follow upon each other that they are copied by runs.
    runs: Vec<Range<usize>>,
}

/// Runs are at least so long in the mean, or records are copied one by one.
const LEAST_RUN: usize = 8;

impl<'a> PlainRows<'a> {
    /// `groups` are those of the records of these blocks. `plain` are the numbers of the plain records, on whose groups
    /// something was decided, and `others` those of the other records, both in their order.
    pub fn new(
        blocks: &'a [Columns],
        groups: &'a [u32],
        decisions: &'a [Option<Decision>],
        plain: &'a [u32],
        others: &[u32],
    ) -> Self {
        Self { blocks, groups, decisions, rows: plain.len() + others.len(), pieces: pieces(blocks, plain, others) }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a column of all rows in the order of their numbers; `others` are the other rows' values.
    pub fn append(&self, column: usize, others: &[i64], to: &mut Values) {
        let field = self.simple(Field::of(column));
        if others.is_empty() {
            if let Some(value) = self.same(field) {
                to.extend_same(value, self.rows);
                return;
            }
        }
        for piece in &self.pieces {
            match piece {
                Piece::Plain(plain) => self.append_plain(field, plain, to),
                Piece::Others(begin, end) => to.extend(others[*begin..*end].iter().copied()),
            }
        }
    }

    /// Counters that nothing multiplies are as stored, and so are times that nothing moves.
    fn simple(&self, field: Field) -> Field {
        match field {
            Field::Multiplied(column) if self.same(Field::Grouped(Of::Multiplier)) == Some(1) => Field::Stored(column),
            Field::Moved(column) if self.same(Field::Grouped(Of::ShiftMs)) == Some(0) => Field::Stored(column),
            field => field,
        }
    }

    /// The value of all plain rows, where that can be said without looking at each.
    fn same(&self, field: Field) -> Option<i64> {
        let same = |column| only(self.blocks.iter().map(|block| block.same(column)));
        match field {
            Field::Stored(column) => same(column).map(|value| value as i64),
            Field::SignedOctet(column) => same(column).map(|value| i64::from(value as i8)),
            Field::Multiplied(column) => same(column).filter(|value| *value == 0).map(|_| 0),
            Field::Moved(_) => None,
            Field::Either(four, six) => Some((same(four)? | same(six)?) as i64),
            Field::Version => (same(Column::Has6)? == 0).then_some(4),
            Field::Grouped(of) => only(self.decisions.iter().flatten().map(|decision| Some(decision.value(of)))),
        }
    }

    fn append_plain(&self, field: Field, plain: &Plain, to: &mut Values) {
        let Plain { block, begin, numbers, runs } = plain;
        let at = |number: &u32| *number as usize - begin;
        let group = |number: &u32| self.groups[*number as usize] as usize;
        match field {
            Field::Stored(column) => {
                let values = block.column(column);
                for run in runs {
                    to.extend(values[run.clone()].iter().map(|value| *value as i64));
                }
                if runs.is_empty() {
                    to.extend(numbers.iter().map(|number| values[at(number)] as i64));
                }
            }
            Field::SignedOctet(column) => {
                let values = block.column(column);
                to.extend(numbers.iter().map(|number| i64::from(values[at(number)] as i8)));
            }
            Field::Either(four, six) => {
                let (four, six) = (block.column(four), block.column(six));
                for run in runs {
                    let both = four[run.clone()].iter().zip(&six[run.clone()]);
                    to.extend(both.map(|(four, six)| (four | six) as i64));
                }
                if runs.is_empty() {
                    to.extend(numbers.iter().map(|number| (four[at(number)] | six[at(number)]) as i64));
                }
            }
            Field::Version => {
                let four = block.column(Column::Has4);
                to.extend(numbers.iter().map(|number| if four[at(number)] == 1 { 4 } else { 6 }));
            }
            Field::Multiplied(column) => {
                let values = block.column(column);
                let multiplied = |number: &u32| values[at(number)] as i64 * self.grouped(Of::Multiplier, group(number));
                to.extend(numbers.iter().map(multiplied));
            }
            Field::Moved(column) => {
                let values = block.column(column);
                let moved = |number: &u32| values[at(number)] as i64 + self.grouped(Of::ShiftMs, group(number));
                to.extend(numbers.iter().map(moved));
            }
            Field::Grouped(of) => to.extend(numbers.iter().map(|number| self.grouped(of, group(number)))),
        }
    }

    fn grouped(&self, of: Of, group: usize) -> i64 {
        self.decisions[group].as_ref().map_or(0, |decision| decision.value(of))
    }
}

impl Decision {
    fn value(&self, of: Of) -> i64 {
        match of {
            Of::Multiplier => self.multiplier,
            Of::Factor => self.factor,
            Of::ExporterHi => self.exporter_hi,
            Of::ExporterLo => self.exporter_lo,
            Of::Flags => self.flags,
            Of::ShiftMs => self.shift_ms,
        }
    }
}

impl<'a> Plain<'a> {
    fn new(block: &'a Columns, begin: usize, numbers: &'a [u32]) -> Self {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for run in numbers.chunk_by(|one, next| one + 1 == *next) {
            if runs.len() * LEAST_RUN > numbers.len() {
                return Self { block, begin, numbers, runs: Vec::new() };
            }
            let first = run[0] as usize - begin;
            runs.push(first..first + run.len());
        }
        Self { block, begin, numbers, runs }
    }
}

/// The one value that there is, if there is one and each is known.
fn only<V: PartialEq>(mut values: impl Iterator<Item = Option<V>>) -> Option<V> {
    let first = values.next()??;
    values.all(|value| value.as_ref() == Some(&first)).then_some(first)
}

/// The rows in the order of their numbers; others may have numbers after those of all blocks.
fn pieces<'a>(blocks: &'a [Columns], mut plain: &'a [u32], others: &[u32]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let (mut other, mut begin) = (0, 0);
    for block in blocks {
        let end = begin + block.rows();
        loop {
            let next = others.get(other).map_or(end, |number| (*number as usize).min(end));
            let count = plain.partition_point(|number| (*number as usize) < next);
            if count > 0 {
                pieces.push(Piece::Plain(Plain::new(block, begin, &plain[..count])));
            }
            plain = &plain[count..];
            if next == end {
                break;
            }
            let before = plain.first().map_or(end, |number| (*number as usize).min(end));
            let count = others[other..].partition_point(|number| (*number as usize) < before);
            pieces.push(Piece::Others(other, other + count));
            other += count;
        }
        begin = end;
    }
    if other < others.len() {
        pieces.push(Piece::Others(other, others.len()));
    }
    pieces
}

#[derive(Clone, Copy)]
enum Of {
    Multiplier,
    Factor,
    ExporterHi,
    ExporterLo,
    Flags,
    ShiftMs,
}

/// How a column of a plain row follows from its record.
#[derive(Clone, Copy)]
enum Field {
    Stored(Column),
    /// An octet that the lake has with a sign.
    SignedOctet(Column),
    /// The one of two that the record has; the other is 0.
    Either(Column, Column),
    Version,
    Multiplied(Column),
    /// A time.
    Moved(Column),
    Grouped(Of),
}

impl Field {
    fn of(column: usize) -> Self {
        match LAKE_COLUMNS[column].0 {
            "first_ms" => Self::Moved(Column::FirstMs),
            "last_ms" => Self::Moved(Column::LastMs),
            "ip_version" => Self::Version,
            "src_hi" => Self::Stored(Column::Src6Hi),
            "src_lo" => Self::Either(Column::Src4, Column::Src6Lo),
            "dst_hi" => Self::Stored(Column::Dst6Hi),
            "dst_lo" => Self::Either(Column::Dst4, Column::Dst6Lo),
            "src_port" => Self::Stored(Column::SrcPort),
            "dst_port" => Self::Stored(Column::DstPort),
            "protocol" => Self::Stored(Column::Protocol),
            "input_interface" => Self::Stored(Column::InputInterface),
            "output_interface" => Self::Stored(Column::OutputInterface),
            "direction" => Self::SignedOctet(Column::Direction),
            "bytes" => Self::Multiplied(Column::InBytes),
            "packets" => Self::Multiplied(Column::InPackets),
            "sampling_factor" => Self::Grouped(Of::Factor),
            "exporter_hi" => Self::Grouped(Of::ExporterHi),
            "exporter_lo" => Self::Grouped(Of::ExporterLo),
            "exporter_domain" => Self::Stored(Column::Sysid),
            "record_flags" => Self::Grouped(Of::Flags),
            _ => Self::Stored(Column::Tos),
        }
    }
}
