//! Pages of a column chunk. Source: the Parquet format's `parquet.thrift`, and Thrift's compact protocol.

/// The encodings that are read here, by their numbers in the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Plain,
    Dictionary,
    Delta,
    ByteStreamSplit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Dictionary,
    Data(Encoding),
}

/// A page: its kind, how many values it has, its length once it is opened, and its compressed bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'a> {
    pub kind: Kind,
    pub values: usize,
    pub opened_bytes: usize,
    pub content: &'a [u8],
}

const DATA_PAGE: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;
const DEEPEST: usize = 4;

/// Takes the next page off; None where it is not one that is read here.
pub(crate) fn next_page<'a>(rest: &mut &'a [u8]) -> Option<Page<'a>> {
    let header = Header::read(rest)?;
    let length = usize::try_from(header.compressed?).ok()?;
    let (content, later) = rest.split_at_checked(length)?;
    *rest = later;
    let kind = match (header.kind?, header.encoding?) {
        (DICTIONARY_PAGE, 0 | 2) => Kind::Dictionary,
        (DATA_PAGE, 0) => Kind::Data(Encoding::Plain),
        (DATA_PAGE, 2 | 8) => Kind::Data(Encoding::Dictionary),
        (DATA_PAGE, 5) => Kind::Data(Encoding::Delta),
        (DATA_PAGE, 9) => Kind::Data(Encoding::ByteStreamSplit),
        _ => return None,
    };
    let (values, opened_bytes) = (usize::try_from(header.values?).ok()?, usize::try_from(header.opened?).ok()?);
    Some(Page { kind, values, opened_bytes, content })
}

#[derive(Default)]
struct Header {
    kind: Option<i64>,
    opened: Option<i64>,
    compressed: Option<i64>,
    values: Option<i64>,
    encoding: Option<i64>,
}

impl Header {
    fn read(rest: &mut &[u8]) -> Option<Self> {
        let mut header = Self::default();
        structure(rest, 0, &mut |path, value| {
            let place = match path {
                [1] => &mut header.kind,
                [2] => &mut header.opened,
                [3] => &mut header.compressed,
                // DataPageHeader and DictionaryPageHeader
                [5 | 7, 1] => &mut header.values,
                [5 | 7, 2] => &mut header.encoding,
                _ => return,
            };
            *place = Some(value);
        })?;
        Some(header)
    }
}

/// Reads a structure of the compact protocol; `found` is given each number with the fields that lead to it.
fn structure(rest: &mut &[u8], depth: usize, found: &mut dyn FnMut(&[i64], i64)) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    let mut field = 0;
    loop {
        let head = byte(rest)?;
        if head == 0 {
            return Some(());
        }
        field = if head >> 4 == 0 { zigzag(varint(rest)?) } else { i64::wrapping_add(field, i64::from(head >> 4)) };
        match head & 15 {
            1 | 2 => {} // a truth value is in the head
            3 => {
                byte(rest)?;
            }
            4..=6 => {
                let value = zigzag(varint(rest)?);
                found(&[field], value);
            }
            8 => {
                let length = usize::try_from(varint(rest)?).ok()?;
                *rest = rest.get(length..)?;
            }
            12 => structure(rest, depth + 1, &mut |path, value| {
                let mut whole = [field; DEEPEST + 2];
                whole[1..=path.len()].copy_from_slice(path);
                found(&whole[..=path.len()], value);
            })?,
            _ => return None,
        }
    }
}

pub(crate) fn byte(rest: &mut &[u8]) -> Option<u8> {
    let (first, later) = rest.split_first()?;
    *rest = later;
    Some(*first)
}

/// A number of at most 64 bits, seven bits to a byte.
pub(crate) fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let next = byte(rest)?;
        let bits = u64::from(next & 127);
        if bits << shift >> shift != bits {
            return None;
        }
        value |= bits << shift;
        if next < 128 {
            return Some(value);
        }
    }
    None
}

/// Numbers with a sign are written as 0, -1, 1, -2, ...
pub(crate) fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    // type 0, 24 and 5 bytes, DataPageHeader: 3 values, BYTE_STREAM_SPLIT, RLE, RLE
    const HEADER: [u8; 17] = [0x15, 0, 0x15, 48, 0x15, 10, 0x2c, 0x15, 6, 0x15, 18, 0x15, 6, 0x15, 6, 0, 0];

    #[test]
    fn a_page_is_read_and_what_follows_it_is_left() {
        let content = [&HEADER[..], &[1, 2, 3, 4, 5, 9]].concat();
        let mut rest = content.as_slice();
        let page = next_page(&mut rest).expect("a page");
        assert_eq!((page.kind, page.values, page.opened_bytes), (Kind::Data(Encoding::ByteStreamSplit), 3, 24));
        assert_eq!((page.content, rest), (&[1, 2, 3, 4, 5][..], &[9][..]));
    }

    #[test]
    fn a_page_that_is_cut_off_or_of_another_kind_is_none() {
        let content = [&HEADER[..], &[1, 2, 3, 4, 5]].concat();
        for length in 0..content.len() {
            assert!(next_page(&mut &content[..length]).is_none(), "{length}");
        }
        for (place, other) in [(1, 6), (10, 12), (5, 9), (0, 0x19)] {
            let mut changed = content.clone();
            changed[place] = other;
            assert!(next_page(&mut changed.as_slice()).is_none(), "{place}");
        }
        assert!(next_page(&mut [0x1c; 100].as_slice()).is_none(), "structures within each other");
    }
}
