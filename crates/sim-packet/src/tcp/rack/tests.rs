//! Laws of a sender that judges losses by time, segment by segment.

use super::Pending;
use crate::tcp::TcpParameters;
use crate::tcp::congestion::{CaState, CongestionKind, HTcpParameters, Reno};
use crate::tcp::sack::SackBlocks;
use crate::tcp::sender::{Ack, Outgoing, Sender};
use hntes_sim_scenario::time::Time;

const PARAMETERS: TcpParameters = TcpParameters {
    initial_window: 10,
    initial_ssthresh: 1 << 30,
    window_limit: 100_000,
    clamped_window_limit: 100_000,
    reordering_limit: 300,
    disorder_burst: 0,
    rate_halving: false,
    limited_burst_bytes: 0,
    initial_rto: Time::from_ms(1000),
    rack: true,
    growth_counts_segments: true,
    slow_start_doubles: true,
    segment_data_bytes: 100,
    htcp: HTcpParameters { rtt_scaling: true, bandwidth_switch: true, rtt_rounds_up: true, counts_acks: false },
    ..TcpParameters::for_tests()
};

/// Sends what the windows allow; the numbers of the segments.
fn send(sender: &mut Sender, now: Time) -> Vec<Outgoing> {
    let mut sent = Vec::new();
    while let Some(segment) = sender.next_to_send(now) {
        sender.on_sent(segment, now);
        sent.push(segment);
    }
    sender.note_window_use();
    sent
}

/// A connection with a round-trip time of 10 ms and so many segments sent at 10 ms.
fn connected(window: u32, segments: u32) -> Sender {
    let parameters = TcpParameters { initial_window: window, ..PARAMETERS };
    let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
    sender.limit(segments);
    sender.on_syn_sent(Time::ZERO);
    sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
    send(&mut sender, Time::from_ms(10));
    sender
}

/// An acknowledgement of all below `next` and reports of ranges, which echoes a segment sent at `echo_ms`.
fn answer(sender: &mut Sender, next: u32, ranges: &[(u32, u32)], echo_ms: u64, now_ms: u64) {
    let mut blocks = SackBlocks { len: ranges.len() as u8, ..SackBlocks::default() };
    blocks.ranges[..ranges.len()].copy_from_slice(ranges);
    let sack = (!ranges.is_empty()).then_some(&blocks);
    sender.on_ack(Ack { next, echo: Time::from_ms(echo_ms), sack, echoes_congestion: false }, Time::from_ms(now_ms));
}

fn again(seq: u32) -> Outgoing {
    Outgoing { seq, again: true }
}

#[test]
fn a_lost_tail_is_probed_after_two_round_trips() {
    let mut sender = connected(10, 10);
    answer(&mut sender, 8, &[], 10, 20);
    // Two round trips and 2 ms, in whole ticks.
    let due = sender.rto_due.expect("a timer");
    assert_eq!(due, Time::from_ms(20 + 2 * 10 + 2));
    sender.on_timeout(due);
    assert_eq!((send(&mut sender, due), sender.counts.timeouts), (vec![again(9)], 0));
    // The probe's report shows that 8 was lost.
    answer(&mut sender, 8, &[(9, 10)], 42, 52);
    assert_eq!((sender.state, send(&mut sender, Time::from_ms(52))), (CaState::Recovery, vec![again(8)]));
}

#[test]
fn a_single_segment_is_probed_when_its_acknowledgement_cannot_be_delayed_any_more() {
    let sender = connected(1, 1);
    assert_eq!(sender.rto_due, Some(Time::from_ms(10 + 210)), "no later than the timeout");
}

#[test]
fn what_is_sent_again_and_lost_again_is_repaired_without_a_timeout() {
    let mut sender = connected(10, 1000);
    answer(&mut sender, 0, &[(1, 10)], 10, 20);
    let resent = send(&mut sender, Time::from_ms(20));
    assert_eq!((sender.state, resent[0]), (CaState::Recovery, again(0)));
    assert_eq!(resent.iter().filter(|segment| segment.again).count(), 1);
    // A new segment sent after it arrives, it does not.
    answer(&mut sender, 0, &[(1, 11)], 10, 30);
    assert_eq!(send(&mut sender, Time::from_ms(30))[0], again(0));
    assert_eq!((sender.counts.retransmitted, sender.counts.timeouts), (2, 0));
}

#[test]
fn a_recovery_is_undone_as_soon_as_an_original_is_found_late() {
    let mut sender = connected(10, 1000);
    answer(&mut sender, 0, &[(3, 10)], 10, 20);
    assert_eq!((sender.state, sender.board.lost()), (CaState::Recovery, 3));
    send(&mut sender, Time::from_ms(20));
    assert!(sender.cwnd() < 10);
    // 0 arrives as first sent: the echo is older than the first retransmission. What was sent again is under way still.
    answer(&mut sender, 1, &[(3, 10)], 10, 21);
    let retransmissions = sender.counts.retransmitted;
    assert_eq!((sender.state, sender.counts.undone), (CaState::Recovery, 0));
    answer(&mut sender, 10, &[], 10, 22);
    assert_eq!((sender.state, sender.counts.undone), (CaState::Open, 1));
    assert!(sender.cwnd() >= 10, "{}", sender.cwnd());
    assert_eq!(sender.counts.retransmitted, retransmissions);
}

#[test]
fn late_segments_do_not_put_off_the_timeout_of_the_first() {
    // Sent at 10 ms: the timeout is 210 to 240 ms.
    let mut sender = connected(10, 1000);
    let mut due_after = |now| {
        sender.wait_until_settled(Time::from_ms(5), now);
        (sender.rack.pending, sender.rto_due)
    };
    assert_eq!(due_after(Time::from_ms(50)), (Pending::Settling, Some(Time::from_ms(50 + 5 + 2))));
    let overdue = (Pending::Retransmission, Some(Time::from_ms(300 + 1)));
    assert_eq!([300_000, 300_500].map(|us| due_after(Time::from_us(us))), [overdue; 2]);
}

#[test]
fn the_handshake_offers_65535_bytes_at_most() {
    let parameters = TcpParameters { segment_data_bytes: 8948, ..PARAMETERS };
    let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
    sender.on_syn_sent(Time::ZERO);
    sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
    assert_eq!(send(&mut sender, Time::from_ms(10)).len(), 65_535 / 8948);
    // From then on the window rules: one segment acknowledged of 7 leaves 6 under way, and 11 may be.
    answer(&mut sender, 1, &[], 10, 20);
    assert_eq!(send(&mut sender, Time::from_ms(20)).len(), 11 - 6);
}

#[test]
fn the_threshold_follows_the_reordering_seen_up_to_its_limit() {
    for (late_by, threshold) in [(2, 3), (50, 50), (299, 299), (400, 300)] {
        let mut sender = connected(500, 1000);
        answer(&mut sender, 0, &[(1, late_by)], 10, 20);
        answer(&mut sender, late_by, &[], 10, 20);
        assert_eq!(sender.reordering, threshold, "late by {late_by}");
    }
}

#[test]
fn after_a_timeout_what_was_sent_last_is_not_taken_for_lost() {
    let mut sender = connected(10, 1000);
    answer(&mut sender, 1, &[], 10, 20);
    send(&mut sender, Time::from_ms(215));
    sender.rack.pending = Pending::Retransmission;
    sender.on_timeout(Time::from_ms(220));
    // 1 to 9 are old; 10 and 11, sent 5 ms ago, are not.
    assert_eq!((sender.board.lost(), sender.counts.timeouts, sender.state), (9, 1, CaState::Loss));
}
