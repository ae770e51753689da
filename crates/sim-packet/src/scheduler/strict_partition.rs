//! Strictly partitioned service: a queue never gets more than its rate share, even when the link is free.

use super::{Choice, Scheduler, bits};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;

/// The scheduler: first queue whose share allows a packet now.
#[derive(Clone, Debug)]
pub struct StrictPartition {
    rates: Vec<Rate>,
    free_at: Vec<Time>,
}

impl StrictPartition {
    /// One rate per queue; a lower number is served first when several may send.
    pub fn new(rates: Vec<Rate>) -> Self {
        let free_at = vec![Time::ZERO; rates.len()];
        Self { rates, free_at }
    }

    /// Rates of another one with as many queues.
    pub fn adopt_shares(&mut self, other: Self) {
        self.rates = other.rates;
    }
}

impl Scheduler for StrictPartition {
    fn choose(&mut self, backlogged: u32, now: Time) -> Choice {
        let Some(first) = bits(backlogged).min_by_key(|&queue| self.free_at[queue].max(now)) else {
            return Choice::Idle;
        };
        if self.free_at[first] <= now { Choice::Serve(first) } else { Choice::WaitUntil(self.free_at[first]) }
    }

    fn on_service(&mut self, queue: usize, wire_bytes: u64, now: Time) {
        // A packet kept waiting by another queue's is late; its queue may make up for that, but for no more.
        let service = self.rates[queue].packet_time(wire_bytes);
        self.free_at[queue] = self.free_at[queue].max(now.since(service)) + service;
    }
}

#[cfg(test)]
mod tests {
    use super::StrictPartition;
    use crate::scheduler::{Choice, Scheduler};
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    #[test]
    fn a_queue_waits_for_its_own_rate() {
        let mut scheduler = StrictPartition::new(vec![Rate::from_bps(8_000_000), Rate::from_bps(80_000_000)]);
        assert_eq!(scheduler.choose(0b01, Time::ZERO), Choice::Serve(0));
        scheduler.on_service(0, 1000, Time::ZERO);
        assert_eq!(scheduler.choose(0b01, Time::from_us(10)), Choice::WaitUntil(Time::from_ms(1)));
        assert_eq!(scheduler.choose(0b11, Time::from_us(10)), Choice::Serve(1));
        assert_eq!(scheduler.choose(0b01, Time::from_ms(1)), Choice::Serve(0));
        assert_eq!(scheduler.choose(0, Time::ZERO), Choice::Idle);
    }

    #[test]
    fn queues_that_get_in_each_others_way_still_get_their_rates() {
        let link = Rate::from_bps(10_000_000);
        let mut scheduler = StrictPartition::new(vec![Rate::from_bps(7_000_000), Rate::from_bps(3_000_000)]);
        let (mut now, mut sent) = (Time::ZERO, [0_u64; 2]);
        while now < Time::from_s(10.0) {
            match scheduler.choose(0b11, now) {
                Choice::Serve(queue) => {
                    scheduler.on_service(queue, 1500, now);
                    sent[queue] += 1500 * 8;
                    now += link.packet_time(1500);
                }
                Choice::WaitUntil(at) => now = at,
                Choice::Idle => break,
            }
        }
        for (bits, expected) in sent.into_iter().zip([7e7, 3e7]) {
            assert!((bits as f64 / expected - 1.0).abs() < 0.002, "{sent:?}");
        }
    }
}
