//! Who exported into a file, and the sampling that the collector knew of.

use crate::bytes::Cursor;
use crate::refusal::Refusal;

const EXPORTER_BYTES: usize = 32;
const SAMPLER_BYTES: usize = 24;
const OLD_SAMPLER_BYTES: usize = 16;
const IPV4_FAMILY: u16 = 2;
const IPV6_FAMILY: u16 = 10;

/// A sampler that the collector knew: 1 packet in (`interval` + `space`) / `interval`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// The exporter's number for it; -1, -2, -3 hold for all that the exporter sends (generic, static default, static
    /// overwrite).
    pub id: i64,
    /// The algorithm's number (IANA `selectorAlgorithm`).
    pub algorithm: u16,
    /// Packets taken in a row.
    pub interval: u32,
    /// Packets passed over between them.
    pub space: u32,
}

/// An exporter that the file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exporter {
    /// The collector's number for exporter and observation domain.
    pub sysid: u16,
    /// Upper half of its address, 0 for IPv4.
    pub hi: u64,
    /// Lower half of its address.
    pub lo: u64,
    /// 4 or 6.
    pub ip_version: u8,
    /// `NetFlow` version and observation domain: what else tells two exporters apart.
    tag: (u32, u32),
    /// Its samplers, in the file's order, each once.
    pub samplers: Vec<Sampler>,
}

/// `exporter_info_record_t`.
pub(crate) fn add_exporter(found: &mut Vec<Exporter>, record: &[u8], place: usize) -> Result<(), Refusal> {
    if record.len() != EXPORTER_BYTES {
        return Err(Refusal::damaged(place, format!("an exporter record of {} bytes", record.len())));
    }
    let mut cursor = Cursor::new(record, place);
    cursor.take(4)?;
    let version = cursor.u32()?;
    let (hi, lo) = (cursor.u64()?, cursor.u64()?);
    let (family, sysid, domain) = (cursor.u16()?, cursor.u16()?, cursor.u32()?);
    let (hi, lo, ip_version) = match family {
        IPV4_FAMILY => (0, lo & 0xFFFF_FFFF, 4),
        IPV6_FAMILY => (hi, lo, 6),
        other => return Err(Refusal::unknown(place, format!("exporter {sysid} has address family {other}"))),
    };
    let exporter = Exporter { sysid, hi, lo, ip_version, tag: (version, domain), samplers: Vec::new() };
    match found.iter().find(|known| known.sysid == sysid) {
        None => found.push(exporter),
        Some(known) if Exporter { samplers: Vec::new(), ..known.clone() } == exporter => {}
        Some(_) => return Err(Refusal::unknown(place, format!("exporter number {sysid} is given twice"))),
    }
    Ok(())
}

/// `sampler_record_t`, or `samplerV0_record_t` under the same number.
pub(crate) fn add_sampler(found: &mut [Exporter], record: &[u8], place: usize) -> Result<(), Refusal> {
    let mut cursor = Cursor::new(record, place);
    cursor.take(4)?;
    let (sysid, sampler) = match record.len() {
        SAMPLER_BYTES => {
            let (sysid, algorithm) = (cursor.u16()?, cursor.u16()?);
            let id = cursor.u64()? as i64;
            (sysid, Sampler { id, algorithm, interval: cursor.u32()?, space: cursor.u32()? })
        }
        OLD_SAMPLER_BYTES => {
            let id = i64::from(cursor.u32()? as i32);
            let space = cursor.u32()?.wrapping_sub(1);
            let algorithm = cursor.u16()?;
            (cursor.u16()?, Sampler { id, algorithm, interval: 1, space })
        }
        other => return Err(Refusal::damaged(place, format!("a sampler record of {other} bytes"))),
    };
    let exporter = found.iter_mut().find(|known| known.sysid == sysid);
    let exporter = exporter.ok_or_else(|| Refusal::unknown(place, format!("a sampler of no exporter ({sysid})")))?;
    if !exporter.samplers.contains(&sampler) {
        exporter.samplers.push(sampler);
    }
    Ok(())
}
