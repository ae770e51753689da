//! Files of nfdump 1.8: a head, blocks in any order, a directory of them, and a foot, which repeats where that is.
//!
//! Source: `nffileV3.h`, `nfread.c` and `exporter.h` of nfdump's branch `devel_1.8.x` (2026-08). Each block says itself how
//! it is compressed. Checksums, which nfdump writes on request only, are not checked: what the records add up to is.

use crate::block::{Block, LARGEST_BLOCK};
use crate::bytes::Cursor;
use crate::exporters::Exporters;
use crate::header::{Compression, Statistics, counters};
use crate::refusal::Refusal;
use crate::source::{Source, piece};

const HEAD_BYTES: usize = 48;
pub(crate) const BLOCK_HEAD_BYTES: usize = 24;
/// What a block of flows has before its records: their number, and what they have in common.
pub(crate) const FLOW_HEAD_BYTES: usize = 32;
const DIRECTORY_MAGIC: u32 = 0xB10C_B10C;
const DIRECTORY_HEAD_BYTES: usize = 8;
const ENTRY_BYTES: usize = 16;
/// Of a million blocks; no file is that large.
const LARGEST_DIRECTORY: usize = 16 << 20;
const ENCRYPTED: u32 = 1;
const STATISTICS_BYTES: usize = 144;

const FLOWS: u32 = 1;
const STATISTICS: u32 = 3;
const EXPORTERS: u32 = 7;
/// Arrays of names, what the file is called, filters for searches, messages.
const WITHOUT_FLOWS: [u32; 4] = [2, 4, 5, 6];

/// A block by the directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    kind: u32,
    bytes: usize,
    offset: usize,
}

/// What is known of a file once its directory was read: the blocks of flows, in the directory's order.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    pub(crate) flows: Vec<Entry>,
    pub(crate) statistics: Statistics,
    pub(crate) exporters: Exporters,
}

impl Directory {
    /// `cursor` has the head, after its magic and layout.
    pub(crate) fn read(file: &(impl Source + ?Sized), mut cursor: Cursor<'_>) -> Result<Self, Refusal> {
        let writer = cursor.u32()?;
        // the upper four bits are nfdump's mark of a build from its repository
        if writer & 0x0FFF_0000 != 0x0108_0000 {
            return Err(Refusal::unknown(4, format!("the writer's version {writer:#010x} is not 1.8")));
        }
        cursor.take(12)?; // when it was created, by which program, compression of blocks that do not say it
        let (flags, block_bytes) = (cursor.u32()?, cursor.u32()? as usize);
        if flags & !ENCRYPTED != 0 {
            return Err(Refusal::unknown(20, format!("file flags {flags:#x} are not known")));
        }
        if flags & ENCRYPTED != 0 {
            return Err(Refusal::unknown(20, "the file is encrypted"));
        }
        if block_bytes == 0 || block_bytes > LARGEST_BLOCK {
            return Err(Refusal::unknown(24, format!("blocks of {block_bytes} bytes are larger than any known")));
        }
        let (bytes, offset) = (cursor.u32()? as usize, usize::try_from(cursor.u64()?).unwrap_or(usize::MAX));
        if offset < HEAD_BYTES {
            return Err(Refusal::damaged(32, "the file has no directory: its collector did not close it"));
        }
        let entries = entries(&piece(file, offset, bytes.min(LARGEST_DIRECTORY))?, offset)?;
        let mut found = Self { flows: Vec::new(), statistics: Statistics::default(), exporters: Exporters::default() };
        let (mut has_statistics, mut buffer) = (false, Vec::new());
        for entry in entries {
            match entry.kind {
                FLOWS => found.flows.push(entry),
                STATISTICS => {
                    found.statistics = statistics(entry.block(file)?.open(&mut buffer)?, entry.offset)?;
                    has_statistics = true;
                }
                EXPORTERS => found.add_exporters(entry.block(file)?.open(&mut buffer)?, entry.offset)?,
                kind if WITHOUT_FLOWS.contains(&kind) => {}
                kind => return Err(Refusal::unknown(entry.offset, format!("block type {kind} is not known"))),
            }
        }
        if !has_statistics {
            return Err(Refusal::damaged(offset, "the file has no statistics"));
        }
        Ok(found)
    }

    fn add_exporters(&mut self, content: &[u8], place: usize) -> Result<(), Refusal> {
        let mut cursor = Cursor::new(content, 0);
        let mut add = || {
            let count = cursor.u32()?;
            cursor.take(4)?;
            self.exporters.add_block(content.get(8..).unwrap_or_default(), count, cursor.place())
        };
        add().map_err(|refusal| refusal.in_block(place))
    }
}

/// The directory's entries. No two overlap, or a small file could have records without end.
fn entries(directory: &[u8], offset: usize) -> Result<Vec<Entry>, Refusal> {
    let mut cursor = Cursor::new(directory, offset);
    let (magic, count) = (cursor.u32()?, cursor.u32()? as usize);
    if magic != DIRECTORY_MAGIC {
        return Err(Refusal::damaged(offset, "the directory does not begin here"));
    }
    if count > directory.len().saturating_sub(DIRECTORY_HEAD_BYTES) / ENTRY_BYTES {
        return Err(Refusal::damaged(
            offset + 4,
            format!("a directory of {count} blocks in {} bytes", directory.len()),
        ));
    }
    let mut found = Vec::with_capacity(count);
    for _ in 0..count {
        let (kind, bytes) = (cursor.u32()?, cursor.u32()? as usize);
        found.push(Entry { kind, bytes, offset: usize::try_from(cursor.u64()?).unwrap_or(usize::MAX) });
    }
    let mut by_place: Vec<_> = found.iter().map(|entry| (entry.offset, entry.bytes)).collect();
    by_place.sort_unstable();
    let mut end = HEAD_BYTES;
    for (begin, bytes) in by_place {
        if begin < end {
            return Err(Refusal::damaged(begin, "two blocks of the directory overlap"));
        }
        end = begin.saturating_add(bytes.max(1));
    }
    Ok(found)
}

impl Entry {
    /// The block at its place; its records are not counted yet.
    pub(crate) fn block<'a>(&self, file: &'a (impl Source + ?Sized)) -> Result<Block<'a>, Refusal> {
        let Self { kind, bytes, offset } = *self;
        let head = piece(file, offset, BLOCK_HEAD_BYTES)?;
        let mut cursor = Cursor::new(&head, offset);
        let (own_kind, stored, opened) = (cursor.u32()?, cursor.u32()? as usize, cursor.u32()? as usize);
        let (method, encryption) = (cursor.u16()?, cursor.u16()?);
        cursor.take(8)?; // checksum
        let possible = BLOCK_HEAD_BYTES..=LARGEST_BLOCK;
        if own_kind != kind || stored != bytes || !possible.contains(&stored) {
            let what = format!("a block of type {own_kind} and {stored} bytes, the directory says {kind} and {bytes}");
            return Err(Refusal::damaged(offset, what));
        }
        if !possible.contains(&opened) {
            return Err(Refusal::damaged(offset, format!("a block of {opened} bytes")));
        }
        if encryption != 0 {
            return Err(Refusal::unknown(offset, "the block is encrypted"));
        }
        let compression = match method {
            0 | 1 => Compression::None,
            2 => Compression::Lzo,
            3 => Compression::Bz2,
            4 => Compression::Lz4,
            5 => Compression::Zstd,
            other => return Err(Refusal::unknown(offset, format!("compression {other} is not known"))),
        };
        let content = piece(file, cursor.place(), stored - BLOCK_HEAD_BYTES)?;
        Cursor::new(&content, cursor.place()).take(stored - BLOCK_HEAD_BYTES)?;
        let opened_bytes = Some(opened - BLOCK_HEAD_BYTES);
        Ok(Block { offset, records: 0, kind: kind as u16, compression, stored: content, opened_bytes })
    }
}

/// The number of records of a block of flows, and their bytes.
pub(crate) fn flow_records(content: &[u8]) -> Result<(u32, &[u8]), Refusal> {
    let mut cursor = Cursor::new(content, 0);
    let count = cursor.u32()?;
    cursor.take(FLOW_HEAD_BYTES - 4)?;
    Ok((count, content.get(FLOW_HEAD_BYTES..).unwrap_or_default()))
}

fn statistics(content: &[u8], place: usize) -> Result<Statistics, Refusal> {
    if content.len() != STATISTICS_BYTES {
        return Err(Refusal::unknown(place, format!("statistics of {} bytes are not known", content.len())));
    }
    let mut cursor = Cursor::new(content, place);
    let (records, sums) = counters(&mut cursor)?;
    cursor.take(16)?; // the first and the last time
    Ok(Statistics { records, sums, sequence_failures: cursor.u64()? })
}
