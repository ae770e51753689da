//! Records of nfdump 1.7: a header of 12 bytes and a number of elements, each with its type and length.

use crate::addresses;
use crate::bytes::{Cursor, u16_at, u32_at, u64_at};
use crate::columns::{Column, NO_COUNTERS, Row, is_icmp, shown_ms};
use crate::refusal::Refusal;

/// What every record has: its header.
pub(crate) const LEAST_BYTES: usize = 12;
pub(crate) const EVENT: u8 = 1;
pub(crate) const SAMPLED: u8 = 2;
const ANONYMOUS: u8 = 4;
/// nfdump 1.7 marks records so that its filter lets pass, and may write the mark.
const PASSED: u8 = 128;
pub(crate) const KNOWN_FLAGS: u8 = EVENT | SAMPLED | ANONYMOUS | PASSED;
pub(crate) const GENERIC: u16 = 1;
/// `EXnelCommon` as early 1.7 wrote it, which nfdump cannot list as JSON.
const NAT_EVENT: u16 = 25;
const OLD_NAT_EVENT_BYTES: usize = 24;

/// Writes the fields of a record into `row`; `record` is all of it, from its type on.
#[inline]
pub(crate) fn decode(record: &[u8], place: usize, row: &mut Row) -> Result<(), Refusal> {
    let mut cursor = Cursor::new(record, place);
    let head: [u8; 12] = cursor.array()?;
    let flags = head[10];
    if flags & !KNOWN_FLAGS != 0 {
        return Err(Refusal::unknown(place, format!("record flags {flags:#x} are not known")));
    }
    row.fill(0);
    row[Column::Sampled as usize] = u64::from(flags & SAMPLED != 0);
    row[Column::Sysid as usize] = u64::from(u16_at(&head, 8));
    let mut fields = Fields { row, ip_version: 0 };
    let mut seen = 0_u64;
    for _ in 0..u16_at(&head, 4) {
        let place = cursor.place();
        let (kind, length) = (cursor.u16()?, usize::from(cursor.u16()?));
        let content = cursor.take(length.saturating_sub(4))?;
        if length < 4 {
            return Err(Refusal::unknown(place, format!("element {kind} of {length} bytes is not known")));
        }
        // 0 is one that nfdump has struck out
        let bit = 1_u64.checked_shl(kind.into()).filter(|_| kind > 0).unwrap_or(0);
        if seen & bit != 0 {
            return Err(Refusal::unknown(place, format!("element {kind} stands in the record twice")));
        }
        seen |= bit;
        if !fields.take(kind, content) {
            return Err(Refusal::unknown(place, format!("element {kind} has {length} bytes, which is not known")));
        }
    }
    if cursor.place() != place + record.len() {
        return Err(Refusal::damaged(place, "the record's elements do not fill it"));
    }
    let ip_version = fields.ip_version;
    row[Column::Event as usize] = if seen >> GENERIC & 1 == 0 { NO_COUNTERS } else { u64::from(flags & EVENT) };
    addresses::settle(row, ip_version);
    Ok(())
}

/// Elements that are not looked at here, later ones than are known included, carry nothing that counts: if one did, the
/// records would not add up to the file's statistics.
struct Fields<'a> {
    row: &'a mut Row,
    /// Of the element that says it (1.7.5 and later), else 0.
    ip_version: u8,
}

impl Fields<'_> {
    /// Takes an element's fields; whether its length is the one that is known.
    #[inline]
    fn take(&mut self, kind: u16, content: &[u8]) -> bool {
        match kind {
            1 => sized(content, |body| self.generic(body)),
            2 => sized(content, |body: &[u8; 8]| {
                self.row[Column::Src4 as usize] = u64::from(u32_at(body, 0));
                self.row[Column::Dst4 as usize] = u64::from(u32_at(body, 4));
                self.row[Column::Has4 as usize] = 1;
            }),
            3 => sized(content, |body: &[u8; 32]| {
                self.row[Column::Src6Hi as usize] = u64_at(body, 0);
                self.row[Column::Src6Lo as usize] = u64_at(body, 8);
                self.row[Column::Dst6Hi as usize] = u64_at(body, 16);
                self.row[Column::Dst6Lo as usize] = u64_at(body, 24);
                self.row[Column::Has6 as usize] = 1;
            }),
            4 => sized(content, |body: &[u8; 16]| {
                self.row[Column::InputInterface as usize] = u64::from(u32_at(body, 0));
                self.row[Column::OutputInterface as usize] = u64::from(u32_at(body, 4));
                self.row[Column::Direction as usize] = u64::from(body[10]);
                self.row[Column::BiflowDirection as usize] = u64::from(body[12]);
            }),
            5 => sized(content, |body: &[u8; 24]| {
                self.row[Column::Flows as usize] = u64_at(body, 0);
                self.row[Column::OutPackets as usize] = u64_at(body, 8);
                self.row[Column::OutBytes as usize] = u64_at(body, 16);
            }),
            12 => sized(content, |body: &[u8; 4]| self.exporter(0, u64::from(u32_at(body, 0)), 4)),
            13 => sized(content, |body: &[u8; 16]| self.exporter(u64_at(body, 0), u64_at(body, 8), 6)),
            38 => sized(content, |body: &[u8; 32]| self.ip_version = body[26]),
            NAT_EVENT => content.len() != OLD_NAT_EVENT_BYTES,
            _ => true,
        }
    }

    #[inline]
    fn generic(&mut self, body: &[u8; 48]) {
        let protocol = body[44];
        self.row[Column::FirstMs as usize] = shown_ms(u64_at(body, 0));
        self.row[Column::LastMs as usize] = shown_ms(u64_at(body, 8));
        self.row[Column::ReceivedMs as usize] = shown_ms(u64_at(body, 16));
        self.row[Column::InPackets as usize] = u64_at(body, 24);
        self.row[Column::InBytes as usize] = u64_at(body, 32);
        self.row[Column::SrcPort as usize] = if is_icmp(protocol) { 0 } else { u64::from(u16_at(body, 40)) };
        self.row[Column::DstPort as usize] = u64::from(u16_at(body, 42));
        self.row[Column::Protocol as usize] = u64::from(protocol);
        self.row[Column::Tos as usize] = u64::from(body[47]);
    }

    /// Of two the later one is the collector's: sfcapd 1.7 writes a next hop of BGP in the same form before it.
    fn exporter(&mut self, hi: u64, lo: u64, ip_version: u64) {
        self.row[Column::ExporterHi as usize] = hi;
        self.row[Column::ExporterLo as usize] = lo;
        self.row[Column::ExporterVersion as usize] = ip_version;
    }
}

/// Hands over the content of an element where it has the known number of bytes.
#[inline]
fn sized<const N: usize>(content: &[u8], take: impl FnOnce(&[u8; N])) -> bool {
    content.try_into().map(take).is_ok()
}
