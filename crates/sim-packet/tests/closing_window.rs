//! A receiver that offers less and less where memory is short (Linux 2.6.3x), in a whole run.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, counts, flow, run_json};
use serde_json::json;

/// What part of a link of 1 Gb/s a flow fills in the worst 10 ms after its slow start has overflowed the buffer, which the
/// window it is offered just exceeds.
fn worst_after_start(closes: bool, gap_us: u64) -> f64 {
    let flows = json!([flow("tcp", 0, &json!({"kind": "tcp", "congestion": "reno", "window_bytes": 3_000_000}))]);
    let dumbbell = Dumbbell { access_bps: 1e10, buffer_bytes: 2_500_000, ..Dumbbell::default() };
    let mut scenario = dumbbell.scenario(&flows);
    scenario["interval_s"] = json!(0.01);
    scenario["hosts"][3]["interrupt_gap_us"] = json!(gap_us);
    scenario["tcp"] = json!({"initial_window_pkts": 10, "merge_segments": 44, "clamped_window_bytes": 1_500_000,
                             "clamp_held_bytes": 1_000_000, "offered_window_closes": closes});
    let result = run_json(&scenario);
    let goodput = counts(&result, "flow/tcp/goodput_bytes");
    let is_held = |&bytes: &u64| bytes == 0;
    let last_held = goodput.iter().rposition(is_held).expect("all that comes in a recovery is held");
    let worst = goodput[last_held + 1..].iter().min().expect("the rest of the run");
    *worst as f64 / (1e9 / 8.0 * 0.01 * 1448.0 / 1538.0)
}

#[test]
fn a_flow_that_has_used_the_old_offer_falls_silent() {
    // In runs of 4 and 8 segments: two more for each of them let through a fraction of the link.
    for gap_us in [50, 100] {
        let [open, closed] = [false, true].map(|closes| worst_after_start(closes, gap_us));
        assert!(open > 0.75 && closed < 0.25, "runs of {gap_us} us: {open} and {closed} of the link");
    }
}
