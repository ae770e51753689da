//! LZO1X as `lzo1x_1_compress` writes it. Source of the format: "LZO stream format as understood by Linux' LZO
//! decompressor", Documentation/staging/lzo.rst of the Linux kernel.

use crate::output::{CUT_OFF, Fault, Output, STEP};

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
        if let Some(ahead) = input.get(at..).and_then(|rest| rest.first_chunk::<AHEAD>()) {
            let usual = USUAL[usize::from(ahead[0])];
            let distance = usual.distance(ahead);
            // a run is one only without literals before it
            if usual.bytes != 0 && (usual.count != 0 || state == 0) && distance != FAR {
                let more = usize::from(ahead[1] & usual.literal_bits);
                let literals = usize::from(usual.literals) + more;
                let given = ahead[usize::from(usual.bytes)..].first_chunk().ok_or(CUT_OFF)?;
                output.short(distance, usize::from(usual.count), literals, given)?;
                at += usize::from(usual.bytes) + literals;
                state = literals.min(LONG_RUN);
                continue;
            }
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

/// An instruction of up to three bytes, and up to sixteen literals.
const AHEAD: usize = 3 + STEP;

/// What the first byte says of an instruction: of the short ones, which are most of a file. They alternate without a
/// pattern, so what differs is looked up and not branched upon.
#[derive(Clone, Copy)]
#[repr(align(8))] // an address is one shift away
struct Usual {
    /// The bytes of the instruction; 0 where it is not one of these.
    bytes: u8,
    /// Bytes that are repeated.
    count: u8,
    /// Literals, and the bits of the second byte that are more of them.
    literals: u8,
    literal_bits: u8,
    /// The distance is `nearest` and what the two bytes after the first say, shifted to the left and back to the right
    /// as a number of 16 bits.
    left: u8,
    right: u8,
    nearest: u16,
}

impl Usual {
    #[inline(always)]
    fn distance(self, ahead: &[u8; AHEAD]) -> usize {
        let pair = u32::from(u16::from_le_bytes([ahead[1], ahead[2]]));
        usize::from(self.nearest) + ((pair << self.left & 0xFFFF) >> self.right) as usize
    }

    const fn of(code: u8) -> Self {
        let far = FAR as u16 + ((code as u16 & 8) << 11);
        let (bytes, count, literals, literal_bits, left, right, nearest) = match code {
            1..14 => (1, 0, 3 + code, 0, 0, 16, 0),
            16..32 if code & 7 != 0 => (3, (code & 7) + 2, 0, 3, 0, 2, far),
            32..64 if code & 31 != 0 => (3, (code & 31) + 2, 0, 3, 0, 2, 1),
            64.. => (2, (code >> 5) + 1, code & 3, 0, 8, 5, 1 + (code as u16 >> 2 & 7)),
            _ => (0, 0, 0, 0, 0, 0, 0),
        };
        Self { bytes, count, literals, literal_bits, left, right, nearest }
    }
}

/// By the first byte.
static USUAL: [Usual; 256] = {
    let mut all = [Usual::of(0); 256];
    let mut code = 0;
    while code < all.len() {
        all[code] = Usual::of(code as u8);
        code += 1;
    }
    all
};

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

    /// The bytes of an instruction and what they say: (distance, count of a repetition), or none for a run, and how many
    /// literals follow. None where the instruction cannot stand there or ends the data.
    fn an_instruction(code: u8, operands: [u8; 3], state: usize) -> Option<(Vec<u8>, (usize, usize), usize)> {
        let [first, second, third] = operands.map(usize::from);
        let low = usize::from(code);
        // a length of more than the instruction holds goes on in the first operand
        let long = |bits: usize| if low & bits == 0 { (bits + first.max(1), 1) } else { (low & bits, 0) };
        let pair = second | third << 8;
        let (distance, count, literals, operands) = match code {
            64.. => (1 + (first << 3 | (low >> 2 & 7)), (low >> 5) + 1, low & 3, vec![first]),
            16.. => {
                let (count, more) = long(if low < 32 { 7 } else { 31 });
                let distance = if low < 32 { 16384 + ((low & 8) << 11) } else { 1 } + (pair >> 2);
                let long = std::iter::repeat_n(first.max(1), more);
                (distance, count + 2, pair & 3, long.chain([second, third]).collect())
            }
            _ if state == 0 => {
                let (count, more) = long(15);
                (0, 0, count + 3, vec![first.max(1); more])
            }
            _ => {
                let distance = (first << 2 | low >> 2) + if state >= 4 { 2049 } else { 1 };
                (distance, if state >= 4 { 3 } else { 2 }, low & 3, vec![first])
            }
        };
        let is_end = (16..32).contains(&low) && distance == 16384;
        let bytes = std::iter::once(code).chain(operands.iter().map(|byte| *byte as u8)).collect();
        (!is_end).then_some((bytes, (distance, count), literals))
    }

    proptest! {
        #[test]
        fn any_instructions_give_what_they_say(
            instructions in prop::collection::vec((any::<u8>(), any::<[u8; 3]>(), 0_usize..40_000), 0..200),
            (long, last) in (0_usize..170, 1_u8..=255),
        ) {
            // enough to repeat from far away
            let first = 18 + 255 * long + usize::from(last);
            let text = |begin: usize, count: usize| (begin..begin + count).map(|place| ((place as u32).wrapping_mul(2_654_435_761) >> 24) as u8);
            let mut compressed = [vec![0; 1 + long], vec![last]].concat();
            compressed.extend(text(0, first));
            let mut expected: Vec<u8> = text(0, first).collect();
            let mut state = 4;
            for (code, operands, begin) in instructions {
                let Some((bytes, (distance, count), literals)) = an_instruction(code, operands, state) else { continue };
                if distance > expected.len() || (count == 0 && state != 0) {
                    continue;
                }
                compressed.extend(bytes);
                for _ in 0..count {
                    expected.push(expected[expected.len() - distance]);
                }
                compressed.extend(text(begin, literals));
                expected.extend(text(begin, literals));
                state = literals;
            }
            compressed.extend(END);
            prop_assert_eq!(opened(&compressed), Ok(expected));
        }

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
