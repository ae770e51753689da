//! LZO1X as `lzo1x_1_compress` writes it. Source of the format: "LZO stream format as understood by Linux' LZO
//! decompressor", Documentation/staging/lzo.rst of the Linux kernel.

use crate::output::{CUT_OFF, Fault, Output};

const FAR: usize = 16384;
/// The state after a run of four or more literals; below, it is the number of literals after the last repetition.
const LONG_RUN: usize = 4;

/// Decompresses a block and returns its length.
pub(crate) fn decompress(input: &[u8], buffer: &mut [u8]) -> Result<usize, Fault> {
    let mut output = Output::new(buffer);
    let mut at = 0;
    let mut state = 0;
    if let Some(first @ 18..) = input.first() {
        let count = usize::from(first - 17);
        at = 1;
        output.literals(input, &mut at, count)?;
        state = count.min(LONG_RUN);
    }
    loop {
        let ahead = input.get(at..).and_then(|rest| rest.first_chunk()).map(|bytes| u64::from_le_bytes(*bytes));
        if let Some((ahead, Usual { distance, count, literals, bytes })) = ahead.zip(ahead.and_then(usual)) {
            output.repeat(distance, count)?;
            output.few((ahead >> (8 * bytes)) as u32, literals)?;
            at += bytes + literals;
            state = literals;
            continue;
        }
        let code = usize::from(byte(input, &mut at)?);
        if code < 16 && state == 0 {
            let count = 3 + long(code, 15, input, &mut at)?;
            output.literals(input, &mut at, count)?;
            state = LONG_RUN;
            continue;
        }
        let (distance, count, literals) = repetition(code, state, input, &mut at)?;
        if distance == FAR && (16..32).contains(&code) {
            return if at == input.len() { Ok(output.len()) } else { Err("data follows its end mark") };
        }
        output.repeat(distance, count)?;
        output.literals(input, &mut at, literals)?;
        state = literals;
    }
}

/// A repetition with up to three literals behind it; `bytes` are those of the instruction.
struct Usual {
    distance: usize,
    count: usize,
    literals: usize,
    bytes: usize,
}

/// One of the two kinds of repetition that are most of a file, from the next eight bytes. They alternate without a
/// pattern, so what differs is chosen and not branched upon.
#[inline(always)]
fn usual(ahead: u64) -> Option<Usual> {
    let code = ahead as usize & 0xFF;
    if code <= 32 {
        return None;
    }
    let (second, pair) = ((ahead >> 8) as usize & 0xFF, (ahead >> 8) as usize & 0xFFFF);
    let is_near = code >= 64;
    Some(Usual {
        distance: 1 + if is_near { second << 3 | (code >> 2 & 7) } else { pair >> 2 },
        count: if is_near { (code >> 5) + 1 } else { (code & 31) + 2 },
        literals: if is_near { code } else { second } & 3,
        bytes: 3 - usize::from(is_near),
    })
}

/// (distance, length, literals that follow) of a repetition.
#[inline]
fn repetition(code: usize, state: usize, input: &[u8], at: &mut usize) -> Result<(usize, usize, usize), Fault> {
    Ok(match code {
        64.. => {
            let near = usize::from(byte(input, at)?) << 3 | (code >> 2 & 7);
            let count = if code < 128 { 3 + (code >> 5 & 1) } else { 5 + (code >> 5 & 3) };
            (near + 1, count, code & 3)
        }
        32..64 => {
            let count = 2 + long(code & 31, 31, input, at)?;
            let (distance, literals) = pair(input, at)?;
            (distance + 1, count, literals)
        }
        16..32 => {
            let count = 2 + long(code & 7, 7, input, at)?;
            let (distance, literals) = pair(input, at)?;
            (FAR + ((code & 8) << 11) + distance, count, literals)
        }
        _ => {
            let near = usize::from(byte(input, at)?) << 2 | code >> 2;
            let (base, count) = if state == LONG_RUN { (2049, 3) } else { (1, 2) };
            (near + base, count, code & 3)
        }
    })
}

#[inline]
fn byte(input: &[u8], at: &mut usize) -> Result<u8, Fault> {
    let byte = *input.get(*at).ok_or(CUT_OFF)?;
    *at += 1;
    Ok(byte)
}

/// A distance of 14 bits and the number of literals.
#[inline]
fn pair(input: &[u8], at: &mut usize) -> Result<(usize, usize), Fault> {
    let both = usize::from(byte(input, at)?) | usize::from(byte(input, at)?) << 8;
    Ok((both >> 2, both & 3))
}

/// A number that is 0 in its instruction continues in the bytes behind it: 255 for each zero, and the byte after them.
#[inline]
fn long(number: usize, base: usize, input: &[u8], at: &mut usize) -> Result<usize, Fault> {
    if number > 0 {
        return Ok(number);
    }
    let mut sum = base;
    loop {
        match byte(input, at)? {
            0 => sum += 255,
            last => return Ok(sum + usize::from(last)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::decompress;

    const END: [u8; 3] = [17, 0, 0];

    fn opened(compressed: &[u8]) -> Result<Vec<u8>, &'static str> {
        let mut buffer = vec![0; 1 << 16];
        decompress(compressed, &mut buffer).map(|length| buffer[..length].to_vec())
    }

    #[test]
    fn literals_and_repetitions_of_each_kind() {
        // four literals, then 3 bytes from 4 back, a literal, and 3 bytes from 1 back
        let compressed = [&[21, b'a', b'b', b'c', b'd', 0b0100_1101, 0, b'x', 33, 0, 0][..], &END].concat();
        assert_eq!(opened(&compressed).as_deref(), Ok(&b"abcdabcxxxx"[..]));
    }

    #[test]
    fn a_long_run_of_literals_has_its_length_behind_it() {
        let text: Vec<u8> = (0..=255).cycle().take(3 + 15 + 255 + 2).collect();
        let compressed = [&[0, 0, 2][..], &text, &END].concat();
        assert_eq!(opened(&compressed), Ok(text));
    }

    #[test]
    fn what_follows_the_end_or_lies_before_the_beginning_is_refused() {
        assert_eq!(opened(&[&[21, 1, 2, 3, 4][..], &END, &[0]].concat()), Err("data follows its end mark"));
        let four_back = opened(&[&[21, 1, 2, 3, 4, 0b0100_1100, 0][..], &END].concat());
        assert_eq!(four_back, Ok(vec![1, 2, 3, 4, 1, 2, 3]));
        let five_back = opened(&[&[21, 1, 2, 3, 4, 0b0101_0000, 0][..], &END].concat());
        assert_eq!(five_back, Err("it repeats what lies before its beginning"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_write_past_its_room(
            compressed in prop::collection::vec(any::<u8>(), 0..400), room in 0_usize..300,
        ) {
            let mut buffer = vec![0; room];
            if let Ok(length) = decompress(&compressed, &mut buffer) {
                prop_assert!(length <= room);
            }
        }
    }
}
