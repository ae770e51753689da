//! Round-trip time estimate and retransmission timeout (RFC 6298, with the floor Linux puts on the variation).

use super::TcpParameters;
use hntes_sim_scenario::time::Time;

/// How far samples lie from the smoothed round-trip time, as Linux keeps it for the timeout (`tcp_rtt_estimator`): the
/// greatest of a round trip counts at once, lesser ones only when it is over, and none is less than the floor.
#[derive(Clone, Copy, Debug)]
struct HeldDeviation {
    floor: Time,
    /// Four times the mean deviation.
    fourfold: Time,
    /// The greatest of the present round trip.
    greatest: Time,
    /// What the timeout adds.
    held: Time,
    /// The present round trip ends when all below is acknowledged.
    ends_at: u32,
}

impl HeldDeviation {
    const fn new(floor: Time) -> Self {
        Self { floor, fourfold: Time::ZERO, greatest: Time::ZERO, held: floor, ends_at: 0 }
    }

    fn begin(&mut self, rtt: Time, next: u32) {
        self.fourfold = Time::from_ps(rtt.ps() * 2);
        self.held = self.fourfold.max(self.floor);
        self.greatest = self.held;
        self.ends_at = next;
    }

    /// A sample, and what it was expected to be; a shorter one raises the deviation an eighth as fast.
    fn on_sample(&mut self, rtt: Time, expected: Time, una: u32, next: u32) {
        let gap = rtt.ps().abs_diff(expected.ps());
        let forgotten = self.fourfold.ps() / 4;
        self.fourfold = if rtt < expected && gap > forgotten {
            self.fourfold + Time::from_ps((gap - forgotten) / 8)
        } else {
            Time::from_ps(self.fourfold.ps() - forgotten + gap)
        };
        self.greatest = self.greatest.max(self.fourfold);
        self.held = self.held.max(self.greatest);
        if una > self.ends_at {
            self.held = Time::from_ps(self.held.ps() - self.held.since(self.greatest).ps() / 4);
            self.ends_at = next;
            self.greatest = self.floor;
        }
    }
}

/// In what Linux keeps the smoothed round-trip time, whose samples are whole microseconds (`srtt_us`).
const EIGHTH_OF_US: Time = Time::from_ps(125_000);

/// The estimator.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    srtt: Option<Time>,
    rttvar: Time,
    deviation: Option<HeldDeviation>,
    counts_eighths: bool,
    min_rto: Time,
    step: Time,
    min_timeout: Time,
    max_rto: Time,
    initial_rto: Time,
    backoff: u32,
}

impl RttEstimator {
    /// No sample yet. A clock with a step counts round trips in whole steps, and no timeout is less than two (ns-2's
    /// `tcpTick_`).
    pub const fn new(initial_rto: Time, min_rto: Time, step: Time) -> Self {
        let max_rto = Time::from_ms(120_000);
        let (rttvar, min_timeout) = (Time::ZERO, Time::ZERO);
        Self {
            srtt: None,
            rttvar,
            deviation: None,
            counts_eighths: false,
            min_rto,
            step,
            min_timeout,
            max_rto,
            initial_rto,
            backoff: 0,
        }
    }

    /// That of a sender.
    pub const fn of(parameters: &TcpParameters) -> Self {
        let TcpParameters { initial_rto, min_rto, timer_step, min_timeout, .. } = *parameters;
        let plain = Self::new(initial_rto, min_rto, timer_step).never_below(min_timeout);
        let plain = Self { counts_eighths: parameters.rtt_in_us, ..plain };
        if parameters.rto_holds_deviation { plain.holding_deviation() } else { plain }
    }

    /// The same, but no timeout is shorter than this, backing off included (ns-2's `minrto_` until March 2002): as long
    /// as twice the timeout is less, backing off changes nothing.
    #[must_use]
    pub const fn never_below(self, min_timeout: Time) -> Self {
        Self { min_timeout, ..self }
    }

    /// The same with deviations held as Linux does.
    #[must_use]
    pub const fn holding_deviation(self) -> Self {
        Self { deviation: Some(HeldDeviation::new(self.min_rto)), ..self }
    }

    /// Take in a sample of a connection whose first segment in flight is `una`, and `next` the next new one.
    #[inline]
    pub fn on_sample_between(&mut self, rtt: Time, una: u32, next: u32) {
        if let Some(deviation) = &mut self.deviation {
            match self.srtt {
                Some(srtt) => deviation.on_sample(rtt, srtt, una, next),
                None => deviation.begin(rtt, next),
            }
        }
        self.on_sample(rtt);
    }

    /// Take in a sample; it ends any backing off.
    #[inline]
    pub fn on_sample(&mut self, rtt: Time) {
        self.backoff = 0;
        let rtt = self.in_steps(rtt);
        let Some(srtt) = self.srtt else {
            self.srtt = Some(rtt);
            self.rttvar = Time::from_ps(rtt.ps() / 2);
            return;
        };
        let gap = rtt.ps().abs_diff(srtt.ps());
        self.rttvar = Time::from_ps(self.rttvar.ps() - self.rttvar.ps() / 4 + gap / 4);
        self.srtt = Some(self.smoothed(srtt, rtt));
    }

    /// Seven eighths of what it was, and one of the sample. In eighths of a microsecond it is the sample and what is left
    /// without an eighth in whole microseconds, so that it lies up to 0.9 microseconds above a steady round trip.
    #[inline]
    fn smoothed(&self, srtt: Time, rtt: Time) -> Time {
        if !self.counts_eighths {
            return Time::from_ps(srtt.ps() - srtt.ps() / 8 + rtt.ps() / 8);
        }
        let eighths = srtt.ps() / EIGHTH_OF_US.ps();
        let sample = rtt.ps() / (8 * EIGHTH_OF_US.ps());
        Time::from_ps((eighths - eighths / 8 + sample) * EIGHTH_OF_US.ps())
    }

    /// The timer ran out: wait twice as long next time.
    pub const fn on_timeout(&mut self) {
        self.backoff += 1;
    }

    /// The nearest number of steps, at least one.
    #[inline]
    fn in_steps(&self, rtt: Time) -> Time {
        if self.step == Time::ZERO {
            return rtt;
        }
        (rtt + Time::from_ps(self.step.ps() / 2)).floor_to(self.step).max(self.step)
    }

    /// The present timeout.
    #[inline]
    pub fn rto(&self) -> Time {
        Time::from_ps(self.computed().ps() << self.backoff.min(10)).max(self.min_timeout).min(self.max_rto)
    }

    /// What it would be, had the timer not run out.
    #[inline]
    pub fn rto_without_backoff(&self) -> Time {
        self.computed().max(self.min_timeout)
    }

    #[inline]
    fn computed(&self) -> Time {
        let added = self
            .deviation
            .map_or_else(|| Time::from_ps(4 * self.rttvar.ps()).max(self.min_rto), |deviation| deviation.held);
        let plain = self.srtt.map_or(self.initial_rto, |srtt| srtt + added);
        plain.max(Time::from_ps(2 * self.step.ps()))
    }

    /// The smoothed round-trip time.
    pub const fn srtt(&self) -> Option<Time> {
        self.srtt
    }
}

#[cfg(test)]
mod tests {
    use super::RttEstimator;
    use crate::tcp::TcpParameters;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn the_timeout_follows_rfc_6298() {
        let mut estimator = RttEstimator::new(Time::from_ms(1000), Time::from_ms(200), Time::ZERO);
        assert_eq!(estimator.rto(), Time::from_ms(1000));
        estimator.on_sample(Time::from_ms(800));
        assert_eq!(estimator.rto(), Time::from_ms(800 + 1600));
        estimator.on_timeout();
        assert_eq!(estimator.rto(), Time::from_ms(4800));
        // 7/8 of 800 and 1/8 of 1000; 3/4 of 400 and 1/4 of the distance, 200.
        estimator.on_sample(Time::from_ms(1000));
        assert_eq!(estimator.rto(), Time::from_ms(825 + 4 * 350));
        for _ in 0..200 {
            estimator.on_sample(Time::from_ms(10));
        }
        assert!(estimator.rto() < Time::from_ms(212), "{:?}", estimator.rto());
    }

    /// An estimator that holds deviations, a floor of 200 ms and a first sample of 100 ms, of which segments up to 10 were
    /// under way; what the timeout adds to the smoothed round-trip time after more samples, in microseconds.
    fn added_after(samples: &[(u64, u32)]) -> u64 {
        let mut estimator = RttEstimator::new(Time::from_ms(1000), Time::from_ms(200), Time::ZERO).holding_deviation();
        estimator.on_sample_between(Time::from_ms(100), 0, 10);
        for &(rtt_ms, una) in samples {
            estimator.on_sample_between(Time::from_ms(rtt_ms), una, una + 10);
        }
        let srtt = estimator.srtt().expect("a sample was taken");
        estimator.rto().since(srtt).ps() / 1_000_000
    }

    #[test]
    fn the_greatest_deviation_of_a_round_trip_is_held_and_given_up_by_quarters() {
        // Fourfold deviation: twice the first sample, then 3/4 of it and the distance, 400 less 100.
        assert_eq!([added_after(&[]), added_after(&[(400, 5)])], [200_000, 150_000 + 300_000]);
        // 800 lies 662.5 from 137.5; later ones of the round trip change nothing, nor does its end.
        let peak = 337_500 + 662_500;
        assert_eq!(added_after(&[(400, 5), (800, 5), (220, 6), (220, 10), (220, 11)]), peak);
        // A whole round trip with no more than 500 or so behind it gives up a quarter of the distance to that.
        let calm: Vec<(u64, u32)> = [(400, 5), (800, 11)].into_iter().chain((12..60).map(|una| (220, una))).collect();
        let rounds = added_after(&calm);
        assert!(rounds < peak / 4 * 3 && rounds >= 200_000, "{rounds} of {peak}");
    }

    #[test]
    fn a_shorter_round_trip_raises_the_deviation_an_eighth_as_fast() {
        // 10 lies 90 from 100, which is 40 more than a quarter of 200.
        assert_eq!(added_after(&[(10, 5)]), 200_000 + 40_000 / 8);
    }

    #[test]
    fn eighths_of_a_microsecond_stay_above_a_shorter_round_trip() {
        let parameters = TcpParameters { rtt_in_us: true, ..TcpParameters::for_tests() };
        let us_after = |parameters: &TcpParameters, first_us: u64| {
            let mut estimator = RttEstimator::of(parameters);
            estimator.on_sample(Time::from_us(first_us));
            (0..200).for_each(|_| estimator.on_sample(Time::from_us(1_000)));
            estimator.srtt().map(|srtt| srtt.ps() / 125_000)
        };
        // From above it stops at 1,000 and seven eighths, from below at 1,000.
        assert_eq!([2_000, 500].map(|first_us| us_after(&parameters, first_us)), [Some(8_007), Some(8_000)]);
        assert_eq!(us_after(&TcpParameters::for_tests(), 2_000), Some(8_000));
    }

    #[test]
    fn a_coarse_clock_counts_whole_steps() {
        let (ms, step) = (Time::from_ms, Time::from_ms(100));
        let srtt_of = |rtt: Time| {
            let mut estimator = RttEstimator::new(ms(3000), ms(1), step);
            estimator.on_sample(rtt);
            estimator.srtt()
        };
        assert_eq!([20, 149, 151].map(|rtt| srtt_of(ms(rtt))), [100, 100, 200].map(|rtt| Some(ms(rtt))));
        let mut estimator = RttEstimator::new(ms(3000), ms(1), step);
        for _ in 0..200 {
            estimator.on_sample(ms(20));
        }
        // One step and no variation; two steps are the least.
        assert_eq!(estimator.rto(), ms(200));
        estimator.on_timeout();
        assert_eq!((estimator.rto(), estimator.rto_without_backoff()), (ms(400), ms(200)));
    }

    #[test]
    fn a_least_timeout_as_a_whole_hides_the_first_times_of_backing_off() {
        let (ms, step) = (Time::from_ms, Time::from_ms(100));
        let mut estimator = RttEstimator::new(ms(6000), ms(1), step).never_below(ms(1000));
        assert_eq!(estimator.rto(), ms(6000));
        // A first sample of three steps: 300 + 4 * 150.
        estimator.on_sample(ms(300));
        assert_eq!([estimator.rto(), estimator.rto_without_backoff()], [ms(1000); 2]);
        let backed_off = [(); 3].map(|()| {
            estimator.on_timeout();
            estimator.rto()
        });
        assert_eq!(backed_off, [1800, 3600, 7200].map(ms));
        // A steady round trip of one step leaves two steps: 400 and 800 ms are less than a second.
        for _ in 0..200 {
            estimator.on_sample(ms(20));
        }
        let backed_off = [(); 3].map(|()| {
            estimator.on_timeout();
            estimator.rto()
        });
        assert_eq!(backed_off, [1000, 1000, 1600].map(ms));
    }
}
