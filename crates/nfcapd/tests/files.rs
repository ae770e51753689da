//! Files made by hand, byte by byte: what is read of them, and why others are refused.

use hntes_nfcapd::{Cause, Column, Reader, Refusal};
use proptest::prelude::*;

const V1: u16 = 10;
const V3: u16 = 11;
const EXPORTER: u16 = 7;
const SAMPLER: u16 = 15;
const STATISTICS: u16 = 8;

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

fn record(kind: u16, content: &[u8]) -> Vec<u8> {
    join(&[&kind.to_le_bytes(), &(content.len() as u16 + 4).to_le_bytes(), content])
}

fn element(kind: u16, content: &[u8]) -> Vec<u8> {
    record(kind, content)
}

fn block(records: &[Vec<u8>]) -> Vec<u8> {
    let content = records.concat();
    join(&[&(records.len() as u32).to_le_bytes(), &(content.len() as u32).to_le_bytes(), &[3, 0, 0, 0], &content])
}

/// A file of layout 2 without compression: its data blocks, and statistics that promise `flows`.
fn file(blocks: &[Vec<u8>], flows: u64) -> Vec<u8> {
    let data = blocks.concat();
    let statistics = join(&[&flows.to_le_bytes(), &[0; 136]]);
    let appendix = block(&[record(0x8001, b"none\0"), record(0x8002, &statistics)]);
    let place = 40 + data.len() as u64;
    let head = join(&[&[0x0C, 0xA5, 2, 0], &0x0107_0100_u32.to_le_bytes(), &[0; 8], &[0, 0, 1, 0], &[0; 4]]);
    let tail = join(&[&place.to_le_bytes(), &[0; 4], &(blocks.len() as u32).to_le_bytes()]);
    join(&[&head, &tail, &data, &appendix])
}

fn generic(first_ms: u64, protocol: u8) -> Vec<u8> {
    let numbers = [first_ms, first_ms + 1, first_ms + 2, 10, 15_000];
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    element(1, &join(&[&numbers, &40_000_u16.to_le_bytes(), &0x0304_u16.to_le_bytes(), &[protocol, 0, 0, 0]]))
}

fn flow(flags: u8, elements: &[Vec<u8>]) -> Vec<u8> {
    let head = join(&[&(elements.len() as u16).to_le_bytes(), &[0, 0], &7_u16.to_le_bytes(), &[flags, 0]]);
    record(V3, &join(&[&head, &elements.concat()]))
}

fn ipv4() -> Vec<u8> {
    element(2, &[1, 0, 0, 10, 2, 0, 0, 10])
}

fn values(content: &[u8]) -> Result<[u64; Column::COUNT], Refusal> {
    let columns = Reader::new(content)?.next_block()?.expect("a block");
    let mut row = [0; Column::COUNT];
    for (number, value) in row.iter_mut().enumerate() {
        *value = columns.numbered(number)[0];
    }
    Ok(row)
}

fn refused(flow: Vec<u8>) -> (Cause, String) {
    let refusal = values(&file(&[block(&[flow])], 1)).expect_err("it must be refused");
    (refusal.cause, refusal.to_string())
}

#[test]
fn a_flow_has_its_fields() {
    let misc = element(4, &join(&[&5_u32.to_le_bytes(), &6_u32.to_le_bytes(), &[0, 0, 1, 0, 0, 0, 0, 0]]));
    let exporter = element(12, &[1, 2, 0, 192]);
    let row = values(&file(&[block(&[flow(2, &[generic(1000, 6), ipv4(), misc, exporter])])], 1)).expect("good");
    let of = |column: Column| row[column as usize];
    assert_eq!([of(Column::FirstMs), of(Column::LastMs), of(Column::ReceivedMs)], [1000, 1001, 1002]);
    assert_eq!(
        [of(Column::InPackets), of(Column::InBytes), of(Column::Sampled), of(Column::Event)],
        [10, 15_000, 1, 0]
    );
    assert_eq!([of(Column::SrcPort), of(Column::DstPort), of(Column::Protocol)], [40_000, 0x0304, 6]);
    assert_eq!(
        [of(Column::Src4), of(Column::Dst4), of(Column::Has4), of(Column::Has6)],
        [0x0A00_0001, 0x0A00_0002, 1, 0]
    );
    assert_eq!([of(Column::InputInterface), of(Column::OutputInterface), of(Column::Direction)], [5, 6, 1]);
    assert_eq!([of(Column::ExporterLo), of(Column::ExporterVersion), of(Column::Sysid)], [0xC000_0201, 4, 7]);
}

#[test]
fn icmp_has_no_ports_and_years_of_five_digits_are_no_time() {
    let row = values(&file(&[block(&[flow(0, &[generic(253_402_300_799_999, 1)])])], 1)).expect("good");
    assert_eq!([row[Column::SrcPort as usize], row[Column::DstPort as usize]], [0, 0x0304]);
    assert_eq!([row[Column::FirstMs as usize], row[Column::LastMs as usize]], [253_402_300_799_999, 0]);
}

#[test]
fn exporters_and_samplers_are_named_once() {
    let head = join(&[&9_u32.to_le_bytes(), &[0; 8], &0xC000_0201_u64.to_le_bytes(), &[2, 0, 7, 0], &[0; 4]]);
    let sampler = join(&[&[7, 0, 1, 0], &(-1_i64).to_le_bytes(), &1_u32.to_le_bytes(), &99_u32.to_le_bytes()]);
    let records =
        [record(EXPORTER, &head), record(EXPORTER, &head), record(SAMPLER, &sampler), record(SAMPLER, &sampler)];
    let content = file(&[block(&records)], 0);
    let mut reader = Reader::new(&content).expect("good");
    assert_eq!(reader.next_block().expect("good").map(|columns| columns.rows()), Some(0));
    assert_eq!(reader.next_block(), Ok(None));
    let [exporter] = reader.exporters() else { panic!("one exporter") };
    assert_eq!((exporter.sysid, exporter.hi, exporter.lo, exporter.ip_version), (7, 0, 0xC000_0201, 4));
    let samplers: Vec<_> = exporter.samplers.iter().map(|one| (one.id, one.interval, one.space)).collect();
    assert_eq!(samplers, [(-1, 1, 99)]);
}

#[test]
fn what_is_not_known_is_refused_by_its_place() {
    let place = "byte 40: byte 0 of this block's records: ";
    assert_eq!(refused(flow(8, &[])), (Cause::Unknown, format!("{place}record flags 0x8 are not known")));
    assert_eq!(refused(record(99, &[])), (Cause::Unknown, format!("{place}record type 99 is not known")));
    let place = "byte 40: byte 12 of this block's records: ";
    let short = refused(flow(0, &[vec![43, 0, 3, 0]]));
    assert_eq!(short, (Cause::Unknown, format!("{place}element 43 of 3 bytes is not known")));
    let longer = refused(flow(0, &[element(2, &[0; 12])]));
    assert_eq!(longer, (Cause::Unknown, format!("{place}element 2 has 16 bytes, which is not known")));
    assert_eq!(refused(flow(0, &[ipv4(), ipv4()])).0, Cause::Unknown);
}

#[test]
fn what_contradicts_itself_is_damaged() {
    let mut long = flow(0, &[ipv4()]);
    long[4] = 0; // no elements, where there is one
    assert_eq!(refused(long).0, Cause::Damaged);
    let mut content = file(&[block(&[flow(0, &[ipv4()])])], 1);
    content[40] = 2; // records
    assert_eq!(values(&content).expect_err("one record is missing").cause, Cause::Damaged);
    let cut = file(&[block(&[flow(0, &[ipv4()])])], 1);
    assert!(Reader::new(&cut[..cut.len() - 1]).is_err());
}

#[test]
fn a_flow_record_without_its_header_is_refused_before_room_is_made_for_it() {
    let place = "byte 40: byte 0 of this block's records: ";
    let short = |kind, bytes: usize| refused(record(kind, &vec![0_u8; bytes - 4]));
    assert_eq!(short(V1, 4), (Cause::Damaged, format!("{place}a flow record of 4 bytes")));
    assert_eq!(short(V1, 47), (Cause::Damaged, format!("{place}a flow record of 47 bytes")));
    assert_eq!(short(V1, 48), (Cause::Damaged, format!("{place}there is no extension map 0")));
    assert_eq!(short(V3, 11), (Cause::Damaged, format!("{place}a flow record of 11 bytes")));
    assert!(values(&file(&[block(&[flow(0, &[])])], 1)).is_ok());
}

proptest! {
    #[test]
    fn no_change_makes_it_panic(place in 0_usize..300, byte in any::<u8>(), cut in 0_usize..300) {
        let mut content = file(&[block(&[flow(2, &[generic(1000, 6), ipv4()]), flow(0, &[generic(5, 17)])])], 2);
        let length = content.len();
        content[place % length] = byte;
        content.truncate(length - cut % 40);
        if let Ok(mut reader) = Reader::new(content) {
            while let Ok(Some(columns)) = reader.next_block() {
                prop_assert!(columns.rows() <= 2);
            }
        }
    }
}

fn a_run() -> impl Strategy<Value = usize> {
    prop_oneof![1_usize..4, 1_usize..700]
}

/// Flows of four kinds: three that are read column by column, and one (both versions of addresses) that is not.
fn kind_of_flow(kind: usize, first_ms: u64) -> Vec<u8> {
    let ipv6 = || element(3, &[(first_ms % 250) as u8 + 1; 32]);
    let misc = element(4, &join(&[&(first_ms as u32 % 3).to_le_bytes(), &6_u32.to_le_bytes(), &[0; 8]]));
    let elements: &[Vec<u8>] = &[generic(first_ms, 6), ipv4(), misc, ipv6()];
    let chosen: &[usize] = [&[0, 1, 2][..], &[0, 3], &[0, 1], &[0, 1, 3]][kind];
    flow(kind as u8 & 2, &chosen.iter().map(|place| elements[*place].clone()).collect::<Vec<_>>())
}

/// Reads blocks of runs of flows, (kind, how many), in columns that are used again, and each flow alone.
fn read_among_others_and_alone(blocks: &[Vec<(usize, usize)>]) {
    let of_runs = |runs: &Vec<(usize, usize)>| -> Vec<Vec<u8>> {
        let kinds = runs.iter().flat_map(|(kind, count)| std::iter::repeat_n(*kind, *count));
        kinds.zip(1000..).map(|(kind, first_ms)| kind_of_flow(kind, first_ms)).collect()
    };
    let flows: Vec<_> = blocks.iter().map(of_runs).collect();
    let content = file(&flows.iter().map(|flows| block(flows)).collect::<Vec<_>>(), 1);
    let mut reader = Reader::new(&content[..]).expect("good");
    for flows in &flows {
        let columns = reader.next_block().expect("good").expect("a block");
        for (number, flow) in flows.iter().enumerate() {
            let alone = values(&file(&[block(std::slice::from_ref(flow))], 1)).expect("good");
            let found: Vec<u64> = (0..Column::COUNT).map(|column| columns.numbered(column)[number]).collect();
            assert_eq!(&found[..], &alone[..]);
        }
        reader.reuse(columns);
    }
}

#[test]
fn as_many_flows_of_one_kind_before_one_that_is_read_alone_as_of_another_after_it() {
    read_among_others_and_alone(&[vec![(0, 20), (2, 1)], vec![(0, 5), (3, 1), (2, 5)]]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn a_record_reads_the_same_among_others_as_alone(
        blocks in prop::collection::vec(prop::collection::vec((0_usize..4, a_run()), 1..5), 1..4),
    ) {
        read_among_others_and_alone(&blocks);
    }
}

#[test]
fn what_later_versions_add_is_skipped_by_its_length() {
    let known = [generic(1000, 6), ipv4()];
    let alone = values(&file(&[block(&[flow(2, &known)])], 1)).expect("good");
    for later in [38, 39, 40, 41, 42, 43, 63, 64, 700] {
        let bytes = if later == 38 { 32 } else { 8 };
        let row = values(&file(&[block(&[flow(2, &[&known[..], &[element(later, &vec![0; bytes])]].concat())])], 1));
        assert_eq!(row.as_ref(), Ok(&alone), "element {later}");
    }
    // struck out by nfdump, as often as it likes; and the mark of its filter
    let struck = flow(2 | 128, &[generic(1000, 6), element(0, &[7; 32]), ipv4(), element(0, &[7; 8])]);
    assert_eq!(values(&file(&[block(&[struck, record(256, &[0; 8])])], 1)).as_ref(), Ok(&alone));
}

#[test]
fn a_record_without_counters_is_told_from_flows_and_events() {
    let records =
        [flow(0, &[ipv4()]), flow(1, &[ipv4()]), flow(1, &[generic(1, 6), ipv4()]), flow(0, &[generic(1, 6)])];
    let content = file(&[block(&records)], 2);
    let mut reader = Reader::new(&content).expect("good");
    let columns = reader.next_block().expect("good").expect("a block");
    assert_eq!(columns.column(Column::Event), [2, 2, 1, 0]);
    assert_eq!(reader.flows(), (2, 2));
}

#[test]
fn records_stand_for_as_many_flows_as_they_say() {
    let counters = |flows: u64| element(5, &join(&[&flows.to_le_bytes(), &[0; 16]]));
    let records = [0, 1, 60].map(|flows| flow(0, &[generic(1000, 6), ipv4(), counters(flows)]));
    let content = file(&[block(&records)], 62);
    let mut reader = Reader::new(&content).expect("good");
    reader.next_block().expect("good").expect("a block");
    assert_eq!(reader.flows(), (0, 62));
}

const ZERO: u8 = 0;

/// Which versions a record with pairs of these bytes has, where it names `ip_version`.
fn both_families(four: u8, six: u8, ip_version: u8, is_ipv4_first: bool) -> [u64; 2] {
    let mut layer_2 = [0; 32];
    layer_2[26] = ip_version;
    let pair = [element(2, &[four; 8]), element(3, &[six; 32])];
    let [one, other] = if is_ipv4_first { pair } else { [pair[1].clone(), pair[0].clone()] };
    let elements = [generic(1000, 6), one, other, element(38, &layer_2)];
    let row = values(&file(&[block(&[flow(0, &elements)])], 1)).expect("good");
    let has = [Column::Has4, Column::Has6].map(|column| row[column as usize]);
    let addresses = [Column::Src4, Column::Dst6Lo].map(|column| row[column as usize]);
    assert_eq!(addresses.map(|address| address as u8), [four * has[0] as u8, six * has[1] as u8]);
    has
}

#[test]
fn of_addresses_of_both_versions_zeros_yield_and_the_named_version_counts() {
    for is_ipv4_first in [true, false] {
        for named in [0, 4, 6] {
            assert_eq!(both_families(1, ZERO, named, is_ipv4_first), [1, 0]);
            assert_eq!(both_families(ZERO, 2, named, is_ipv4_first), [0, 1]);
            assert_eq!(both_families(ZERO, ZERO, named, is_ipv4_first), [1, 0]);
        }
        assert_eq!(both_families(1, 2, 4, is_ipv4_first), [1, 0]);
        assert_eq!(both_families(1, 2, 6, is_ipv4_first), [0, 1]);
        assert_eq!(both_families(1, 2, 0, is_ipv4_first), [1, 0]);
    }
}

fn exporter_record(sysid: u16, family: u16, address: [u8; 16], domain: u32) -> Vec<u8> {
    let tail = join(&[&family.to_le_bytes(), &sysid.to_le_bytes(), &domain.to_le_bytes()]);
    record(EXPORTER, &join(&[&10_u32.to_le_bytes(), &address, &tail]))
}

#[test]
fn an_exporter_without_an_address_family_has_its_address_in_network_order() {
    let mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1];
    let ipv6 = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5];
    let content = file(&[block(&[exporter_record(1, 0, mapped, 0), exporter_record(2, 0, ipv6, 0)])], 0);
    let mut reader = Reader::new(&content).expect("good");
    reader.next_block().expect("good");
    let found: Vec<_> = reader.exporters().iter().map(|one| (one.hi, one.lo, one.ip_version)).collect();
    assert_eq!(found, [(0, 0xC000_0201, 4), (0x2001_0DB8 << 32, 5, 6)]);
    assert_eq!(refused(exporter_record(1, 28, ipv6, 0)).0, Cause::Unknown);
}

#[test]
fn a_number_that_is_given_again_has_two_exporters_and_samplers_belong_to_the_later() {
    let address = |last: u8| [0, 0, 0, 0, 0, 0, 0, 0, last, 2, 0, 192, 0, 0, 0, 0];
    let sampler =
        |space: u32| join(&[&[1, 0, 1, 0], &(-1_i64).to_le_bytes(), &1_u32.to_le_bytes(), &space.to_le_bytes()]);
    let first = [exporter_record(1, 2, address(1), 7), record(SAMPLER, &sampler(999))];
    let second = [exporter_record(1, 2, address(2), 9), record(SAMPLER, &sampler(99))];
    let third = [exporter_record(1, 2, address(1), 7), record(SAMPLER, &sampler(9))];
    let content = file(&[block(&first), block(&second), block(&third)], 0);
    let mut reader = Reader::new(&content).expect("good");
    while reader.next_block().expect("good").is_some() {}
    let spaces =
        |place: usize| -> Vec<u32> { reader.exporters()[place].samplers.iter().map(|one| one.space).collect() };
    assert_eq!(reader.exporters().iter().map(|one| one.lo as u8).collect::<Vec<_>>(), [1, 2]);
    assert_eq!([spaces(0), spaces(1)], [vec![999, 9], vec![99]]);
}

/// What an exporter sent: its number, sequence failures and export packets.
fn statistics_record(of: &[(u32, u32, u64)]) -> Vec<u8> {
    let each = |&(sysid, failures, packets): &(u32, u32, u64)| {
        join(&[&sysid.to_le_bytes(), &failures.to_le_bytes(), &packets.to_le_bytes(), &5_u64.to_le_bytes()])
    };
    let all: Vec<u8> = of.iter().flat_map(each).collect();
    record(STATISTICS, &join(&[&(of.len() as u32).to_le_bytes(), &all]))
}

#[test]
fn statistics_belong_to_the_exporter_that_has_the_number_then_and_add_up() {
    let address = |last: u8| [0, 0, 0, 0, 0, 0, 0, 0, last, 2, 0, 192, 0, 0, 0, 0];
    let first = [exporter_record(1, 2, address(1), 7), statistics_record(&[(1, 3, 100), (9, 50, 60)])];
    let second = [exporter_record(1, 2, address(2), 9), statistics_record(&[(1, 0, 7)])];
    let third = [exporter_record(1, 2, address(1), 7), statistics_record(&[(1, u32::MAX, u64::MAX)])];
    let content = file(&[block(&first), block(&second), block(&third)], 0);
    let mut reader = Reader::new(&content).expect("good");
    let mut changes = vec![reader.exporter_changes()];
    while reader.next_block().expect("good").is_some() {
        changes.push(reader.exporter_changes());
    }
    let found: Vec<_> =
        reader.exporters().iter().map(|one| (one.exported.packets, one.exported.sequence_failures)).collect();
    assert_eq!(found, [(u64::MAX, 3 + u64::from(u32::MAX)), (7, 0)]);
    assert!(changes.windows(2).all(|pair| pair[0] < pair[1]), "{changes:?}");
}
