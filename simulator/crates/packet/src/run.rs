//! Runs of packets onto a link with one plain queue: what the link counts stays in registers until the run ends.

use crate::link::{Egress, Link};
use crate::network::Network;
use crate::packet::Packet;
use hntes_sim_scenario::time::Time;

/// A run of packets as it goes onto a link.
#[derive(Debug)]
struct Passage {
    busy_until: Time,
    peak: Time,
    limit: Time,
    wire_bytes: u64,
}

impl Passage {
    /// Take one more packet if there is room for it; when it is out.
    #[inline(always)]
    fn pass(&mut self, at: Time, service: Time, wire_bytes: u64) -> Option<Time> {
        let end = self.busy_until.max(at) + service;
        let backlog = end - at;
        if backlog > self.limit {
            return None;
        }
        self.busy_until = end;
        self.peak = self.peak.max(backlog);
        self.wire_bytes += wire_bytes;
        Some(end)
    }
}

impl Link {
    /// Where packets go onto it by nothing but its rate and the room in its queue, which is open.
    #[inline(always)]
    fn passage(&self) -> Option<Passage> {
        let Egress::Fifo(fifo) = &self.egress else { return None };
        let is_plain = fifo.emulator.is_none() && fifo.tail.is_open() && self.loss_probability <= 0.0;
        is_plain.then_some(Passage {
            busy_until: self.busy_until,
            peak: fifo.peak,
            limit: fifo.limit,
            wire_bytes: self.wire_bytes,
        })
    }

    /// So many packets went onto it; the time of the next event at its end, if that was not yet settled.
    #[inline(always)]
    fn note_passage(&mut self, passed: &Passage, count: usize) -> Option<Time> {
        if let Egress::Fifo(fifo) = &mut self.egress {
            fifo.peak = passed.peak;
        }
        self.busy_until = passed.busy_until;
        self.wire_bytes = passed.wire_bytes;
        self.entered_pkts += count as u64;
        if self.head != Time::NEVER {
            return None;
        }
        self.head = self.pipe.front()?.due;
        self.next_event()
    }

    /// Send packets that arrive one after another, up to one that does not belong to them, that needs a closer look, or
    /// that there is no room for, and where the pipe's storage ends. How many, and as [`Link::transmit`].
    #[inline(always)]
    pub fn enqueue_run(&mut self, packets: &[Packet], belongs: impl Fn(&Packet) -> bool) -> (usize, Option<Time>) {
        let Some(mut passage) = self.passage() else { return (0, None) };
        let (rate, delay, framing_bytes) = (self.rate, self.delay, self.framing_bytes);
        let mut count = 0;
        for (packet, slot) in packets.iter().zip(self.pipe.back_room()) {
            if !belongs(packet) {
                break;
            }
            let wire_bytes = u64::from(packet.ip_bytes()) + framing_bytes;
            let Some(end) = passage.pass(packet.due, rate.packet_time(wire_bytes), wire_bytes) else { break };
            *slot = *packet;
            slot.due = end + delay;
            count += 1;
        }
        self.pipe.add(count);
        (count, self.note_passage(&passage, count))
    }

    /// Send so many packets at one moment, the first one and others that differ by `step` in their numbers, up to one that
    /// needs a closer look, and where the pipe's storage ends. How many, and as [`Link::transmit`].
    #[inline(always)]
    fn enqueue_alike(&mut self, mut packet: Packet, step: u32, most: u32, now: Time) -> (u32, Option<Time>) {
        let Some(mut passage) = self.passage() else { return (0, None) };
        let wire_bytes = self.wire_bytes_of(&packet);
        let (service, delay) = (self.rate.packet_time(wire_bytes), self.delay);
        let mut count = 0;
        for slot in self.pipe.back_room().iter_mut().take(most as usize) {
            let Some(end) = passage.pass(now, service, wire_bytes) else { break };
            packet.due = end + delay;
            *slot = packet;
            packet = packet.numbered(packet.seq().wrapping_add(step));
            count += 1;
        }
        self.pipe.add(count as usize);
        (count, self.note_passage(&passage, count as usize))
    }
}

impl Network {
    /// Send packets from a host on the link that [`Network::way_from`] gives: the first one and others that differ by
    /// `step` in their numbers. It may send none or fewer; the next one is then for [`Network::send_on`].
    #[inline(always)]
    pub fn send_alike(&mut self, link: usize, first: Packet, step: u32, most: u32, now: Time) -> u32 {
        let link = &mut self.links[link];
        let (count, wake) = link.enqueue_alike(first, step, most, now);
        if let Some(at) = wake {
            self.agenda.schedule_earlier(link.wakes, at);
        }
        self.counts[first.flow().index()].sent += u64::from(count);
        count
    }
}
