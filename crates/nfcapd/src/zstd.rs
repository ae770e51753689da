//! Blocks compressed with zstd: one frame each, as nfdump 1.7.3 and later write them.
//!
//! The frame's head is read here, so that its limits hold before anything is allocated by it. Source: RFC 8878.

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::io::Read;

use crate::block::LARGEST_BLOCK;
use crate::output::{CUT_OFF, Fault, TOO_LONG};

const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// Decoders need not take a larger window (RFC 8878, section 3.1.1.1.2); a block of nfdump needs none.
const LARGEST_WINDOW: u64 = 8 << 20;
const DAMAGED: Fault = "its zstd data is damaged";

/// Decompresses a block and returns its length.
pub(crate) fn decompress(input: &[u8], buffer: &mut [u8]) -> Result<usize, Fault> {
    let promised = content_bytes(input)?;
    let limit = buffer.len().min(LARGEST_BLOCK);
    if promised.is_some_and(|bytes| bytes > limit as u64) {
        return Err(TOO_LONG);
    }
    let mut rest = input;
    let mut frame = FrameDecoder::new();
    frame.init(&mut rest).map_err(|_| DAMAGED)?;
    let mut length = 0;
    while !frame.is_finished() {
        if has_reserved_mode(rest) {
            return Err(DAMAGED);
        }
        frame.decode_blocks(&mut rest, BlockDecodingStrategy::UptoBlocks(1)).map_err(|_| DAMAGED)?;
        length += frame.read(&mut buffer[length..limit]).map_err(|_| DAMAGED)?;
        if length == limit && frame.can_collect() > 0 {
            return Err(TOO_LONG);
        }
    }
    let is_whole = frame.get_checksum_from_data().is_none_or(|sum| Some(sum) == frame.get_calculated_checksum());
    if !is_whole || !rest.is_empty() || promised.is_some_and(|bytes| bytes != length as u64) {
        return Err(DAMAGED);
    }
    Ok(length)
}

/// How many bytes the frame says that it holds, if it does.
fn content_bytes(input: &[u8]) -> Result<Option<u64>, Fault> {
    let mut rest = input.strip_prefix(&MAGIC).ok_or("its data is not a zstd frame")?;
    let descriptor = number(&mut rest, 1)?;
    let (size_flag, is_single_segment) = (descriptor >> 6, descriptor >> 5 & 1 == 1);
    if descriptor & 0b1000 != 0 {
        return Err("its zstd frame has a reserved bit");
    }
    if descriptor & 0b11 != 0 {
        return Err("its zstd frame needs a dictionary");
    }
    if !is_single_segment {
        let window = number(&mut rest, 1)?;
        let base = 1_u64 << (10 + (window >> 3));
        if base + base / 8 * (window & 7) > LARGEST_WINDOW {
            return Err("its zstd frame needs a window larger than 8 MiB");
        }
    }
    match size_flag {
        0 if is_single_segment => number(&mut rest, 1).map(Some),
        0 => Ok(None),
        1 => number(&mut rest, 2).map(|bytes| Some(bytes + 256)),
        2 => number(&mut rest, 4).map(Some),
        _ => number(&mut rest, 8).map(Some),
    }
}

/// Whether a compressed block's sequences have the bits set that must be zero (RFC 8878, section 3.1.1.3.2.1.1).
///
/// ruzstd does not look at them, libzstd refuses such a block. What ends too early is left to ruzstd.
fn has_reserved_mode(block: &[u8]) -> bool {
    modes(block).is_some_and(|modes| modes & 0b11 != 0)
}

/// The byte with the compression modes of a block's sequences, if it has some.
fn modes(block: &[u8]) -> Option<u64> {
    let mut rest = block;
    let head = number(&mut rest, 3).ok()?;
    if head >> 1 & 0b11 != 2 {
        return None; // raw, or one byte repeated
    }
    rest = rest.get(literals_bytes(rest)?..)?;
    let sequences = match number(&mut rest, 1).ok()? {
        count @ ..128 => count,
        count @ 128..255 => (count - 128) << 8 | number(&mut rest, 1).ok()?,
        255.. => number(&mut rest, 2).ok()? + 0x7F00,
    };
    if sequences == 0 { None } else { number(&mut rest, 1).ok() }
}

/// How long a block's literals are with their head (RFC 8878, section 3.1.1.3.1).
fn literals_bytes(block: &[u8]) -> Option<usize> {
    let (kind, format) = (block.first()? & 0b11, block.first()? >> 2 & 0b11);
    let (head_bytes, shift, bits) = match (kind, format) {
        (0 | 1, 0 | 2) => (1, 3, 5),
        (0 | 1, 1) => (2, 4, 12),
        (0 | 1, _) => (3, 4, 20),
        (_, 0 | 1) => (3, 14, 10),
        (_, 2) => (4, 18, 14),
        _ => (5, 22, 18),
    };
    let mut rest = block;
    let size = number(&mut rest, head_bytes).ok()? >> shift & ((1 << bits) - 1);
    Some(head_bytes + if kind == 1 { 1 } else { usize::try_from(size).ok()? })
}

/// A little-endian number of so many bytes.
fn number(rest: &mut &[u8], width: usize) -> Result<u64, Fault> {
    let (bytes, later) = rest.split_at_checked(width).ok_or(CUT_OFF)?;
    *rest = later;
    Ok(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::{LARGEST_BLOCK, MAGIC, decompress, modes};

    fn opened(compressed: &[u8]) -> Result<Vec<u8>, &'static str> {
        let mut buffer = vec![0; LARGEST_BLOCK + 16];
        decompress(compressed, &mut buffer).map(|length| buffer[..length].to_vec())
    }

    fn frame(head: &[u8], blocks: &[u8]) -> Vec<u8> {
        [&MAGIC, head, blocks].concat()
    }

    /// The three bytes before a block: whether it is the last, its type, its size.
    fn block(last: u32, kind: u32, bytes: u32) -> [u8; 3] {
        let [one, two, three, _] = (last | kind << 1 | bytes << 3).to_le_bytes();
        [one, two, three]
    }

    #[test]
    fn plain_and_repeated_bytes() {
        let blocks = [&block(0, 0, 2)[..], b"ab", &block(1, 1, 5), b"x"].concat();
        assert_eq!(opened(&frame(&[0x20, 7], &blocks)).as_deref(), Ok(&b"abxxxxx"[..]));
        // a window of 1 KiB in place of the size
        assert_eq!(opened(&frame(&[0, 0], &blocks)).as_deref(), Ok(&b"abxxxxx"[..]));
    }

    #[test]
    fn what_says_otherwise_than_it_holds_is_refused() {
        let blocks = [&block(1, 0, 2)[..], b"ab"].concat();
        assert_eq!(opened(&frame(&[0x20, 3], &blocks)), Err("its zstd data is damaged"));
        assert_eq!(opened(&frame(&[0x20, 2], &[&blocks[..], b"more"].concat())), Err("its zstd data is damaged"));
        assert_eq!(opened(&frame(&[0x24, 2], &[&blocks[..], &[0; 4]].concat())), Err("its zstd data is damaged"));
        assert_eq!(opened(b"abcd"), Err("its data is not a zstd frame"));
        assert_eq!(opened(&frame(&[0x21, 1, 2], &blocks)), Err("its zstd frame needs a dictionary"));
        assert_eq!(opened(&frame(&[0x28, 2], &blocks)), Err("its zstd frame has a reserved bit"));
        assert!(opened(&frame(&[0x80, 0], &[0; 3])).is_err());
    }

    /// A compressed block of which only the heads are true: of literals, whose content follows, and of sequences.
    fn heads(literals: u64, head_bytes: usize, content_bytes: usize, sequences: &[u8]) -> Vec<u8> {
        let content = vec![0; content_bytes];
        [&block(1, 2, 0)[..], &literals.to_le_bytes()[..head_bytes], &content, sequences].concat()
    }

    #[test]
    fn modes_stand_behind_literals_of_any_kind_and_any_count_of_sequences() {
        let one = [1, 0xA9];
        // raw: sizes of 5, 12 and 20 bits; one byte repeated; with a tree of their own, and with that of the block before
        assert_eq!(modes(&heads(7 << 3, 1, 7, &one)), Some(0xA9));
        assert_eq!(modes(&heads(700 << 4 | 1 << 2, 2, 700, &one)), Some(0xA9));
        assert_eq!(modes(&heads(70_000 << 4 | 3 << 2, 3, 70_000, &one)), Some(0xA9));
        assert_eq!(modes(&heads(7 << 3 | 1, 1, 1, &one)), Some(0xA9));
        assert_eq!(modes(&heads(2 | 900 << 4 | 600 << 14, 3, 600, &one)), Some(0xA9));
        assert_eq!(modes(&heads(3 | 2 << 2 | 9000 << 4 | 6000 << 18, 4, 6000, &one)), Some(0xA9));
        assert_eq!(modes(&heads(2 | 3 << 2 | 90_000 << 4 | 60_000 << 22, 5, 60_000, &one)), Some(0xA9));
        for count in [&[127][..], &[128, 200], &[254, 255], &[255, 0, 0]] {
            assert_eq!(modes(&heads(7 << 3, 1, 7, &[count, &[0xA9]].concat())), Some(0xA9));
        }
        assert_eq!(modes(&heads(7 << 3, 1, 7, &[0, 0xA9])), None);
        assert_eq!(modes(&heads(7 << 3, 1, 7, &[])), None);
        assert_eq!(modes(&[&block(1, 0, 9)[..], &[7 << 3; 9]].concat()), None);
    }

    #[test]
    fn no_frame_makes_more_than_a_block_or_needs_more_memory() {
        let too_long = "it is larger than a block can be once it is decompressed";
        let large = (LARGEST_BLOCK as u32 + 1).to_le_bytes();
        assert_eq!(opened(&frame(&[&[0xA0][..], &large].concat(), &[])), Err(too_long));
        // four bytes give 128 KiB, again and again
        let bomb = [&block(0, 1, 128 << 10)[..], b"x"].concat().repeat(1000);
        assert_eq!(opened(&frame(&[0, 7 << 3], &bomb)), Err(too_long));
        let window = "its zstd frame needs a window larger than 8 MiB";
        assert_eq!(opened(&frame(&[0, 13 << 3 | 1], &bomb)), Err(window));
        assert_eq!(opened(&frame(&[0, 255], &bomb)), Err(window));
    }

    proptest! {
        #[test]
        fn what_was_compressed_comes_back(content in prop::collection::vec(0_u8..8, 0..5000)) {
            prop_assert_eq!(opened(&compress_to_vec(&content[..], CompressionLevel::Fastest)), Ok(content));
        }

        #[test]
        fn no_change_makes_it_panic(
            content in prop::collection::vec(0_u8..8, 1..3000),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut compressed = compress_to_vec(&content[..], CompressionLevel::Fastest);
            for (place, byte) in changes {
                let place = place.index(compressed.len());
                compressed[place] = byte;
            }
            let _ = opened(&compressed);
            compressed.truncate(cut.index(compressed.len()));
            prop_assert!(opened(&compressed).is_err());
        }

        #[test]
        fn no_bytes_make_it_panic(head in any::<[u8; 2]>(), rest in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = opened(&frame(&head, &rest));
        }
    }
}
