//! Hosts and links.

use super::names::Names;
use super::table::Table;
use crate::error::ScenarioError;
use crate::ids::{HostId, LinkId, NodeId};
use crate::model::{DelayEmulator, Framing, Host, Link, PlainQueue, Polling};
use crate::units::Seconds;

/// What a frame of Ethernet takes besides its packet.
const ETHERNET_BYTES: u32 = 38;
/// LLC and SNAP (RFC 2684).
const LLC_SNAP_BYTES: u32 = 8;
/// What Linux's drivers take in a poll.
const NAPI_WEIGHT: u32 = 64;
/// Of a router's plain queue: 100 ms at 10 Gb/s.
const BUFFER_BYTES: u64 = 125_000_000;

pub(super) fn host(table: &Table<'_>, number: usize) -> Result<Host, ScenarioError> {
    Ok(Host {
        id: HostId::at(number),
        name: table.need("name")?.read()?,
        nic_queue_bytes: table.need("nic_queue_bytes")?.count(1.0, 1e12)?,
        interrupt_gap: table.us_or("interrupt_gap_us", 0.0, 0.0, 1e6)?,
        stalls_per_s: table.within_or("stalls_per_s", 0.0, 0.0, 1e6)?,
        stall: table.us_or("stall_us", 0.0, 0.0, 1e9)?,
        polling: table.table("receive")?.map(|table| polling(&table)).transpose()?,
        segmentation_offload: table.or("segmentation_offload", None)?,
        delay_emulator: table.table("delay_emulator")?.map(|table| delay_emulator(&table)).transpose()?,
    })
}

fn polling(table: &Table<'_>) -> Result<Polling, ScenarioError> {
    match table.kind()? {
        "napi" => {}
        other => return Err(table.unknown_kind(other, &["napi"])),
    }
    let polling = Polling {
        interrupt: table.need("interrupt_us")?.microseconds(0.0, 1e6)?,
        packet: table.need("packet_us")?.microseconds(0.0, 1e6)?,
        poll_pkts: table.count_or("poll_pkts", NAPI_WEIGHT, 1.0, 1e6)?,
    };
    table.finish()?;
    Ok(polling)
}

fn delay_emulator(table: &Table<'_>) -> Result<DelayEmulator, ScenarioError> {
    let emulator = DelayEmulator {
        delay: table.need("delay_us")?.microseconds(0.0, 1e9)?,
        limit_buffers: table.get("limit_buffers").map(|field| field.count(1.0, 1e6)).transpose()?,
    };
    table.finish()?;
    Ok(emulator)
}

/// Both directions of each link, one after the other.
pub(super) fn links(root: &Table<'_>, names: &Names<'_>, hosts: &[Host]) -> Result<Vec<Link>, ScenarioError> {
    let pairs = root.each("links", |table, number| both_directions(table, number, names, hosts))?;
    Ok(pairs.into_iter().flatten().collect())
}

fn both_directions(
    table: &Table<'_>,
    number: usize,
    names: &Names<'_>,
    hosts: &[Host],
) -> Result<[Link; 2], ScenarioError> {
    let (from, to) = (names.node_at(&table.need("from")?)?, names.node_at(&table.need("to")?)?);
    if from == to {
        return Err(table.refusal_of("to", "a link leads to another node"));
    }
    let (from_name, to_name): (&str, &str) = (table.need("from")?.read()?, table.need("to")?.read()?);
    let delay = table.need("delay_us")?.microseconds(0.0, 1e9)?;
    let plain = PlainQueue {
        limit_bytes: table.count_or("buffer_bytes", BUFFER_BYTES, 1.0, 1e12)?,
        reopen_bytes: table.or("reopen_bytes", 0)?,
    };
    let there = Link {
        id: LinkId::at(2 * number),
        name: format!("{from_name}->{to_name}"),
        from,
        to,
        rate: table.need("rate_bps")?.rate()?,
        delay: with_emulator(from, delay, hosts),
        framing: framing(table)?,
        queue: queue_before(from, plain, hosts),
        port: None,
        loss_probability: table.within_or("loss_probability", 0.0, 0.0, 1.0)?,
    };
    let back = Link {
        id: there.id.opposite(),
        name: format!("{to_name}->{from_name}"),
        from: to,
        to: from,
        delay: with_emulator(to, delay, hosts),
        queue: queue_before(to, plain, hosts),
        loss_probability: 0.0,
        ..there.clone()
    };
    Ok([there, back])
}

fn framing(table: &Table<'_>) -> Result<Framing, ScenarioError> {
    let constant = table.count_or("framing_bytes", ETHERNET_BYTES, 0.0, 1e4)?;
    let Some(framing) = table.table("framing")? else { return Ok(Framing::Constant { bytes: constant }) };
    if table.get("framing_bytes").is_some() {
        let reason = "a link has either so many bytes around each packet (framing_bytes) or framing of a kind";
        return Err(table.refusal_of("framing", reason));
    }
    let found = match framing.kind()? {
        "ethernet" => Framing::Ethernet,
        "atm" => {
            Framing::Atm { encapsulation_bytes: framing.count_or("encapsulation_bytes", LLC_SNAP_BYTES, 0.0, 1e4)? }
        }
        other => return Err(framing.unknown_kind(other, &["ethernet", "atm"])),
    };
    framing.finish()?;
    Ok(found)
}

/// How long packets take over a link after their sending, with what the host they come from adds to it.
fn with_emulator(node: NodeId, delay: Seconds, hosts: &[Host]) -> Seconds {
    let emulator = hosts.get(node.index()).and_then(|host| host.delay_emulator);
    emulator.map_or(delay, |emulator| Seconds::from_s(delay.s() + emulator.delay.s()))
}

/// The queue at the start of a link: a host's is that of its network card.
fn queue_before(node: NodeId, plain: PlainQueue, hosts: &[Host]) -> PlainQueue {
    hosts.get(node.index()).map_or(plain, |host| PlainQueue { limit_bytes: host.nic_queue_bytes, reopen_bytes: 0 })
}
