//! Records of nfdump 1.6: 32 bytes that all have, addresses and counters, and what an extension map of the file names.

use std::collections::HashMap;

use crate::bytes::Cursor;
use crate::columns::{Column, Row, is_icmp, shown_ms};
use crate::refusal::Refusal;

/// What every record has: 32 bytes, addresses of IPv4 and counters of 32 bits.
pub(crate) const LEAST_BYTES: usize = 48;
const IPV6: u16 = 1;
const PACKETS_64: u16 = 2;
const BYTES_64: u16 = 4;
const EVENT: u16 = 64;
const SAMPLED: u16 = 128;

/// Bytes of an extension in a record; None for numbers that were reserved or never written.
fn extension_bytes(id: u16) -> Option<usize> {
    Some(match id {
        4 | 6 | 8 | 9 | 11 | 13 | 14 | 16 | 18 | 23 | 25 | 38 => 4,
        5 | 7 | 15 | 17 | 19 | 26 | 27 | 39 | 48 => 8,
        46 => 12,
        10 | 12 | 20 | 21 | 24 => 16,
        37 => 20,
        41 | 42 | 45 => 24,
        40 => 32,
        22 => 40,
        43 => 72,
        _ => return None,
    })
}

/// The extension maps of a file by their number: which extensions a record has, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maps(HashMap<u16, Vec<u16>>);

impl Maps {
    /// `extension_map_t`; a later map of a number replaces the earlier.
    pub(crate) fn add(&mut self, record: &[u8], place: usize) -> Result<(), Refusal> {
        let mut cursor = Cursor::new(record, place);
        cursor.take(4)?;
        let (number, promised) = (cursor.u16()?, usize::from(cursor.u16()?));
        let mut ids = Vec::new();
        let mut bytes = 0;
        loop {
            let id = cursor.u16()?;
            if id == 0 {
                break;
            }
            let Some(size) = extension_bytes(id).filter(|_| !ids.contains(&id)) else {
                return Err(Refusal::unknown(place, format!("extension {id} of map {number} is not known, or twice")));
            };
            bytes += size;
            ids.push(id);
        }
        if bytes != promised || record.len() % 4 != 0 || cursor.place() + 2 < place + record.len() {
            return Err(Refusal::damaged(place, format!("extension map {number} does not fit its sizes")));
        }
        self.0.insert(number, ids);
        Ok(())
    }

    /// Writes the fields of a record (`common_record_t`) into `row`; `record` is all of it, from its type on.
    pub(crate) fn decode(&self, record: &[u8], place: usize, row: &mut Row) -> Result<(), Refusal> {
        let mut cursor = Cursor::new(record, place);
        cursor.take(4)?;
        // from nfdump 1.6.22 on the upper byte is the version of NetFlow
        let (flags, version, map) = (u16::from(cursor.u8()?), cursor.u8()?, cursor.u16()?);
        let ids =
            self.0.get(&map).ok_or_else(|| Refusal::damaged(place, format!("there is no extension map {map}")))?;
        row.fill(0);
        row[Column::Event as usize] = u64::from(flags & EVENT != 0);
        row[Column::Sampled as usize] = u64::from(flags & SAMPLED != 0);
        common(row, version, &mut cursor)?;
        required(row, flags, &mut cursor)?;
        let mut icmp = row[Column::DstPort as usize];
        for id in ids {
            extension(row, &mut icmp, *id, &mut cursor)?;
        }
        if is_icmp(row[Column::Protocol as usize] as u8) {
            row[Column::SrcPort as usize] = 0;
            row[Column::DstPort as usize] = icmp;
        }
        Ok(())
    }
}

fn common(row: &mut Row, version: u8, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
    let milliseconds = [cursor.u16()?, cursor.u16()?];
    let seconds = [cursor.u32()?, cursor.u32()?];
    row[Column::FirstMs as usize] = u64::from(seconds[0]) * 1000 + u64::from(milliseconds[0]);
    row[Column::LastMs as usize] = u64::from(seconds[1]) * 1000 + u64::from(milliseconds[1]);
    cursor.take(2)?; // forwarding status, TCP flags
    row[Column::Protocol as usize] = u64::from(cursor.u8()?);
    row[Column::Tos as usize] = u64::from(cursor.u8()?);
    row[Column::SrcPort as usize] = u64::from(cursor.u16()?);
    row[Column::DstPort as usize] = u64::from(cursor.u16()?);
    row[Column::Sysid as usize] = u64::from(cursor.u16()?);
    let biflow_direction = u64::from(cursor.u8()?);
    // before nfdump 1.6.22 these bytes had no meaning
    row[Column::BiflowDirection as usize] = if version == 0 { 0 } else { biflow_direction };
    cursor.take(1)?; // why the flow ended
    Ok(())
}

/// Addresses and counters, which have two sizes each.
fn required(row: &mut Row, flags: u16, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
    if flags & IPV6 != 0 {
        for column in [Column::Src6Hi, Column::Src6Lo, Column::Dst6Hi, Column::Dst6Lo] {
            row[column as usize] = cursor.u64()?;
        }
        row[Column::Has6 as usize] = 1;
    } else {
        row[Column::Src4 as usize] = u64::from(cursor.u32()?);
        row[Column::Dst4 as usize] = u64::from(cursor.u32()?);
        row[Column::Has4 as usize] = 1;
    }
    row[Column::InPackets as usize] = number(flags & PACKETS_64 != 0, cursor)?;
    row[Column::InBytes as usize] = number(flags & BYTES_64 != 0, cursor)?;
    Ok(())
}

fn number(is_long: bool, cursor: &mut Cursor<'_>) -> Result<u64, Refusal> {
    if is_long { cursor.u64() } else { Ok(u64::from(cursor.u32()?)) }
}

fn extension(row: &mut Row, icmp: &mut u64, id: u16, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
    match id {
        4 => {
            row[Column::InputInterface as usize] = u64::from(cursor.u16()?);
            row[Column::OutputInterface as usize] = u64::from(cursor.u16()?);
        }
        5 => {
            row[Column::InputInterface as usize] = u64::from(cursor.u32()?);
            row[Column::OutputInterface as usize] = u64::from(cursor.u32()?);
        }
        8 => {
            cursor.take(1)?; // type of service at the other end
            row[Column::Direction as usize] = u64::from(cursor.u8()?);
            cursor.take(2)?; // lengths of the prefixes
        }
        14 | 15 => row[Column::OutPackets as usize] = number(id == 15, cursor)?,
        16 | 17 => row[Column::OutBytes as usize] = number(id == 17, cursor)?,
        23 => exporter(row, 0, u64::from(cursor.u32()?), 4),
        24 => exporter(row, cursor.u64()?, cursor.u64()?, 6),
        27 => row[Column::ReceivedMs as usize] = shown_ms(cursor.u64()?),
        37 => {
            cursor.take(12)?; // when the event was, number of the connection
            *icmp = u64::from(cursor.u16()?);
            cursor.take(6)?; // what happened
        }
        _ => {
            cursor.take(extension_bytes(id).unwrap_or_default())?;
        }
    }
    Ok(())
}

/// What came last counts, and IPv6 is listed before IPv4 where a record has both.
fn exporter(row: &mut Row, hi: u64, lo: u64, ip_version: u64) {
    row[Column::ExporterHi as usize] = hi;
    row[Column::ExporterLo as usize] = lo;
    let version = &mut row[Column::ExporterVersion as usize];
    *version = (*version).max(ip_version);
}
