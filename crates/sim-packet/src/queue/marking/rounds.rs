//! Rounds of a TCP flow as a router sees them (Christin and Liebeherr 2003): a window of packets, then a gap.

use hntes_sim_scenario::time::Time;

/// After a longer pause a flow begins anew: it was silent, or waited for a timeout (RFC 6298: a second at least).
const PAUSE: Time = Time::from_ms(1000);

/// How rounds are told apart.
#[derive(Clone, Copy, Debug)]
pub struct RoundRule {
    /// A gap longer than the estimated round trip through this ends a round.
    pub gaps_per_round_trip: f64,
    /// What one more round leaves of the estimate, from 0 to 1.
    pub memory: f64,
    /// The estimate for a flow just seen.
    pub initial_round_trip: Time,
}

/// One flow's rounds.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// Packets seen in this round: the estimate of the window.
    pub window_pkts: u32,
    /// It was marked, or lost a packet, in this round.
    pub is_hit: bool,
    /// The largest packet seen, in bytes of link time.
    pub packet_bytes: u64,
    last_window_pkts: u32,
    round_trip: Time,
    began: Time,
    last: Time,
}

impl Rounds {
    /// A flow that has sent nothing.
    pub const fn new(rule: &RoundRule) -> Self {
        Self {
            window_pkts: 0,
            is_hit: false,
            packet_bytes: 0,
            last_window_pkts: u32::MAX - 1,
            round_trip: rule.initial_round_trip,
            began: Time::ZERO,
            last: Time::ZERO,
        }
    }

    /// A packet has come.
    pub fn on_packet(&mut self, wire_bytes: u64, now: Time, rule: &RoundRule) {
        let gap = now.since(self.last);
        let longest_gap = self.round_trip.ps() as f64 / rule.gaps_per_round_trip;
        if self.window_pkts == 0 || gap > PAUSE {
            self.begin(u32::MAX - 1, now);
        } else if gap.ps() as f64 > longest_gap || self.window_pkts > self.last_window_pkts {
            let length = now.since(self.began).ps() as f64;
            let estimate = rule.memory * self.round_trip.ps() as f64 + (1.0 - rule.memory) * length;
            self.round_trip = Time::from_ps(estimate as u64);
            self.begin(self.window_pkts, now);
        }
        self.window_pkts += 1;
        self.packet_bytes = self.packet_bytes.max(wire_bytes);
        self.last = now;
    }

    const fn begin(&mut self, last_window_pkts: u32, now: Time) {
        self.last_window_pkts = last_window_pkts;
        self.window_pkts = 0;
        self.is_hit = false;
        self.began = now;
    }

    /// When the next round is expected.
    pub fn next(&self) -> Time {
        self.began + self.round_trip
    }

    /// Whether a next round is expected at all: it is not overdue by more than a round trip.
    pub fn is_active(&self, now: Time) -> bool {
        self.window_pkts > 0 && now <= self.next() + self.round_trip
    }

    /// Packets expected in the next round.
    pub fn next_window_pkts(&self) -> f64 {
        expected_window_pkts(f64::from(self.window_pkts), self.is_hit)
    }
}

/// What follows a window: one packet more, or half of it after a mark or a loss.
pub fn expected_window_pkts(window_pkts: f64, is_hit: bool) -> f64 {
    if is_hit { window_pkts / 2.0 } else { window_pkts + 1.0 }
}

#[cfg(test)]
mod tests {
    use super::{RoundRule, Rounds};
    use hntes_sim_scenario::time::Time;

    const RULE: RoundRule =
        RoundRule { gaps_per_round_trip: 10.0, memory: 0.9, initial_round_trip: Time::from_ms(100) };

    /// Send windows of these sizes from `start` on, a round trip apart, the packets of one a millisecond apart.
    fn send(flow: &mut Rounds, start_ms: u64, round_trip_ms: u64, windows: &[u64]) {
        for (round, &window) in windows.iter().enumerate() {
            for packet in 0..window {
                let at = start_ms + round as u64 * round_trip_ms + packet;
                flow.on_packet(500, Time::from_ms(at), &RULE);
            }
        }
    }

    #[test]
    fn the_window_is_what_came_since_the_gap() {
        let mut flow = Rounds::new(&RULE);
        send(&mut flow, 5, 100, &[4, 5, 6, 3]);
        assert_eq!((flow.window_pkts, flow.next()), (3, Time::from_ms(405)));
        assert!((flow.next_window_pkts() - 4.0).abs() < 1e-12);
        flow.is_hit = true;
        assert!((flow.next_window_pkts() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn the_estimate_moves_by_a_tenth_of_the_way() {
        let mut flow = Rounds::new(&RULE);
        send(&mut flow, 0, 60, &[2, 2, 2]);
        // 100, then 96, then 92.4 ms; the third round began at 120 ms.
        assert_eq!(flow.next().ps() / 1_000_000, 120_000 + 92_400);
        send(&mut flow, 180, 60, &[2; 100]);
        let began = Time::from_ms(180 + 99 * 60);
        assert!((flow.next().since(began).s() - 0.06).abs() < 1e-4, "{:?}", flow.next());
    }

    #[test]
    fn a_window_grows_by_one_packet_a_round() {
        let mut flow = Rounds::new(&RULE);
        send(&mut flow, 0, 100, &[3, 4]);
        assert_eq!(flow.window_pkts, 4);
        // No gap, but more than the last round and one: the next round has begun.
        flow.on_packet(500, Time::from_ms(104), &RULE);
        assert_eq!((flow.window_pkts, flow.next().since(Time::from_ms(104)).ps() / 1_000_000), (1, 90_400));
    }

    #[test]
    fn a_new_round_forgets_the_mark_of_the_last() {
        let mut flow = Rounds::new(&RULE);
        send(&mut flow, 0, 100, &[3]);
        flow.is_hit = true;
        send(&mut flow, 100, 100, &[1]);
        assert!(!flow.is_hit);
    }

    #[test]
    fn a_pause_is_no_round() {
        let mut flow = Rounds::new(&RULE);
        send(&mut flow, 0, 100, &[3]);
        assert!(flow.is_active(Time::from_ms(200)) && !flow.is_active(Time::from_ms(201)));
        send(&mut flow, 5000, 100, &[1]);
        assert_eq!(flow.next(), Time::from_ms(5100));
    }
}
