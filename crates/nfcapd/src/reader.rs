//! A file from its head to its last block.

use crate::block::Block;
use crate::columns::{Column, Columns, Row};
use crate::exporters::{Exporter, Exporters};
use crate::header::{Blocks, Header, Statistics};
use crate::layout_3::flow_records;
use crate::record_v1::{self, Maps};
use crate::record_v3;
use crate::record_v4;
use crate::refusal::Refusal;
use crate::shapes::Shapes;
use crate::source::Source;
use crate::sums::{Counted, Sums};

/// Blocks of individual records: of nfdump 1.6, and of 1.7.
const RECORD_BLOCKS: [u16; 2] = [2, 3];
/// A block of names (applications, interfaces), without flows.
const ARRAY_BLOCK: u16 = 4;

const EXTENSION_MAP: u16 = 2;
const EXPORTER: u16 = 7;
const EXPORTER_STATISTICS: u16 = 8;
/// nfdump 1.6's.
const OLD_SAMPLER: u16 = 9;
const RECORD_V1: u16 = 10;
const RECORD_V3: u16 = 11;
/// Names of applications, interfaces and VRFs.
const NAMES: [u16; 3] = [12, 13, 14];
const SAMPLER: u16 = 15;
const RECORD_V4: u16 = 16;
/// What is known of a block of nfdump 1.8 as a whole, and what nfdump fills gaps with.
const META: u16 = 18;
const SLACK: u16 = 256;

/// Decodes a file block by block. It holds one block, and where that was compressed its records.
pub struct Reader<D> {
    data: D,
    header: Header,
    maps: Maps,
    counted: Counted,
    shapes: Shapes,
    buffer: Vec<u8>,
    spare: Vec<Columns>,
}

impl<D: Source> Reader<D> {
    /// Reads the head of a file.
    ///
    /// # Errors
    /// The head is damaged, or of a kind that is not known here.
    pub fn new(data: D) -> Result<Self, Refusal> {
        let header = Header::read(&data)?;
        Ok(Self {
            data,
            header,
            maps: Maps::default(),
            counted: Counted::default(),
            shapes: Shapes::default(),
            buffer: Vec::new(),
            spare: Vec::new(),
        })
    }

    /// 1 (nfdump 1.6), 2 (nfdump 1.7) or 3 (nfdump 1.8).
    pub fn layout(&self) -> u16 {
        self.header.layout
    }

    /// What the file promises.
    pub fn statistics(&self) -> &Statistics {
        &self.header.statistics
    }

    /// A number that grows whenever `exporters` changes.
    pub fn exporter_changes(&self) -> usize {
        self.header.exporters.changes()
    }

    /// The exporters that were named in the blocks read so far.
    pub fn exporters(&self) -> &[Exporter] {
        self.header.exporters.all()
    }

    /// The sums of the records read so far: by the first counter alone, and by both.
    pub fn sums(&self) -> (&Sums, &Sums) {
        (&self.counted.first, &self.counted.both)
    }

    /// Of the records read so far: how many have no counters, and how many flows the others stand for.
    pub fn flows(&self) -> (u64, u64) {
        (self.counted.without_counters, self.counted.flows)
    }

    /// Takes columns that are not needed any more for the records of a block to come: most of their memory need not be
    /// cleared.
    pub fn reuse(&mut self, columns: Columns) {
        self.spare.push(columns);
    }

    /// The records of the next block; None after the last.
    ///
    /// # Errors
    /// The block is damaged, or holds what is not known here. What was read until then must not be used either.
    pub fn next_block(&mut self) -> Result<Option<Columns>, Refusal> {
        let Some(block) = next(&self.data, &mut self.header)? else { return Ok(None) };
        let offset = block.offset;
        if self.header.layout < 3 {
            if block.kind == ARRAY_BLOCK {
                return Ok(Some(Columns::default()));
            }
            if !RECORD_BLOCKS.contains(&block.kind) {
                return Err(Refusal::unknown(offset, format!("block type {} is not known", block.kind)));
            }
        }
        let opened = block.open(&mut self.buffer)?;
        let mut found = Found {
            maps: &mut self.maps,
            exporters: &mut self.header.exporters,
            counted: &mut self.counted,
            shapes: &mut self.shapes,
        };
        let spare = self.spare.pop().unwrap_or_default();
        let columns = counted(self.header.layout, &block, opened)
            .and_then(|(count, records)| found.all(records, count, spare))
            .map_err(|refusal| refusal.in_block(offset))?;
        Ok(Some(columns))
    }

    /// The records of the next block as they lie in it, not decoded; None after the last.
    ///
    /// # Errors
    /// The block is damaged.
    pub fn next_opened(&mut self) -> Result<Option<Vec<Vec<u8>>>, Refusal> {
        let Some(block) = next(&self.data, &mut self.header)? else { return Ok(None) };
        let opened = block.open(&mut self.buffer)?;
        let (count, records) = counted(self.header.layout, &block, opened)?;
        let (mut found, mut place) = (Vec::new(), 0);
        for _ in 0..count {
            let (_, record) = record_at(records, place).map_err(|refusal| refusal.in_block(block.offset))?;
            found.push(record.to_vec());
            place += record.len();
        }
        Ok(Some(found))
    }
}

/// The block that comes next; none after the last.
fn next<'a>(data: &'a impl Source, header: &mut Header) -> Result<Option<Block<'a>>, Refusal> {
    match &mut header.blocks {
        Blocks::Listed(entries) => entries.pop().map(|entry| entry.block(data)).transpose(),
        Blocks::Following { left: 0, .. } => Ok(None),
        Blocks::Following { next, left } => {
            let block = Block::at(data, *next, header.compression)?;
            *next = block.end();
            *left -= 1;
            Ok(Some(block))
        }
    }
}

/// How many records a block has, and their bytes.
fn counted<'a>(layout: u16, block: &Block<'_>, opened: &'a [u8]) -> Result<(u32, &'a [u8]), Refusal> {
    if layout < 3 { Ok((block.records, opened)) } else { flow_records(opened) }
}

/// What the records of a file add to.
struct Found<'a> {
    maps: &'a mut Maps,
    exporters: &'a mut Exporters,
    counted: &'a mut Counted,
    shapes: &'a mut Shapes,
}

impl Found<'_> {
    fn all(&mut self, records: &[u8], count: u32, spare: Columns) -> Result<Columns, Refusal> {
        let mut columns = Columns::new(count_flows(records, count)?, spare);
        let (mut place, mut number) = (0, 0);
        let mut row = [0; Column::COUNT];
        self.shapes.forget();
        for _ in 0..count {
            let (kind, record) = record_at(records, place)?;
            let is_v4 = kind == RECORD_V4;
            if (kind == RECORD_V3 || is_v4) && self.shapes.take(record, place, number) {
                number += 1;
                if self.shapes.are_full() {
                    self.shapes.read(records, number, &mut columns);
                }
            } else if self.one(kind, record, place, &mut row)? {
                columns.clear_to(number + 1, 0);
                columns.put(number, &row);
                number += 1;
                if kind == RECORD_V3 || is_v4 {
                    self.shapes.learn(record, is_v4);
                }
            }
            place += record.len();
        }
        self.shapes.read(records, number, &mut columns);
        self.counted.add(&columns);
        Ok(columns)
    }

    /// Whether it is a flow record; then its fields are in `row`.
    #[inline]
    fn one(&mut self, kind: u16, record: &[u8], place: usize, row: &mut Row) -> Result<bool, Refusal> {
        match kind {
            RECORD_V3 => return record_v3::decode(record, place, row).map(|()| true),
            RECORD_V1 => return self.maps.decode(record, place, row).map(|()| true),
            EXTENSION_MAP => self.maps.add(record, place)?,
            RECORD_V4 => return record_v4::decode(record, place, row).map(|()| true),
            EXPORTER => self.exporters.add(record, place)?,
            SAMPLER => self.exporters.add_sampler(record, place, false)?,
            OLD_SAMPLER => self.exporters.add_sampler(record, place, true)?,
            EXPORTER_STATISTICS => self.exporters.add_statistics(record, place)?,
            META | SLACK => {}
            kind if NAMES.contains(&kind) => {}
            _ => return Err(Refusal::unknown(place, format!("record type {kind} is not known"))),
        }
        Ok(false)
    }
}

/// How many flow records a block holds, once it is certain that its records fill it.
fn count_flows(records: &[u8], count: u32) -> Result<usize, Refusal> {
    let (mut place, mut flows) = (0, 0);
    for _ in 0..count {
        let (kind, record) = record_at(records, place)?;
        let least = match kind {
            RECORD_V1 => record_v1::LEAST_BYTES,
            RECORD_V3 => record_v3::LEAST_BYTES,
            RECORD_V4 => record_v4::LEAST_BYTES,
            _ => 0,
        };
        if record.len() < least {
            // refused here, or a small file could have columns made for a million of them
            return Err(Refusal::damaged(place, format!("a flow record of {} bytes", record.len())));
        }
        flows += usize::from(least > 0);
        place += record.len();
    }
    if place == records.len() {
        Ok(flows)
    } else {
        Err(Refusal::damaged(place, format!("{} bytes follow the last of {count} records", records.len() - place)))
    }
}

/// Type and bytes of the record at a place.
#[inline]
fn record_at(records: &[u8], place: usize) -> Result<(u16, &[u8]), Refusal> {
    let rest = records.get(place..).unwrap_or_default();
    let Some(head) = rest.first_chunk::<4>() else {
        return Err(Refusal::damaged(place, "the records are cut off"));
    };
    let (kind, size) = (crate::bytes::u16_at(head, 0), usize::from(crate::bytes::u16_at(head, 2)));
    match rest.get(..size) {
        Some(record) if size >= 4 => Ok((kind, record)),
        _ => Err(Refusal::damaged(place, format!("a record of {size} bytes, {} are left", rest.len()))),
    }
}

const _: () = assert!(Column::COUNT == Column::ExporterVersion as usize + 1);
