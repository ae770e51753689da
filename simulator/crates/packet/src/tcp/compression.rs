//! Reports of out-of-order segments held back and sent together (Linux since 4.18): the first few after each advance go
//! out at once, later ones after a twentieth of the round-trip time, a millisecond at most.

use hntes_sim_scenario::time::Time;

/// Reports after an advance that are not held back: as many as tell of a loss.
const AT_ONCE: u32 = 3;
/// Blocks that surely fit an acknowledgement: before more than these tell of something new, all goes out.
const BLOCKS: usize = 2;
/// Reports held back at most (`tcp_comp_sack_nr`).
const MOST: u32 = 44;
/// The longest time (`tcp_comp_sack_delay_ns`).
const LONGEST: Time = Time::from_ms(1);

/// What a receiver holds back.
#[derive(Clone, Debug)]
pub struct Compression {
    is_on: bool,
    asked_at: Time,
    round_trip: Time,
    /// The next segment expected at the last report, and reports since it came to be so.
    next: u32,
    reports: u32,
    held: u32,
}

impl Compression {
    /// Nothing held back; without `is_on` nothing ever is.
    pub const fn new(is_on: bool) -> Self {
        Self { is_on, asked_at: Time::ZERO, round_trip: Time::ZERO, next: 0, reports: 0, held: 0 }
    }

    /// The handshake's answer went out.
    pub const fn on_syn(&mut self, now: Time) {
        self.asked_at = now;
    }

    /// The handshake is over.
    pub const fn on_established(&mut self, now: Time) {
        self.round_trip = now.since(self.asked_at);
    }

    /// A segment came out of order while `next` was expected, and belongs to this one of the recent blocks, or would be
    /// one more; whether it is reported at once.
    pub const fn reports_now(&mut self, next: u32, block: usize) -> bool {
        if !self.is_on || self.held >= MOST || (self.held > 0 && block >= BLOCKS) {
            return true;
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
        (self.held > 0).then(|| Time::from_ps(self.round_trip.ps() / 20).min(LONGEST))
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
        let mut compression = Compression::new(true);
        let run =
            |compression: &mut Compression, next| (0..100).take_while(|_| compression.reports_now(next, 0)).count();
        assert_eq!([run(&mut compression, 5), run(&mut compression, 5), run(&mut compression, 6)], [3, 0, 3]);
        let held = (0..100).take_while(|_| !compression.reports_now(6, 0)).count();
        assert_eq!(held, 44 - 3, "one was held by each run that ended");
        compression.on_reported();
        assert!(!compression.reports_now(6, 0));
        assert!((0..99).all(|_| Compression::new(false).reports_now(7, 0)));
    }

    #[test]
    fn what_is_held_goes_out_before_blocks_would_be_forgotten() {
        let mut compression = Compression::new(true);
        let mut reports = |block| compression.reports_now(5, block);
        assert_eq!([reports(0), reports(1), reports(2)], [true; 3]);
        assert_eq!([reports(1), reports(0), reports(2)], [false, false, true]);
    }

    #[test]
    fn they_wait_for_a_twentieth_of_the_round_trip() {
        let wait_at = |round_trip| {
            let mut compression = Compression::new(true);
            compression.on_syn(Time::from_ms(7));
            compression.on_established(Time::from_ms(7) + round_trip);
            (0..4).for_each(|_| _ = compression.reports_now(1, 0));
            compression.wait()
        };
        assert_eq!(wait_at(Time::from_ms(2)), Some(Time::from_us(100)));
        assert_eq!(wait_at(Time::from_ms(100)), Some(Time::from_ms(1)));
        assert_eq!(Compression::new(true).wait(), None);
    }
}
