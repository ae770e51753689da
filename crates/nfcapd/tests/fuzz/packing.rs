//! Blocks compressed as nfcapd's formats want them: not well, but with literals and repetitions of all kinds of lengths.

use std::io::Write;

use bzip2::write::BzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const SHORTEST: usize = 4;
const FARTHEST: usize = 16_000;

/// A piece of the text: literals, and what is repeated after them.
struct Piece<'a> {
    literals: &'a [u8],
    distance: usize,
    count: usize,
}

/// Greedily, by the last place at which four bytes stood; the last piece repeats nothing.
fn pieces(text: &[u8]) -> Vec<Piece<'_>> {
    let mut last = vec![usize::MAX; 1 << 12];
    let (mut found, mut begin, mut at) = (Vec::new(), 0, 0);
    while at + SHORTEST <= text.len() {
        let four = u32::from_le_bytes([text[at], text[at + 1], text[at + 2], text[at + 3]]);
        let place = std::mem::replace(&mut last[four.wrapping_mul(0x9E37_79B1) as usize >> 20], at);
        if place == usize::MAX || at - place > FARTHEST || text[place..place + SHORTEST] != text[at..at + SHORTEST] {
            at += 1;
            continue;
        }
        let count = text[at..].iter().zip(&text[place..]).take_while(|(one, other)| one == other).count();
        found.push(Piece { literals: &text[begin..at], distance: at - place, count });
        at += count;
        begin = at;
    }
    found.push(Piece { literals: &text[begin..], distance: 0, count: 0 });
    found
}

pub fn lz4(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces(text) {
        let more = piece.count.saturating_sub(SHORTEST);
        out.push((piece.literals.len().min(15) << 4 | more.min(15)) as u8);
        long(&mut out, piece.literals.len(), 15);
        out.extend_from_slice(piece.literals);
        if piece.count > 0 {
            out.extend_from_slice(&(piece.distance as u16).to_le_bytes());
            long(&mut out, more, 15);
        }
    }
    out
}

/// What of a length does not fit into its field: 255 as often as it takes, and the rest.
fn long(out: &mut Vec<u8>, length: usize, field: usize) {
    if length >= field {
        out.resize(out.len() + (length - field) / 255, 255);
        out.push(((length - field) % 255) as u8);
    }
}

pub fn lzo(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, piece) in pieces(text).iter().enumerate() {
        lzo_literals(&mut out, piece.literals, number == 0);
        if piece.count > 0 {
            lzo_number(&mut out, 32, 31, piece.count - 2);
            out.extend_from_slice(&((piece.distance - 1) << 2).to_le_bytes()[..2]);
        }
    }
    out.extend_from_slice(&[17, 0, 0]);
    out
}

/// At the beginning, three or fewer in the repetition before, or a run of its own.
fn lzo_literals(out: &mut Vec<u8>, literals: &[u8], is_first: bool) {
    match literals.len() {
        0 => return,
        count @ 1..=238 if is_first => out.push(17 + count as u8),
        count @ 1..=3 => {
            let place = out.len() - 2; // the lower byte of its distance
            out[place] |= count as u8;
        }
        count => lzo_number(out, 0, 15, count - 3),
    }
    out.extend_from_slice(literals);
}

/// A code with a length in its low bits; 0 there means that it goes on with a byte for each 255, and the rest.
fn lzo_number(out: &mut Vec<u8>, code: u8, field: usize, length: usize) {
    if length <= field {
        out.push(code | length as u8);
        return;
    }
    out.push(code);
    let left = length - field;
    out.resize(out.len() + (left - 1) / 255, 0);
    out.push(((left - 1) % 255 + 1) as u8);
}

pub fn bz2(text: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).expect("into memory");
    encoder.finish().expect("into memory")
}

pub fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}
