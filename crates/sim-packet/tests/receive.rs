//! Hosts that poll (NAPI), against arithmetic: how many packets one poll takes.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, flow, run_json, totals};
use serde_json::{Value, json};

/// Time from one full packet to the next on a link of 1 Gb/s, in microseconds.
const GAP_US: f64 = 12.304;

/// A window-limited flow that fills 1 Gb/s without losses, into a host that merges as many segments as a poll takes.
fn paced(receive: &Value) -> Value {
    let flows = json!([flow("tcp", 0, &json!({"kind": "tcp", "congestion": "reno", "window_bytes": 2_000_000}))]);
    let dumbbell = Dumbbell { access_bps: 1e10, duration_s: 2.0, ..Dumbbell::default() };
    let mut scenario = dumbbell.scenario(&flows);
    scenario["hosts"][3]["receive"] = receive.clone();
    scenario["tcp"] = json!({"initial_window_pkts": 10, "merge_segments": 1000});
    scenario
}

/// Segments per acknowledgement over the run. What arrives is segments in order, acknowledgements and three packets of the
/// handshake.
fn segments_per_ack(scenario: &Value) -> f64 {
    let result = run_json(scenario);
    let tcp = totals(&result, "tcp");
    assert_eq!(tcp.tcp.as_ref().map(|tcp| tcp.retransmitted_pkts), Some(0));
    let segments = tcp.goodput_bytes as f64 / 1448.0;
    segments / (tcp.delivered_pkts as f64 - segments - 3.0)
}

#[test]
fn a_poll_takes_what_comes_while_it_lasts() {
    // A poll of n packets ends when none has come by interrupt + n x packet: n is the least with that below n x gap.
    for (interrupt_us, packet_us) in [(20.0, 2.0), (50.0, 10.0), (100.0, 6.0), (30.0, 11.5)] {
        let expected = (interrupt_us / (GAP_US - packet_us)).floor() + 1.0;
        let receive = json!({"kind": "napi", "interrupt_us": interrupt_us, "packet_us": packet_us});
        assert_close(&format!("{receive}"), segments_per_ack(&paced(&receive)), expected, 0.03);
    }
}

#[test]
fn a_host_slower_than_its_link_takes_whole_polls_and_its_own_time() {
    for poll_pkts in [16, 64] {
        let receive = json!({"kind": "napi", "interrupt_us": 5.0, "packet_us": 16.0, "poll_pkts": poll_pkts});
        let mut scenario = paced(&receive);
        assert_close("segments per acknowledgement", segments_per_ack(&scenario), f64::from(poll_pkts), 0.03);
        let mut segments_in = |duration_s: f64| {
            scenario["duration_s"] = json!(duration_s);
            totals(&run_json(&scenario), "tcp").goodput_bytes as f64 / 1448.0
        };
        let start = segments_in(1.0);
        assert_close("segments in a second", segments_in(2.0) - start, 1e6 / 16.0, 0.002);
    }
}

#[test]
fn interrupts_of_the_card_are_throttled_between_polls() {
    let mut scenario = paced(&json!({"kind": "napi", "interrupt_us": 0.0, "packet_us": 0.0}));
    scenario["hosts"][3]["interrupt_gap_us"] = json!(10.0 * GAP_US - 1.0);
    assert_close("segments per acknowledgement", segments_per_ack(&scenario), 10.0, 0.03);
}
