//! A file before it is written: blocks of records, which can be changed one by one.

use crate::chance::Chance;
use crate::corpus::{Corpus, is_flow};
use crate::packing;

pub const COMPRESSIONS: [Compression; 5] =
    [Compression::None, Compression::Lzo, Compression::Bz2, Compression::Lz4, Compression::Zstd];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    None,
    Lzo,
    Bz2,
    Lz4,
    Zstd,
}

impl Compression {
    fn pack(self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::None => text.to_vec(),
            Self::Lzo => packing::lzo(text),
            Self::Bz2 => packing::bz2(text),
            Self::Lz4 => packing::lz4(text),
            Self::Zstd => packing::zstd(text),
        }
    }

    /// What the blocks of a finished file say, or its head for all of them; either may have been changed.
    pub fn named(content: &[u8]) -> Vec<Self> {
        let of_block = |place: usize| content.get(place.saturating_add(12)).copied();
        let methods = match content.get(2) {
            Some(1) => {
                let flags = content.get(4).map(|flags| u32::from(flags & !2));
                let named = |one: &&Self| flags == Some(one.numbers().0) && **one != Self::Zstd;
                return COMPRESSIONS.iter().filter(named).copied().collect();
            }
            Some(3) => {
                places_3(content).into_iter().filter_map(of_block).map(|number| number.wrapping_sub(1)).collect()
            }
            _ => content.get(16).copied().into_iter().collect::<Vec<_>>(),
        };
        COMPRESSIONS.into_iter().filter(|one| methods.contains(&one.numbers().1)).collect()
    }

    /// As the head of layout 1 and of layout 2 names it.
    fn numbers(self) -> (u32, u8) {
        match self {
            Self::None => (0, 0),
            Self::Lzo => (1, 1),
            Self::Bz2 => (8, 2),
            Self::Lz4 => (16, 3),
            Self::Zstd => (0, 4),
        }
    }
}

/// A data block; what its head says may differ from what it holds.
pub struct Block {
    pub kind: u16,
    pub flags: u16,
    pub records: Vec<Vec<u8>>,
    /// Records more than there are.
    pub records_beside: i32,
    /// Bytes more than there are.
    pub bytes_beside: i32,
}

impl Block {
    /// Without records.
    pub fn of(kind: u16) -> Self {
        Self { kind, flags: 0, records: Vec::new(), records_beside: 0, bytes_beside: 0 }
    }
}

pub struct File {
    pub layout: u16,
    pub blocks: Vec<Block>,
    /// Of layout 3, which has them in a block of their own.
    pub exporters: Vec<Vec<u8>>,
}

const HEAD_3_BYTES: usize = 48;
const BLOCK_HEAD_3_BYTES: usize = 24;

impl File {
    /// One to three blocks of a few records of one good file, and what says how to read them.
    pub fn of(corpus: &Corpus, chance: &mut Chance) -> Self {
        let source = corpus.source(chance);
        let mut blocks: Vec<Block> = (0..=chance.below(3))
            .map(|_| {
                let flows = (0..=chance.below(8)).map(|_| source.flow(chance).to_vec()).collect();
                let kind = if source.layout == 1 { 2 } else { 3 };
                Block { records: flows, ..Block::of(kind) }
            })
            .collect();
        let exporters = if source.layout == 3 {
            source.context.clone()
        } else {
            blocks[0].records.splice(0..0, source.context.iter().cloned());
            Vec::new()
        };
        Self { layout: source.layout, blocks, exporters }
    }

    pub fn flows(&self) -> usize {
        self.blocks.iter().flat_map(|block| &block.records).filter(|record| is_flow(record)).count()
    }

    /// Its bytes; `change` may alter the stored bytes of the data block with the number `changed`.
    pub fn content(&self, compression: Compression, changed: usize, mut change: impl FnMut(&mut Vec<u8>)) -> Vec<u8> {
        if self.layout == 3 {
            return self.content_3(compression, changed, change);
        }
        let mut data = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            let mut stored = compression.pack(&block.records.concat());
            if number == changed {
                change(&mut stored);
            }
            let records = (block.records.len() as u32).wrapping_add_signed(block.records_beside);
            let bytes = (stored.len() as u32).wrapping_add_signed(block.bytes_beside);
            put_block(&mut data, records, bytes, block.kind, block.flags, &stored);
        }
        let blocks = self.blocks.len() as u32;
        let mut content =
            if self.layout == 1 { head_1(compression, blocks) } else { head_2(compression, blocks, data.len()) };
        content.append(&mut data);
        if self.layout == 2 {
            let appendix = compression.pack(&[&[1, 0x80, 9, 0][..], b"none\0", &[2, 0x80, 148, 0], &[0; 144]].concat());
            put_block(&mut content, 2, appendix.len() as u32, 3, 0, &appendix);
        }
        content
    }

    fn content_3(&self, compression: Compression, changed: usize, mut change: impl FnMut(&mut Vec<u8>)) -> Vec<u8> {
        let (mut data, mut entries) = (Vec::new(), Vec::new());
        let mut put = |kind: u16, flags: u16, plain: &[u8], stored: &[u8], beside: i32, method: u8| {
            let bytes = ((BLOCK_HEAD_3_BYTES + stored.len()) as u32).wrapping_add_signed(beside).to_le_bytes();
            let place = (HEAD_3_BYTES + data.len()) as u64;
            entries.extend([&u32::from(kind).to_le_bytes()[..], &bytes, &place.to_le_bytes()].concat());
            let opened = ((BLOCK_HEAD_3_BYTES + plain.len()) as u32).to_le_bytes();
            let head =
                [&u32::from(kind).to_le_bytes()[..], &bytes, &opened, &[method, 0], &flags.to_le_bytes(), &[0; 8]];
            data.extend(head.concat());
            data.extend_from_slice(stored);
        };
        for (number, block) in self.blocks.iter().enumerate() {
            let records = (block.records.len() as u32).wrapping_add_signed(block.records_beside);
            let plain = [&records.to_le_bytes()[..], &[0; 28], &block.records.concat()].concat();
            let mut stored = compression.pack(&plain);
            if number == changed {
                change(&mut stored);
            }
            // a block of flows is of type 1 here
            let kind = if block.kind == 3 { 1 } else { block.kind };
            put(kind, block.flags, &plain, &stored, block.bytes_beside, compression.numbers().1 + 1);
        }
        let exporters = [&(self.exporters.len() as u32).to_le_bytes()[..], &[0; 4], &self.exporters.concat()].concat();
        put(7, 0, &exporters, &exporters, 0, 1);
        put(3, 0, &[0; 144], &[0; 144], 0, 1);
        let count = (entries.len() / 16) as u32;
        let directory = [&0xB10C_B10C_u32.to_le_bytes()[..], &count.to_le_bytes(), &entries].concat();
        let place = (HEAD_3_BYTES + data.len()) as u64;
        let where_it_is = [&(directory.len() as u32).to_le_bytes()[..], &place.to_le_bytes()].concat();
        let head = [&[0x0C, 0xA5, 3, 0][..], &0x0108_0000_u32.to_le_bytes(), &[0; 16], &(4_u32 << 20).to_le_bytes()];
        [&head.concat()[..], &where_it_is, &[0; 8], &data, &directory].concat()
    }
}

/// Where the directory of a file of layout 3 has its blocks.
fn places_3(content: &[u8]) -> Vec<usize> {
    let number = |place: usize, bytes: usize| {
        let mut found = [0; 8];
        found[..bytes].copy_from_slice(content.get(place..place.checked_add(bytes)?)?);
        usize::try_from(u64::from_le_bytes(found)).ok()
    };
    let Some(directory) = number(32, 8) else { return Vec::new() };
    let entries = directory.saturating_add(8);
    (entries..content.len()).step_by(16).map_while(|entry| number(entry + 8, 8)).collect()
}

fn put_block(out: &mut Vec<u8>, records: u32, bytes: u32, kind: u16, flags: u16, stored: &[u8]) {
    out.extend_from_slice(&records.to_le_bytes());
    out.extend_from_slice(&bytes.to_le_bytes());
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&flags.to_le_bytes());
    out.extend_from_slice(stored);
}

fn head_1(compression: Compression, blocks: u32) -> Vec<u8> {
    let mut head = vec![0x0C, 0xA5, 1, 0];
    head.extend_from_slice(&compression.numbers().0.to_le_bytes());
    head.extend_from_slice(&blocks.to_le_bytes());
    head.resize(head.len() + 128 + 15 * 8 + 16, 0); // its name, fifteen counters, times and missed exports
    head
}

fn head_2(compression: Compression, blocks: u32, data_bytes: usize) -> Vec<u8> {
    let mut head = vec![0x0C, 0xA5, 2, 0];
    head.extend_from_slice(&0x0107_0100_u32.to_le_bytes());
    head.extend_from_slice(&[0; 8]);
    head.extend_from_slice(&[compression.numbers().1, 0, 1, 0, 0, 0, 0, 0]);
    head.extend_from_slice(&(40 + data_bytes as u64).to_le_bytes());
    head.extend_from_slice(&[0; 4]);
    head.extend_from_slice(&blocks.to_le_bytes());
    head
}
