//! Chunks as ingest writes them, and such with changes.

use hntes_lake::{Chunk, ChunkReader};

const PLAIN: u8 = 0;
const DELTA: u8 = 5;
const DICTIONARY: u8 = 8;
const SPLIT: u8 = 9;

/// A page of the format: its header in Thrift's compact protocol, then its content, compressed.
fn page(kind: u8, values: usize, encoding: u8, content: &[u8]) -> Vec<u8> {
    let compressed = zstd::bulk::compress(content, 1).expect("in memory");
    let mut page = vec![0x15, kind * 2, 0x15];
    number(&mut page, content.len());
    page.push(0x15);
    number(&mut page, compressed.len());
    // the header of a data page is field 5, that of a dictionary field 7
    page.push(if kind == 0 { 0x2c } else { 0x4c });
    page.push(0x15);
    number(&mut page, values);
    page.extend([0x15, encoding * 2, 0, 0]);
    page.extend(compressed);
    page
}

fn number(page: &mut Vec<u8>, value: usize) {
    let mut rest = value * 2;
    while rest > 127 {
        page.push(rest as u8 | 128);
        rest >>= 7;
    }
    page.push(rest as u8);
}

fn split(values: &[u64], width: usize) -> Vec<u8> {
    (0..width).flat_map(|place| values.iter().map(move |value| (value >> (8 * place)) as u8)).collect()
}

fn chunk(bytes: &[u8], rows: usize, width: usize, is_optional: bool) -> Chunk<'_> {
    Chunk { bytes, rows, width, is_optional }
}

fn all(reader: &mut ChunkReader, chunk: &Chunk<'_>) -> Option<Vec<u64>> {
    let mut values = vec![1, 2, 3];
    reader.all(chunk, &mut values).map(|()| values)
}

#[test]
fn values_of_each_encoding_are_read_all_or_some() {
    let mut reader = ChunkReader::new().expect("memory");
    let values = [u64::MAX, 0, 1 << 40, 77, 256];
    let plain: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    // one run of three bits each, packed: 4, 0, 1, 2, 3
    let numbers = [&[3, 3][..], &0b011_010_001_000_100_u32.to_le_bytes()[..3]].concat();
    let known: Vec<u8> = [0, 1 << 40, 77, 256, u64::MAX].iter().flat_map(|value: &u64| value.to_le_bytes()).collect();
    let chunks = [
        page(0, 5, SPLIT, &split(&values, 8)),
        page(0, 5, PLAIN, &plain),
        [page(0, 2, SPLIT, &split(&values[..2], 8)), page(0, 3, SPLIT, &split(&values[2..], 8))].concat(),
        [page(2, 5, PLAIN, &known), page(0, 5, DICTIONARY, &numbers)].concat(),
    ];
    for bytes in &chunks {
        let given = chunk(bytes, 5, 8, false);
        assert_eq!(all(&mut reader, &given).as_deref(), Some(&values[..]));
        assert_eq!(reader.at(&given, &[0, 2, 4]), Some(vec![values[0], values[2], values[4]]));
        assert_eq!(reader.at(&given, &[]), Some(vec![]));
        for other in [chunk(bytes, 4, 8, false), chunk(bytes, 6, 8, false), chunk(bytes, 5, 2, false)] {
            assert_eq!((all(&mut reader, &other), reader.at(&other, &[0])), (None, None));
        }
        assert_eq!(reader.at(&given, &[5]), None);
    }
}

/// 7, 5, 3, 1, 2, 3, 4, 5, less eight each: the first, the least difference, -2, and two bits for each beyond it.
const DIFFERENCES: [u8; 18] = [0x80, 1, 4, 8, 1, 3, 2, 0, 0, 0, 0b1100_0000, 0b11_1111, 0, 0, 0, 0, 0, 0];

#[test]
fn differences_are_read_all_or_some_with_their_signs() {
    let mut reader = ChunkReader::new().expect("memory");
    let page = page(0, 8, DELTA, &DIFFERENCES);
    for (width, ones) in [(8, u64::MAX), (4, u64::from(u32::MAX))] {
        let given = chunk(&page, 8, width, false);
        let less = |number: u64| ones - number + 1;
        assert_eq!(all(&mut reader, &given), Some([1, 3, 5, 7, 6, 5, 4, 3].map(less).to_vec()));
        assert_eq!(reader.at(&given, &[0, 3, 7]), Some([1, 7, 3].map(less).to_vec()));
    }
}

#[test]
fn a_chunk_with_levels_is_read_where_no_value_is_missing() {
    let mut reader = ChunkReader::new().expect("memory");
    let values = split(&[5, 6, 0xFFFF_FFFF], 4);
    let with_levels = |levels: &[u8]| {
        let length = (levels.len() as u32).to_le_bytes();
        page(0, 3, SPLIT, &[&length[..], levels, &values].concat())
    };
    let whole = with_levels(&[6, 1]);
    assert_eq!(reader.at(&chunk(&whole, 3, 4, true), &[1, 2]), Some(vec![6, 0xFFFF_FFFF]));
    assert_eq!(reader.at(&chunk(&with_levels(&[3, 0b101]), 3, 4, true), &[1]), None);
}

#[test]
fn whatever_a_chunk_holds_reading_it_ends_without_a_panic() {
    let mut reader = ChunkReader::new().expect("memory");
    let known = page(2, 4, PLAIN, &split(&[1, 2, 3, 4], 8));
    let good = [
        known,
        page(0, 8, DICTIONARY, &[2, 3, 0xE4, 0xE4]),
        page(0, 8, SPLIT, &split(&[9; 8], 8)),
        page(0, 8, DELTA, &DIFFERENCES),
    ]
    .concat();
    assert!(all(&mut reader, &chunk(&good, 24, 8, false)).is_some());
    let mut chance = 1_u64;
    for _ in 0..200_000 {
        let mut bytes = good.clone();
        for _ in 0..=(chance >> 40) % 3 {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let place = (chance >> 33) as usize % bytes.len();
            bytes[place] = (chance >> 20) as u8;
        }
        bytes.truncate(bytes.len() - (chance >> 50) as usize % 4);
        let given = chunk(&bytes, 24, 8, chance & 1 << 30 == 0);
        let found = all(&mut reader, &given);
        assert!(found.is_none_or(|values| values.len() == 24));
        assert!(reader.at(&given, &[0, 23]).is_none_or(|values| values.len() == 2));
    }
}
