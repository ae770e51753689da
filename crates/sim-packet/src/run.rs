//! Runs of packets onto a link with one plain queue: what the link counts stays in registers until the run ends.

use crate::link::{Egress, Link};
use crate::network::Network;
use crate::packet::{FlowNumber, Packet};
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

/// Packets of one size that a host sends one after another, each at its time.
pub trait Offers {
    /// One of them, whatever its number.
    fn alike(&self) -> Packet;

    /// The next packet, and when it is sent.
    fn next(&mut self) -> Option<(Packet, Time)>;

    /// It was sent then, and will have left the host at `departure`.
    fn sent(&mut self, at: Time, departure: Time);
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
        let (rate, delay, framing) = (self.rate, self.delay, self.framing);
        let mut count = 0;
        for (packet, slot) in packets.iter().zip(self.pipe.back_room()) {
            if !belongs(packet) {
                break;
            }
            let wire_bytes = framing.wire_bytes(u64::from(packet.ip_bytes()));
            let Some(end) = passage.pass(packet.due, rate.packet_time(wire_bytes), wire_bytes) else { break };
            *slot = *packet;
            slot.due = end + delay;
            count += 1;
        }
        self.pipe.add(count);
        (count, self.note_passage(&passage, count))
    }

    /// Send packets as they are offered, up to one that needs a closer look, and where the pipe's storage ends. How many,
    /// when the last was sent, and as [`Link::transmit`].
    #[inline(always)]
    fn enqueue_each(&mut self, offers: &mut impl Offers) -> (usize, Option<Time>, Option<Time>) {
        let Some(mut passage) = self.passage() else { return (0, None, None) };
        let wire_bytes = self.wire_bytes_of(&offers.alike());
        let (service, delay) = (self.rate.packet_time(wire_bytes), self.delay);
        let (mut count, mut last) = (0, None);
        for slot in self.pipe.back_room() {
            let Some((packet, at)) = offers.next() else { break };
            let Some(end) = passage.pass(at, service, wire_bytes) else { break };
            *slot = packet;
            slot.due = end + delay;
            offers.sent(at, end);
            (count, last) = (count + 1, Some(at));
        }
        self.pipe.add(count);
        (count, last, self.note_passage(&passage, count))
    }

    /// Send so many packets at one moment, the first one and others that differ by `step` in their numbers, up to one
    /// that needs a closer look, and where the pipe's storage ends. How many, and as [`Link::transmit`].
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

    /// The same of a flow's packets as they are offered; when the last of those that it sent was sent.
    #[inline(always)]
    pub fn send_each(&mut self, link: usize, flow: FlowNumber, offers: &mut impl Offers) -> Option<Time> {
        let link = &mut self.links[link];
        let (count, last, wake) = link.enqueue_each(offers);
        if let Some(at) = wake {
            self.agenda.schedule_earlier(link.wakes, at);
        }
        self.counts[flow.index()].sent += count as u64;
        last
    }
}

#[cfg(test)]
mod tests {
    use crate::link::{Egress, FifoEgress, Link};
    use crate::packet::{FlowNumber, Packet, PacketKind};
    use crate::queue::DropTail;
    use crate::ring::Ring;
    use hntes_sim_scenario::Framing;
    use hntes_sim_scenario::results::ByCause;
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    /// An idle link of 1 Gb/s with room for some 130 packets of 1538 bytes before it.
    fn link() -> Link {
        let rate = Rate::from_bps(1_000_000_000);
        let fifo =
            FifoEgress { limit: rate.time_of(200_000), tail: DropTail::new(9_000), peak: Time::ZERO, emulator: None };
        Link {
            wakes: 0,
            rate,
            delay: Time::from_us(300),
            framing: Framing::Constant { bytes: 38 },
            pipe: Ring::new(),
            head: Time::NEVER,
            egress: Egress::Fifo(fifo),
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

    /// All that a link knows of what it sent.
    fn state(link: &Link) -> (Time, Time, Time, u64, u64, Vec<(Time, u32)>) {
        let Egress::Fifo(fifo) = &link.egress else { panic!("a plain queue") };
        let pipe = link.pipe.iter().map(|packet| (packet.due, packet.seq())).collect();
        (link.busy_until, fifo.peak, link.head, link.entered_pkts, link.wire_bytes, pipe)
    }

    #[test]
    fn packets_sent_together_leave_as_packets_sent_one_by_one() {
        let mut random = Random::named(5, "bursts");
        let [mut together, mut singly] = [link(), link()];
        let (mut now, mut refused) = (Time::ZERO, 0);
        for burst in 0..2_000_u32 {
            now += Time::from_us(random.bits() % 400);
            for link in [&mut together, &mut singly] {
                while link.head <= now {
                    link.hand_over_one();
                }
            }
            let (most, first) =
                ((random.bits() % 60) as u32, Packet::new(PacketKind::Segment, FlowNumber::new(0), 1500));
            let (count, wake) = together.enqueue_alike(first.numbered(burst), 1, most, now);
            let rest = (count..most).map(|n| together.enqueue(first.numbered(burst + n), now)).collect::<Vec<_>>();
            let all = (0..most).map(|n| singly.enqueue(first.numbered(burst + n), now)).collect::<Vec<_>>();
            assert_eq!(rest[..], all[count as usize..]);
            assert!(count == 0 || all[0] == Ok(wake), "the same event at the end");
            refused += all.iter().filter(|sent| sent.is_err()).count();
            assert_eq!(state(&together), state(&singly));
        }
        assert!(refused > 100, "the queue overflows now and then: {refused}");
    }
}
