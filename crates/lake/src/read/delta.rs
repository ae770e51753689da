//! Numbers by their differences ("delta encoding", `DELTA_BINARY_PACKED`). Source: Encodings.md of the Parquet format.

use super::page::{byte, varint, zigzag};

/// More to a miniblock is not written by anybody, and less is not allowed.
const MINIBLOCK: std::ops::RangeInclusive<usize> = 32..=1 << 12;

/// Appends the bits of `count` numbers; None where the bytes are not such, or are others than so many.
pub(crate) fn numbers(mut rest: &[u8], count: usize, into: &mut Vec<u64>) -> Option<()> {
    let [block, miniblocks, all] = [size(&mut rest)?, size(&mut rest)?, size(&mut rest)?];
    let mut value = zigzag(varint(&mut rest)?);
    let each = block.checked_div(miniblocks)?;
    if all != count || count == 0 || !MINIBLOCK.contains(&each) || each % 32 != 0 {
        return None;
    }
    into.push(value as u64);
    let mut left = count - 1;
    while left > 0 {
        let least = zigzag(varint(&mut rest)?);
        let (widths, later) = rest.split_at_checked(miniblocks)?;
        rest = later;
        for bits in widths.iter().map(|bits| u32::from(*bits)).take(left.div_ceil(each)) {
            let (packed, later) = rest.split_at_checked(each / 8 * bits as usize)?;
            rest = later;
            let run = each.min(left);
            unpack(packed, bits, run, |beyond| {
                value = value.wrapping_add(least).wrapping_add(beyond as i64);
                into.push(value as u64);
            })?;
            left -= run;
        }
    }
    Some(())
}

fn size(rest: &mut &[u8]) -> Option<usize> {
    usize::try_from(varint(rest)?).ok()
}

/// The first `count` numbers of `bits` bits each, from the lowest bit on.
fn unpack(packed: &[u8], bits: u32, count: usize, mut put: impl FnMut(u64)) -> Option<()> {
    if bits > u64::BITS {
        return None;
    }
    let mask = (1_u128 << bits) - 1;
    let (mut window, mut held, mut next) = (0_u128, 0, packed);
    for _ in 0..count {
        while held < bits {
            window |= u128::from(byte(&mut next)?) << held;
            held += 8;
        }
        put((window & mask) as u64);
        window >>= bits;
        held -= bits;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], count: usize) -> Option<Vec<i64>> {
        let mut found = Vec::new();
        numbers(bytes, count, &mut found)?;
        Some(found.into_iter().map(|bits| bits as i64).collect())
    }

    /// A block of 128 in four miniblocks, so many values, and the first of them.
    const HEAD: [u8; 5] = [0x80, 1, 4, 5, 14];

    #[test]
    fn the_examples_of_the_format_are_read() {
        // 1, 2, 3, 4, 5: all differences are the least one, 1, and take no bits
        let same = [0x80, 1, 4, 5, 2, 2, 0, 0, 0, 0];
        assert_eq!(read(&same, 5), Some(vec![1, 2, 3, 4, 5]));
        // 7, 5, 3, 1, 2, 3, 4, 5: differences -2, -2, -2, 1, 1, 1, 1 are 0, 0, 0, 3, 3, 3, 3 beyond the least, in two bits
        let mut two = vec![0x80, 1, 4, 8, 14, 3, 2, 0, 0, 0];
        two.extend([0b1100_0000, 0b11_1111, 0, 0, 0, 0, 0, 0]);
        assert_eq!(read(&two, 8), Some(vec![7, 5, 3, 1, 2, 3, 4, 5]));
    }

    #[test]
    fn what_is_cut_off_or_of_another_number_is_none() {
        let whole = [&HEAD[..], &[3, 64, 0, 0, 0], &[0xFF; 8 * 32]].concat();
        assert!(read(&whole, 5).is_some());
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length], 5), None, "{length}");
        }
        assert_eq!(read(&whole, 4), None);
        assert_eq!(read(&whole, 6), None);
        // 65 bits; no miniblocks; a miniblock of 8
        for (place, other) in [(6, 65), (2, 0), (2, 16)] {
            let mut changed = whole.clone();
            changed[place] = other;
            assert_eq!(read(&changed, 5), None, "{place}");
        }
        assert_eq!(read(&[0x80, 1, 4, 0, 14], 0), None);
    }

    #[test]
    fn one_number_has_no_differences() {
        assert_eq!(read(&[0x80, 1, 4, 1, 13], 1), Some(vec![-7]));
    }
}
