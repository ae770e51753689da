//! The agenda: which source of events comes next.
//!
//! A run has few sources (a link's pipe, a port, a timer), each with at most one next event, and millions of packets
//! behind them. A winner tree over the sources finds the earliest in a handful of comparisons, whatever waits behind.

use hntes_sim_scenario::time::Time;

/// The number of a source of events.
pub type SourceId = usize;

const SOURCE_BITS: u32 = 16;
const IDLE: u128 = u128::MAX;

/// The pending event of each source, ordered by time and, at one time, by the order of scheduling.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// A heap-shaped tree; node n holds the smaller key of 2n and 2n + 1, leaves start at the middle.
    keys: Vec<u128>,
    leaves: usize,
    sequence: u64,
}

impl Agenda {
    /// The most sources an agenda can hold.
    pub const MAX_SOURCES: usize = 1 << SOURCE_BITS;

    /// An agenda for this many sources, all idle.
    pub fn new(sources: usize) -> Self {
        let leaves = sources.next_power_of_two().max(2);
        Self { keys: vec![IDLE; 2 * leaves], leaves, sequence: 0 }
    }

    /// Set a source's next event, in place of the one it had.
    #[inline(always)]
    pub fn schedule(&mut self, source: SourceId, at: Time) {
        self.sequence += 1;
        let order = (self.sequence << SOURCE_BITS) | source as u64;
        self.replace(source, (u128::from(at.ps()) << 64) | u128::from(order));
    }

    /// Set a source's next event before all others of the same time.
    pub fn schedule_first(&mut self, source: SourceId, at: Time) {
        self.replace(source, (u128::from(at.ps()) << 64) | source as u128);
    }

    /// Set a source's next event unless an earlier one is set.
    #[inline(always)]
    pub fn schedule_earlier(&mut self, source: SourceId, at: Time) {
        if self.due(source).is_none_or(|due| at < due) {
            self.schedule(source, at);
        }
    }

    /// Take away a source's next event.
    #[inline(always)]
    pub fn cancel(&mut self, source: SourceId) {
        self.replace(source, IDLE);
    }

    /// The earliest event.
    #[inline(always)]
    pub fn next(&self) -> Option<(Time, SourceId)> {
        let key = self.keys[1];
        let source = key as usize & (Self::MAX_SOURCES - 1);
        (key != IDLE).then(|| (Time::from_ps((key >> 64) as u64), source))
    }

    /// When a source's event is due.
    #[inline]
    pub fn due(&self, source: SourceId) -> Option<Time> {
        let key = self.keys[self.leaves + source];
        (key != IDLE).then(|| Time::from_ps((key >> 64) as u64))
    }

    #[inline(always)]
    fn replace(&mut self, source: SourceId, key: u128) {
        let mut node = self.leaves + source;
        let mut winner = key;
        self.keys[node] = key;
        while node > 1 {
            let rival = self.keys[node ^ 1];
            if rival < winner {
                winner = rival;
            }
            node >>= 1;
            self.keys[node] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Agenda;
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn simultaneous_events_run_in_the_order_of_scheduling() {
        let mut agenda = Agenda::new(5);
        for source in [3, 0, 4, 1] {
            agenda.schedule(source, Time::from_us(9));
        }
        for source in [3, 0, 4, 1] {
            assert_eq!(agenda.next(), Some((Time::from_us(9), source)));
            agenda.cancel(source);
        }
        assert_eq!(agenda.next(), None);
    }

    #[test]
    fn the_tree_agrees_with_a_linear_scan() {
        let mut random = Random::named(3, "agenda");
        for sources in [1, 2, 7, 33] {
            let mut agenda = Agenda::new(sources);
            let mut plain = vec![None; sources];
            for sequence in 0..5000_u64 {
                let source = (random.bits() % sources as u64) as usize;
                if random.chance(0.2) {
                    agenda.cancel(source);
                    plain[source] = None;
                } else {
                    let at = Time::from_ps(random.bits() % 50);
                    agenda.schedule(source, at);
                    plain[source] = Some((at, sequence));
                }
                let least = (0..sources).filter_map(|s| plain[s].map(|key| (key, s))).min();
                assert_eq!(agenda.next(), least.map(|((at, _), s)| (at, s)));
                assert_eq!(agenda.due(source), plain[source].map(|(at, _)| at));
            }
        }
    }
}
