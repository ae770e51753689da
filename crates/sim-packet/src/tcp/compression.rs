//! Reports of out-of-order segments held back and sent together (Linux since 4.18): the first few after each advance go
//! out at once, later ones after a twentieth of the round-trip time, a millisecond at most, and the slack of its timer.

use hntes_sim_scenario::time::Time;

/// Reports after an advance that are not held back: as many as tell of a loss.
const AT_ONCE: u32 = 3;
/// Blocks that surely fit an acknowledgement: before one more is told of, what is held back goes out.
const BLOCKS: usize = 2;
/// Reports held back at most (`tcp_comp_sack_nr`).
const MOST: u32 = 44;
/// The longest time (`tcp_comp_sack_delay_ns`).
const LONGEST: Time = Time::from_ms(1);

/// What a receiver holds back.
#[derive(Clone, Debug)]
pub struct Compression {
    is_on: bool,
    slack: Time,
    asked_at: Time,
    round_trip: Time,
    /// The next segment expected at the last report, and reports since it came to be so.
    next: u32,
    reports: u32,
    held: u32,
    /// What was held back has just been reported before the segment that comes, which itself asks for nothing more.
    is_answered: bool,
}

impl Compression {
    /// Nothing held back; without `is_on` nothing ever is. The timer runs out so much later than it should: Linux wakes no
    /// processor for it before (`tcp_comp_sack_slack_ns`).
    pub const fn new(is_on: bool, slack: Time) -> Self {
        Self {
            is_on,
            slack,
            asked_at: Time::ZERO,
            round_trip: Time::ZERO,
            next: 0,
            reports: 0,
            held: 0,
            is_answered: false,
        }
    }

    /// The handshake's answer went out.
    pub const fn on_syn(&mut self, now: Time) {
        self.asked_at = now;
    }

    /// The handshake is over.
    pub const fn on_established(&mut self, now: Time) {
        self.round_trip = now.since(self.asked_at);
    }

    /// A segment comes out of order that belongs to this one of the recent blocks, or would be one more; whether what is
    /// held back is reported first, without it (`tcp_sack_compress_send_ack`).
    pub const fn reports_before(&self, block: usize) -> bool {
        self.held > 0 && block >= BLOCKS
    }

    /// That was done.
    pub const fn on_reported_before(&mut self) {
        self.is_answered = true;
    }

    /// Whether the segment that has come asks for nothing, as the report before it was the answer.
    pub const fn take_answered(&mut self) -> bool {
        std::mem::replace(&mut self.is_answered, false)
    }

    /// Whether anything is held back.
    pub const fn holds_any(&self) -> bool {
        self.held > 0
    }

    /// A segment came out of order while `next` was expected; whether it is reported at once.
    pub const fn reports_now(&mut self, next: u32) -> bool {
        if !self.is_on || self.held >= MOST {
            return true;
        }
        if self.is_answered {
            return false;
        }
        if next != self.next {
            (self.next, self.reports) = (next, 0);
        }
        if self.reports < AT_ONCE {
            self.reports += 1;
            return true;
        }
        self.held += 1;
        false
    }

    /// How long what is held back may wait; nothing when there is none.
    pub fn wait(&self) -> Option<Time> {
        (self.held > 0).then(|| Time::from_ps(self.round_trip.ps() / 20).min(LONGEST) + self.slack)
    }

    /// An acknowledgement goes out and reports all.
    #[inline]
    pub const fn on_reported(&mut self) {
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::Compression;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn three_reports_after_an_advance_go_out_at_once_and_44_more_wait() {
        let mut compression = Compression::new(true, Time::ZERO);
        let run = |compression: &mut Compression, next| (0..100).take_while(|_| compression.reports_now(next)).count();
        assert_eq!([run(&mut compression, 5), run(&mut compression, 5), run(&mut compression, 6)], [3, 0, 3]);
        let held = (0..100).take_while(|_| !compression.reports_now(6)).count();
        assert_eq!(held, 44 - 3, "one was held by each run that ended");
        compression.on_reported();
        assert!(!compression.reports_now(6));
        assert!((0..99).all(|_| Compression::new(false, Time::ZERO).reports_now(7)));
    }

    #[test]
    fn what_is_held_goes_out_before_blocks_would_be_forgotten() {
        let mut compression = Compression::new(true, Time::ZERO);
        assert_eq!([(); 4].map(|()| compression.reports_now(5)), [true, true, true, false]);
        assert_eq!([0, 1, 2, 4].map(|block| compression.reports_before(block)), [false, false, true, true]);
        compression.on_reported();
        assert!(!compression.reports_before(4));
    }

    #[test]
    fn they_wait_for_a_twentieth_of_the_round_trip_and_the_slack() {
        let wait_with = |slack, round_trip| {
            let mut compression = Compression::new(true, slack);
            compression.on_syn(Time::from_ms(7));
            compression.on_established(Time::from_ms(7) + round_trip);
            (0..4).for_each(|_| _ = compression.reports_now(1));
            compression.wait()
        };
        let waits = |slack| [2, 100].map(|ms| wait_with(slack, Time::from_ms(ms)));
        assert_eq!(waits(Time::ZERO), [100, 1_000].map(|us| Some(Time::from_us(us))));
        assert_eq!(waits(Time::from_us(100)), [200, 1_100].map(|us| Some(Time::from_us(us))));
        assert_eq!(Compression::new(true, Time::ZERO).wait(), None);
    }
}
