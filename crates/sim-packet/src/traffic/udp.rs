//! Datagrams at a given rate, evenly or randomly spaced, all the time or on and off; large ones go out as IP fragments.

use super::{Demand, Intervals, TrafficSource};
use hntes_sim_scenario::Spacing;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// The source.
#[derive(Clone, Debug)]
pub struct Udp {
    intervals: Intervals,
    gap: Time,
    spacing: Spacing,
    /// Time on and time off, in turn, from the start of each interval.
    on_off: Option<(Time, Time)>,
}

impl Udp {
    /// A datagram every `gap` on average while on.
    pub const fn new(intervals: Intervals, gap: Time, spacing: Spacing, on_off: Option<(Time, Time)>) -> Self {
        Self { intervals, gap, spacing, on_off }
    }

    #[inline]
    fn next_gap(&self, random: &mut Random) -> Time {
        match self.spacing {
            Spacing::Even { jitter } if jitter > 0.0 => {
                let factor = 1.0 + jitter * (2.0 * random.unit() - 1.0);
                Time::from_ps((self.gap.ps() as f64 * factor) as u64)
            }
            Spacing::Even { .. } => self.gap,
            Spacing::Poisson => Time::from_ps(random.exponential(self.gap.ps() as f64) as u64),
        }
    }

    /// The first time at or after `from` at which the source is on.
    #[inline]
    fn on_from(&mut self, from: Time) -> Option<Time> {
        let mut from = from;
        loop {
            let (start, end) = self.intervals.at_or_after(from)?;
            from = from.max(start);
            let Some((on, off)) = self.on_off else { return Some(from) };
            let phase = Time::from_ps((from - start).ps() % (on + off).ps());
            if phase < on {
                return Some(from);
            }
            from += on + off - phase;
            if from < end {
                return Some(from);
            }
        }
    }
}

impl TrafficSource for Udp {
    fn first(&self) -> Option<Time> {
        self.intervals.first()
    }

    #[inline]
    fn ask(&mut self, now: Time, random: &mut Random) -> (Demand, Option<Time>) {
        match self.on_from(now) {
            Some(time) if time <= now => {
                let next = now + self.next_gap(random);
                (Demand::Datagram, self.on_from(next))
            }
            later => (Demand::Nothing, later),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Udp;
    use crate::traffic::{Demand, Intervals, TrafficSource};
    use hntes_sim_scenario::Spacing;
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    fn datagrams(mut source: Udp) -> (u32, Time) {
        let mut random = Random::named(1, "udp");
        let (mut count, mut at, mut last) = (0, source.first(), Time::ZERO);
        while let Some(now) = at {
            let (demand, next) = source.ask(now, &mut random);
            count += u32::from(demand == Demand::Datagram);
            (at, last) = (next, now);
        }
        (count, last)
    }

    #[test]
    fn rates_and_intervals_are_kept() {
        let intervals =
            || Intervals::new(vec![(Time::ZERO, Time::from_s(1.0)), (Time::from_s(2.0), Time::from_s(3.0))]);
        let gap = Time::from_ms(1);
        assert_eq!(datagrams(Udp::new(intervals(), gap, Spacing::Even { jitter: 0.0 }, None)).0, 2000);
        let (count, _) = datagrams(Udp::new(intervals(), gap, Spacing::Even { jitter: 0.2 }, None));
        assert!((1980..2020).contains(&count), "{count}");
        let (count, _) = datagrams(Udp::new(intervals(), gap, Spacing::Poisson, None));
        assert!((1850..2150).contains(&count), "{count}");
        let on_off = Some((Time::from_ms(100), Time::from_ms(100)));
        let (count, last) = datagrams(Udp::new(intervals(), gap, Spacing::Even { jitter: 0.0 }, on_off));
        assert_eq!((count, last), (1000, Time::from_ms(2899)));
    }
}
