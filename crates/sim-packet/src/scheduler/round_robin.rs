//! Surplus round robin (Adiseshu, Parulkar and Varghese 1996): deficit round robin that need not know the next packet's
//! size. Each queue sends while it has credit, the last packet on credit of the next round.

use super::{Choice, Scheduler};
use hntes_sim_scenario::time::Time;

/// The queues in turn, each for as many bytes a round as its share says.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    quanta: Vec<i64>,
    credits: Vec<i64>,
    current: usize,
}

impl RoundRobin {
    /// So many bytes a round for each queue, at least one.
    pub fn new(quanta: Vec<i64>) -> Self {
        let credits = vec![0; quanta.len()];
        Self { quanta, credits, current: 0 }
    }

    /// Quanta of another one with as many queues.
    pub fn adopt_shares(&mut self, other: Self) {
        self.quanta = other.quanta;
    }
}

impl Scheduler for RoundRobin {
    #[inline(never)]
    fn choose(&mut self, backlogged: u32, _: Time) -> Choice {
        if backlogged == 0 {
            return Choice::Idle;
        }
        let waits = |queue: usize| backlogged >> queue & 1 != 0;
        while !(waits(self.current) && self.credits[self.current] > 0) {
            if !waits(self.current) {
                // Nothing is saved up; what was sent on credit stays owed.
                self.credits[self.current] = self.credits[self.current].min(0);
            }
            self.current = (self.current + 1) % self.quanta.len();
            if waits(self.current) {
                self.credits[self.current] += self.quanta[self.current];
            }
        }
        Choice::Serve(self.current)
    }

    fn on_service(&mut self, queue: usize, wire_bytes: u64, _: Time) {
        self.credits[queue] -= wire_bytes as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::RoundRobin;
    use crate::scheduler::{Choice, Scheduler};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    /// Bytes that each queue sends, and the longest that one waited for its turn, in bytes of the others.
    fn sent(quanta: [i64; 3], sizes: [u64; 3], backlogged: u32) -> ([u64; 3], u64) {
        let mut scheduler = RoundRobin::new(quanta.to_vec());
        let (mut bytes, mut since, mut longest) = ([0; 3], [0; 3], 0);
        for _ in 0..200_000 {
            let Choice::Serve(queue) = scheduler.choose(backlogged, Time::ZERO) else { panic!("packets wait") };
            scheduler.on_service(queue, sizes[queue], Time::ZERO);
            bytes[queue] += sizes[queue];
            for other in (0..3).filter(|&other| backlogged >> other & 1 != 0) {
                since[other] = if other == queue { 0 } else { since[other] + sizes[queue] };
                longest = longest.max(since[other]);
            }
        }
        (bytes, longest)
    }

    #[test]
    fn bytes_follow_the_quanta_whatever_the_sizes() {
        let (bytes, longest) = sent([3000, 1500, 1500], [64, 1538, 9038], 0b111);
        let all: u64 = bytes.iter().sum();
        for (bytes, share) in bytes.into_iter().zip([0.5, 0.25, 0.25]) {
            assert!((bytes as f64 / all as f64 - share).abs() < 0.002, "{bytes} of {all}");
        }
        // A jumbo of 9038 bytes is seven rounds of credit.
        assert!(longest < 7 * (3000 + 1500 + 64 + 1538), "{longest}");
    }

    #[test]
    fn what_an_idle_queue_leaves_the_others_share() {
        let (bytes, _) = sent([6000, 3000, 3000], [1538, 1538, 1538], 0b110);
        assert_eq!(bytes[0], 0);
        assert!(bytes[1].abs_diff(bytes[2]) <= 3000 + 1538);
    }

    #[test]
    fn an_idle_queue_saves_nothing_up() {
        let mut scheduler = RoundRobin::new(vec![1538, 1538]);
        let mut random = Random::named(1, "round robin");
        let mut sent = [0_u64; 2];
        for _ in 0..100_000 {
            // The second queue holds a packet now and then only.
            let backlogged = if random.chance(0.1) { 0b11 } else { 0b01 };
            let Choice::Serve(queue) = scheduler.choose(backlogged, Time::ZERO) else { panic!("packets wait") };
            scheduler.on_service(queue, 1538, Time::ZERO);
            sent[queue] += 1;
        }
        let run = |scheduler: &mut RoundRobin| {
            (0..10)
                .map(|_| {
                    let choice = scheduler.choose(0b11, Time::ZERO);
                    let Choice::Serve(queue) = choice else { panic!("packets wait") };
                    scheduler.on_service(queue, 1538, Time::ZERO);
                    queue
                })
                .collect::<Vec<_>>()
        };
        let turns = run(&mut scheduler);
        assert!(turns.windows(2).all(|pair| pair[0] != pair[1]), "{turns:?}");
        assert!(sent[1] > 5000);
    }
}
