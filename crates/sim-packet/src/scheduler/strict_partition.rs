//! Strictly partitioned service: a queue never gets more than its rate share, even when the link is free.

use super::{Choice, Scheduler, bits};
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;

/// The scheduler: first queue whose share allows a packet now.
#[derive(Clone, Debug)]
pub struct StrictPartition {
    rates: Vec<Rate>,
    free_at: Vec<Time>,
    together: Rate,
    longest_wire_bytes: u64,
}

impl StrictPartition {
    /// One rate per queue; a lower number is served first when several may send.
    pub fn new(rates: Vec<Rate>) -> Self {
        let free_at = vec![Time::ZERO; rates.len()];
        let together = Rate::from_bps(rates.iter().map(|rate| rate.bps()).sum());
        Self { rates, free_at, together, longest_wire_bytes: 0 }
    }

    /// Rates of another one with as many queues.
    pub fn adopt_shares(&mut self, other: Self) {
        self.rates = other.rates;
        self.together = other.together;
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
        // A packet kept waiting by another queue's is late; its queue may make up for that, but for no more. The other's
        // may be the longer one: it took the link no longer than at the rate of all queues together.
        self.longest_wire_bytes = self.longest_wire_bytes.max(wire_bytes);
        let service = self.rates[queue].packet_time(wire_bytes);
        let waited = self.together.packet_time(self.longest_wire_bytes);
        self.free_at[queue] = self.free_at[queue].max(now.since(service.max(waited))) + service;
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

    #[test]
    fn small_packets_beside_large_ones_still_get_their_rate() {
        let link = Rate::from_bps(1_000_000_000);
        let mut scheduler = StrictPartition::new([400_000_000, 550_000_000, 50_000_000].map(Rate::from_bps).to_vec());
        let bytes = [300, 1500, 1500];
        let (mut now, mut sent) = (Time::ZERO, [0_u64; 3]);
        while now < Time::from_s(1.0) {
            match scheduler.choose(0b111, now) {
                Choice::Serve(queue) => {
                    scheduler.on_service(queue, bytes[queue], now);
                    sent[queue] += bytes[queue] * 8;
                    now += link.packet_time(bytes[queue]);
                }
                Choice::WaitUntil(at) => now = at,
                Choice::Idle => break,
            }
        }
        for (bits, expected) in sent.into_iter().zip([4e8, 5.5e8, 5e7]) {
            assert!((bits as f64 / expected - 1.0).abs() < 0.002, "{sent:?}");
        }
    }
}
