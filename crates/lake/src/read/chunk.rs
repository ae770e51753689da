//! The values of a column chunk, all or some.

use zstd::bulk::Decompressor;

use super::delta;
use super::page::{Encoding, Kind, Page, next_page};
use super::runs::numbers;

const LARGEST_DICTIONARY: usize = 1 << 20;
/// A page holds levels, and the head of a dictionary's numbers, beside its values.
const BESIDE_VALUES_BYTES: usize = 1 << 16;

/// The bytes of a column in one row group, as its file has them: pages compressed with zstd.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// From its first page to the end of its last.
    pub bytes: &'a [u8],
    /// Rows of the group.
    pub rows: usize,
    /// Bytes of a value in the file: 4 or 8.
    pub width: usize,
    /// Whether values may be missing. A chunk in which one is missing is not read here.
    pub is_optional: bool,
}

/// Reads chunks, in memory that it uses again.
pub struct ChunkReader {
    zstd: Decompressor<'static>,
    opened: Vec<u8>,
    dictionary: Vec<u64>,
    scratch: Vec<u64>,
}

/// A data page once it is opened: its values in the file's form.
struct Values<'a> {
    encoding: Encoding,
    count: usize,
    bytes: &'a [u8],
    width: usize,
    dictionary: &'a [u64],
}

impl ChunkReader {
    /// A reader with a decompressor of its own.
    ///
    /// # Errors
    ///
    /// The decompressor gets no memory.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self { zstd: Decompressor::new()?, opened: Vec::new(), dictionary: Vec::new(), scratch: Vec::new() })
    }

    /// All values of a chunk: the bits of each as an unsigned number. None where they are not written as in a part.
    pub fn all(&mut self, chunk: &Chunk<'_>, values: &mut Vec<u64>) -> Option<()> {
        values.clear();
        values.reserve(chunk.rows);
        self.each_page(chunk, |page| page.all(values))?;
        (values.len() == chunk.rows).then_some(())
    }

    /// The values at some rows, which are given in ascending order. None where they are not written as in a part.
    pub fn at(&mut self, chunk: &Chunk<'_>, rows: &[u32]) -> Option<Vec<u64>> {
        let (mut found, mut begin) = (Vec::with_capacity(rows.len()), 0);
        let mut scratch = std::mem::take(&mut self.scratch);
        let is_read = self.each_page(chunk, |page| {
            let from = rows.partition_point(|row| (*row as usize) < begin);
            let past = rows.partition_point(|row| (*row as usize) < begin + page.count);
            let first = begin;
            begin += page.count;
            page.at(rows.get(from..past)?.iter().map(|row| *row as usize - first), &mut scratch, &mut found)
        });
        self.scratch = scratch;
        is_read?;
        (found.len() == rows.len() && begin == chunk.rows).then_some(found)
    }

    fn each_page(&mut self, chunk: &Chunk<'_>, mut look: impl FnMut(&Values<'_>) -> Option<()>) -> Option<()> {
        if !matches!(chunk.width, 4 | 8) {
            return None;
        }
        let (mut rest, mut left) = (chunk.bytes, chunk.rows);
        self.dictionary.clear();
        while !rest.is_empty() {
            let page = next_page(&mut rest)?;
            self.open(&page, chunk)?;
            match page.kind {
                Kind::Dictionary => {
                    let bytes = self.opened.get(..page.values.checked_mul(chunk.width)?)?;
                    self.dictionary.extend(bytes.chunks_exact(chunk.width).map(number));
                }
                Kind::Data(encoding) => {
                    left = left.checked_sub(page.values)?;
                    let bytes =
                        if chunk.is_optional { behind_levels(&self.opened, page.values)? } else { &self.opened };
                    let (count, width, dictionary) = (page.values, chunk.width, self.dictionary.as_slice());
                    look(&Values { encoding, count, bytes, width, dictionary })?;
                }
            }
        }
        (left == 0).then_some(())
    }

    fn open(&mut self, page: &Page<'_>, chunk: &Chunk<'_>) -> Option<()> {
        let most = match page.kind {
            Kind::Dictionary => LARGEST_DICTIONARY,
            Kind::Data(_) => chunk.rows.checked_mul(chunk.width)? + BESIDE_VALUES_BYTES,
        };
        if page.opened_bytes > most {
            return None;
        }
        // grown only: what was there before is written over
        if self.opened.capacity() < page.opened_bytes {
            self.opened = Vec::with_capacity(page.opened_bytes);
        }
        self.opened.clear();
        let length = self.zstd.decompress_to_buffer(page.content, &mut self.opened).ok()?;
        (length == page.opened_bytes).then_some(())
    }
}

impl Values<'_> {
    fn all(&self, into: &mut Vec<u64>) -> Option<()> {
        let begin = into.len();
        match self.encoding {
            Encoding::Plain => {
                into.extend(self.sized()?.chunks_exact(self.width).map(number));
            }
            Encoding::ByteStreamSplit => {
                into.resize(begin + self.count, 0);
                for (place, stream) in self.streams()?.enumerate() {
                    // upper bytes are mostly 0 in all rows
                    if stream.iter().fold(0, |any, byte| any | byte) != 0 {
                        let values = into[begin..].iter_mut().zip(stream);
                        values.for_each(|(value, byte)| *value |= u64::from(*byte) << (8 * place));
                    }
                }
            }
            Encoding::Delta => {
                delta::numbers(self.bytes, self.count, into)?;
                if self.width == 4 {
                    into[begin..].iter_mut().for_each(|value| *value &= u64::from(u32::MAX));
                }
            }
            Encoding::Dictionary => {
                let (bits, packed) = self.bytes.split_first()?;
                let mut is_known = true;
                numbers(packed, u32::from(*bits), self.count, |place| {
                    let value = self.dictionary.get(place as usize);
                    is_known &= value.is_some();
                    into.push(value.copied().unwrap_or_default());
                })?;
                return is_known.then_some(());
            }
        }
        Some(())
    }

    fn at(&self, places: impl Iterator<Item = usize>, scratch: &mut Vec<u64>, into: &mut Vec<u64>) -> Option<()> {
        match self.encoding {
            Encoding::ByteStreamSplit => {
                let bytes = self.sized()?;
                into.extend(places.map(|place| {
                    (0..self.width)
                        .rev()
                        .fold(0, |value, stream| value << 8 | u64::from(bytes[stream * self.count + place]))
                }));
            }
            Encoding::Plain | Encoding::Dictionary | Encoding::Delta => {
                scratch.clear();
                self.all(scratch)?;
                into.extend(places.map(|place| scratch[place]));
            }
        }
        Some(())
    }

    fn streams(&self) -> Option<impl Iterator<Item = &[u8]>> {
        Some(self.sized()?.chunks_exact(self.count.max(1)))
    }

    /// The bytes of the values, where there are as many as there must be.
    fn sized(&self) -> Option<&[u8]> {
        (self.count.checked_mul(self.width)? == self.bytes.len()).then_some(self.bytes)
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// What follows the levels of a page, where no value is missing.
fn behind_levels(opened: &[u8], values: usize) -> Option<&[u8]> {
    let (length, rest) = opened.split_first_chunk::<4>()?;
    let (levels, content) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let mut is_whole = true;
    numbers(levels, 1, values, |level| is_whole &= level == 1)?;
    is_whole.then_some(content)
}
