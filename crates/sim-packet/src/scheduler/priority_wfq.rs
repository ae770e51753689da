//! Weighted fair queueing with priorities, as the testbed's routers do it.
//!
//! A queue is in profile while it has used no more than its rate share. Queues in profile are served by priority, then
//! queues out of profile by priority, so that no capacity is left unused. Inside one level queues share by weight.

use super::{Choice, Scheduler, bits};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;

/// How one queue is to be served.
#[derive(Clone, Copy, Debug)]
pub struct QueueProfile {
    /// The guaranteed rate; none for a queue with no share.
    pub guarantee: Option<Rate>,
    /// Priority while in profile; 0 goes first.
    pub priority: u8,
    /// Priority while out of profile; 0 goes first.
    pub excess_priority: u8,
    /// Share among queues of one level, relative to the others'.
    pub weight: u32,
}

#[derive(Clone, Debug)]
struct QueueState {
    /// Which goes first, in profile and out of profile: queues out of profile come after all others.
    ranks: [u16; 2],
    /// What a byte of service counts: the inverse of the weight.
    cost_per_byte: u64,
    guarantee: Rate,
    /// When the credit used up so far is earned back; in profile once that lies in the past. Never without a guarantee.
    earned_at: Time,
    /// Weighted service received in profile and out of profile.
    served: [u64; 2],
}

/// The scheduler.
#[derive(Clone, Debug)]
pub struct PriorityWfq {
    queues: Vec<QueueState>,
    credit_window: Time,
    /// Weighted service of the queue last served, per kind of service; a queue that wakes up starts from there.
    virtual_time: [u64; 2],
    last_in_profile: bool,
}

impl PriorityWfq {
    /// Count service from the present virtual time on, as only differences matter, when the count of a queue being
    /// served would overflow.
    #[cold]
    #[inline(never)]
    fn rebase(&mut self, number: usize, kind: usize, cost: u64) {
        let start = std::mem::take(&mut self.virtual_time[kind]);
        for queue in &mut self.queues {
            queue.served[kind] = queue.served[kind].saturating_sub(start);
        }
        self.queues[number].served[kind] = cost;
    }

    /// Who goes first: less goes before more.
    #[inline(always)]
    fn rank(&self, number: usize, now: Time) -> (u16, u64) {
        let queue = &self.queues[number];
        let kind = usize::from(queue.earned_at > now);
        (queue.ranks[kind], queue.served[kind].max(self.virtual_time[kind]))
    }

    /// The same as for any number, without a branch: which one goes is hard to foretell.
    #[inline(always)]
    #[expect(clippy::needless_bitwise_bool, reason = "both sides are cheaper than a branch that is foretold wrong")]
    fn choose_of_two(&mut self, numbers: [usize; 2], now: Time) -> Choice {
        let ranks = numbers.map(|number| self.rank(number, now));
        let is_less = (ranks[1].0 < ranks[0].0) | ((ranks[1].0 == ranks[0].0) & (ranks[1].1 < ranks[0].1));
        let chosen = usize::from(is_less);
        self.last_in_profile = ranks[chosen].0 >> 8 == 0;
        Choice::Serve(numbers[chosen])
    }

    /// Guarantees and weights of another one with as many queues.
    pub fn adopt_shares(&mut self, other: &Self) {
        for (queue, of) in self.queues.iter_mut().zip(&other.queues) {
            // without a guarantee a queue has never earned anything
            if queue.earned_at == Time::NEVER || of.earned_at == Time::NEVER {
                queue.earned_at = of.earned_at;
            }
            (queue.guarantee, queue.cost_per_byte) = (of.guarantee, of.cost_per_byte);
        }
    }

    /// Credit for at most `credit_window` of a queue's guaranteed rate is kept.
    pub fn new(profiles: &[QueueProfile], credit_window: Time) -> Self {
        let cost_per_byte = |profile: &QueueProfile| (1 << 32) / u64::from(profile.weight.max(1));
        let state = |profile: &QueueProfile| QueueState {
            ranks: [u16::from(profile.priority), 1 << 8 | u16::from(profile.excess_priority)],
            cost_per_byte: cost_per_byte(profile),
            guarantee: profile.guarantee.unwrap_or(Rate::from_bps(Rate::MAX_BPS)),
            earned_at: if profile.guarantee.is_some() { Time::ZERO } else { Time::NEVER },
            served: [0; 2],
        };
        let queues = profiles.iter().map(state).collect();
        Self { queues, credit_window, virtual_time: [0; 2], last_in_profile: false }
    }
}

impl Scheduler for PriorityWfq {
    #[inline(always)]
    fn choose(&mut self, backlogged: u32, now: Time) -> Choice {
        if backlogged.is_power_of_two() {
            let number = backlogged.trailing_zeros() as usize;
            self.last_in_profile = self.queues[number].earned_at <= now;
            return Choice::Serve(number);
        }
        if backlogged == 0 {
            return Choice::Idle;
        }
        let (first, last) = (backlogged.trailing_zeros(), backlogged.ilog2());
        if backlogged == 1 << first | 1 << last {
            return self.choose_of_two([first as usize, last as usize], now);
        }
        let (mut best, mut chosen) = ((u16::MAX, u64::MAX), None);
        for number in bits(backlogged) {
            let rank = self.rank(number, now);
            // Of equals the first one goes.
            if rank < best {
                (best, chosen) = (rank, Some(number));
            }
        }
        self.last_in_profile = best.0 >> 8 == 0;
        chosen.map_or(Choice::Idle, Choice::Serve)
    }

    #[inline(always)]
    fn on_service(&mut self, number: usize, wire_bytes: u64, now: Time) {
        let kind = usize::from(!self.last_in_profile);
        let queue = &mut self.queues[number];
        let start = queue.served[kind].max(self.virtual_time[kind]);
        self.virtual_time[kind] = start;
        let cost = wire_bytes * queue.cost_per_byte;
        match start.checked_add(cost) {
            Some(served) => queue.served[kind] = served,
            None => self.rebase(number, kind, cost),
        }
        let queue = &mut self.queues[number];
        let credit_from = queue.earned_at.max(now.since(self.credit_window));
        let earned_at = credit_from.saturating_add(queue.guarantee.packet_time(wire_bytes));
        // A queue at its share changes between the two all the time: a choice costs less than a wrong guess.
        queue.earned_at = if self.last_in_profile { earned_at } else { queue.earned_at };
    }
}

#[cfg(test)]
mod tests {
    use super::{PriorityWfq, QueueProfile};
    use crate::scheduler::{Choice, Scheduler};
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    const LINK: u64 = 1_000_000_000;

    fn profile(share_pct: u64, priority: u8) -> QueueProfile {
        let guarantee = Some(Rate::from_bps(LINK * share_pct / 100));
        QueueProfile { guarantee, priority, excess_priority: priority, weight: share_pct as u32 }
    }

    /// Serve queues that receive `offered` Mb/s for two seconds; the Mb/s each gets.
    fn served(profiles: &[QueueProfile], offered: &[f64]) -> Vec<f64> {
        let link = Rate::from_bps(LINK);
        let mut scheduler = PriorityWfq::new(profiles, Time::from_ms(2));
        let (mut now, end) = (Time::ZERO, Time::from_s(2.0));
        let mut sent = vec![0_u64; offered.len()];
        while now < end {
            let waits = |q: &usize| (sent[*q] as f64 + 1500.0) * 8.0 <= offered[*q] * 1e6 * now.s() + 12_000.0;
            let backlogged = (0..offered.len()).filter(waits).fold(0, |mask, q| mask | 1 << q);
            if let Choice::Serve(queue) = scheduler.choose(backlogged, now) {
                scheduler.on_service(queue, 1500, now);
                sent[queue] += 1500;
            }
            now += link.packet_time(1500);
        }
        sent.iter().map(|&bytes| bytes as f64 * 8.0 / 2.0 / 1e6).collect()
    }

    fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
        for (g, e) in got.iter().zip(expected) {
            assert!((g - e).abs() <= tolerance, "{got:?} is not {expected:?}");
        }
    }

    #[test]
    fn shares_match_junipers_example() {
        let profiles = [profile(20, 0), profile(10, 0), profile(10, 2), profile(5, 2)];
        let got = served(&profiles, &[600.0, 500.0, 500.0, 500.0]);
        assert_near(&got, &[566.67, 283.33, 100.0, 50.0], 3.0);
    }

    #[test]
    fn an_idle_queue_leaves_its_share_to_the_others() {
        assert_near(&served(&[profile(50, 0), profile(50, 1)], &[2000.0, 300.0]), &[700.0, 300.0], 3.0);
    }

    #[test]
    fn overload_beyond_the_share_yields() {
        assert_near(&served(&[profile(80, 0), profile(20, 1)], &[2000.0, 400.0]), &[800.0, 200.0], 3.0);
    }

    #[test]
    fn shares_inside_a_level_are_max_min() {
        let profiles = [profile(25, 0), profile(25, 0), profile(50, 0)];
        assert_near(&served(&profiles, &[100.0, 2000.0, 2000.0]), &[100.0, 300.0, 600.0], 5.0);
    }

    #[test]
    fn shares_last_however_much_was_served() {
        // Neither has a guarantee; the lighter one counts 2^32 per byte, and overflows 64 bits after 4.3 GB.
        let light = QueueProfile { guarantee: None, priority: 0, excess_priority: 0, weight: 1 };
        let mut scheduler = PriorityWfq::new(&[light, QueueProfile { weight: 3, ..light }], Time::from_ms(1));
        let mut sent = [0_u64; 2];
        for _ in 0..400_000 {
            if let Choice::Serve(queue) = scheduler.choose(0b11, Time::ZERO) {
                scheduler.on_service(queue, 64_000, Time::ZERO);
                sent[queue] += 1;
            }
        }
        assert!(sent[0].abs_diff(100_000) < 10, "{sent:?}");
    }

    #[test]
    fn nothing_waiting_is_idle() {
        assert_eq!(PriorityWfq::new(&[profile(50, 0)], Time::from_ms(1)).choose(0, Time::ZERO), Choice::Idle);
    }
}
