//! The round trip after a recovery: what Linux 2.6.3x takes for doubtful there.

use super::TcpParameters;
use super::congestion::{CaState, CongestionKind, Reno};
use super::sack::SackBlocks;
use super::sender::{Ack, Sender};
use hntes_sim_scenario::time::Time;

/// A report of these segments, of which the first block may repeat what had come before.
fn blocks(ranges: &[(u32, u32)], duplicate_first: bool) -> SackBlocks {
    let mut blocks = SackBlocks { len: ranges.len() as u8, duplicate_first, ..SackBlocks::default() };
    blocks.ranges[..ranges.len()].copy_from_slice(ranges);
    blocks
}

fn acked(sender: &mut Sender, next: u32, sack: Option<SackBlocks>, now_ms: u64) {
    let now = Time::from_ms(now_ms);
    sender.on_ack(Ack { next, echo: now - Time::from_ms(10), sack: sack.as_ref(), echoes_congestion: false }, now);
}

fn send(sender: &mut Sender, now_ms: u64) {
    while let Some(segment) = sender.next_to_send(Time::from_ms(now_ms)) {
        sender.on_sent(segment, Time::from_ms(now_ms));
    }
}

/// A sender with a window of forty segments that took the first for lost, sent it again and has all of them acknowledged.
fn recovered(disorder_after_recovery: bool) -> Sender {
    let parameters = TcpParameters { disorder_after_recovery, initial_window: 40, ..TcpParameters::for_tests() };
    let mut sender = Sender::new(parameters, CongestionKind::Reno(Reno));
    sender.on_syn_ack(Time::ZERO, Time::from_ms(10));
    send(&mut sender, 10);
    for last in 5..=40 {
        acked(&mut sender, 0, Some(blocks(&[(1, last)], false)), 20);
        send(&mut sender, 20);
    }
    assert_eq!((sender.state, sender.counts.retransmitted, sender.window.ssthresh), (CaState::Recovery, 1, 20));
    let high = sender.high;
    acked(&mut sender, high, None, 30);
    send(&mut sender, 30);
    sender
}

#[test]
fn it_stays_in_doubt_until_something_sent_later_is_acknowledged() {
    let states = |is_doubtful: bool| {
        let mut sender = recovered(is_doubtful);
        let first = sender.state;
        let high = sender.high;
        acked(&mut sender, high, None, 35);
        let second = sender.state;
        acked(&mut sender, high + 1, None, 40);
        [first, second, sender.state]
    };
    assert_eq!(states(true), [CaState::Disorder, CaState::Disorder, CaState::Open]);
    assert_eq!(states(false), [CaState::Open; 3]);
}

#[test]
fn a_duplicate_report_undoes_what_the_recovery_took() {
    let threshold = |is_doubtful: bool| {
        let mut sender = recovered(is_doubtful);
        let una = sender.una();
        acked(&mut sender, una, Some(blocks(&[(0, 1)], true)), 35);
        (sender.window.ssthresh, sender.counts.undone)
    };
    // The threshold at first was 100.
    assert_eq!([true, false].map(threshold), [(100, 1), (20, 0)]);
}
