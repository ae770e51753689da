//! Service of one queue while no other one waits: packets of one size, each as it becomes due.

use super::PriorityWfq;
use hntes_sim_scenario::time::Time;

/// What the scheduler counts meanwhile. One after another through it, packets would leave the same behind.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    number: usize,
    earned_at: Time,
    served: [u64; 2],
    virtual_time: [u64; 2],
    last_in_profile: bool,
    /// What a packet counts as service, and the time in which the guarantee earns it.
    cost: u64,
    credit: Time,
    credit_window: Time,
}

impl Alone {
    /// A packet goes now.
    #[inline(always)]
    pub fn serve(&mut self, now: Time) {
        self.last_in_profile = self.earned_at <= now;
        let kind = usize::from(!self.last_in_profile);
        let start = self.served[kind].max(self.virtual_time[kind]);
        self.virtual_time[kind] = start;
        self.served[kind] = start + self.cost;
        if self.last_in_profile {
            self.earned_at = self.earned_at.max(now.since(self.credit_window)).saturating_add(self.credit);
        }
    }
}

impl PriorityWfq {
    /// Begin to serve a queue alone, at most so many packets of so many bytes; none where a count would overflow.
    #[inline(always)]
    pub fn begin_alone(&self, number: usize, wire_bytes: u64, most_pkts: u64) -> Option<Alone> {
        let queue = &self.queues[number];
        let cost = wire_bytes * queue.cost_per_byte;
        let highest = queue.served.into_iter().chain(self.virtual_time).fold(0, u64::max);
        highest.checked_add(cost.checked_mul(most_pkts)?)?;
        Some(Alone {
            number,
            earned_at: queue.earned_at,
            served: queue.served,
            virtual_time: self.virtual_time,
            last_in_profile: self.last_in_profile,
            cost,
            credit: queue.guarantee.packet_time(wire_bytes),
            credit_window: self.credit_window,
        })
    }

    /// Others may wait again.
    #[inline(always)]
    pub fn end_alone(&mut self, alone: Alone) {
        let queue = &mut self.queues[alone.number];
        (queue.earned_at, queue.served) = (alone.earned_at, alone.served);
        (self.virtual_time, self.last_in_profile) = (alone.virtual_time, alone.last_in_profile);
    }
}

#[cfg(test)]
mod tests {
    use super::super::QueueProfile;
    use super::PriorityWfq;
    use crate::scheduler::{Choice, Scheduler};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    #[test]
    fn a_queue_served_alone_leaves_what_choice_after_choice_leaves() {
        let profile = |share: u64| QueueProfile {
            guarantee: (share > 0).then(|| Rate::from_bps(share * 1_000_000)),
            priority: 1,
            excess_priority: 1,
            weight: share as u32,
        };
        let profiles = [profile(550), profile(400), profile(0)];
        let new = || PriorityWfq::new(&profiles, Time::from_us(300));
        let (mut random, mut now) = (Random::named(4, "alone"), Time::ZERO);
        let [mut alone, mut chosen] = [new(), new()];
        for round in 0..3_000 {
            let (number, count) = ((random.bits() % 3) as usize, random.bits() % 50);
            let wire_bytes = 100 + random.bits() % 1_500;
            let mut state = alone.begin_alone(number, wire_bytes, count).expect("far from an overflow");
            for _ in 0..count {
                now += Time::from_ps(random.bits() % 20_000_000);
                state.serve(now);
                assert_eq!(chosen.choose(1 << number, now), Choice::Serve(number));
                chosen.on_service(number, wire_bytes, now);
            }
            alone.end_alone(state);
            assert!(format!("{alone:?}") == format!("{chosen:?}"), "round {round}");
        }
    }

    #[test]
    fn what_would_overflow_is_not_begun() {
        let profiles = [QueueProfile { guarantee: None, priority: 0, excess_priority: 0, weight: 1 }];
        let scheduler = PriorityWfq::new(&profiles, Time::from_us(300));
        let most = u64::MAX / (1_500 << 32);
        assert!(scheduler.begin_alone(0, 1_500, most).is_some());
        assert!(scheduler.begin_alone(0, 1_500, most + 1).is_none());
    }
}
