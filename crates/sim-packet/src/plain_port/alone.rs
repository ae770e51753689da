//! Packets alike through a plain port at which nothing else waits: they leave in the order in which they came, each when
//! the one before it is out.

use super::PlainPort;
use crate::link::Link;
use crate::packet::Packet;
use crate::port::Progress;
use crate::queue::{ClassQueue, DisciplineKind};
use crate::scheduler::PriorityWfq;
use hntes_sim_scenario::time::Time;

impl PlainPort<'_> {
    /// Whether no other queue than this one holds a packet.
    #[inline(always)]
    pub(super) const fn is_alone(&self, queue: usize) -> bool {
        self.progress.backlogged & !(1 << queue) == 0
    }

    /// Packets of one link arrive at a queue beside which nothing waits, those that are due up to then and like the first.
    /// How many were taken; the next one, if any, needs a closer look. As [`PlainPort::takes`] for each.
    #[inline(always)]
    pub(super) fn takes_alone(&mut self, packets: &[Packet], until: Time, queue: usize, link: &mut Link) -> usize {
        let wire_bytes = self.framing.wire_bytes(u64::from(packets[0].label().ip_bytes()));
        let port = Alone {
            class: &mut self.queues[queue],
            scheduler: self.scheduler,
            queue,
            progress: self.progress,
            wire_bytes,
            service: self.rate.packet_time(wire_bytes),
            delay: self.delay,
            busy_until: self.busy_until,
        };
        // By value: a reference to this port would keep all of it out of registers wherever it is used.
        let Some(passed) = port.take(packets, until, link) else { return 0 };
        (self.progress, self.busy_until) = (passed.progress, passed.busy_until);
        self.sent_pkts += passed.left as u64;
        self.sent_bytes += passed.left as u64 * wire_bytes;
        self.served += passed.served;
        passed.taken
    }
}

/// One queue of a port, with what the port does for packets alike.
struct Alone<'a> {
    class: &'a mut ClassQueue,
    scheduler: &'a mut PriorityWfq,
    queue: usize,
    progress: Progress,
    wire_bytes: u64,
    service: Time,
    delay: Time,
    busy_until: Time,
}

/// How many packets came and how many left, and what the port has become.
struct Passed {
    taken: usize,
    left: usize,
    served: u64,
    progress: Progress,
    busy_until: Time,
}

impl Alone<'_> {
    #[inline(never)]
    fn take(self, packets: &[Packet], until: Time, link: &mut Link) -> Option<Passed> {
        let Self { class, scheduler, queue, progress, wire_bytes, service, delay, mut busy_until } = self;
        let label = packets[0].label();
        let waiting = class.packets.front_run();
        let is_whole = waiting.len() == class.packets.len();
        let Progress { mut engaged, mut due, .. } = progress;
        let is_open = matches!(&class.discipline, DisciplineKind::DropTail(tail) if tail.is_open());
        // The first packet on an idle link wakes its end.
        if !is_open || link.head == Time::NEVER || (!engaged && !waiting.is_empty()) {
            return None;
        }
        let most_pkts = (waiting.len() + packets.len()) as u64;
        let mut service_count = scheduler.begin_alone(queue, wire_bytes, most_pkts)?;
        let slots = link.pipe.back_room();
        let (mut backlog_bytes, limit_bytes) = (class.occupancy.backlog_bytes, class.occupancy.limit_bytes);
        let mut peak_bytes = class.peak_bytes;
        let (mut taken, mut left, mut served) = (0, 0, 0);
        'arrivals: for packet in packets {
            let now = packet.due;
            if now > until || packet.label() != label || left >= slots.len() {
                break;
            }
            // At one moment arrivals come first.
            while due < now {
                if is_whole && left == waiting.len() + taken {
                    (engaged, due, served) = (false, Time::NEVER, served + 1);
                    break;
                }
                let Some(first) = waiting.get(left).or_else(|| packets.get(left - waiting.len()).filter(|_| is_whole))
                else {
                    break 'arrivals;
                };
                if first.ip_bytes() != label.ip_bytes() || left >= slots.len() {
                    break 'arrivals;
                }
                service_count.serve(due);
                backlog_bytes -= wire_bytes;
                due += service;
                busy_until = due;
                slots[left] = *first;
                slots[left].due = due + delay;
                (left, served) = (left + 1, served + 1);
            }
            if backlog_bytes + wire_bytes > limit_bytes || left >= slots.len() {
                break;
            }
            peak_bytes = peak_bytes.max(backlog_bytes + wire_bytes);
            taken += 1;
            if engaged {
                backlog_bytes += wire_bytes;
                continue;
            }
            service_count.serve(now);
            (engaged, due) = (true, now + service);
            busy_until = due;
            slots[left] = *packet;
            slots[left].due = due + delay;
            left += 1;
        }
        let from_waiting = left.min(waiting.len());
        class.packets.skip(from_waiting);
        class.packets.extend(&packets[left - from_waiting..taken]);
        link.pipe.add(left);
        class.occupancy.backlog_bytes = backlog_bytes;
        class.peak_bytes = peak_bytes;
        class.enqueued_pkts += taken as u64;
        class.dequeued_pkts += left as u64;
        let backlogged = u32::from(!class.packets.is_empty()) << queue;
        scheduler.end_alone(service_count);
        Some(Passed { taken, left, served, progress: Progress { backlogged, engaged, due }, busy_until })
    }
}

#[cfg(test)]
mod tests {
    use super::PlainPort;
    use crate::event::Agenda;
    use crate::link::{Egress, FifoEgress, Link};
    use crate::packet::{FlowNumber, Packet, PacketKind};
    use crate::port::{NO_CONDITIONER, Progress, Treatment};
    use crate::queue::{ClassQueue, DisciplineKind, DropTail};
    use crate::ring::Ring;
    use crate::scheduler::{PriorityWfq, QueueProfile};
    use hntes_sim_scenario::Framing;
    use hntes_sim_scenario::results::ByCause;
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    const FRAMING: Framing = Framing::Constant { bytes: 38 };

    fn link() -> Link {
        let tail = DropTail::new(0);
        Link {
            wakes: 0,
            rate: Rate::from_bps(1_000_000_000),
            delay: Time::from_us(300),
            framing: FRAMING,
            pipe: Ring::new(),
            head: Time::NEVER,
            egress: Egress::Fifo(FifoEgress { limit: Time::NEVER, tail, peak: Time::ZERO, emulator: None }),
            reception: None,
            loss_probability: 0.0,
            random: Random::named(1, "link"),
            busy_until: Time::ZERO,
            entered_pkts: 0,
            left_pkts: 0,
            wire_bytes: 0,
            dropped_pkts: ByCause::default(),
            earlier: (0, Time::ZERO),
        }
    }

    /// A port of two queues with room for some 13 packets each, and its link.
    struct Case {
        queues: Vec<ClassQueue>,
        scheduler: PriorityWfq,
        treatments: Vec<[Treatment; 2]>,
        progress: Progress,
        link: Link,
        agenda: Agenda,
    }

    impl Case {
        fn new() -> Self {
            let profile = |share: u64| QueueProfile {
                guarantee: Some(Rate::from_bps(share * 10_000_000)),
                priority: 1,
                excess_priority: 1,
                weight: share as u32,
            };
            let queue = || ClassQueue::new(20_000, DisciplineKind::DropTail(DropTail::new(9_000)), None);
            Self {
                queues: vec![queue(), queue()],
                scheduler: PriorityWfq::new(&[profile(60), profile(40)], Time::from_us(300)),
                treatments: vec![[Treatment { conditioner: NO_CONDITIONER, queue: 0 }; 2]],
                progress: Progress { backlogged: 0, engaged: false, due: Time::NEVER },
                link: link(),
                agenda: Agenda::new(1),
            }
        }

        /// How many were taken, and how many of them together.
        fn take(&mut self, packets: &[Packet], queue: usize, is_together: bool) -> [usize; 2] {
            let mut port = PlainPort {
                queues: &mut self.queues,
                scheduler: &mut self.scheduler,
                treatments: &self.treatments,
                progress: self.progress,
                kept: &mut self.progress,
                rate: self.link.rate,
                delay: self.link.delay,
                framing: FRAMING,
                busy_until: self.link.busy_until,
                sent_pkts: 0,
                sent_bytes: 0,
                served: 0,
            };
            let [mut taken, mut together] = [0, 0];
            while taken < packets.len() {
                if is_together && port.is_alone(queue) {
                    let count = port.takes_alone(&packets[taken..], Time::NEVER, queue, &mut self.link);
                    (taken, together) = (taken + count, together + count);
                }
                if taken == packets.len() || !port.takes(&packets[taken], queue, &mut self.link, &mut self.agenda) {
                    break;
                }
                taken += 1;
            }
            port.end(&mut self.link);
            [taken, together]
        }

        fn state(&self) -> String {
            let Self { queues, scheduler, progress, link, .. } = self;
            format!("{queues:?} {scheduler:?} {progress:?} {link:?}")
        }
    }

    #[test]
    fn packets_taken_together_leave_what_one_after_another_leaves() {
        let mut random = Random::named(6, "runs");
        let [mut together, mut singly] = [Case::new(), Case::new()];
        let (mut now, mut in_runs, mut refused) = (Time::ZERO, 0, 0);
        for round in 0..3_000_u32 {
            let queue = usize::from(random.chance(0.2));
            let size = if random.chance(0.2) { 500 } else { 1500 };
            let gap_ps = [12_304_000, 8_000_000, 20_000_000][(random.bits() % 3) as usize];
            let count = 1 + random.bits() % 60;
            let packets = (0..count)
                .map(|n| {
                    now += Time::from_ps(gap_ps);
                    let mut packet = Packet::new(PacketKind::Segment, FlowNumber::new(0), size);
                    packet.due = now;
                    packet.numbered(round << 8 | n as u32)
                })
                .collect::<Vec<_>>();
            let [taken, run] = together.take(&packets, queue, true);
            assert_eq!(singly.take(&packets, queue, false)[0], taken, "round {round}");
            in_runs += run;
            refused += usize::from(taken < packets.len());
            assert!(together.state() == singly.state(), "round {round}");
            for case in [&mut together, &mut singly] {
                while case.link.head <= now {
                    case.link.hand_over_one();
                }
            }
            now += Time::from_us(random.bits() % 200);
        }
        assert!(in_runs > 10_000 && refused > 200, "{in_runs} {refused}");
    }
}
