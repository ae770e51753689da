//! Hosts and links.

use super::framing::Framing;
use crate::ids::{HostId, LinkId, NodeId, PortId, RouterId};
use crate::units::{BitRate, Seconds};

/// A node, as what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A host.
    Host(HostId),
    /// A router.
    Router(RouterId),
}

/// A host.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Host {
    /// Its number.
    pub id: HostId,
    /// Its name.
    pub name: String,
    /// Room of the queue before its network card, in bytes of link time.
    pub nic_queue_bytes: u64,
    /// The least time between two interrupts for arriving packets.
    pub interrupt_gap: Seconds,
    /// How often it stalls.
    pub stalls_per_s: f64,
    /// How long it stalls.
    pub stall: Seconds,
    /// How it takes what has arrived; all at once and in no time, unless something is said.
    pub polling: Option<Polling>,
    /// Whether its card cuts bursts into segments, so that senders wait until one is worth handing over. Else TCP says it.
    pub segmentation_offload: Option<bool>,
    /// What delays all that it sends, if anything does.
    pub delay_emulator: Option<DelayEmulator>,
}

/// A host that takes packets as Linux's NAPI does: an interrupt begins polling, which goes on while packets wait.
#[derive(Clone, Copy, Debug)]
pub struct Polling {
    /// From an interrupt to the first poll.
    pub interrupt: Seconds,
    /// What each packet takes.
    pub packet: Seconds,
    /// The most packets in one poll, after which it hands on what it has merged.
    pub poll_pkts: u32,
}

/// A delay emulator before a host's network card, such as Linux's netem.
#[derive(Clone, Copy, Debug)]
pub struct DelayEmulator {
    /// How long everything waits in it.
    pub delay: Seconds,
    /// The most buffers that may wait in it, if there is a limit.
    pub limit_buffers: Option<u32>,
}

/// A first-in first-out queue, sized in bytes of link time.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PlainQueue {
    /// The most that may wait.
    pub limit_bytes: u64,
    /// What must be free again before a full queue takes packets.
    pub reopen_bytes: u64,
}

/// A link in one direction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Link {
    /// Its number.
    pub id: LinkId,
    /// What results call it: its nodes with an arrow between them.
    pub name: String,
    /// The node it leads from.
    pub from: NodeId,
    /// The node it leads to.
    pub to: NodeId,
    /// Its rate.
    pub rate: BitRate,
    /// Its propagation delay, with that of a delay emulator at the host that it leads from.
    pub delay: Seconds,
    /// How it frames packets.
    pub framing: Framing,
    /// The queue before it, unless it has a port.
    pub queue: PlainQueue,
    /// The port before it, if it has one.
    pub port: Option<PortId>,
    /// Chance that a packet is lost on it.
    pub loss_probability: f64,
}
