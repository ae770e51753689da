//! The LZ4 block format. Source: `lz4_Block_format.md` of the LZ4 project.

use crate::output::{CUT_OFF, Fault, Output};

const SHORTEST: usize = 4;

/// Decompresses a block and returns its length.
pub(crate) fn decompress(input: &[u8], buffer: &mut [u8]) -> Result<usize, Fault> {
    let mut output = Output::new(buffer);
    let mut at = 0;
    loop {
        let token = *input.get(at).ok_or(CUT_OFF)?;
        at += 1;
        let literals = length(usize::from(token >> 4), input, &mut at)?;
        output.literals(input, &mut at, literals)?;
        if at == input.len() {
            return Ok(output.len());
        }
        let distance = input.get(at..).and_then(|rest| rest.first_chunk()).ok_or(CUT_OFF)?;
        at += 2;
        let count = SHORTEST + length(usize::from(token & 15), input, &mut at)?;
        output.repeat(usize::from(u16::from_le_bytes(*distance)), count)?;
    }
}

/// A length of 15 continues in the bytes behind it, up to and with the first that is not 255.
#[inline]
fn length(start: usize, input: &[u8], at: &mut usize) -> Result<usize, Fault> {
    let mut sum = start;
    if start == 15 {
        loop {
            let byte = *input.get(*at).ok_or(CUT_OFF)?;
            *at += 1;
            sum += usize::from(byte);
            if byte != 255 {
                break;
            }
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::decompress;

    fn opened(compressed: &[u8]) -> Result<Vec<u8>, &'static str> {
        let mut buffer = vec![0; 1 << 16];
        decompress(compressed, &mut buffer).map(|length| buffer[..length].to_vec())
    }

    #[test]
    fn literals_and_repetitions() {
        // two literals, 4 + 3 bytes from 2 back, and a last literal
        assert_eq!(opened(&[0x23, b'a', b'b', 2, 0, 0x10, b'x']).as_deref(), Ok(&b"ababababax"[..]));
        // lengths of 15 continue: 15 + 255 + 1 literals
        let text: Vec<u8> = (0..=255).cycle().take(271).collect();
        assert_eq!(opened(&[&[0xF0, 255, 1][..], &text].concat()), Ok(text));
    }

    #[test]
    fn what_is_cut_off_or_too_far_back_is_refused() {
        assert_eq!(opened(&[]), Err("its compressed data is cut off"));
        assert_eq!(opened(&[0x20, b'a']), Err("its literals are cut off"));
        assert_eq!(opened(&[0x10, b'a', 2, 0, 0x00]), Err("it repeats what lies before its beginning"));
        assert_eq!(opened(&[0x10, b'a', 0, 0, 0x00]), Err("it repeats what lies before its beginning"));
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
