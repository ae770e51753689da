//! Bursts for a card that cuts them into segments (TCP segmentation offload). Linux 2.6.3x holds back what the windows allow
//! until it makes a full one, or a third of the window (`tcp_tso_should_defer`, `tcp_tso_win_divisor`).

use super::congestion::CaState;
use super::sender::Sender;
use hntes_sim_scenario::time::Time;

/// `tcp_tso_win_divisor`.
const SHARE_OF_WINDOW: u32 = 3;
/// Linux's clock (`HZ` = 1000), in steps of which sending is put off once.
const TICK: Time = Time::from_ms(1);

impl Sender {
    /// Whether it now holds segments back until a burst is worth sending.
    pub fn waits_for_bursts(&self) -> bool {
        self.parameters.waits_for_bursts
            && !self.parameters.rack
            && self.state == CaState::Open
            && !self.owes_window_reduced
    }

    /// How many of the segments that the windows allow go out as one burst; none while they are held back.
    pub fn large_burst(&mut self, allowed: u32, now: Time) -> u32 {
        let data_bytes = u32::from(self.parameters.segment_data_bytes);
        let most_bytes = self.parameters.limited_burst_bytes;
        let headers_bytes = u32::from(self.parameters.header_bytes);
        // The buffer has one header.
        let whole = (most_bytes.saturating_sub(1 + headers_bytes) / data_bytes).max(1);
        let share = self.window.cwnd.min(self.parameters.window_limit) / SHARE_OF_WINDOW;
        let is_last = self.board.next() + allowed >= self.available;
        let has_waited = self.held_back_at.is_some_and(|at| tick(now) > tick(at) + 1);
        if allowed >= most_bytes.div_ceil(data_bytes) || allowed >= share || is_last || has_waited {
            self.held_back_at = None;
            return allowed.min(whole);
        }
        self.held_back_at = Some(now);
        0
    }
}

const fn tick(time: Time) -> u64 {
    time.ps() / TICK.ps()
}

#[cfg(test)]
mod tests {
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::sender::Sender;
    use hntes_sim_scenario::time::Time;

    fn sender(cwnd: u32) -> Sender {
        let parameters = TcpParameters { initial_window: cwnd, waits_for_bursts: true, ..TcpParameters::for_tests() };
        let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
        sender.parameters.window_limit = 1000;
        sender
    }

    #[test]
    fn less_than_64_kb_waits_in_a_large_window_and_45_segments_go_out_together() {
        // 46 x 1448 bytes are the first to reach 65536; a buffer of 65535 holds 45 and a header.
        let burst = |allowed| sender(900).large_burst(allowed, Time::ZERO);
        assert_eq!([1, 45, 46, 200].map(burst), [0, 0, 45, 45]);
    }

    #[test]
    fn a_third_of_a_small_window_is_enough() {
        let burst = |allowed| sender(30).large_burst(allowed, Time::ZERO);
        assert_eq!([1, 9, 10, 30].map(burst), [0, 0, 10, 30]);
    }

    #[test]
    fn it_is_put_off_for_two_ticks_at_most_and_the_end_of_the_data_not_at_all() {
        let mut sender = sender(900);
        let bursts = [100, 1_900, 3_900].map(|at_us| sender.large_burst(5, Time::from_us(at_us)));
        assert_eq!(bursts, [0, 0, 5]);
        sender.limit(5);
        assert_eq!(sender.large_burst(5, Time::from_us(4_000)), 5);
    }
}
