//! Round-trip time estimate and retransmission timeout (RFC 6298, with the floor Linux puts on the variation).

use hntes_sim_scenario::time::Time;

/// The estimator.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    srtt: Option<Time>,
    rttvar: Time,
    min_rto: Time,
    max_rto: Time,
    initial_rto: Time,
    backoff: u32,
}

impl RttEstimator {
    /// No sample yet.
    pub const fn new(initial_rto: Time, min_rto: Time) -> Self {
        let max_rto = Time::from_ms(120_000);
        Self { srtt: None, rttvar: Time::ZERO, min_rto, max_rto, initial_rto, backoff: 0 }
    }

    /// Take in a sample; it ends any backing off.
    #[inline]
    pub fn on_sample(&mut self, rtt: Time) {
        self.backoff = 0;
        let Some(srtt) = self.srtt else {
            self.srtt = Some(rtt);
            self.rttvar = Time::from_ps(rtt.ps() / 2);
            return;
        };
        let gap = rtt.ps().abs_diff(srtt.ps());
        self.rttvar = Time::from_ps(self.rttvar.ps() - self.rttvar.ps() / 4 + gap / 4);
        self.srtt = Some(Time::from_ps(srtt.ps() - srtt.ps() / 8 + rtt.ps() / 8));
    }

    /// The timer ran out: wait twice as long next time.
    pub const fn on_timeout(&mut self) {
        self.backoff += 1;
    }

    /// The present timeout.
    #[inline]
    pub fn rto(&self) -> Time {
        let plain =
            self.srtt.map_or(self.initial_rto, |srtt| srtt + Time::from_ps(4 * self.rttvar.ps()).max(self.min_rto));
        Time::from_ps(plain.ps() << self.backoff.min(10)).min(self.max_rto)
    }

    /// The smoothed round-trip time.
    pub const fn srtt(&self) -> Option<Time> {
        self.srtt
    }
}

#[cfg(test)]
mod tests {
    use super::RttEstimator;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn the_timeout_follows_rfc_6298() {
        let mut estimator = RttEstimator::new(Time::from_ms(1000), Time::from_ms(200));
        assert_eq!(estimator.rto(), Time::from_ms(1000));
        estimator.on_sample(Time::from_ms(800));
        assert_eq!(estimator.rto(), Time::from_ms(800 + 1600));
        estimator.on_timeout();
        assert_eq!(estimator.rto(), Time::from_ms(4800));
        for _ in 0..200 {
            estimator.on_sample(Time::from_ms(10));
        }
        assert!(estimator.rto() < Time::from_ms(212), "{:?}", estimator.rto());
    }
}
