//! Round trips measured without time stamps: of one segment at a time, and of none that was sent again (Karn's rule).
//! What is sent again ends the measurement under way; a timeout that was backed off stays so until the next one ends.

use super::sender::{Outgoing, Sender};
use hntes_sim_scenario::time::Time;

impl Sender {
    /// A segment is about to go out: measure it if none is, and it was never sent before.
    pub(super) fn time(&mut self, segment: Outgoing, now: Time) {
        if segment.again {
            self.timed_segment = None;
        } else if self.parameters.times_one_segment {
            self.timed_segment.get_or_insert((segment.seq, now));
        }
    }

    /// All segments before `next` have arrived, the last of them after `rtt` by its time stamp.
    #[inline]
    pub(super) fn sample(&mut self, next: u32, rtt: Time, now: Time) {
        if self.parameters.times_one_segment {
            self.sample_timed_segment(next, now);
        } else {
            self.rtt.on_sample(rtt);
        }
    }

    fn sample_timed_segment(&mut self, next: u32, now: Time) {
        if let Some((_, sent)) = self.timed_segment.take_if(|(seq, _)| *seq < next) {
            self.rtt.on_sample(now.since(sent));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::TcpParameters;
    use crate::tcp::congestion::{CongestionKind, Reno};
    use crate::tcp::sender::{Ack, Sender};
    use hntes_sim_scenario::LossRecovery;
    use hntes_sim_scenario::time::Time;

    /// A connection with a round trip of 100 ms and the first segments in the network.
    fn sender() -> Sender {
        let loss_recovery = LossRecovery::Newreno;
        let parameters =
            TcpParameters { loss_recovery, times_one_segment: true, initial_window: 4, ..TcpParameters::for_tests() };
        let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
        sender.on_syn_ack(Time::ZERO, Time::from_ms(100));
        send(&mut sender, 100);
        sender
    }

    fn send(sender: &mut Sender, now_ms: u64) {
        while let Some(segment) = sender.next_to_send(Time::from_ms(now_ms)) {
            sender.on_sent(segment, Time::from_ms(now_ms));
        }
    }

    fn srtt_after(sender: &mut Sender, next: u32, now_ms: u64) -> Option<Time> {
        let now = Time::from_ms(now_ms);
        sender.on_ack(Ack { next, echo: Time::ZERO, sack: None, echoes_congestion: false }, now);
        sender.rtt.srtt()
    }

    #[test]
    fn only_the_first_of_a_window_is_measured() {
        let mut sender = sender();
        // 7/8 of 100 and 1/8 of 180 ms; the echo is not looked at.
        assert_eq!(srtt_after(&mut sender, 1, 280), Some(Time::from_ms(110)));
        assert_eq!(srtt_after(&mut sender, 4, 900), Some(Time::from_ms(110)));
        send(&mut sender, 900);
        assert_eq!(srtt_after(&mut sender, 5, 1010), Some(Time::from_ms(110)));
    }

    #[test]
    fn what_was_sent_again_is_not_measured_and_leaves_the_timeout_backed_off() {
        let mut sender = sender();
        let rto = sender.rtt.rto();
        sender.on_timeout(Time::from_ms(1000));
        send(&mut sender, 1000);
        assert_eq!(srtt_after(&mut sender, 4, 1400), Some(Time::from_ms(100)));
        assert_eq!(sender.rtt.rto().ps(), 2 * rto.ps());
        // The first new one ends it.
        send(&mut sender, 1400);
        srtt_after(&mut sender, 5, 1500);
        assert_eq!(sender.rtt.rto().ps(), sender.rtt.rto_without_backoff().ps());
    }
}
