//! Echo requests at a fixed interval, or as a Poisson process: a sample that keeps step with nothing (RFC 2330, 11.1).

use super::{Demand, Intervals, TrafficSource};
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// The source.
#[derive(Clone, Debug)]
pub struct Ping {
    intervals: Intervals,
    gap: Time,
    poisson: bool,
}

impl Ping {
    /// A request every `gap` while on, or with gaps at random of that mean.
    pub const fn new(intervals: Intervals, gap: Time, poisson: bool) -> Self {
        Self { intervals, gap, poisson }
    }
}

impl TrafficSource for Ping {
    fn first(&self) -> Option<Time> {
        self.intervals.first()
    }

    fn ask(&mut self, now: Time, random: &mut Random) -> (Demand, Option<Time>) {
        let next = |source: &mut Self, from: Time| source.intervals.at_or_after(from).map(|next| next.0.max(from));
        match self.intervals.at_or_after(now) {
            Some((start, _)) if start <= now => {
                let gap_ps = self.gap.ps() as f64;
                let gap = if self.poisson { Time::from_ps(random.exponential(gap_ps) as u64) } else { self.gap };
                (Demand::Echo, next(self, now + gap))
            }
            later => (Demand::Nothing, later.map(|interval| interval.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ping;
    use crate::traffic::{Demand, Intervals, TrafficSource};
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    /// Mean and standard deviation of the gaps between the requests of 1000 s, in ms.
    fn gaps_ms(poisson: bool) -> (f64, f64) {
        let intervals = Intervals::new(vec![(Time::ZERO, Time::from_s(1000.0))]);
        let mut source = Ping::new(intervals, Time::from_ms(50), poisson);
        let mut random = Random::named(3, "gaps");
        let (mut at, mut gaps) = (source.first(), Vec::new());
        while let Some(now) = at {
            let (demand, next) = source.ask(now, &mut random);
            assert_eq!(demand, Demand::Echo);
            gaps.extend(next.map(|next| next.since(now).ps() as f64 / 1e9));
            at = next;
        }
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        (mean, variance.sqrt())
    }

    #[test]
    fn requests_go_out_evenly_or_as_a_poisson_process() {
        assert_eq!(gaps_ms(false), (50.0, 0.0));
        let (mean, deviation) = gaps_ms(true);
        // Exponential gaps deviate by their mean; 20,000 of them give both within some 1 %.
        assert!((mean - 50.0).abs() < 1.5 && (deviation - 50.0).abs() < 2.5, "{mean} {deviation}");
    }
}
