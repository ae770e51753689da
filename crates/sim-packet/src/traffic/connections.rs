//! A program that sends by TCP: one connection per interval, which has data without end, so much, so much at a pace, or
//! bursts with pauses; or a connection for every object of web pages.

use super::{Demand, Intervals, TrafficSource};
use hntes_sim_scenario::Distribution;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// What each connection has to send, in full segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Supply {
    /// More than it can.
    Endless,
    /// So many segments.
    Transfer(u32),
    /// Bytes of a write and the time from one to the next, for segments of so many bytes.
    Writes {
        /// Payload of one write.
        bytes: u64,
        /// Time from write to write.
        every: Time,
        /// Payload of a segment.
        segment_bytes: u64,
    },
    /// So many segments by chance, a pause by chance once they are acknowledged, and so on.
    Bursts {
        /// Mean segments of a burst.
        mean_segments: f64,
        /// Mean pause.
        mean_pause: Time,
        /// How both are distributed.
        distribution: Distribution,
        /// The most bursts of a connection.
        count: u32,
    },
    /// Objects of so many segments by chance, one after the other, each by a connection of its own.
    Web {
        /// Objects of a page.
        objects_per_page: u32,
        /// Mean segments of an object.
        mean_segments: f64,
        /// How these are distributed.
        distribution: Distribution,
        /// Mean pause after a page, exponentially distributed.
        mean_think: Time,
        /// The most pages of an interval.
        pages: u32,
    },
}

impl Supply {
    /// Whether what is handed over has an end, so that it can be said when all of it was acknowledged.
    pub const fn is_sized(&self) -> bool {
        matches!(self, Self::Transfer(_) | Self::Bursts { .. } | Self::Web { .. })
    }
}

/// The source.
#[derive(Clone, Debug)]
pub struct Connections {
    intervals: Intervals,
    supply: Supply,
    /// The end of the present interval while its connection is open.
    open_until: Option<Time>,
    /// Bytes written that fill no segment yet.
    rest_bytes: u64,
    /// Bursts that the present connection has not begun, or pages that the present interval has not.
    bursts_left: u32,
    /// Objects of the present page that are not yet asked for.
    objects_left: u32,
}

impl Connections {
    /// One connection per interval.
    pub const fn new(intervals: Intervals, supply: Supply) -> Self {
        Self { intervals, supply, open_until: None, rest_bytes: 0, bursts_left: 0, objects_left: 0 }
    }

    /// Segments that one more write fills.
    fn write(&mut self, bytes: u64, segment_bytes: u64) -> u32 {
        let waiting = self.rest_bytes + bytes;
        self.rest_bytes = waiting % segment_bytes;
        (waiting / segment_bytes) as u32
    }

    fn open(&mut self, now: Time, end: Time, random: &mut Random) -> (Demand, Option<Time>) {
        self.open_until = Some(end);
        match self.supply {
            Supply::Endless => (Demand::Open(None), Some(end)),
            Supply::Transfer(segments) => (Demand::Open(Some(segments)), Some(end)),
            Supply::Writes { bytes, every, segment_bytes } => {
                self.rest_bytes = 0;
                (Demand::Open(Some(self.write(bytes, segment_bytes))), Some(end.min(now + every)))
            }
            Supply::Bursts { mean_segments, distribution, count, .. } => {
                self.bursts_left = count - 1;
                (Demand::Open(Some(burst(mean_segments, distribution, random))), Some(end))
            }
            Supply::Web { objects_per_page, mean_segments, distribution, pages, .. } => {
                self.bursts_left = pages - 1;
                self.objects_left = objects_per_page - 1;
                (Demand::Open(Some(burst(mean_segments, distribution, random))), Some(end))
            }
        }
    }
}

impl TrafficSource for Connections {
    fn first(&self) -> Option<Time> {
        self.intervals.first()
    }

    fn ask(&mut self, now: Time, random: &mut Random) -> (Demand, Option<Time>) {
        match (self.open_until, self.supply) {
            (Some(end), Supply::Writes { bytes, every, segment_bytes }) if now < end => {
                (Demand::Write(self.write(bytes, segment_bytes)), Some(end.min(now + every)))
            }
            (Some(end), Supply::Bursts { mean_segments, distribution, .. }) if now < end => {
                (Demand::Write(burst(mean_segments, distribution, random)), Some(end))
            }
            (Some(end), Supply::Web { mean_segments, distribution, .. }) if now < end => {
                (Demand::Open(Some(burst(mean_segments, distribution, random))), Some(end))
            }
            (Some(_), _) => {
                self.open_until = None;
                (Demand::Close, self.intervals.at_or_after(now).map(|interval| interval.0.max(now)))
            }
            (None, _) => match self.intervals.at_or_after(now) {
                Some((start, end)) if start <= now => self.open(now, end, random),
                later => (Demand::Nothing, later.map(|interval| interval.0)),
            },
        }
    }

    fn on_done(&mut self, now: Time, random: &mut Random) -> Option<Time> {
        match (self.open_until, self.supply) {
            (Some(end), Supply::Bursts { mean_pause, distribution, .. }) if self.bursts_left > 0 => {
                self.bursts_left -= 1;
                let pause = Time::from_s(draw(mean_pause.s(), distribution, random));
                Some(end.min(now + pause))
            }
            (Some(end), Supply::Web { .. }) if self.objects_left > 0 => {
                self.objects_left -= 1;
                Some(end.min(now))
            }
            (Some(end), Supply::Web { objects_per_page, mean_think, .. }) if self.bursts_left > 0 => {
                self.bursts_left -= 1;
                self.objects_left = objects_per_page - 1;
                Some(end.min(now + Time::from_s(random.exponential(mean_think.s()))))
            }
            _ => None,
        }
    }
}

/// At least one segment.
fn burst(mean_segments: f64, distribution: Distribution, random: &mut Random) -> u32 {
    draw(mean_segments, distribution, random).round().max(1.0) as u32
}

fn draw(mean: f64, distribution: Distribution, random: &mut Random) -> f64 {
    match distribution {
        Distribution::Exponential => random.exponential(mean),
        Distribution::Pareto { shape } => random.pareto(mean, shape),
    }
}

#[cfg(test)]
mod tests {
    use super::{Connections, Supply};
    use crate::traffic::{Demand, Intervals, TrafficSource};
    use hntes_sim_scenario::Distribution;
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    fn asked(supply: Supply, times: usize) -> Vec<(Time, Demand)> {
        let intervals = Intervals::new(vec![(Time::from_ms(10), Time::from_ms(40))]);
        let mut source = Connections::new(intervals, supply);
        let mut random = Random::named(1, "connections");
        let mut due = source.first();
        let mut seen = Vec::new();
        while let Some(now) = due.filter(|_| seen.len() < times) {
            let (demand, next) = source.ask(now, &mut random);
            seen.push((now, demand));
            due = next;
        }
        seen
    }

    #[test]
    fn a_connection_opens_and_closes_with_its_interval() {
        for (supply, segments) in [(Supply::Endless, None), (Supply::Transfer(7), Some(7))] {
            let expected = [(Time::from_ms(10), Demand::Open(segments)), (Time::from_ms(40), Demand::Close)];
            assert_eq!(asked(supply, 9), expected);
        }
    }

    #[test]
    fn bursts_and_pauses_have_their_means() {
        let distribution = Distribution::Pareto { shape: 2.5 };
        let supply =
            Supply::Bursts { mean_segments: 300.0, mean_pause: Time::from_ms(1), distribution, count: u32::MAX };
        let intervals = Intervals::new(vec![(Time::ZERO, Time::from_ms(100_000))]);
        let mut source = Connections::new(intervals, supply);
        let mut random = Random::named(1, "connections");
        let (mut now, mut segments) = (Time::ZERO, 0);
        for number in 0..20_000 {
            let (demand, next) = source.ask(now, &mut random);
            match demand {
                Demand::Open(Some(count)) if number == 0 => segments += count,
                Demand::Write(count) if number > 0 => segments += count,
                other => panic!("{other:?}"),
            }
            assert_eq!(next, Some(Time::from_ms(100_000)));
            now = source.on_done(now, &mut random).expect("a pause");
        }
        assert!((f64::from(segments) / 20_000.0 / 300.0 - 1.0).abs() < 0.03, "{segments}");
        assert!((now.s() / 20.0 - 1.0).abs() < 0.03, "{}", now.s());
    }

    #[test]
    fn a_connection_has_as_many_bursts_as_it_is_given() {
        let distribution = Distribution::Exponential;
        let supply = Supply::Bursts { mean_segments: 1.0, mean_pause: Time::ZERO, distribution, count: 3 };
        let spans = [(0, 10), (20, 30)].map(|(start, end)| (Time::from_ms(start), Time::from_ms(end)));
        let mut source = Connections::new(Intervals::new(spans.to_vec()), supply);
        let mut random = Random::named(1, "connections");
        for start in [0, 20].map(Time::from_ms) {
            assert!(matches!(source.ask(start, &mut random).0, Demand::Open(Some(_))));
            for _ in 1..3 {
                assert_eq!(source.on_done(start, &mut random), Some(start));
                assert!(matches!(source.ask(start, &mut random).0, Demand::Write(_)));
            }
            assert_eq!(source.on_done(start, &mut random), None);
            assert_eq!(source.ask(start + Time::from_ms(10), &mut random).0, Demand::Close);
        }
    }

    #[test]
    fn a_page_is_so_many_connections_and_somebody_reads_it() {
        let (distribution, mean_think) = (Distribution::Exponential, Time::from_ms(10));
        let supply = Supply::Web { objects_per_page: 3, mean_segments: 20.0, distribution, mean_think, pages: 10_000 };
        let mut source = Connections::new(Intervals::new(vec![(Time::ZERO, Time::from_ms(1_000_000))]), supply);
        let mut random = Random::named(1, "connections");
        let (mut now, mut segments) = (Time::ZERO, 0);
        for number in 1..=30_000 {
            let Demand::Open(Some(count)) = source.ask(now, &mut random).0 else { panic!("object {number}") };
            segments += count;
            match source.on_done(now, &mut random) {
                Some(next) if number % 3 != 0 => assert_eq!(next, now),
                Some(next) => now = next,
                None => assert_eq!(number, 30_000),
            }
        }
        assert!((f64::from(segments) / 30_000.0 / 20.0 - 1.0).abs() < 0.03, "{segments}");
        assert!((now.s() / (9_999.0 * 0.01) - 1.0).abs() < 0.03, "{}", now.s());
    }

    #[test]
    fn what_fills_no_segment_waits_for_the_next_write() {
        let supply = Supply::Writes { bytes: 2500, every: Time::from_ms(8), segment_bytes: 1000 };
        let demands: Vec<_> = asked(supply, 9).into_iter().map(|(_, demand)| demand).collect();
        let expected = [Demand::Open(Some(2)), Demand::Write(3), Demand::Write(2), Demand::Write(3), Demand::Close];
        assert_eq!(demands, expected);
    }
}
