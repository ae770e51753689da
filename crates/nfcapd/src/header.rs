//! The head of a file: its layout, compression, and what it says of its own records.

use crate::block::{Block, LARGEST_BLOCK};
use crate::bytes::Cursor;
use crate::exporters::Exporters;
use crate::layout_3::{Directory, Entry};
use crate::refusal::Refusal;
use crate::source::{Source, piece};
use crate::sums::{Sums, Totals};

const MAGIC: u16 = 0xA50C;
/// What either head fits into.
const LARGEST_HEAD: usize = 512;
const IDENT_BYTES: usize = 128;
const TYPE_IDENT: u16 = 0x8001;
const TYPE_STATISTICS: u16 = 0x8002;
const STATISTICS_BYTES: usize = 144;

/// How the blocks of a file are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Lzo,
    Bz2,
    Lz4,
    /// Of nfdump 1.7.3 and later, in layouts 2 and 3.
    Zstd,
}

/// What a file promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Flow records.
    pub records: u64,
    /// Their counters.
    pub sums: Sums,
    /// Exports that the collector missed, by their sequence numbers.
    pub sequence_failures: u64,
}

/// Where the blocks of flows lie.
#[derive(Clone, Debug)]
pub(crate) enum Blocks {
    /// So many, one after another from an offset on.
    Following { next: usize, left: u32 },
    /// In this order, the last one first.
    Listed(Vec<Entry>),
}

/// The head of a file.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) layout: u16,
    /// Of all blocks, in layouts 1 and 2.
    pub(crate) compression: Compression,
    pub(crate) blocks: Blocks,
    pub(crate) statistics: Statistics,
    /// Those that are named outside of the blocks of flows.
    pub(crate) exporters: Exporters,
}

impl Header {
    pub(crate) fn read(file: &(impl Source + ?Sized)) -> Result<Self, Refusal> {
        let head = piece(file, 0, LARGEST_HEAD)?;
        let mut cursor = Cursor::new(&head, 0);
        let (magic, layout) = (cursor.u16()?, cursor.u16()?);
        if magic != MAGIC {
            return Err(Refusal::damaged(0, "not an nfcapd file"));
        }
        match layout {
            1 => layout_1(cursor),
            2 => layout_2(file, cursor),
            3 => layout_3(file, cursor),
            _ => Err(Refusal::unknown(2, format!("file layout {layout} is not known"))),
        }
    }
}

/// `fileHeaderV1_t` and the statistics that follow it.
fn layout_1(mut cursor: Cursor<'_>) -> Result<Header, Refusal> {
    let (flags, blocks) = (cursor.u32()?, cursor.u32()?);
    let compression = match flags & !0x2 {
        // 0x2: addresses were made anonymous
        0x0 => Compression::None,
        0x1 => Compression::Lzo,
        0x8 => Compression::Bz2,
        0x10 => Compression::Lz4,
        _ => return Err(Refusal::unknown(4, format!("file flags {flags:#x} are not known"))),
    };
    cursor.take(IDENT_BYTES)?;
    let (records, sums) = counters(&mut cursor)?;
    cursor.take(12)?; // the first and the last time
    let sequence_failures = u64::from(cursor.u32()?);
    let statistics = Statistics { records, sums, sequence_failures };
    let blocks = Blocks::Following { next: cursor.place(), left: blocks };
    Ok(Header { layout: 1, compression, blocks, statistics, exporters: Exporters::default() })
}

/// `fileHeaderV2_t`; the statistics are in a block of their own, the appendix.
fn layout_2(file: &(impl Source + ?Sized), mut cursor: Cursor<'_>) -> Result<Header, Refusal> {
    // The writer's version, in another form with nearly every release: the layout says what follows. And when it was created.
    cursor.take(12)?;
    let place = cursor.place();
    let compression = match cursor.u8()? {
        0 => Compression::None,
        1 => Compression::Lzo,
        2 => Compression::Bz2,
        3 => Compression::Lz4,
        4 => Compression::Zstd,
        other => return Err(Refusal::unknown(place, format!("compression {other} is not known"))),
    };
    if cursor.u8()? != 0 {
        return Err(Refusal::unknown(place + 1, "the file is encrypted"));
    }
    let appendix_blocks = cursor.u16()?;
    cursor.take(4)?; // unused, or which program created it
    let place = cursor.place();
    let appendix = usize::try_from(cursor.u64()?).unwrap_or(usize::MAX);
    let block_bytes = cursor.u32()? as usize;
    if block_bytes > LARGEST_BLOCK {
        return Err(Refusal::unknown(place + 8, format!("blocks of {block_bytes} bytes are larger than any known")));
    }
    let blocks = cursor.u32()?;
    let statistics = appendix_statistics(file, appendix, appendix_blocks, compression)?
        .ok_or_else(|| Refusal::damaged(place, "the file has no statistics"))?;
    let blocks = Blocks::Following { next: cursor.place(), left: blocks };
    Ok(Header { layout: 2, compression, blocks, statistics, exporters: Exporters::default() })
}

fn layout_3(file: &(impl Source + ?Sized), cursor: Cursor<'_>) -> Result<Header, Refusal> {
    let Directory { mut flows, statistics, exporters } = Directory::read(file, cursor)?;
    flows.reverse();
    let blocks = Blocks::Listed(flows);
    Ok(Header { layout: 3, compression: Compression::None, blocks, statistics, exporters })
}

fn appendix_statistics(
    file: &(impl Source + ?Sized),
    mut offset: usize,
    blocks: u16,
    compression: Compression,
) -> Result<Option<Statistics>, Refusal> {
    let mut found = None;
    let mut buffer = Vec::new();
    for _ in 0..blocks {
        let block = Block::at(file, offset, compression)?;
        let records = block.open(&mut buffer)?;
        let mut cursor = Cursor::new(records, 0);
        for _ in 0..block.records {
            found = appendix_record(&mut cursor).map_err(|refusal| refusal.in_block(offset))?.or(found);
        }
        offset = block.end();
    }
    Ok(found)
}

fn appendix_record(cursor: &mut Cursor<'_>) -> Result<Option<Statistics>, Refusal> {
    let place = cursor.place();
    let (kind, size) = (cursor.u16()?, usize::from(cursor.u16()?));
    let content = cursor.take(size.saturating_sub(4))?;
    match (kind, content.len()) {
        (TYPE_IDENT, _) => Ok(None),
        (TYPE_STATISTICS, STATISTICS_BYTES) => {
            let mut cursor = Cursor::new(content, place);
            let (records, sums) = counters(&mut cursor)?;
            cursor.take(16)?; // the first and the last time
            Ok(Some(Statistics { records, sums, sequence_failures: cursor.u64()? }))
        }
        _ => Err(Refusal::unknown(place, format!("appendix record {kind:#x} of {size} bytes is not known"))),
    }
}

/// Records, and the sums of bytes and packets: in all layouts the same fifteen numbers.
pub(crate) fn counters(cursor: &mut Cursor<'_>) -> Result<(u64, Sums), Refusal> {
    let (records, bytes, packets) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
    cursor.take(32)?; // records by protocol
    let mut by_protocol = [[0; 4]; 2]; // TCP, UDP, ICMP, other
    for numbers in &mut by_protocol {
        for number in numbers {
            *number = cursor.u64()?;
        }
    }
    let [bytes_by, packets_by] = by_protocol;
    let kind = |number: usize| Totals { packets: packets_by[number], bytes: bytes_by[number] };
    let (icmp, other) = (kind(2), kind(3));
    let neither =
        Totals { packets: icmp.packets.wrapping_add(other.packets), bytes: icmp.bytes.wrapping_add(other.bytes) };
    Ok((records, Sums { kinds: [Totals { packets, bytes }, kind(0), kind(1), neither] }))
}
