//! Changes: of a block's records, of what is in a record, of what a head says, and of finished bytes.

use crate::chance::Chance;
use crate::corpus::{Corpus, record};
use crate::file::File;

const RECORD_V3: u8 = 11;
const V3_HEAD_BYTES: usize = 12;
const ELEMENT_HEAD_BYTES: usize = 4;
/// Types of records and blocks that are known, and some that are not.
const KINDS: [u16; 19] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 256, 0xFFFF];
const ELEMENT_BYTES: [usize; 12] = [0, 4, 8, 12, 16, 20, 24, 28, 32, 44, 48, 72];
/// A block of many records, so that lengths of more than one byte occur in what is compressed.
const MANY: usize = 1500;

/// Few bytes in the file and many columns in memory, if they were believed.
const MANY_SHORT: usize = 300_000;

/// Up to four changes of blocks and records.
pub fn change(file: &mut File, corpus: &Corpus, chance: &mut Chance) {
    if chance.once_in(4) {
        change_record(&mut file.exporters, chance);
    }
    for _ in 0..chance.below(5) {
        let number = chance.below(file.blocks.len());
        match chance.below(24) {
            0..4 => change_list(&mut file.blocks[number].records, corpus, chance),
            4 => change_head(file, number, chance),
            _ => change_record(&mut file.blocks[number].records, chance),
        }
    }
    if chance.once_in(1000) {
        let number = chance.below(file.blocks.len());
        let records = &mut file.blocks[number].records;
        for _ in 0..chance.below(MANY) {
            let one = records.get(chance.below(records.len())).cloned();
            records.extend(one);
        }
    }
    if chance.once_in(20_000) {
        let short = record(10 + chance.below(2) as u16, &bytes(chance.below(4) * 4, chance));
        let number = chance.below(file.blocks.len());
        file.blocks[number].records = vec![short; chance.below(MANY_SHORT)];
    }
}

/// Which records there are, and in which order.
fn change_list(records: &mut Vec<Vec<u8>>, corpus: &Corpus, chance: &mut Chance) {
    let place = chance.below(records.len() + 1);
    match chance.below(6) {
        0 if place < records.len() => {
            records.remove(place);
        }
        1 if place < records.len() => records.insert(place, records[place].clone()),
        2 if place < records.len() => {
            let other = chance.below(records.len());
            records.swap(place, other);
        }
        3 => {
            let content = bytes(chance.below(80), chance);
            records.insert(place, record(KINDS[chance.below(KINDS.len())], &content));
        }
        4 => {
            // a map with extensions that exist, and some that do not
            let mut content =
                [(chance.next() as u16 % 24).to_le_bytes(), (chance.next() as u16 % 120).to_le_bytes()].concat();
            for _ in 0..chance.below(12) {
                content.extend_from_slice(&(chance.next() as u16 % 50).to_le_bytes());
            }
            content.extend_from_slice(&[0; 4]);
            content.truncate(content.len() & !3);
            records.insert(place, record(2, &content));
        }
        _ => {
            let source = corpus.source(chance);
            let other = match source.context.get(chance.below(2 * source.context.len())) {
                Some(context) => context.clone(),
                None => source.flow(chance).to_vec(),
            };
            records.insert(place, other);
        }
    }
}

fn change_head(file: &mut File, number: usize, chance: &mut Chance) {
    let block = &mut file.blocks[number];
    match chance.below(8) {
        0 => block.kind = KINDS[chance.below(KINDS.len())],
        1 => block.flags = chance.odd_number() as u16,
        2 | 3 => block.records_beside = chance.below(5) as i32 - 2,
        4 => block.records_beside = chance.odd_number() as i32,
        5 | 6 => block.bytes_beside = chance.below(9) as i32 - 4,
        _ => block.bytes_beside = chance.odd_number() as i32,
    }
}

fn change_record(records: &mut [Vec<u8>], chance: &mut Chance) {
    let place = chance.below(records.len());
    let Some(record) = records.get_mut(place).filter(|record| record.len() > ELEMENT_HEAD_BYTES) else { return };
    match chance.below(10) {
        0..3 => flip(&mut record[ELEMENT_HEAD_BYTES..], chance),
        3..6 => put_number(&mut record[ELEMENT_HEAD_BYTES..], chance),
        6 => {
            // another length, which its head knows
            let length = chance.below(record.len() + 40).max(ELEMENT_HEAD_BYTES);
            let more = bytes(length.saturating_sub(record.len()), chance);
            record.truncate(length);
            record.extend_from_slice(&more);
            say_length(record);
        }
        7 if chance.once_in(3) => put_number(&mut record[..ELEMENT_HEAD_BYTES], chance),
        _ => change_elements(record, chance),
    }
}

/// Elements of a record of 1.7: which, of what type and how long; its head agrees.
fn change_elements(record: &mut Vec<u8>, chance: &mut Chance) {
    if record[0] != RECORD_V3 || record.len() < V3_HEAD_BYTES {
        return;
    }
    let mut elements = elements(&record[V3_HEAD_BYTES..]);
    let place = chance.below(elements.len() + 1);
    match chance.below(6) {
        0 if place < elements.len() => {
            elements.remove(place);
        }
        1 if place < elements.len() => elements.insert(place, elements[place].clone()),
        2 if place < elements.len() => {
            let other = chance.below(elements.len());
            elements.swap(place, other);
        }
        3 if place < elements.len() => {
            let kind = chance.next() as u8 % 70;
            elements[place][0] = kind;
        }
        4 if place < elements.len() && elements[place].len() > ELEMENT_HEAD_BYTES => {
            let body = &mut elements[place][ELEMENT_HEAD_BYTES..];
            put_number(body, chance);
        }
        _ => {
            let content = bytes(ELEMENT_BYTES[chance.below(ELEMENT_BYTES.len())], chance);
            elements.insert(place, self::record(chance.next() as u16 % 70, &content));
        }
    }
    record.truncate(V3_HEAD_BYTES);
    record.extend(elements.concat());
    record[4..6].copy_from_slice(&(elements.len() as u16).to_le_bytes());
    say_length(record);
}

fn elements(mut rest: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while let Some(head) = rest.first_chunk::<ELEMENT_HEAD_BYTES>() {
        let length = usize::from(u16::from_le_bytes([head[2], head[3]])).clamp(ELEMENT_HEAD_BYTES, rest.len());
        found.push(rest[..length].to_vec());
        rest = &rest[length..];
    }
    found
}

fn say_length(record: &mut [u8]) {
    let length = record.len() as u16;
    record[2..4].copy_from_slice(&length.to_le_bytes());
}

/// Bytes of a block as it is stored, now and then.
pub fn change_stored(stored: &mut Vec<u8>, chance: &mut Chance) {
    if chance.once_in(4) {
        damage(stored, chance);
    }
}

/// Any bytes of the file, now and then.
pub fn change_content(content: &mut Vec<u8>, chance: &mut Chance) {
    match chance.below(60) {
        0 => damage(content, chance),
        1 => {
            let head = content.len().min(64);
            put_number(&mut content[..head], chance);
        }
        2 => content.truncate(chance.below(content.len())),
        _ => {}
    }
}

fn damage(content: &mut Vec<u8>, chance: &mut Chance) {
    match chance.below(6) {
        0 => content.truncate(chance.below(content.len())),
        1 => content.extend_from_slice(&bytes(chance.below(300), chance)),
        2 => put_number(content, chance),
        3 => {
            let (place, byte) = (chance.below(content.len() + 1), [0, 255, 17, 32][chance.below(4)]);
            let many = vec![byte; chance.below(600)];
            content.splice(place..place, many);
        }
        _ => flip(content, chance),
    }
}

fn flip(content: &mut [u8], chance: &mut Chance) {
    for _ in 0..=chance.below(3) {
        let place = chance.below(content.len());
        if let Some(byte) = content.get_mut(place) {
            *byte ^= 1 << chance.below(8);
        }
    }
}

/// A field of 1, 2, 4 or 8 bytes, at a place that its size divides.
fn put_number(content: &mut [u8], chance: &mut Chance) {
    let size = 1 << chance.below(4);
    let place = chance.below(content.len()) / size * size;
    if let Some(field) = content.get_mut(place..place + size) {
        field.copy_from_slice(&chance.odd_number().to_le_bytes()[..size]);
    }
}

fn bytes(count: usize, chance: &mut Chance) -> Vec<u8> {
    (0..count).map(|_| if chance.once_in(2) { 0 } else { chance.next() as u8 }).collect()
}
