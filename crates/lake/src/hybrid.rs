//! Small numbers, each in a few bits: runs of one value and groups of eight in turn ("RLE / bit-packing hybrid").

/// A run of so many equal numbers is written as one.
const LEAST_RUN: usize = 32;
const GROUP: usize = 8;

/// Appends numbers of `bits` bits (1, 2, 4, 8 or 16) each.
pub(crate) fn append(numbers: &[u16], bits: u32, to: &mut Vec<u8>) {
    let (mut begin, mut at) = (0, 0);
    while at < numbers.len() {
        let run = numbers[at..].iter().take_while(|number| **number == numbers[at]).count();
        if run < LEAST_RUN {
            // groups are whole, but for the last
            at = (at + GROUP).min(numbers.len());
            continue;
        }
        groups(&numbers[begin..at], bits, to);
        append_run(numbers[at], run, bits, to);
        at += run;
        begin = at;
    }
    groups(&numbers[begin..], bits, to);
}

/// Appends a run of one number.
pub(crate) fn append_run(number: u16, count: usize, bits: u32, to: &mut Vec<u8>) {
    variable((count << 1) as u64, to);
    to.extend_from_slice(&number.to_le_bytes()[..bits.div_ceil(u8::BITS) as usize]);
}

fn groups(numbers: &[u16], bits: u32, to: &mut Vec<u8>) {
    if numbers.is_empty() {
        return;
    }
    variable((numbers.len().div_ceil(GROUP) << 1 | 1) as u64, to);
    for group in numbers.chunks(GROUP) {
        let mut whole = [0; GROUP];
        whole[..group.len()].copy_from_slice(group);
        match bits {
            8 => to.extend(whole.map(|number| number as u8)),
            16 => to.extend(whole.iter().flat_map(|number| number.to_le_bytes())),
            bits => {
                let packed = whole.iter().rev().fold(0_u64, |packed, number| packed << bits | u64::from(*number));
                to.extend_from_slice(&packed.to_le_bytes()[..bits as usize]);
            }
        }
    }
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
pub(crate) fn variable(mut number: u64, to: &mut Vec<u8>) {
    while number > 0x7F {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By the definition of the format, number by number.
    fn read(bytes: &[u8], bits: usize) -> Vec<u16> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            let (mut head, mut shift) = (0, 0);
            loop {
                head |= usize::from(bytes[at] & 0x7F) << shift;
                at += 1;
                shift += 7;
                if bytes[at - 1] < 0x80 {
                    break;
                }
            }
            let bit = |place: usize| u16::from(bytes[at + place / 8] >> (place % 8) & 1);
            let number = |first: usize| (0..bits).map(|place| bit(first + place) << place).sum::<u16>();
            if head & 1 == 1 {
                found.extend((0..head / 2 * 8).map(|place| number(place * bits)));
                at += head / 2 * bits;
            } else {
                found.extend(std::iter::repeat_n(number(0), head / 2));
                at += bits.div_ceil(8);
            }
        }
        found
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(
            runs in prop::collection::vec((any::<u16>(), prop_oneof![1_usize..5, 20_usize..300]), 1..30),
            bits in prop_oneof![Just(1_u32), Just(2), Just(4), Just(8), Just(16)],
        ) {
            let least = |number: u16| number & ((1_u32 << bits) - 1) as u16;
            let numbers: Vec<u16> =
                runs.iter().flat_map(|(number, count)| std::iter::repeat_n(least(*number), *count)).collect();
            let mut written = Vec::new();
            append(&numbers, bits, &mut written);
            let found = read(&written, bits as usize);
            prop_assert_eq!(&found[..numbers.len()], &numbers[..]);
            prop_assert!(found.len() < numbers.len() + GROUP);
        }
    }
}
