//! Cards that cut bursts into segments: senders hand them large ones.
#![allow(missing_docs)]

mod common;

use common::{Dumbbell, assert_close, counts, flow, run_json};
use serde_json::json;

#[test]
fn segments_leave_45_together_where_the_card_cuts_them_and_else_as_they_are_acknowledged() {
    // 180 segments in flight are less than 2.2 ms of the link: nothing waits but what is sent at one moment.
    let traffic = json!({"kind": "tcp", "congestion": "reno", "window_bytes": 180 * 1448});
    let mut scenario = Dumbbell::default().scenario(&json!([flow("tcp", 0, &traffic)]));
    scenario["interval_s"] = json!(0.1);
    let mut waiting = |offload: bool| {
        scenario["hosts"][0]["segmentation_offload"] = json!(offload);
        counts(&run_json(&scenario), "queue/s0->r/peak_bytes").last().map(|&bytes| bytes as f64 / 1538.0)
    };
    assert_close("with", waiting(true).expect("intervals"), 45.0, 0.01);
    assert_close("without", waiting(false).expect("intervals"), 2.0, 0.01);
}
