//! The clock of time stamps, which ticks in steps.

use hntes_sim_scenario::time::Time;

/// Reads the present step. Rounding divides, which takes as long as the rest of a segment's making; here once a step.
#[derive(Clone, Debug)]
pub struct StampClock {
    step: Time,
    from: Time,
    until: Time,
}

impl StampClock {
    /// A clock of this step; of none it shows every moment.
    pub const fn new(step: Time) -> Self {
        Self { step, from: Time::ZERO, until: Time::ZERO }
    }

    /// The last tick at or before this moment.
    #[inline(always)]
    pub fn read(&mut self, now: Time) -> Time {
        if now < self.from || now >= self.until {
            self.from = now.floor_to(self.step);
            self.until = self.from + self.step;
        }
        self.from
    }
}

#[cfg(test)]
mod tests {
    use super::StampClock;
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn it_shows_the_last_tick_whatever_was_read_before() {
        let mut random = Random::named(1, "stamps");
        for step in [Time::ZERO, Time::from_us(1), Time::from_ms(1)] {
            let mut clock = StampClock::new(step);
            for _ in 0..10_000 {
                let now = Time::from_ps(random.bits() % 5_000_000_000);
                assert_eq!(clock.read(now), now.floor_to(step));
            }
        }
    }
}
