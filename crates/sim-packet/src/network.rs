//! Links, ports and routes: everything a packet meets between two hosts.

use crate::egress::PortEgress;
use crate::event::Agenda;
use crate::link::{Egress, Link};
use crate::packet::{FlowNumber, Label, Packet};
use crate::port::Port;
use crate::router::Router;
use crate::senders::Senders;
use crate::sources::Sources;
use crate::tcp::sack::SackBlocks;
use crate::trace::TraceHash;
use hntes_sim_scenario::results::{ByCause, DropCause};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{HostId, LinkId, PortId};
use std::ops::ControlFlow;

/// A link's number in the two bytes that a table looked up for every packet has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkNumber(u16);

impl LinkNumber {
    /// No link: a packet that meets it panics, as it is where its flow never leads.
    pub const NONE: Self = Self(u16::MAX);

    /// Its place among the links.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
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

impl PacketCounts {
    /// A packet reached the other host.
    #[inline(always)]
    pub fn note_delivery(&mut self, packet: &Packet) {
        self.note_deliveries(packet.label(), 1);
    }

    /// So many packets of a label reached the other host.
    #[inline(always)]
    pub fn note_deliveries(&mut self, label: Label, count: u64) {
        self.delivered += count;
        if let Some(received_bytes) = &mut self.received_bytes {
            received_bytes[label.direction()][label.colour_number()] += count * u64::from(label.ip_bytes());
        }
    }
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

    /// The link on which a flow's packets leave its source.
    #[inline(always)]
    pub fn way_from(&self, source: HostId, flow: FlowNumber) -> usize {
        self.next_links[self.row(source.index()) + flow.index()][0].index()
    }

    /// Send a packet from a host. A full host queue refuses it, and it is not counted.
    #[inline(always)]
    pub fn send(&mut self, host: HostId, packet: Packet, now: Time) -> bool {
        self.send_on(self.next_link(host.index(), &packet), packet, now)
    }

    /// The same on the link that [`Network::way_from`] gives.
    #[inline(always)]
    pub fn send_on(&mut self, link: usize, packet: Packet, now: Time) -> bool {
        match self.offer(link, packet, now) {
            Err(DropCause::Full) => return false,
            Err(cause) => self.drop_packet(packet, cause, now),
            Ok(()) => {}
        }
        self.counts[packet.flow().index()].sent += 1;
        true
    }

    /// Pass on at a router what a link brings up to then; how many packets. The router is given by its row in
    /// [`Network::next_links`].
    #[inline(always)]
    pub fn forward(&mut self, row: usize, from: usize, until: Time) -> u64 {
        let mut passed = 0;
        while self.links[from].head <= until {
            // Looking for a run costs more than it saves where there is none.
            if self.links[from].second_due() <= until {
                passed += self.forward_run(row, from, until);
            } else if let Some(packet) = self.links[from].hand_over_one() {
                passed += 1;
                if let Err(cause) = self.offer(self.link_in_row(row, packet.label()), packet, packet.due) {
                    self.drop_packet(packet, cause, packet.due);
                }
            }
        }
        passed
    }

    /// Pass on packets of one flow and direction that follow one another.
    #[inline(always)]
    fn forward_run(&mut self, row: usize, from: usize, until: Time) -> u64 {
        let Some(label) = self.links[from].pipe.front().map(Packet::label) else { return 0 };
        let ways = [from, self.link_in_row(row, label)];
        let (stopped, count) = if let Egress::Port(port) = self.links[ways[1]].egress {
            self.forward_to_port(ways, label, port, until)
        } else {
            self.forward_to_queue(ways, label, until)
        };
        if let Some((packet, cause)) = stopped {
            self.drop_packet(packet, cause, packet.due);
        }
        count
    }

    /// Pass on packets of one label's flow and direction from link to link, up to one that is dropped; to a link with one
    /// plain queue.
    #[inline(always)]
    fn forward_to_queue(&mut self, ways: [usize; 2], label: Label, until: Time) -> (Option<(Packet, DropCause)>, u64) {
        let Self { links, agenda, .. } = self;
        let (from, to) = two_of(links, ways);
        let belongs = |packet: &Packet| packet.label().goes_with(label);
        let (count, wake) = to.enqueue_run(from.pipe.front_run(), |packet| packet.due <= until && belongs(packet));
        if let Some(at) = wake {
            agenda.schedule_earlier(to.wakes, at);
        }
        if count > 0 {
            from.hand_over_all(count);
            return (None, count as u64);
        }
        from.hand_over(until, belongs, |packet| {
            let queued = to.survives().and_then(|()| to.enqueue(packet, packet.due));
            match queued {
                Ok(Some(at)) => agenda.schedule_earlier(to.wakes, at),
                Ok(None) => {}
                Err(cause) => return ControlFlow::Break((packet, cause)),
            }
            ControlFlow::Continue(())
        })
    }

    /// The same to a port, up to a packet that is dropped or pushes out others.
    #[inline(always)]
    fn forward_to_port(
        &mut self,
        ways: [usize; 2],
        label: Label,
        number: PortId,
        until: Time,
    ) -> (Option<(Packet, DropCause)>, u64) {
        let Self { links, ports, senders, agenda, departures, .. } = self;
        let (from, link) = two_of(links, ways);
        let port = &mut ports[number.index()];
        let treatment = port.treatment(label);
        let mut egress = PortEgress { port, link, agenda, served: 0 };
        let belongs = |packet: &Packet| packet.label().goes_with(label);
        let (stopped, count) = from.hand_over(until, belongs, |packet| {
            let admitted = egress.offer(packet, treatment, senders, packet.due);
            if admitted == Ok(false) { ControlFlow::Continue(()) } else { ControlFlow::Break((packet, admitted)) }
        });
        *departures += egress.served;
        let dropped = stopped.and_then(|(packet, admitted)| {
            self.take_note_of(admitted, number, packet.due).err().map(|cause| (packet, cause))
        });
        (dropped, count)
    }

    /// Serve a port as often as it is due in time.
    #[inline(always)]
    pub fn serve_port_while(&mut self, port: PortId, in_time: impl Fn(Time) -> bool) {
        let port = &mut self.ports[port.index()];
        let link = &mut self.links[port.link.index()];
        let mut egress = PortEgress { port, link, agenda: &mut self.agenda, served: 0 };
        egress.serve_while(in_time);
        self.departures += egress.served;
    }

    /// Count and trace a packet's loss.
    #[cold]
    pub fn drop_packet(&mut self, packet: Packet, cause: DropCause, now: Time) {
        self.counts[packet.flow().index()].dropped[cause] += 1;
        self.trace.fold(&packet, 1 + cause as u8, now);
        if let Some(slot) = packet.sack() {
            self.sacks.take(slot);
        }
    }

    /// Count and trace packets that were dropped from a port's queues where they had waited.
    #[cold]
    fn drop_pushed_out(&mut self, port: PortId, now: Time) {
        for packet in std::mem::take(&mut self.ports[port.index()].pushed_out) {
            self.drop_packet(packet, DropCause::Full, now);
        }
    }

    #[inline(always)]
    fn next_link(&self, node: usize, packet: &Packet) -> usize {
        self.link_in_row(self.row(node), packet.label())
    }

    /// Where a node's entries in [`Network::next_links`] begin.
    #[inline(always)]
    pub fn row(&self, node: usize) -> usize {
        node * self.counts.len()
    }

    /// The link that a packet takes next, by the row of its node in [`Network::next_links`].
    #[inline(always)]
    pub fn link_in_row(&self, row: usize, label: Label) -> usize {
        let links = &self.next_links[row + label.flow().index()];
        links[label.direction()].index()
    }

    #[inline(always)]
    fn offer(&mut self, index: usize, packet: Packet, now: Time) -> Result<(), DropCause> {
        let link = &mut self.links[index];
        if let Egress::Port(number) = link.egress {
            let port = &mut self.ports[number.index()];
            let treatment = port.treatment(packet.label());
            let mut egress = PortEgress { port, link, agenda: &mut self.agenda, served: 0 };
            let admitted = egress.offer(packet, treatment, &self.senders, now);
            self.departures += egress.served;
            return if admitted == Ok(false) { Ok(()) } else { self.take_note_of(admitted, number, now) };
        }
        link.survives()?;
        if let Some(at) = link.enqueue(packet, now)? {
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
        let link = &mut self.links[port.link.index()];
        PortEgress { port, link, agenda: &mut self.agenda, served: 0 }.engage(now);
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

/// Two different values of a list.
#[inline(always)]
pub fn two_of<T>(all: &mut [T], [one, other]: [usize; 2]) -> (&mut T, &mut T) {
    let (low, high) = all.split_at_mut(one.max(other));
    if one < other { (&mut low[one], &mut high[0]) } else { (&mut high[0], &mut low[other]) }
}
