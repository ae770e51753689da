//! Numbers by their differences ("delta encoding", `DELTA_BINARY_PACKED`): of each 32 the least number of bits.

use crate::hybrid::variable;

const BLOCK: usize = 128;
const MINIBLOCK: usize = 32;

/// Appends values, at least one; each is `base` and its number.
pub(crate) fn append<N: Copy + Into<i64>>(numbers: &[N], base: i64, to: &mut Vec<u8>) {
    variable(BLOCK as u64, to);
    variable((BLOCK / MINIBLOCK) as u64, to);
    variable(numbers.len() as u64, to);
    variable(zigzag(base + numbers.first().copied().map_or(0, N::into)), to);
    let mut deltas = Vec::with_capacity(BLOCK);
    for begin in (1..numbers.len()).step_by(BLOCK) {
        let end = numbers.len().min(begin + BLOCK);
        deltas.clear();
        deltas.extend(numbers[begin - 1..end].windows(2).map(|pair| pair[1].into().wrapping_sub(pair[0].into())));
        let least = deltas.iter().min().copied().unwrap_or(0);
        variable(zigzag(least), to);
        append_block(&deltas, least, to);
    }
}

fn append_block(deltas: &[i64], least: i64, to: &mut Vec<u8>) {
    let begin = to.len();
    to.extend([0; BLOCK / MINIBLOCK]);
    for (number, mini) in deltas.chunks(MINIBLOCK).enumerate() {
        let beyond = |delta: &i64| delta.wrapping_sub(least) as u64;
        let bits = u64::BITS - mini.iter().fold(0, |all, delta| all | beyond(delta)).leading_zeros();
        to[begin + number] = bits as u8;
        // the last one is filled up
        pack(mini.iter().map(beyond).chain(std::iter::repeat_n(0, MINIBLOCK - mini.len())), bits, to);
    }
}

/// Numbers of so many bits each, from the lowest bit on.
fn pack(numbers: impl Iterator<Item = u64>, bits: u32, to: &mut Vec<u8>) {
    let (mut held, mut count) = (0_u128, 0);
    for number in numbers {
        held |= u128::from(number) << count;
        count += bits;
        if count >= u64::BITS {
            to.extend_from_slice(&(held as u64).to_le_bytes());
            held >>= u64::BITS;
            count -= u64::BITS;
        }
    }
    to.extend_from_slice(&(held as u64).to_le_bytes()[..count.div_ceil(u8::BITS) as usize]);
}

/// Numbers with a sign as numbers without: 0, -1, 1, -2 are 0, 1, 2, 3.
fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn next(bytes: &[u8], at: &mut usize) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            number |= u64::from(bytes[*at] & 0x7F) << shift;
            (*at, shift) = (*at + 1, shift + 7);
            if bytes[*at - 1] < 0x80 {
                return number;
            }
        }
    }

    /// By the definition of the format, bit by bit.
    fn read(bytes: &[u8]) -> Vec<i64> {
        let signed = |number: u64| (number >> 1) as i64 ^ -((number & 1) as i64);
        let mut at = 0;
        let [block, minis, count] = [(); 3].map(|()| next(bytes, &mut at) as usize);
        let mut found = vec![signed(next(bytes, &mut at))];
        while found.len() < count {
            let least = signed(next(bytes, &mut at));
            let widths = &bytes[at..at + minis];
            at += minis;
            for width in widths.iter().map(|width| usize::from(*width)) {
                if found.len() == count {
                    break;
                }
                let bit = |bit: usize| u64::from(bytes[at + bit / 8] >> (bit % 8) & 1);
                for number in 0..(block / minis).min(count - found.len()) {
                    let beyond = (0..width).fold(0, |all, place| all | bit(number * width + place) << place);
                    found.push(found[found.len() - 1].wrapping_add(least).wrapping_add(beyond as i64));
                }
                at += block / minis * width / 8;
            }
        }
        assert_eq!(at, bytes.len());
        found
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(
            numbers in prop_oneof![
                prop::collection::vec(any::<i64>(), 1..300),
                prop::collection::vec(0_i64..1000, 1..300),
                prop::collection::vec(Just(7_i64), 1..300),
            ],
        ) {
            let mut written = Vec::new();
            append(&numbers, 0, &mut written);
            prop_assert_eq!(read(&written), numbers);
        }
    }
}
