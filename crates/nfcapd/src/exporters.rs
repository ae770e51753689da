//! Exporters of a file, and the sampling that the collector knew of.

use std::collections::HashMap;

use crate::bytes::Cursor;
use crate::refusal::Refusal;

const EXPORTER_BYTES: usize = 32;
const SAMPLER_BYTES: usize = 24;
const OLD_SAMPLER_BYTES: usize = 16;
/// nfdump 1.7.8 writes no address family; the address is in network byte order, an IPv4 one mapped into IPv6.
const NO_FAMILY: u16 = 0;
const IPV4_FAMILY: u16 = 2;
const IPV6_FAMILY: u16 = 10;
/// The type of a record that layout 3 has for an exporter and its samplers, and the bytes before these.
const EXPORTER_V4: u16 = 17;
const EXPORTER_V4_BYTES: usize = 56;
const MAPPED: u64 = 0xFFFF;
/// Of statistics, what stands before the exporters', and what each of them has.
const STATISTICS_HEAD_BYTES: usize = 8;
const STATISTICS_BYTES: usize = 24;

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

/// What an exporter sent during a file, as the collector counted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Export packets received.
    pub packets: u64,
    /// How often a sequence number was not the next one: each time at least one packet was lost, or came late.
    pub sequence_failures: u64,
}

/// An exporter that the file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exporter {
    /// The collector's number for exporter and observation domain. A restarted collector numbers them anew, so that a file
    /// may have several exporters with one number.
    pub sysid: u32,
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
    /// All that the file's statistics say of it.
    pub exported: Exported,
}

/// The exporters that a file has named so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exporters {
    all: Vec<Exporter>,
    /// The place of the exporter that was named last with a number.
    latest: HashMap<u32, usize>,
    /// How many times exporters' statistics were added.
    counted: usize,
}

impl Exporters {
    pub(crate) fn all(&self) -> &[Exporter] {
        &self.all
    }

    /// How many exporters, samplers and statistics there were: it grows with each change.
    pub(crate) fn changes(&self) -> usize {
        self.counted + self.all.iter().map(|exporter| 1 + exporter.samplers.len()).sum::<usize>()
    }

    /// `exporter_info_record_t` of nfdump 1.6 and 1.7.
    pub(crate) fn add(&mut self, record: &[u8], place: usize) -> Result<(), Refusal> {
        if record.len() != EXPORTER_BYTES {
            return Err(Refusal::damaged(place, format!("an exporter record of {} bytes", record.len())));
        }
        let mut cursor = Cursor::new(record, place);
        cursor.take(4)?;
        let version = cursor.u32()?;
        let address: [u8; 16] = cursor.array()?;
        let (family, sysid, domain) = (cursor.u16()?, cursor.u16()?, cursor.u32()?);
        let (hi, lo, ip_version) = match family {
            NO_FAMILY => from_network(address),
            IPV4_FAMILY => (0, halves(address).1 & 0xFFFF_FFFF, 4),
            IPV6_FAMILY => (halves(address).0, halves(address).1, 6),
            other => return Err(Refusal::unknown(place, format!("exporter {sysid} has address family {other}"))),
        };
        self.name(Exporter {
            sysid: sysid.into(),
            hi,
            lo,
            ip_version,
            tag: (version, domain),
            samplers: Vec::new(),
            exported: Exported::default(),
        });
        Ok(())
    }

    /// `sampler_record_t` of nfdump 1.7, or `samplerV0_record_t`, which 1.6 has under a number of its own (`is_old`). The
    /// latter is the rate by which marked records were multiplied; it does not hold for the others.
    pub(crate) fn add_sampler(&mut self, record: &[u8], place: usize, is_old: bool) -> Result<(), Refusal> {
        let mut cursor = Cursor::new(record, place);
        cursor.take(4)?;
        let (sysid, mut sampler) = match record.len() {
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
        if is_old {
            sampler.id = sampler.id.max(0);
        }
        let Some(latest) = self.latest.get(&sysid.into()) else {
            return Err(Refusal::unknown(place, format!("a sampler of no exporter ({sysid})")));
        };
        self.sample(*latest, sampler);
        Ok(())
    }

    /// `exporter_stats_record_t` of nfdump 1.6 and 1.7. The collector writes one at the end of each slot, and after a restart
    /// another. Statistics of exporters that the file does not name are left out, as nfdump does.
    pub(crate) fn add_statistics(&mut self, record: &[u8], place: usize) -> Result<(), Refusal> {
        for one in record.get(STATISTICS_HEAD_BYTES..).unwrap_or_default().chunks_exact(STATISTICS_BYTES) {
            let mut cursor = Cursor::new(one, place);
            let (sysid, sequence_failures, packets) = (cursor.u32()?, cursor.u32()?, cursor.u64()?);
            if let Some(latest) = self.latest.get(&sysid).copied() {
                self.count(latest, Exported { packets, sequence_failures: sequence_failures.into() });
            }
        }
        Ok(())
    }

    fn count(&mut self, place: usize, more: Exported) {
        let exported = &mut self.all[place].exported;
        exported.packets = exported.packets.saturating_add(more.packets);
        exported.sequence_failures = exported.sequence_failures.saturating_add(more.sequence_failures);
        self.counted += 1;
    }

    /// Up to `count` records of `exporter_info_record_v4_t`, one after another. Development versions of nfdump 1.8 promise
    /// more than they write; what follows the last one is left alone.
    pub(crate) fn add_block(&mut self, mut records: &[u8], count: u32, place: usize) -> Result<(), Refusal> {
        for _ in 0..count {
            let mut cursor = Cursor::new(records, place);
            let Ok(kind) = cursor.u16() else { break };
            let size = usize::from(cursor.u16()?);
            let Some(record) = records.get(..size).filter(|_| kind == EXPORTER_V4 && size >= EXPORTER_V4_BYTES) else {
                break;
            };
            self.add_v4(record, place)?;
            records = &records[size..];
        }
        Ok(())
    }

    fn add_v4(&mut self, record: &[u8], place: usize) -> Result<(), Refusal> {
        let mut cursor = Cursor::new(record, place);
        cursor.take(4)?;
        let (hi, lo, ip_version) = from_network(cursor.array()?);
        let (version, domain, sysid) = (cursor.u32()?, cursor.u32()?, cursor.u32()?);
        let packets = cursor.u64()?;
        cursor.take(8)?; // flows
        let exported = Exported { packets, sequence_failures: cursor.u32()?.into() };
        cursor.take(2)?; // capacity of samplers
        let samplers = cursor.u16()?;
        let named = self.name(Exporter {
            sysid,
            hi,
            lo,
            ip_version,
            tag: (version, domain),
            samplers: Vec::new(),
            exported: Exported::default(),
        });
        self.count(named, exported);
        for _ in 0..samplers {
            let (id, interval, space) = (cursor.u64()? as i64, cursor.u32()?, cursor.u32()?);
            let algorithm = cursor.u32()? as u16;
            cursor.take(4)?; // in use, place in a cache
            self.sample(named, Sampler { id, algorithm, interval, space });
        }
        Ok(())
    }

    /// The place of an exporter, which is added where it is not known.
    fn name(&mut self, exporter: Exporter) -> usize {
        let is_same = |known: &Exporter| {
            (known.sysid, known.hi, known.lo, known.ip_version, known.tag)
                == (exporter.sysid, exporter.hi, exporter.lo, exporter.ip_version, exporter.tag)
        };
        let place = self.all.iter().position(is_same).unwrap_or(self.all.len());
        self.latest.insert(exporter.sysid, place);
        if place == self.all.len() {
            self.all.push(exporter);
        }
        place
    }

    fn sample(&mut self, place: usize, sampler: Sampler) {
        let samplers = &mut self.all[place].samplers;
        if !samplers.contains(&sampler) {
            samplers.push(sampler);
        }
    }
}

/// The halves of an address as nfdump stores it: two numbers of 64 bits, the upper one first.
fn halves(address: [u8; 16]) -> (u64, u64) {
    let number = u128::from_le_bytes(address);
    (number as u64, (number >> 64) as u64)
}

fn from_network(address: [u8; 16]) -> (u64, u64, u8) {
    let number = u128::from_be_bytes(address);
    let (hi, lo) = ((number >> 64) as u64, number as u64);
    if hi == 0 && lo >> 32 == MAPPED { (0, lo & 0xFFFF_FFFF, 4) } else { (hi, lo, 6) }
}
