//! Small numbers as Parquet writes them: runs of one number, and groups of eight side by side.

use super::page::varint;

/// Numbers of `bits` bits each, `count` of them; None where the bytes are not such.
pub(crate) fn numbers(mut rest: &[u8], bits: u32, count: usize, mut put: impl FnMut(u32)) -> Option<()> {
    if bits > 24 {
        return None;
    }
    let width = bits.div_ceil(8) as usize;
    let mut left = count;
    while left > 0 {
        let head = usize::try_from(varint(&mut rest)?).ok()?;
        if head & 1 == 0 {
            let (value, later) = rest.split_at_checked(width)?;
            rest = later;
            let value = value.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
            let run = (head >> 1).min(left);
            if run == 0 {
                return None;
            }
            (0..run).for_each(|_| put(value));
            left -= run;
        } else {
            let groups = head >> 1;
            let (packed, later) = rest.split_at_checked(groups.checked_mul(bits as usize)?)?;
            rest = later;
            let run = groups.checked_mul(8)?.min(left);
            if run == 0 {
                return None;
            }
            unpack(packed, bits, run, &mut put);
            left -= run;
        }
    }
    Some(())
}

fn unpack(packed: &[u8], bits: u32, count: usize, put: &mut impl FnMut(u32)) {
    let mask = (1_u64 << bits) - 1;
    let (mut window, mut held, mut next) = (0_u64, 0, packed.iter());
    for _ in 0..count {
        while held < bits {
            window |= u64::from(next.next().copied().unwrap_or(0)) << held;
            held += 8;
        }
        put((window & mask) as u32);
        window >>= bits;
        held -= bits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], bits: u32, count: usize) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        numbers(bytes, bits, count, |number| found.push(number))?;
        Some(found)
    }

    #[test]
    fn runs_and_groups_follow_each_other() {
        // the format's own example of bit packing: 0 to 7 in three bits; then five times 260 in nine bits
        assert_eq!(read(&[3, 0x88, 0xC6, 0xFA], 3, 8), Some((0..8).collect()));
        assert_eq!(read(&[10, 4, 1], 9, 5), Some(vec![260; 5]));
        assert_eq!(read(&[4, 1, 3, 0b1010_0101], 1, 10), Some(vec![1, 1, 1, 0, 1, 0, 0, 1, 0, 1]));
        assert_eq!(read(&[8], 0, 4), Some(vec![0; 4]));
    }

    #[test]
    fn what_is_too_short_or_empty_is_none() {
        assert_eq!(read(&[3, 0x88, 0xC6], 3, 8), None);
        assert_eq!(read(&[10, 4], 9, 5), None);
        assert_eq!(read(&[8, 1], 1, 5), None);
        assert_eq!(read(&[0, 1, 0, 1], 1, 5), None);
        assert_eq!(read(&[1], 1, 5), None);
        assert_eq!(read(&[10, 4, 1, 1, 1], 25, 5), None);
    }
}
