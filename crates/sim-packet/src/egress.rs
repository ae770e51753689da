//! The egress of a port: packets enter its queues, and its scheduler sends them onto the link.

use crate::event::Agenda;
use crate::link::Link;
use crate::packet::Packet;
use crate::port::{Port, Treatment};
use crate::scheduler::Choice;
use crate::senders::Senders;
use hntes_sim_scenario::results::DropCause;
use hntes_sim_scenario::time::Time;

/// What a packet meets at a port, borrowed as long as a run of packets passes.
#[derive(Debug)]
pub struct PortEgress<'a> {
    /// The port.
    pub port: &'a mut Port,
    /// The link it feeds.
    pub link: &'a mut Link,
    /// Where the end of the link asks to be woken.
    pub agenda: &'a mut Agenda,
    /// How often the port was served once due.
    pub served: u64,
}

impl PortEgress<'_> {
    /// Hand it a packet that arrives now; as [`Port::enqueue`]. What was queued as guarantees have it does not begin to be
    /// sent yet.
    ///
    /// # Errors
    /// The cause, when it is dropped.
    #[inline(always)]
    pub fn offer(
        &mut self,
        packet: Packet,
        treatment: Treatment,
        senders: &Senders,
        now: Time,
    ) -> Result<bool, DropCause> {
        self.link.survives()?;
        // At one moment arrivals come first, but at a token bucket: Linux empties queues (NET_TX) before it takes in what has
        // come (NET_RX).
        self.serve_while(|due| due < now);
        if self.port.progress.due == now && self.port.bucket.is_some() {
            self.serve_while(|due| due == now);
        }
        let admitted = self.port.enqueue(packet, treatment, senders, now);
        if admitted == Ok(false) {
            self.engage(now);
        }
        admitted
    }

    /// Serve the port as often as it is due in time.
    #[inline(always)]
    pub fn serve_while(&mut self, in_time: impl Fn(Time) -> bool) {
        while in_time(self.port.progress.due) {
            self.served += 1;
            self.serve(self.port.progress.due);
        }
    }

    /// Begin to send if nothing is being sent.
    #[inline(always)]
    pub fn engage(&mut self, now: Time) {
        if !self.port.progress.engaged {
            self.port.progress.engaged = true;
            self.serve(now);
        }
    }

    /// The link has become free, or the port's wait is over.
    #[inline(always)]
    fn serve(&mut self, now: Time) {
        let Self { port, link, agenda, .. } = self;
        if port.bucket.is_some() {
            return self.hand_over(now);
        }
        match port.choose(now) {
            Choice::Serve(queue) => {
                let Some(packet) = port.take(queue, now) else { return };
                let wire_bytes = link.wire_bytes_of(&packet);
                let end = now + link.rate.packet_time(wire_bytes);
                port.progress.due = end;
                if let Some(at) = link.transmit(packet, wire_bytes, end) {
                    agenda.schedule_earlier(link.wakes, at);
                }
            }
            Choice::WaitUntil(until) => {
                port.progress.engaged = false;
                port.progress.due = until;
            }
            Choice::Idle => {
                port.progress.engaged = false;
                port.progress.due = Time::NEVER;
            }
        }
    }

    /// The port is a token bucket: it hands over packets as long as it has tokens. Which of its queues is next is settled
    /// no sooner, so that what comes meanwhile may take the place of what waits for tokens.
    #[cold]
    fn hand_over(&mut self, now: Time) {
        let Self { port, link, agenda, .. } = self;
        port.progress.engaged = false;
        loop {
            let choice = port.choose(now);
            let Choice::Serve(queue) = choice else {
                port.progress.due = if let Choice::WaitUntil(until) = choice { until } else { Time::NEVER };
                return;
            };
            let (Some(packet), Some(bucket)) = (port.queues[queue].packets.front(), &mut port.bucket) else { return };
            let wire_bytes = link.wire_bytes_of(packet);
            let service = link.rate.packet_time(wire_bytes);
            let at = bucket.ready_at(service, link.rate.packet_time(bucket.bytes), now);
            if at > now {
                port.progress.due = at;
                return;
            }
            bucket.spend(service, now);
            let Some(packet) = port.take(queue, now) else { return };
            if let Some(at) = link.transmit(packet, wire_bytes, now) {
                agenda.schedule_earlier(link.wakes, at);
            }
        }
    }
}
