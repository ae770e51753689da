//! Rows of the lake (`etl/schema.py`) in the bytes of their columns: little-endian integers of each column's width.

use crate::columns::{Column, Columns};
use crate::plain::Decision;

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
    /// Plain records of a block that begins with the record of this number.
    Plain(&'a Columns, usize, &'a [u32]),
    /// The row of the others at this place.
    Other(usize),
}

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

    /// Writes a column of all rows in the order of their numbers; `others` are the bytes of the other rows' values.
    ///
    /// `place` has the width times `len` bytes.
    pub fn write(&self, column: usize, others: &[u8], place: &mut [u8]) {
        match LAKE_COLUMNS[column].1 {
            1 => self.write_in::<1>(column, others, place),
            2 => self.write_in::<2>(column, others, place),
            4 => self.write_in::<4>(column, others, place),
            _ => self.write_in::<8>(column, others, place),
        }
    }

    /// Whether a column of the plain rows is 0 in all of them, as far as that can be said without looking at each.
    pub fn is_zero(&self, column: usize) -> bool {
        match Field::of(column) {
            Field::Stored(field) => self.blocks.iter().all(|block| block.is_zero(field)),
            Field::Either(four, six) => self.blocks.iter().all(|block| block.is_zero(four) && block.is_zero(six)),
            Field::Grouped(of) => (0..self.decisions.len()).all(|group| self.grouped(of, group) == 0),
            Field::Version | Field::Multiplied(_) => false,
        }
    }

    fn write_in<const WIDTH: usize>(&self, column: usize, others: &[u8], place: &mut [u8]) {
        let field = Field::of(column);
        let mut places = place.chunks_exact_mut(WIDTH);
        let mut next = || places.next().unwrap_or_default();
        for piece in &self.pieces {
            match piece {
                Piece::Plain(block, begin, numbers) => {
                    self.plain_values(field, block, *begin, numbers, |value| {
                        next().copy_from_slice(&value.to_le_bytes()[..WIDTH]);
                    });
                }
                Piece::Other(row) => next().copy_from_slice(&others[row * WIDTH..(row + 1) * WIDTH]),
            }
        }
    }

    /// Hands over the values of plain records of a block that begins with the record number `begin`.
    #[inline]
    fn plain_values(&self, field: Field, block: &Columns, begin: usize, numbers: &[u32], mut put: impl FnMut(i64)) {
        let at = |number: &u32| *number as usize - begin;
        let group = |number: &u32| self.groups[*number as usize] as usize;
        match field {
            Field::Stored(field) => {
                let values = block.column(field);
                for number in numbers {
                    put(values[at(number)] as i64);
                }
            }
            Field::Either(four, six) => {
                let (four, six) = (block.column(four), block.column(six));
                for number in numbers {
                    put((four[at(number)] | six[at(number)]) as i64);
                }
            }
            Field::Version => {
                let four = block.column(Column::Has4);
                for number in numbers {
                    put(if four[at(number)] == 1 { 4 } else { 6 });
                }
            }
            Field::Multiplied(field) => {
                let values = block.column(field);
                for number in numbers {
                    put(values[at(number)] as i64 * self.grouped(Of::Multiplier, group(number)));
                }
            }
            Field::Grouped(of) => {
                for number in numbers {
                    put(self.grouped(of, group(number)));
                }
            }
        }
    }

    fn grouped(&self, of: Of, group: usize) -> i64 {
        let Some(decision) = &self.decisions[group] else { return 0 };
        match of {
            Of::Multiplier => decision.multiplier,
            Of::Factor => decision.factor,
            Of::ExporterHi => decision.exporter_hi,
            Of::ExporterLo => decision.exporter_lo,
            Of::Flags => decision.flags,
        }
    }
}

/// The rows in the order of their numbers.
fn pieces<'a>(blocks: &'a [Columns], mut plain: &'a [u32], others: &[u32]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let (mut other, mut begin) = (0, 0);
    for block in blocks {
        let end = begin + block.rows();
        loop {
            let next = others.get(other).map_or(end, |number| (*number as usize).min(end));
            let count = plain.partition_point(|number| (*number as usize) < next);
            if count > 0 {
                pieces.push(Piece::Plain(block, begin, &plain[..count]));
            }
            plain = &plain[count..];
            if next == end {
                break;
            }
            pieces.push(Piece::Other(other));
            other += 1;
        }
        begin = end;
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
}

/// How a column of a plain row follows from its record.
#[derive(Clone, Copy)]
enum Field {
    Stored(Column),
    /// The one of two that the record has; the other is 0.
    Either(Column, Column),
    Version,
    Multiplied(Column),
    Grouped(Of),
}

impl Field {
    fn of(column: usize) -> Self {
        match LAKE_COLUMNS[column].0 {
            "first_ms" => Self::Stored(Column::FirstMs),
            "last_ms" => Self::Stored(Column::LastMs),
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
            "direction" => Self::Stored(Column::Direction),
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
