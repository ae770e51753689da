//! A link in one direction: its transmitter, and the pipe in which packets travel. The pipe is first-in first-out, so
//! only the packet at its end competes for the next event.

use crate::emulator::DelayEmulator;
use crate::packet::Packet;
use crate::queue::DropTail;
use crate::reception::{Polling, Reception};
use crate::ring::Ring;
use hntes_sim_scenario::results::{ByCause, DropCause};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;
use hntes_sim_scenario::{Framing, PortId};
use std::ops::ControlFlow;

/// What stands before a link's transmitter.
#[derive(Clone, Debug)]
pub enum Egress {
    /// One first-in first-out queue: a departure is known as soon as a packet is queued, and needs no event.
    Fifo(FifoEgress),
    /// A port, with queues and a scheduler.
    Port(PortId),
}

/// A single queue, measured by the time it takes to empty.
#[derive(Clone, Debug)]
pub struct FifoEgress {
    /// The most that may wait, as link time.
    pub limit: Time,
    /// Who gets in.
    pub tail: DropTail,
    /// The most that waited since the last interval began.
    pub peak: Time,
    /// What a host's packets wait in besides, where that is limited.
    pub emulator: Option<Box<DelayEmulator>>,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Link {
    /// The source of events that looks at packets arriving at its end: itself for a host, else the router.
    pub wakes: usize,
    /// Its rate.
    pub rate: Rate,
    /// Its propagation delay.
    pub delay: Time,
    /// How it frames packets.
    pub framing: Framing,
    /// Packets on their way, and those queued before them when the egress is a plain queue.
    pub pipe: Ring<Packet>,
    /// When the packet at the end of the pipe arrives; never, when there is none.
    pub head: Time,
    /// What stands before it.
    pub egress: Egress,
    /// How its end takes packets, when that is a host.
    pub reception: Option<Reception>,
    /// Chance that a packet is lost on it.
    pub loss_probability: f64,
    /// The stream the losses are drawn from.
    pub random: Random,
    /// When its transmitter becomes free.
    pub busy_until: Time,
    /// Packets handed to it.
    pub entered_pkts: u64,
    /// Packets that reached its end.
    pub left_pkts: u64,
    /// Link time of all packets handed to it, in bytes.
    pub wire_bytes: u64,
    /// Packets dropped before it, by cause.
    pub dropped_pkts: ByCause<u64>,
    /// Bytes that fit on it until its rate was set for the last time, and when that was.
    pub earlier: (u64, Time),
}

impl Link {
    /// Link time of a packet, in bytes.
    #[inline(always)]
    pub fn wire_bytes_of(&self, packet: &Packet) -> u64 {
        self.framing.wire_bytes(u64::from(packet.ip_bytes()))
    }

    /// Time a packet takes to be sent.
    #[inline(always)]
    pub fn service_of(&self, packet: &Packet) -> Time {
        self.rate.packet_time(self.wire_bytes_of(packet))
    }

    /// Link time of what is waiting and of what is left of the packet being sent, in bytes.
    pub fn backlog_bytes(&self, now: Time) -> u64 {
        self.rate.bytes_in(self.busy_until.since(now))
    }

    /// Packets whose sending has not begun.
    pub fn waiting_pkts(&self, now: Time) -> u64 {
        let begins =
            |packet: &Packet| (packet.due - self.delay).since(self.rate.packet_time(self.wire_bytes_of(packet)));
        self.pipe.iter().filter(|packet| begins(packet) > now).count() as u64
    }

    /// Link time used up to now, in bytes; [`Link::wire_bytes`] runs ahead by what is waiting.
    pub fn sent_wire_bytes(&self, now: Time) -> u64 {
        self.wire_bytes.saturating_sub(self.backlog_bytes(now))
    }

    /// Bytes that fit on it up to now.
    pub fn capacity_bytes(&self, now: Time) -> u64 {
        let (earlier_bytes, since) = self.earlier;
        earlier_bytes + self.rate.bytes_in(now.since(since))
    }

    /// Go on at another rate: what is left of the packet being sent, and what waits in a plain queue. `limit_bytes` is
    /// that queue's room, `reopen_bytes` what must be free of it before it takes packets again.
    pub fn set_rate(&mut self, rate: Rate, limit_bytes: u64, reopen_bytes: u64, now: Time) {
        self.earlier = (self.capacity_bytes(now), now);
        let before = std::mem::replace(&mut self.rate, rate);
        let ends = |at: Time| if at > now { now.saturating_add(rate.time_of_span(at - now, before)) } else { at };
        self.busy_until = ends(self.busy_until);
        for packet in self.pipe.iter_mut() {
            packet.due = ends(packet.due - self.delay).saturating_add(self.delay);
        }
        self.head = self.pipe.front().map_or(Time::NEVER, |packet| packet.due);
        if let Egress::Fifo(fifo) = &mut self.egress {
            fifo.limit = rate.time_of(limit_bytes);
            fifo.tail.set_reopening(rate.time_of(reopen_bytes).ps());
            fifo.peak = rate.time_of_span(fifo.peak, before);
        }
    }

    /// Whether a packet is not lost on it.
    ///
    /// # Errors
    /// The cause, when it is.
    #[inline(always)]
    pub fn survives(&mut self) -> Result<(), DropCause> {
        if self.loss_probability > 0.0 && self.random.chance(self.loss_probability) {
            self.dropped_pkts[DropCause::Link] += 1;
            return Err(DropCause::Link);
        }
        Ok(())
    }

    /// Send a packet as soon as the packets before it are out; for an egress that is one plain queue.
    ///
    /// # Errors
    /// The cause, when there is no room.
    #[inline(always)]
    pub fn enqueue(&mut self, packet: Packet, now: Time) -> Result<Option<Time>, DropCause> {
        let wire_bytes = self.wire_bytes_of(&packet);
        let service = self.rate.packet_time(wire_bytes);
        let start = self.busy_until.max(now);
        if let Egress::Fifo(fifo) = &mut self.egress {
            let backlog = start - now;
            if !fifo.tail.fits(service.ps(), backlog.ps(), fifo.limit.ps()) {
                self.dropped_pkts[DropCause::Full] += 1;
                return Err(DropCause::Full);
            }
            if fifo.emulator.as_mut().is_some_and(|emulator| !emulator.takes(packet.label(), now)) {
                self.dropped_pkts[DropCause::Full] += 1;
                return Err(DropCause::Full);
            }
            fifo.peak = fifo.peak.max(backlog + service);
        }
        Ok(self.transmit(packet, wire_bytes, start + service))
    }

    /// Put a packet on the link; the time of the next event at its end, if that was not yet settled.
    #[inline(always)]
    pub fn transmit(&mut self, mut packet: Packet, wire_bytes: u64, end: Time) -> Option<Time> {
        self.busy_until = end;
        self.entered_pkts += 1;
        self.wire_bytes += wire_bytes;
        packet.due = end + self.delay;
        self.pipe.push(packet);
        if self.head != Time::NEVER {
            return None;
        }
        self.head = packet.due;
        Some(self.wake(packet.due))
    }

    /// When the packet at the end of the pipe is to be looked at.
    #[inline(always)]
    pub fn next_event(&mut self) -> Option<Time> {
        match &mut self.reception {
            Some(reception) => reception.next_look(self.head),
            None => (self.head != Time::NEVER).then_some(self.head),
        }
    }

    /// When the packet behind the one at the end of the pipe arrives.
    #[inline(always)]
    pub fn second_due(&self) -> Time {
        self.pipe.second().map_or(Time::NEVER, |second| second.due)
    }

    /// Hand over the packet at the end of the pipe.
    #[inline(always)]
    pub fn hand_over_one(&mut self) -> Option<Packet> {
        let packet = self.pipe.pop()?;
        self.head = self.pipe.front().map_or(Time::NEVER, |next| next.due);
        self.left_pkts += 1;
        Some(packet)
    }

    /// Hand over so many packets from the end of the pipe, which have been copied; no more than there are.
    #[inline(always)]
    pub fn hand_over_all(&mut self, count: usize) {
        self.pipe.skip(count);
        self.head = self.pipe.front().map_or(Time::NEVER, |next| next.due);
        self.left_pkts += count as u64;
    }

    /// Hand over a run: packets that `belongs` takes for part of it and that arrive one after another, not later than
    /// `until`. It ends early after a packet that `take` stops at, and where the pipe's storage ends. What it stopped at,
    /// and how many packets that were.
    #[inline(always)]
    pub fn hand_over<T>(
        &mut self,
        until: Time,
        belongs: impl Fn(&Packet) -> bool,
        mut take: impl FnMut(Packet) -> ControlFlow<T>,
    ) -> (Option<T>, u64) {
        let (mut taken, mut stopped) = (0, None);
        for packet in self.pipe.front_run() {
            if packet.due > until || !belongs(packet) {
                break;
            }
            taken += 1;
            if let ControlFlow::Break(at) = take(*packet) {
                stopped = Some(at);
                break;
            }
        }
        self.hand_over_all(taken);
        (stopped, taken as u64)
    }

    /// An interrupt has made the host take all that arrived; when the next packet under way will make it look again.
    #[inline(always)]
    pub fn end_of_batch(&mut self, now: Time) -> Option<Time> {
        if let Some(Reception::Interrupts(interrupts)) = &mut self.reception {
            interrupts.note(now);
            return (self.head != Time::NEVER).then(|| interrupts.at(self.head));
        }
        self.next_event()
    }

    /// How the host at its end polls, if it does.
    #[inline(always)]
    pub fn polling(&mut self) -> Option<&mut Polling> {
        match &mut self.reception {
            Some(Reception::Polls(polling)) => Some(polling),
            _ => None,
        }
    }

    #[inline(always)]
    fn wake(&mut self, due: Time) -> Time {
        self.reception.as_mut().map_or(due, |reception| reception.wake(due))
    }
}
