//! Packets through a port at which they wait for nothing but their turn: its queues drop only what finds no room, and a
//! scheduler shares the link. While packets of several links come together there, what port and link count stays in
//! registers. One after another through [`PortEgress`](crate::egress::PortEgress) they would leave the same behind.

use crate::event::Agenda;
use crate::link::{Egress, Link};
use crate::network::{Network, two_of};
use crate::packet::{Label, Packet};
use crate::port::{NO_CONDITIONER, Port, Progress, Treatment};
use crate::queue::{ClassQueue, DisciplineKind};
use crate::router::Router;
use crate::scheduler::{Choice, PriorityWfq, Scheduler, SchedulerKind};
use hntes_sim_scenario::Framing;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;

/// Such a port while packets pass; [`PlainPort::end`] gives back what it has counted.
#[derive(Debug)]
struct PlainPort<'a> {
    queues: &'a mut [ClassQueue],
    scheduler: &'a mut PriorityWfq,
    treatments: &'a [[Treatment; 2]],
    kept: &'a mut Progress,
    progress: Progress,
    rate: Rate,
    delay: Time,
    framing: Framing,
    busy_until: Time,
    sent_pkts: u64,
    sent_bytes: u64,
    served: u64,
}

impl<'a> PlainPort<'a> {
    /// The port with the link that it feeds, if packets wait at it for nothing but their turn.
    #[inline(always)]
    fn of(port: &'a mut Port, link: &Link) -> Option<Self> {
        let SchedulerKind::PriorityWfq(scheduler) = &mut port.scheduler else { return None };
        let is_watched = port.queues.iter().any(|queue| queue.is_watched);
        if is_watched || port.bucket.is_some() || link.loss_probability > 0.0 {
            return None;
        }
        Some(Self {
            progress: port.progress,
            kept: &mut port.progress,
            queues: &mut port.queues,
            scheduler,
            treatments: &port.treatments,
            rate: link.rate,
            delay: link.delay,
            framing: link.framing,
            busy_until: link.busy_until,
            sent_pkts: 0,
            sent_bytes: 0,
            served: 0,
        })
    }

    /// The queue that packets of a label's flow and direction join, unless something is done about them before.
    #[inline(always)]
    fn queue_of(&self, label: Label) -> Option<usize> {
        let treatment = self.treatments[label.flow().index()][label.direction()];
        (treatment.conditioner == NO_CONDITIONER).then_some(usize::from(treatment.queue))
    }

    /// A packet arrives at a queue. Whether it finds room there without a closer look; else nothing is changed but what
    /// left before it came.
    #[inline(always)]
    fn takes(&mut self, packet: &Packet, queue: usize, link: &mut Link, agenda: &mut Agenda) -> bool {
        let now = packet.due;
        // At one moment arrivals come first.
        while self.progress.due < now {
            self.served += 1;
            self.serve(self.progress.due, link, agenda);
        }
        let wire_bytes = self.framing.wire_bytes(u64::from(packet.ip_bytes()));
        let class = &mut self.queues[queue];
        let has_room = class.occupancy.backlog_bytes + wire_bytes <= class.occupancy.limit_bytes;
        let DisciplineKind::DropTail(tail) = &class.discipline else { return false };
        if !has_room || !tail.is_open() {
            return false;
        }
        class.push(*packet, wire_bytes);
        self.progress.backlogged |= 1 << queue;
        if !self.progress.engaged {
            self.progress.engaged = true;
            self.serve(now, link, agenda);
        }
        true
    }

    /// The link is free: the next packet goes onto it.
    #[inline(always)]
    fn serve(&mut self, now: Time, link: &mut Link, agenda: &mut Agenda) {
        let Choice::Serve(number) = self.scheduler.choose(self.progress.backlogged, now) else {
            self.progress.engaged = false;
            self.progress.due = Time::NEVER;
            return;
        };
        let class = &mut self.queues[number];
        let Some(mut packet) = class.packets.pop() else { return };
        let wire_bytes = self.framing.wire_bytes(u64::from(packet.ip_bytes()));
        class.occupancy.backlog_bytes -= wire_bytes;
        class.dequeued_pkts += 1;
        self.progress.backlogged &= !(u32::from(class.packets.is_empty()) << number);
        self.scheduler.on_service(number, wire_bytes, now);
        let end = now + self.rate.packet_time(wire_bytes);
        (self.progress.due, self.busy_until) = (end, end);
        self.sent_pkts += 1;
        self.sent_bytes += wire_bytes;
        packet.due = end + self.delay;
        link.pipe.push(packet);
        if link.head == Time::NEVER {
            link.head = packet.due;
            if let Some(at) = link.next_event() {
                agenda.schedule_earlier(link.wakes, at);
            }
        }
    }

    /// Packets of one link arrive, those that are due up to then. How many were taken, and whether that is all of them: else
    /// the next one goes elsewhere or needs a closer look.
    #[inline(always)]
    fn takes_run(
        &mut self,
        packets: &[Packet],
        until: Time,
        goes_here: impl Fn(Label) -> bool,
        link: &mut Link,
        agenda: &mut Agenda,
    ) -> (usize, bool) {
        let (mut taken, mut known) = (0, None);
        while let Some(packet) = packets.get(taken) {
            if packet.due > until {
                break;
            }
            let label = packet.label();
            if known.is_none_or(|(other, _): (Label, usize)| !other.goes_with(label)) {
                known = self.queue_of(label).filter(|_| goes_here(label)).map(|queue| (label, queue));
            }
            let Some((_, queue)) = known else { return (taken, false) };
            if !self.takes(packet, queue, link, agenda) {
                return (taken, false);
            }
            taken += 1;
        }
        (taken, true)
    }

    /// Give back what was counted; how often the port was served once due.
    #[inline(always)]
    fn end(self, link: &mut Link) -> u64 {
        *self.kept = self.progress;
        link.busy_until = self.busy_until;
        link.entered_pkts += self.sent_pkts;
        link.wire_bytes += self.sent_bytes;
        self.served
    }
}

impl Network {
    /// Packets that reach a router up to then, from `first` on, as long as all of them go to one plain port and find room
    /// there. How many, and which arrival comes next: its time and its link's place.
    #[inline(always)]
    pub fn pass_plain_port(
        &mut self,
        router: &mut Router,
        row: usize,
        mut first: (Time, usize),
        until: Time,
    ) -> (u64, (Time, usize)) {
        let Some(packet) = self.links[router.in_links[first.1].index()].pipe.front() else { return (0, first) };
        let out = self.link_in_row(row, packet.label());
        let Egress::Port(number) = self.links[out].egress else { return (0, first) };
        let Self { links, ports, agenda, next_links, departures, .. } = self;
        let Some(mut port) = PlainPort::of(&mut ports[number.index()], &links[out]) else { return (0, first) };
        let goes_there = |label: Label| next_links[row + label.flow().index()][label.direction()].index() == out;
        let mut passed = 0;
        while first.0 <= until {
            let place = first.1;
            let rival = router.next_but(place);
            let most = rival.0 - Time::from_ps(u64::from(rival.1 < place));
            let (from, link) = two_of(links, [router.in_links[place].index(), out]);
            let run = from.pipe.front_run();
            let (taken, is_all) = port.takes_run(run, most.min(until), goes_there, link, agenda);
            from.hand_over_all(taken);
            passed += taken as u64;
            router.note_head(place, from.head);
            first = if from.head <= most { (from.head, place) } else { rival };
            if !is_all {
                break;
            }
        }
        *departures += port.end(&mut links[out]);
        (passed, first)
    }
}
