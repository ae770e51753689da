//! The averaged length of a queue (Floyd and Jacobson 1993).

use hntes_sim_scenario::time::Time;

/// An exponentially weighted moving average of a queue's packets, taken at arrivals. Over the time that the queue stood
/// empty it decays as if packets of mean size had arrived and found it so.
#[derive(Clone, Debug)]
pub struct Average {
    weight: f64,
    packet_time: Time,
    pkts: f64,
    empty_since: Option<Time>,
}

impl Average {
    /// Of an empty queue. `packet_time` is how long the link takes for a packet of mean size.
    pub const fn new(weight: f64, packet_time: Time) -> Self {
        Self { weight, packet_time, pkts: 0.0, empty_since: Some(Time::ZERO) }
    }

    /// The average after one more arrival, which finds so many packets.
    #[inline]
    pub fn on_arrival(&mut self, backlog_pkts: u32, now: Time) -> f64 {
        if backlog_pkts > 0 {
            self.pkts += self.weight * (f64::from(backlog_pkts) - self.pkts);
            self.empty_since = None;
        } else if let Some(since) = self.empty_since.replace(now) {
            // Should this arrival be dropped, the queue stays empty and the average goes on to decay.
            let missed = now.since(since).ps() as f64 / self.packet_time.ps().max(1) as f64;
            self.pkts *= (1.0 - self.weight).powf(missed);
        }
        self.pkts
    }

    /// A departure left so many packets.
    #[inline]
    pub const fn on_departure(&mut self, backlog_pkts: u32, now: Time) {
        if backlog_pkts == 0 {
            self.empty_since = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Average;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn it_moves_by_its_weight() {
        let mut average = Average::new(0.25, Time::from_us(1));
        assert!((average.on_arrival(8, Time::ZERO) - 2.0).abs() < 1e-12);
        assert!((average.on_arrival(8, Time::ZERO) - 3.5).abs() < 1e-12);
    }

    #[test]
    fn an_empty_queue_counts_as_many_packets_as_could_have_come() {
        let mut average = Average::new(0.25, Time::from_us(10));
        average.on_arrival(8, Time::ZERO);
        average.on_departure(0, Time::from_us(100));
        // 20 us are two packets: 2 x 0.75 x 0.75
        assert!((average.on_arrival(0, Time::from_us(120)) - 1.125).abs() < 1e-12);
    }
    #[test]
    fn arrivals_that_are_dropped_leave_the_queue_empty() {
        let mut average = Average::new(0.25, Time::from_us(10));
        average.on_arrival(8, Time::ZERO);
        average.on_departure(0, Time::from_us(100));
        average.on_arrival(0, Time::from_us(110));
        // Two packet times in all, as if the first arrival had never been.
        assert!((average.on_arrival(0, Time::from_us(120)) - 1.125).abs() < 1e-12);
    }
}
