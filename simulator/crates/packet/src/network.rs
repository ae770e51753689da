//! Links, ports and routes: everything a packet meets between two hosts.

use crate::event::Agenda;
use crate::link::{Egress, Link};
use crate::packet::Packet;
use crate::port::Port;
use crate::router::Router;
use crate::scheduler::Choice;
use crate::senders::Senders;
use crate::sources::Sources;
use crate::tcp::sack::SackBlocks;
use crate::trace::TraceHash;
use hntes_sim_scenario::results::{ByCause, DropCause};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{HostId, LinkId, PortId};

/// A link's number in the two bytes that a table looked up for every packet has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkNumber(u16);

impl LinkNumber {
    /// No link: a packet that meets it panics, as it is where its flow never leads.
    pub const NONE: Self = Self(u16::MAX);
}

impl From<LinkId> for LinkNumber {
    /// A scenario has far fewer links than two bytes can number.
    fn from(link: LinkId) -> Self {
        Self(link.index() as u16)
    }
}

/// What became of a flow's packets, both directions together.
#[derive(Clone, Debug, Default)]
pub struct PacketCounts {
    /// Packets the hosts handed to the network.
    pub sent: u64,
    /// Packets that reached the other host.
    pub delivered: u64,
    /// Packets dropped, by cause.
    pub dropped: ByCause<u64>,
    /// Where some port meters packets: bytes from the IP header on that reached the other host, by direction and number
    /// of the colour. Apart, so that what each packet counts lies together.
    pub received_bytes: Option<Box<[[u64; 4]; 2]>>,
}

/// SACK blocks of acknowledgements under way, in slots used again and again.
#[derive(Clone, Debug, Default)]
pub struct SackStore {
    slots: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl SackStore {
    /// Keep blocks until [`SackStore::take`].
    pub fn put(&mut self, blocks: SackBlocks) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = blocks;
            return slot;
        }
        self.slots.push(blocks);
        (self.slots.len() - 1) as u32
    }

    /// The blocks, whose slot becomes free.
    pub fn take(&mut self, slot: u32) -> SackBlocks {
        self.free.push(slot);
        self.slots[slot as usize]
    }
}

/// The network. Its event sources are the links, for those that end at hosts, and then the routers.
#[derive(Clone, Debug)]
pub struct Network {
    /// The links, each in one direction.
    pub links: Vec<Link>,
    /// Ports with more than one plain queue.
    pub ports: Vec<Port>,
    /// The routers.
    pub routers: Vec<Router>,
    /// The number of hosts; nodes below it are hosts, the others routers.
    pub hosts: usize,
    /// For each node and each flow the links its forward and its reverse packets take; none where they never come.
    pub next_links: Vec<[LinkNumber; 2]>,
    /// What became of each flow's packets.
    pub counts: Vec<PacketCounts>,
    /// What meters are told of senders.
    pub senders: Senders,
    /// SACK blocks under way.
    pub sacks: SackStore,
    /// How often ports were served once due.
    pub departures: u64,
    /// Who acts next.
    pub agenda: Agenda,
    /// Their numbers.
    pub sources: Sources,
    /// The run's fingerprint.
    pub trace: TraceHash,
}

impl Network {
    /// When the last packet of those queued before the link that a packet takes from this host will be out.
    #[inline]
    pub fn last_departure(&self, host: HostId, packet: &Packet) -> Time {
        self.links[self.next_link(host.index(), packet)].busy_until
    }

    /// Send a packet from a host. A full host queue refuses it, and it is not counted.
    #[inline(always)]
    pub fn send(&mut self, host: HostId, packet: Packet, now: Time) -> bool {
        let link = self.next_link(host.index(), &packet);
        match self.offer(link, packet, now) {
            Err(DropCause::Full) => return false,
            Err(cause) => self.drop_packet(&packet, cause, now),
            Ok(()) => {}
        }
        self.counts[packet.flow().index()].sent += 1;
        true
    }

    /// Pass a packet on at a router, given by its row in [`Network::next_links`].
    #[inline(always)]
    pub fn forward(&mut self, row: usize, packet: Packet, now: Time) {
        let link = self.link_in_row(row, &packet);
        if let Err(cause) = self.offer(link, packet, now) {
            self.drop_packet(&packet, cause, now);
        }
    }

    /// Serve a port as often as it is due in time.
    #[inline(always)]
    pub fn serve_port_while(&mut self, port: PortId, in_time: impl Fn(Time) -> bool) {
        let port = &mut self.ports[port.index()];
        let link = &mut self.links[port.link.index()];
        self.departures += serve_while(port, link, &mut self.agenda, in_time);
    }

    /// Count and trace a packet's loss.
    #[cold]
    pub fn drop_packet(&mut self, packet: &Packet, cause: DropCause, now: Time) {
        self.counts[packet.flow().index()].dropped[cause] += 1;
        self.trace.fold(packet, 1 + cause as u8, now);
        if let Some(slot) = packet.sack() {
            self.sacks.take(slot);
        }
    }

    /// Count and trace packets that were dropped from a port's queues where they had waited.
    #[cold]
    fn drop_pushed_out(&mut self, port: PortId, now: Time) {
        for packet in std::mem::take(&mut self.ports[port.index()].pushed_out) {
            self.drop_packet(&packet, DropCause::Full, now);
        }
    }

    #[inline(always)]
    fn next_link(&self, node: usize, packet: &Packet) -> usize {
        self.link_in_row(self.row(node), packet)
    }

    /// Where a node's entries in [`Network::next_links`] begin.
    #[inline(always)]
    pub fn row(&self, node: usize) -> usize {
        node * self.counts.len()
    }

    #[inline(always)]
    fn link_in_row(&self, row: usize, packet: &Packet) -> usize {
        let links = &self.next_links[row + packet.flow().index()];
        usize::from(links[packet.direction()].0)
    }

    #[inline(always)]
    fn offer(&mut self, index: usize, packet: Packet, now: Time) -> Result<(), DropCause> {
        let link = &mut self.links[index];
        if link.loss_probability > 0.0 && link.random.chance(link.loss_probability) {
            link.dropped_pkts[DropCause::Link] += 1;
            return Err(DropCause::Link);
        }
        if let Egress::Port(port) = link.egress {
            let at = &mut self.ports[port.index()];
            // At one moment arrivals come first.
            self.departures += serve_while(at, link, &mut self.agenda, |due| due < now);
            match at.enqueue(packet, &self.senders, now) {
                Ok(false) => engage(at, link, &mut self.agenda, now),
                admitted => return self.take_note_of(admitted, port, now),
            }
        } else if let Some(at) = link.enqueue(packet, now)? {
            let wakes = link.wakes;
            self.agenda.schedule_earlier(wakes, at);
        }
        Ok(())
    }

    /// A packet was dropped on its arrival at a port, or perhaps others in its place.
    #[cold]
    #[inline(never)]
    fn take_note_of(&mut self, admitted: Result<bool, DropCause>, port: PortId, now: Time) -> Result<(), DropCause> {
        self.drop_pushed_out(port, now);
        admitted?;
        let port = &mut self.ports[port.index()];
        engage(port, &mut self.links[port.link.index()], &mut self.agenda, now);
        Ok(())
    }

    /// Packets of each flow that are queued or under way.
    pub fn inside(&self) -> Vec<u64> {
        let mut inside = vec![0; self.counts.len()];
        let piped = self.links.iter().flat_map(|link| link.pipe.iter());
        let queued = self.ports.iter().flat_map(|port| &port.queues).flat_map(|queue| queue.packets.iter());
        for packet in piped.chain(queued) {
            inside[packet.flow().index()] += 1;
        }
        inside
    }
}

/// Serve a port as often as it is due in time; how often that was. `link` is the one it feeds.
#[inline(always)]
fn serve_while(port: &mut Port, link: &mut Link, agenda: &mut Agenda, in_time: impl Fn(Time) -> bool) -> u64 {
    let mut served = 0;
    while in_time(port.due) {
        served += 1;
        serve(port, link, agenda, port.due);
    }
    served
}

/// Begin to send if nothing is being sent.
#[inline(always)]
fn engage(port: &mut Port, link: &mut Link, agenda: &mut Agenda, now: Time) {
    if !port.engaged {
        port.engaged = true;
        serve(port, link, agenda, now);
    }
}

/// A port's link has become free, or its wait is over.
#[inline(always)]
fn serve(port: &mut Port, link: &mut Link, agenda: &mut Agenda, now: Time) {
    match port.choose(now) {
        Choice::Serve(queue) => {
            let Some(packet) = port.take(queue, now) else { return };
            let wire_bytes = link.wire_bytes_of(&packet);
            let end = now + link.rate.packet_time(wire_bytes);
            port.due = end;
            if let Some(at) = link.transmit(packet, wire_bytes, end) {
                agenda.schedule_earlier(link.wakes, at);
            }
        }
        Choice::WaitUntil(until) => {
            port.engaged = false;
            port.due = until;
        }
        Choice::Idle => {
            port.engaged = false;
            port.due = Time::NEVER;
        }
    }
}
