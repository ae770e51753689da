//! Files of nfdump 1.8 made by hand: what is read of them, and why others are refused.

use hntes_nfcapd::Column as C;
use hntes_nfcapd::{Cause, Column, Reader, Refusal};
use proptest::prelude::*;

const HEAD_BYTES: usize = 48;
const FLOWS: u32 = 1;
const STATISTICS: u32 = 3;
const EXPORTERS: u32 = 7;

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// A block with its head; `content` is not compressed.
fn block(kind: u32, content: &[u8]) -> Vec<u8> {
    let bytes = (content.len() as u32 + 24).to_le_bytes();
    join(&[&kind.to_le_bytes(), &bytes, &bytes, &[1, 0, 0, 0], &[0; 8], content])
}

fn flows(records: &[Vec<u8>]) -> Vec<u8> {
    block(FLOWS, &join(&[&(records.len() as u32).to_le_bytes(), &[0; 28], &records.concat()]))
}

fn statistics(flows: u64) -> Vec<u8> {
    block(STATISTICS, &join(&[&flows.to_le_bytes(), &[0; 136]]))
}

/// A file of these blocks, of which the directory says type, bytes and place as `changed` makes them.
fn file_with(blocks: &[Vec<u8>], changed: impl Fn(usize, &mut [u64; 3])) -> Vec<u8> {
    let (mut entries, mut place) = (Vec::new(), HEAD_BYTES);
    for (number, block) in blocks.iter().enumerate() {
        let mut entry = [u64::from(block[0]), block.len() as u64, place as u64];
        changed(number, &mut entry);
        entries.extend([&(entry[0] as u32).to_le_bytes()[..], &(entry[1] as u32).to_le_bytes()].concat());
        entries.extend(entry[2].to_le_bytes());
        place += block.len();
    }
    let directory = join(&[&0xB10C_B10C_u32.to_le_bytes(), &(blocks.len() as u32).to_le_bytes(), &entries]);
    let where_it_is = join(&[&(directory.len() as u32).to_le_bytes(), &(place as u64).to_le_bytes()]);
    let head = join(&[&[0x0C, 0xA5, 3, 0], &0x0108_0000_u32.to_le_bytes(), &[0; 8], &[1, 0, 1, 0], &[0; 4]]);
    let head = join(&[&head, &(4_u32 << 20).to_le_bytes(), &where_it_is, &[0; 8]]);
    join(&[&head, &blocks.concat(), &directory, &0xA50F_u32.to_le_bytes(), &where_it_is, &[0; 40]])
}

fn file(blocks: &[Vec<u8>]) -> Vec<u8> {
    file_with(blocks, |_, _| {})
}

/// A record with these extensions, in the order of their types.
fn record(flags: u16, sysid: u32, extensions: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let begin = (24 + 2 * extensions.len()).next_multiple_of(8);
    let (mut table, mut content, mut bits) = (Vec::new(), Vec::new(), 0_u64);
    for (kind, body) in extensions {
        table.extend(((begin + content.len()) as u16).to_le_bytes());
        content.extend_from_slice(body);
        bits |= 1 << kind;
    }
    table.resize(begin - 24, 0);
    let bytes = (begin + content.len()) as u16;
    let head = [16, bytes, extensions.len() as u16, flags].map(u16::to_le_bytes).concat();
    join(&[&head, &sysid.to_le_bytes(), &[0; 4], &bits.to_le_bytes(), &table, &content])
}

fn generic(first_ms: u64, protocol: u8) -> Vec<u8> {
    let numbers: Vec<u8> = [first_ms, first_ms + 1, first_ms + 2, 10, 15_000].map(u64::to_le_bytes).concat();
    join(&[&numbers, &40_000_u16.to_le_bytes(), &443_u16.to_le_bytes(), &[protocol, 0, 0, 8]])
}

fn usual(first_ms: u64) -> Vec<(u32, Vec<u8>)> {
    vec![
        (1, generic(first_ms, 6)),
        (2, vec![1, 0, 0, 10, 2, 0, 0, 10]),
        (4, join(&[&5_u32.to_le_bytes(), &6_u32.to_le_bytes()])),
        (5, vec![24, 25, 1, 2, 0, 0, 0, 0]),
        (6, [3_u64, 7, 9000].map(u64::to_le_bytes).concat()),
        (11, vec![1, 2, 0, 192, 0, 0, 0, 0]),
    ]
}

fn rows(content: &[u8]) -> Result<Vec<[u64; Column::COUNT]>, Refusal> {
    let (mut reader, mut found) = (Reader::new(content)?, Vec::new());
    while let Some(columns) = reader.next_block()? {
        found.extend((0..columns.rows()).map(|row| std::array::from_fn(|column| columns.numbered(column)[row])));
    }
    Ok(found)
}

fn refused(content: &[u8]) -> (Cause, String) {
    let refusal = rows(content).expect_err("it must be refused");
    (refusal.cause, refusal.to_string())
}

#[test]
fn a_flow_has_its_fields_whether_its_shape_is_known_or_not() {
    let records: Vec<_> = (0..3).map(|number| record(2, 70_000, &usual(1000 + number))).collect();
    let found = rows(&file(&[flows(&records), statistics(3)])).expect("good");
    for (row, first_ms) in found.iter().zip(1000..) {
        let of = |columns: &[Column]| columns.iter().map(|column| row[*column as usize]).collect::<Vec<_>>();
        assert_eq!(of(&[C::FirstMs, C::LastMs, C::ReceivedMs]), [first_ms, first_ms + 1, first_ms + 2]);
        assert_eq!(of(&[C::InPackets, C::InBytes, C::OutPackets, C::OutBytes, C::Flows]), [10, 15_000, 7, 9000, 3]);
        assert_eq!(of(&[C::SrcPort, C::DstPort, C::Protocol, C::Tos]), [40_000, 443, 6, 8]);
        assert_eq!(of(&[C::Src4, C::Dst4, C::Has4, C::Has6]), [0x0A00_0001, 0x0A00_0002, 1, 0]);
        assert_eq!(of(&[C::InputInterface, C::OutputInterface, C::Direction, C::BiflowDirection]), [5, 6, 1, 2]);
        assert_eq!(of(&[C::ExporterLo, C::ExporterVersion, C::Sysid]), [0xC000_0201, 4, 70_000]);
        assert_eq!(of(&[C::Sampled, C::Event]), [1, 0]);
    }
    assert_eq!(found.len(), 3);
}

fn exporter(last: u8, sysid: u32, spaces: &[u32]) -> Vec<u8> {
    let samplers: Vec<u8> = spaces
        .iter()
        .flat_map(|space| {
            join(&[&(-1_i64).to_le_bytes(), &1_u32.to_le_bytes(), &space.to_le_bytes(), &[1, 0, 0, 0], &[0; 4]])
        })
        .collect();
    let address = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, last];
    let numbers = [9, 7, sysid].map(u32::to_le_bytes).concat();
    let head = [17, 56 + samplers.len() as u16].map(u16::to_le_bytes).concat();
    join(&[&head, &address, &numbers, &[0; 20], &[4, 0], &(spaces.len() as u16).to_le_bytes(), &samplers])
}

fn exporters(count: u32, records: &[Vec<u8>]) -> Vec<u8> {
    block(EXPORTERS, &join(&[&count.to_le_bytes(), &[0; 4], &records.concat()]))
}

#[test]
fn exporters_are_known_before_the_first_record_and_what_is_left_of_others_is_not_read() {
    let records = [exporter(1, 1, &[]), exporter(2, 70_000, &[99, 999]), vec![0xFF; 24]];
    let content = file(&[flows(&[record(0, 1, &usual(5))]), exporters(3, &records), statistics(1)]);
    let reader = Reader::new(&content).expect("good");
    let found: Vec<_> = reader.exporters().iter().map(|one| (one.sysid, one.lo, one.samplers.len())).collect();
    assert_eq!(found, [(1, 0xC000_0201, 0), (70_000, 0xC000_0202, 2)]);
    assert_eq!((reader.layout(), reader.statistics().records), (3, 1));
}

#[test]
fn blocks_without_flows_are_passed_over_and_others_are_refused() {
    let flow = || flows(&[record(0, 1, &usual(5))]);
    let others: Vec<_> = [2, 4, 5, 6].map(|kind| block(kind, &[0; 16])).to_vec();
    assert_eq!(rows(&file(&[others, vec![flow(), statistics(1)]].concat())).map(|rows| rows.len()), Ok(1));
    let unknown = refused(&file(&[block(8, &[0; 16]), statistics(0)]));
    assert_eq!(unknown, (Cause::Unknown, "byte 48: block type 8 is not known".to_owned()));
    assert_eq!(refused(&file(&[flow()])).1.split(": ").nth(1), Some("the file has no statistics"));
    let mut encrypted = file(&[flow(), statistics(1)]);
    encrypted[20] = 1;
    assert_eq!(refused(&encrypted), (Cause::Unknown, "byte 20: the file is encrypted".to_owned()));
    let mut unfinished = file(&[flow(), statistics(1)]);
    unfinished[32..40].fill(0);
    assert_eq!(refused(&unfinished).0, Cause::Damaged);
    let mut later = file(&[flow(), statistics(1)]);
    later[6] = 9;
    assert_eq!(refused(&later), (Cause::Unknown, "byte 4: the writer's version 0x01090000 is not 1.8".to_owned()));
}

#[test]
fn a_directory_with_a_repeated_block_is_damaged() {
    let twice = file_with(&[flows(&[record(0, 1, &usual(5))]), statistics(1), statistics(1)], |number, entry| {
        if number == 2 {
            entry[2] -= entry[1];
        }
    });
    assert_eq!(refused(&twice).0, Cause::Damaged);
    let longer = file_with(&[flows(&[record(0, 1, &usual(5))]), statistics(1)], |number, entry| {
        entry[1] += u64::from(number == 0);
    });
    assert_eq!(refused(&longer).0, Cause::Damaged);
}

#[test]
fn a_record_whose_table_does_not_fit_is_damaged() {
    let wrong = |change: fn(&mut Vec<u8>)| {
        let mut one = record(0, 1, &usual(5));
        change(&mut one);
        refused(&file(&[flows(&[one]), statistics(1)]))
    };
    assert_eq!(wrong(|one| one[4] = 5).0, Cause::Damaged);
    assert_eq!(wrong(|one| one[24] = 23).0, Cause::Damaged);
    assert_eq!(wrong(|one| one[25] = 1).0, Cause::Damaged);
    assert_eq!(wrong(|one| one[6] = 8).0, Cause::Unknown);
}

proptest! {
    #[test]
    fn no_change_makes_it_panic(changes in prop::collection::vec((0_usize..700, any::<u8>()), 1..4), cut in 0_usize..80) {
        let records = [record(2, 1, &usual(1000)), record(0, 1, &usual(2000)[..2])];
        let blocks = [flows(&records), exporters(1, &[exporter(1, 1, &[99])]), statistics(2)];
        let mut content = file(&blocks);
        let length = content.len();
        for (place, byte) in changes {
            content[place % length] = byte;
        }
        content.truncate(length - cut);
        if let Ok(found) = rows(&content) {
            prop_assert!(found.len() <= 2);
        }
    }
}
