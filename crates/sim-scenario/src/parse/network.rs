//! Hosts and links.

use super::names::Names;
use super::range::{count_within, each, microseconds, rate, within};
use crate::error::ScenarioError;
use crate::ids::{HostId, LinkId, NodeId};
use crate::model::{DelayEmulator, Framing, Host, Link, PlainQueue, Polling};
use crate::text::{DelayEmulatorSpec, FramingSpec, HostSpec, LinkSpec, ReceiveSpec};
use crate::units::Seconds;

/// What a frame of Ethernet takes besides its packet.
const ETHERNET_BYTES: u32 = 38;

pub(super) fn host(key: &str, number: usize, text: &HostSpec) -> Result<Host, ScenarioError> {
    Ok(Host {
        id: HostId::at(number),
        name: text.name.clone(),
        nic_queue_bytes: count_within(&format!("{key}.nic_queue_bytes"), text.nic_queue_bytes, 1.0, 1e12)?,
        interrupt_gap: microseconds(&format!("{key}.interrupt_gap_us"), text.interrupt_gap_us, 0.0, 1e6)?,
        stalls_per_s: within(&format!("{key}.stalls_per_s"), text.stalls_per_s, 0.0, 1e6)?,
        stall: microseconds(&format!("{key}.stall_us"), text.stall_us, 0.0, 1e9)?,
        polling: text.receive.map(|receive| polling(key, receive)).transpose()?,
        segmentation_offload: text.segmentation_offload,
        delay_emulator: text.delay_emulator.as_ref().map(|emulator| delay_emulator(key, emulator)).transpose()?,
    })
}

fn polling(key: &str, text: ReceiveSpec) -> Result<Polling, ScenarioError> {
    let key = |name: &str| format!("{key}.receive.{name}");
    let ReceiveSpec::Napi { interrupt_us, packet_us, poll_pkts } = text;
    Ok(Polling {
        interrupt: microseconds(&key("interrupt_us"), interrupt_us, 0.0, 1e6)?,
        packet: microseconds(&key("packet_us"), packet_us, 0.0, 1e6)?,
        poll_pkts: count_within(&key("poll_pkts"), poll_pkts, 1.0, 1e6)?,
    })
}

fn delay_emulator(key: &str, text: &DelayEmulatorSpec) -> Result<DelayEmulator, ScenarioError> {
    let key = |name: &str| format!("{key}.delay_emulator.{name}");
    let limit = |buffers| count_within(&key("limit_buffers"), buffers, 1.0, 1e6);
    Ok(DelayEmulator {
        delay: microseconds(&key("delay_us"), text.delay_us, 0.0, 1e9)?,
        limit_buffers: text.limit_buffers.map(limit).transpose()?,
    })
}

/// Both directions of each link, one after the other.
pub(super) fn links(text: &[LinkSpec], names: &Names<'_>, hosts: &[Host]) -> Result<Vec<Link>, ScenarioError> {
    let pairs = each("links", text, |key, number, link| both_directions(key, number, link, names, hosts))?;
    Ok(pairs.into_iter().flatten().collect())
}

fn both_directions(
    key: &str,
    number: usize,
    text: &LinkSpec,
    names: &Names<'_>,
    hosts: &[Host],
) -> Result<[Link; 2], ScenarioError> {
    let from = names.known_node(&format!("{key}.from"), &text.from)?;
    let to = names.known_node(&format!("{key}.to"), &text.to)?;
    if from == to {
        return Err(ScenarioError::new(format!("{key}.to"), "a link leads to another node"));
    }
    let delay = microseconds(&format!("{key}.delay_us"), text.delay_us, 0.0, 1e9)?;
    let there = Link {
        id: LinkId::at(2 * number),
        name: format!("{}->{}", text.from, text.to),
        from,
        to,
        rate: rate(&format!("{key}.rate_bps"), text.rate_bps)?,
        delay: with_emulator(from, delay, hosts),
        framing: framing(key, text)?,
        queue: queue_before(
            from,
            count_within(&format!("{key}.buffer_bytes"), text.buffer_bytes, 1.0, 1e12)?,
            text.reopen_bytes,
            hosts,
        ),
        port: None,
        loss_probability: within(&format!("{key}.loss_probability"), text.loss_probability, 0.0, 1.0)?,
    };
    let back = Link {
        id: there.id.opposite(),
        name: format!("{}->{}", text.to, text.from),
        from: to,
        to: from,
        delay: with_emulator(to, delay, hosts),
        queue: queue_before(to, text.buffer_bytes, text.reopen_bytes, hosts),
        loss_probability: 0.0,
        ..there.clone()
    };
    Ok([there, back])
}

fn framing(key: &str, text: &LinkSpec) -> Result<Framing, ScenarioError> {
    let bytes = |name: &str, bytes: u32| count_within(&format!("{key}.{name}"), bytes, 0.0, 1e4);
    match (text.framing_bytes, text.framing) {
        (Some(_), Some(_)) => {
            let reason = "a link has either so many bytes around each packet (framing_bytes) or framing of a kind";
            Err(ScenarioError::new(format!("{key}.framing"), reason))
        }
        (constant, None) => {
            let bytes = bytes("framing_bytes", constant.unwrap_or(ETHERNET_BYTES))?;
            Ok(Framing::Constant { bytes })
        }
        (None, Some(FramingSpec::Ethernet)) => Ok(Framing::Ethernet),
        (None, Some(FramingSpec::Atm { encapsulation_bytes })) => {
            let encapsulation_bytes = bytes("framing.encapsulation_bytes", encapsulation_bytes)?;
            Ok(Framing::Atm { encapsulation_bytes })
        }
    }
}

/// How long packets take over a link after their sending, with what the host they come from adds to it.
fn with_emulator(node: NodeId, delay: Seconds, hosts: &[Host]) -> Seconds {
    let emulator = hosts.get(node.index()).and_then(|host| host.delay_emulator);
    emulator.map_or(delay, |emulator| Seconds::from_s(delay.s() + emulator.delay.s()))
}

/// The queue at the start of a link: a host's is that of its network card.
fn queue_before(node: NodeId, buffer_bytes: u64, reopen_bytes: u64, hosts: &[Host]) -> PlainQueue {
    hosts.get(node.index()).map_or(PlainQueue { limit_bytes: buffer_bytes, reopen_bytes }, |host| PlainQueue {
        limit_bytes: host.nic_queue_bytes,
        reopen_bytes: 0,
    })
}
