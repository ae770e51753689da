//! Segments of a sender that judges losses by time, sent together: as many as the windows and the host's queue allow while
//! nothing is to be sent again and the timer runs. One after another they would leave the same behind.

use crate::tcp::congestion::CaState;
use crate::tcp::sender::{Outgoing, Sender};
use hntes_sim_scenario::time::Time;

/// Segments that wait for room in the host's queue and go out one by one as it comes.
#[derive(Clone, Copy, Debug)]
pub struct Steady {
    /// The first of them.
    pub first: Outgoing,
    /// How many they are.
    pub count: u32,
    /// The windows allow one more behind them.
    pub is_followed: bool,
    /// When the sender has something else to do.
    pub before: Time,
}

impl Sender {
    /// The next segment never sent.
    #[inline]
    pub const fn next_new_number(&self) -> u32 {
        self.board.next()
    }

    /// How many segments never sent before may go out one after another, and the first of them; `limit` is how many may
    /// wait in the host's queue. None where a segment needs a closer look.
    #[inline]
    pub fn rack_burst(&mut self, limit: Option<u64>, now: Time) -> (Outgoing, u32) {
        let (first, allowed) = self.plain_burst();
        if !self.is_calm() || self.rto_due.is_none() {
            return (first, 0);
        }
        let room = limit.map_or(u64::MAX, |limit| self.rack.own_queue.room(limit, now));
        (first, u64::from(allowed.min(self.decided())).min(room) as u32)
    }

    /// So many of them went out. Where the host's queue is limited, the last of them leaves it at `last_departure`, and
    /// each takes `service` there.
    #[inline]
    pub fn on_sent_rack_burst(&mut self, count: u32, last_departure: Time, service: Time, now: Time) {
        self.note_burst_handed_over(count, now);
        self.rack.detection.on_sent_burst(self.board.next(), count, self.board.una(), now);
        self.board.send_burst(count);
        if self.parameters.small_queues {
            self.rack.own_queue.depart_together(count, last_departure, service);
        }
    }

    /// The segments that go out as room comes, if there are any. How many may wait in the host's queue stays the same
    /// meanwhile: as nothing was lost or reported, no more is outstanding than the window.
    #[inline]
    pub fn steady_burst(&self) -> Option<Steady> {
        let before = self.rto_due.filter(|_| self.is_calm() && self.board.is_plain())?;
        self.room_due().filter(|&at| self.room_comes() == Some(at))?;
        let (first, allowed) = self.plain_burst();
        let count = allowed.min(self.decided());
        (count > 0).then_some(Steady {
            first,
            count,
            is_followed: allowed > count || self.is_short_next_but(count),
            before,
        })
    }

    /// When room for the next of them comes.
    #[inline(always)]
    pub fn room_comes(&self) -> Option<Time> {
        self.rack.own_queue.next_departure()
    }

    /// One of them went out as soon as there was room, and leaves the host at `departure`. What does not matter to the next
    /// one is left to [`Sender::on_sent_as_room_came`].
    #[inline(always)]
    pub fn on_sent_into_room(&mut self, seq: u32, now: Time, departure: Time) {
        self.rack.detection.on_sent(seq, self.board.una(), now);
        self.rack.own_queue.replace_first(departure);
    }

    /// So many of them went out one by one, the last one now; another one waits or not.
    #[inline]
    pub fn on_sent_as_room_came(&mut self, count: u32, another_waits: bool, now: Time) {
        self.note_burst_handed_over(count, now);
        self.board.send_burst(count);
        self.rack.own_queue.wait_for_next(another_waits);
        self.note_sent_all(count > 0, now);
    }

    /// Nothing is to be sent again, nor does a reduction or pacing count what is sent.
    const fn is_calm(&self) -> bool {
        let is_calm = matches!(self.state, CaState::Open | CaState::Disorder);
        is_calm && self.parameters.rack && self.rack.forced.is_none() && !self.is_paced()
    }
}

#[cfg(test)]
mod tests {
    use super::{Outgoing, Sender};
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::sender::Ack;
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    /// What a segment takes to leave the host.
    const SERVICE: Time = Time::from_us(20);

    /// A sender and when the host's link will have sent all that was handed to it.
    struct Host {
        sender: Sender,
        busy_until: Time,
    }

    impl Host {
        fn connected(waits_for_bursts: bool) -> Self {
            let parameters = TcpParameters {
                initial_window: 10,
                initial_ssthresh: 300,
                window_limit: 100_000,
                rack: true,
                small_queues: true,
                slow_start_doubles: true,
                growth_counts_segments: true,
                segment_data_bytes: 100,
                waits_for_bursts,
                ..TcpParameters::for_tests()
            };
            let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
            sender.on_syn_sent(Time::ZERO);
            sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
            Self { sender, busy_until: Time::ZERO }
        }

        fn send_singly(&mut self, now: Time) {
            let limit = self.sender.queue_limit().expect("small queues");
            while let Some(segment) = self.sender.next_to_send(now) {
                if !self.sender.has_room_in_queue(limit, now) {
                    break;
                }
                self.send(segment, now);
            }
            self.sender.note_window_use();
        }

        /// How many went together.
        fn send_together(&mut self, now: Time) -> u32 {
            let limit = self.sender.queue_limit().expect("small queues");
            let mut together = 0;
            self.sender.forget_wait_for_room();
            loop {
                let (_, count) = self.sender.rack_burst(Some(limit), now);
                if count > 0 {
                    self.busy_until = self.busy_until.max(now) + Time::from_ps(SERVICE.ps() * u64::from(count));
                    self.sender.on_sent_rack_burst(count, self.busy_until, SERVICE, now);
                    together += count;
                }
                let Some(segment) = self.sender.next_to_send(now) else { break };
                if !self.sender.has_room_in_queue(limit, now) {
                    break;
                }
                self.send(segment, now);
            }
            self.sender.note_window_use();
            together
        }

        fn send(&mut self, segment: Outgoing, now: Time) {
            self.busy_until = self.busy_until.max(now) + SERVICE;
            self.sender.departs(self.busy_until);
            self.sender.on_sent(segment, now);
        }

        /// How often it looked.
        fn send_singly_until(&mut self, end: Time) -> u32 {
            let mut looks = 0;
            while let Some(at) = self.sender.room_due().filter(|&at| at < end) {
                self.sender.forget_wait_for_room();
                self.send_singly(at);
                looks += 1;
            }
            looks
        }

        /// How many went without a closer look, how many of those looked at went together, and how often it looked.
        fn send_into_room_until(&mut self, end: Time) -> [u32; 3] {
            let [mut steadily, mut together, mut looks] = [0; 3];
            loop {
                steadily += self.send_steadily_until(end);
                let Some(at) = self.sender.room_due().filter(|&at| at < end) else { break };
                together += self.send_together(at);
                looks += 1;
            }
            [steadily, together, looks]
        }

        fn send_steadily_until(&mut self, end: Time) -> u32 {
            let Some(steady) = self.sender.steady_burst() else { return 0 };
            let (mut sent, mut last) = (0, Time::ZERO);
            let end = end.min(steady.before);
            while let Some(at) = self.sender.room_comes().filter(|&at| sent < steady.count && at < end) {
                self.busy_until = self.busy_until.max(at) + SERVICE;
                self.sender.on_sent_into_room(steady.first.seq + sent, at, self.busy_until);
                (sent, last) = (sent + 1, at);
            }
            if sent > 0 {
                self.sender.on_sent_as_room_came(sent, steady.is_followed || sent < steady.count, last);
            }
            sent
        }

        fn acknowledge(&mut self, count: u32, now: Time) {
            let next = self.sender.una() + count.min(self.sender.board.outstanding());
            let echo = now.since(Time::from_ms(10));
            self.sender.on_ack(Ack { next, echo, sack: None, echoes_congestion: false }, now);
            self.sender.forget_wait_for_room();
        }
    }

    #[test]
    fn segments_sent_together_or_as_room_comes_leave_what_one_after_another_leaves() {
        for waits_for_bursts in [false, true] {
            compare(waits_for_bursts);
        }
    }

    fn compare(waits_for_bursts: bool) {
        let mut random = Random::named(7, "bursts");
        let [mut together, mut singly] = [Host::connected(waits_for_bursts), Host::connected(waits_for_bursts)];
        let (mut now, mut sent_together, mut sent_into_room) = (Time::from_ms(10), 0, 0);
        for round in 0..300 {
            singly.send_singly(now);
            sent_together += together.send_together(now);
            let next = now + Time::from_us(random.bits() % 8_000);
            let looks = singly.send_singly_until(next);
            let [steadily, at_once, others] = together.send_into_room_until(next);
            assert_eq!(looks, steadily + others, "an event for each look");
            sent_into_room += steadily;
            sent_together += at_once;
            // What has left is forgotten at the next look, which need not come at the same time.
            for host in [&mut together, &mut singly] {
                host.sender.rack.own_queue.room(0, next);
            }
            assert!(format!("{:?}", together.sender) == format!("{:?}", singly.sender), "round {round}");
            assert_eq!(together.busy_until, singly.busy_until);
            let acknowledged = (random.bits() % 400) as u32;
            now = next;
            together.acknowledge(acknowledged, now);
            singly.acknowledge(acknowledged, now);
        }
        assert!(sent_together > 1_000 && sent_into_room > 1_000, "{sent_together} {sent_into_room}");
    }
}
