//! Records of nfdump 1.8: a header of 24 bytes with a bit for each extension, a table of their places, the extensions.

use crate::addresses;
use crate::bytes::{Cursor, u16_at, u16_in, u32_at, u64_at};
use crate::columns::{Column, NO_COUNTERS, Row, is_icmp, shown_ms};
use crate::record_v3::{EVENT, KNOWN_FLAGS, SAMPLED};
use crate::refusal::Refusal;

/// What every record has: its header.
pub(crate) const LEAST_BYTES: usize = 24;
pub(crate) const BITS_AT: usize = 16;
pub(crate) const FLAGS_AT: usize = 6;

/// Writes the fields of a record into `row`; `record` is all of it, from its type on.
#[inline]
pub(crate) fn decode(record: &[u8], place: usize, row: &mut Row) -> Result<(), Refusal> {
    let head: [u8; LEAST_BYTES] = Cursor::new(record, place).array()?;
    let (count, flags) = (usize::from(u16_at(&head, 4)), u16_at(&head, FLAGS_AT));
    if flags & !u16::from(KNOWN_FLAGS) != 0 {
        return Err(Refusal::unknown(place, format!("record flags {flags:#x} are not known")));
    }
    let bits = u64_at(&head, BITS_AT);
    if bits.count_ones() as usize != count || record.len() < LEAST_BYTES + 2 * count {
        return Err(Refusal::damaged(place, format!("{count} extensions, of which {} are named", bits.count_ones())));
    }
    row.fill(0);
    row[Column::Event as usize] = if has(bits, 1) { u64::from(flags & u16::from(EVENT)) } else { NO_COUNTERS };
    row[Column::Sampled as usize] = u64::from(flags & u16::from(SAMPLED) != 0);
    row[Column::Sysid as usize] = u64::from(u32_at(&head, 8));
    let mut ip_version = 0;
    for (kind, at) in extensions(record, bits) {
        let Some(content) = record.get(at..).filter(|_| at >= LEAST_BYTES + 2 * count) else {
            return Err(Refusal::damaged(place, format!("extension {kind} lies out of its record")));
        };
        if !take(row, kind, content, &mut ip_version) {
            return Err(Refusal::damaged(place, format!("extension {kind} is cut off")));
        }
    }
    addresses::settle(row, ip_version);
    Ok(())
}

pub(crate) fn has(bits: u64, kind: u32) -> bool {
    bits >> kind & 1 != 0
}

/// Type and place in the record of each extension.
pub(crate) fn extensions(record: &[u8], bits: u64) -> impl Iterator<Item = (u32, usize)> + '_ {
    let kinds = (0..u64::BITS).filter(move |kind| has(bits, *kind));
    kinds.enumerate().map(|(rank, kind)| (kind, usize::from(u16_in(record, LEAST_BYTES + 2 * rank))))
}

/// Takes an extension's fields from what begins with it; false where that is too short. Lengths are not stored.
#[inline]
fn take(row: &mut Row, kind: u32, content: &[u8], ip_version: &mut u8) -> bool {
    match kind {
        1 => first(content, |body: &[u8; 48]| {
            let protocol = body[44];
            row[Column::FirstMs as usize] = shown_ms(u64_at(body, 0));
            row[Column::LastMs as usize] = shown_ms(u64_at(body, 8));
            row[Column::ReceivedMs as usize] = shown_ms(u64_at(body, 16));
            row[Column::InPackets as usize] = u64_at(body, 24);
            row[Column::InBytes as usize] = u64_at(body, 32);
            row[Column::SrcPort as usize] = if is_icmp(protocol) { 0 } else { u64::from(u16_at(body, 40)) };
            row[Column::DstPort as usize] = u64::from(u16_at(body, 42));
            row[Column::Protocol as usize] = u64::from(protocol);
            row[Column::Tos as usize] = u64::from(body[47]);
        }),
        2 => first(content, |body: &[u8; 8]| {
            row[Column::Src4 as usize] = u64::from(u32_at(body, 0));
            row[Column::Dst4 as usize] = u64::from(u32_at(body, 4));
            row[Column::Has4 as usize] = 1;
        }),
        3 => first(content, |body: &[u8; 32]| {
            let columns = [Column::Src6Hi, Column::Src6Lo, Column::Dst6Hi, Column::Dst6Lo];
            for (column, at) in columns.iter().zip([0, 8, 16, 24]) {
                row[*column as usize] = u64_at(body, at);
            }
            row[Column::Has6 as usize] = 1;
        }),
        4 => first(content, |body: &[u8; 8]| {
            row[Column::InputInterface as usize] = u64::from(u32_at(body, 0));
            row[Column::OutputInterface as usize] = u64::from(u32_at(body, 4));
        }),
        5 => first(content, |body: &[u8; 8]| {
            row[Column::Direction as usize] = u64::from(body[2]);
            row[Column::BiflowDirection as usize] = u64::from(body[3]);
        }),
        6 => first(content, |body: &[u8; 24]| {
            row[Column::Flows as usize] = u64_at(body, 0);
            row[Column::OutPackets as usize] = u64_at(body, 8);
            row[Column::OutBytes as usize] = u64_at(body, 16);
        }),
        11 => first(content, |body: &[u8; 8]| exporter(row, 0, u64::from(u32_at(body, 0)), 4)),
        12 => first(content, |body: &[u8; 16]| exporter(row, u64_at(body, 0), u64_at(body, 8), 6)),
        35 => first(content, |body: &[u8; 32]| *ip_version = body[26]),
        _ => true,
    }
}

fn exporter(row: &mut Row, hi: u64, lo: u64, ip_version: u64) {
    row[Column::ExporterHi as usize] = hi;
    row[Column::ExporterLo as usize] = lo;
    row[Column::ExporterVersion as usize] = ip_version;
}

/// Hands over the first bytes of an extension where there are so many.
#[inline]
fn first<const N: usize>(content: &[u8], take: impl FnOnce(&[u8; N])) -> bool {
    content.first_chunk().map(take).is_some()
}
