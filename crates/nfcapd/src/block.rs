//! Data blocks: their headers, and what they hold once decompressed.

use std::borrow::Cow;
use std::io::Read;

use crate::bytes::Cursor;
use crate::header::Compression;
use crate::output::{Output, TOO_LONG};
use crate::refusal::Refusal;
use crate::source::{Source, piece};
use crate::{lz4, lzo, zstd};

/// Bytes that a block may have, compressed or not (`BUFFSIZE` of nfdump).
pub const LARGEST_BLOCK: usize = 5 << 20;
/// What LZO and LZ4 make of a byte at most: a length goes on by 255 with each byte.
const LARGEST_RATIO: usize = 255;
pub(crate) const HEADER_BYTES: usize = 12;

/// A block as it lies in the file.
pub(crate) struct Block<'a> {
    /// Where its header begins in the file.
    pub(crate) offset: usize,
    pub(crate) records: u32,
    pub(crate) kind: u16,
    pub(crate) compression: Compression,
    pub(crate) stored: Cow<'a, [u8]>,
    /// How many bytes it has once it is decompressed, where its header says so.
    pub(crate) opened_bytes: Option<usize>,
}

impl<'a> Block<'a> {
    /// The block at a place of the file.
    pub(crate) fn at(
        file: &'a (impl Source + ?Sized),
        offset: usize,
        compression: Compression,
    ) -> Result<Self, Refusal> {
        let head = piece(file, offset, HEADER_BYTES)?;
        let mut cursor = Cursor::new(&head, offset);
        let (records, size) = (cursor.u32()?, cursor.u32()? as usize);
        let (kind, flags) = (cursor.u16()?, cursor.u16()?);
        if size == 0 || size > LARGEST_BLOCK || records == 0 {
            return Err(Refusal::damaged(offset, format!("a block of {records} records in {size} bytes")));
        }
        if flags != 0 {
            return Err(Refusal::unknown(offset, format!("block flags {flags:#x} are not known")));
        }
        let stored = piece(file, cursor.place(), size)?;
        Cursor::new(&stored, cursor.place()).take(size)?;
        Ok(Self { offset, records, kind, compression, stored, opened_bytes: None })
    }

    /// Where the next block begins.
    pub(crate) fn end(&self) -> usize {
        self.offset + HEADER_BYTES + self.stored.len()
    }

    /// The records' bytes; `buffer` is made large enough and holds them where they were compressed.
    pub(crate) fn open<'b>(&'b self, buffer: &'b mut Vec<u8>) -> Result<&'b [u8], Refusal> {
        let opened = self.decompressed(buffer)?;
        match self.opened_bytes {
            Some(bytes) if bytes != opened.len() => {
                let what = format!("this block has {} bytes, its header says {bytes}", opened.len());
                Err(Refusal::damaged(self.offset, what))
            }
            _ => Ok(opened),
        }
    }

    fn decompressed<'b>(&'b self, buffer: &'b mut Vec<u8>) -> Result<&'b [u8], Refusal> {
        if self.compression == Compression::None {
            return Ok(&self.stored);
        }
        let most = match self.compression {
            Compression::Lzo | Compression::Lz4 => (self.stored.len() * LARGEST_RATIO).min(LARGEST_BLOCK),
            _ => LARGEST_BLOCK,
        };
        if buffer.len() < Output::room(most) {
            buffer.resize(Output::room(most), 0);
        }
        let length = match self.compression {
            Compression::Lzo => lzo::decompress(&self.stored, buffer),
            Compression::Lz4 => lz4::decompress(&self.stored, buffer),
            Compression::Zstd => zstd::decompress(&self.stored, buffer),
            Compression::Bz2 | Compression::None => bzip2(&self.stored, buffer),
        };
        match length {
            Ok(length) => Ok(buffer.get(..length).unwrap_or_default()),
            Err(fault) => Err(Refusal::damaged(self.offset, format!("this block cannot be decompressed: {fault}"))),
        }
    }
}

fn bzip2(input: &[u8], buffer: &mut [u8]) -> Result<usize, &'static str> {
    let mut decoder = bzip2::read::BzDecoder::new(input);
    let mut length = 0;
    while let Some(room) = buffer.get_mut(length..LARGEST_BLOCK + 1) {
        match decoder.read(room) {
            Ok(0) if room.is_empty() => break,
            Ok(0) => return Ok(length),
            Ok(count) => length += count,
            Err(_) => return Err("its bzip2 data is damaged"),
        }
    }
    Err(TOO_LONG)
}
