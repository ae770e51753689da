//! Parts of the packet engine that a build may lack.

use crate::error::ScenarioError;
use crate::model::{Discipline, Meter, Port, Scheduler};

/// Refuse ports with parts that only reproductions of publications and free scenarios use, in a build without them.
pub(super) fn check(ports: &[Port]) -> Result<(), ScenarioError> {
    if cfg!(feature = "papers") {
        return Ok(());
    }
    match ports.iter().enumerate().find_map(|(number, port)| left_out(port).map(|found| (number, found))) {
        Some((number, (key, part))) => Err(ScenarioError::new(
            format!("ports[{number}].{key}"),
            format!("{part} is not built in; build the engine with the cargo feature `papers`"),
        )),
        None => Ok(()),
    }
}

/// The first such part of a port: its key, and its name in a scenario.
fn left_out(port: &Port) -> Option<(String, &'static str)> {
    let scheduler = match port.scheduler {
        Scheduler::RoundRobin { .. } => Some("round_robin"),
        Scheduler::ClassGuarantees { .. } => Some("class_guarantees"),
        Scheduler::PriorityWfq { .. } | Scheduler::StrictPartition => None,
    };
    let discipline = |discipline: &Discipline| match discipline {
        Discipline::ProportionalIntegral { .. } => Some("pi"),
        Discipline::Projecting(marking) if marking.heavy_hitters.is_some() => Some("heuristic_marking"),
        Discipline::Projecting(_) => Some("reference_marking"),
        _ => None,
    };
    let meter = |meter: &Meter| match meter {
        Meter::SlidingWindow { peak: None, .. } => Some("tsw2cm"),
        Meter::SlidingWindow { .. } => Some("tsw3cm"),
        Meter::RttAware { .. } => Some("rtt_aware"),
        Meter::RttRtoAware { .. } => Some("rtt_rto_aware"),
        Meter::AccessRate { .. } => Some("car"),
        Meter::TokenBucket(_) | Meter::SingleRate { .. } | Meter::TwoRate { .. } => None,
    };
    let queues = port.queues.iter().enumerate();
    let mut disciplines = queues
        .filter_map(|(number, queue)| Some((format!("queues[{number}].discipline"), discipline(&queue.discipline)?)));
    let conditioners = port.conditioners.iter().enumerate();
    let mut meters =
        conditioners.filter_map(|(number, one)| Some((format!("conditioners[{number}].meter"), meter(&one.meter)?)));
    scheduler.map(|part| ("scheduler".to_owned(), part)).or_else(|| disciplines.next()).or_else(|| meters.next())
}

#[cfg(all(test, not(feature = "papers")))]
mod tests {
    use crate::Scenario;

    fn refusal(port: &str) -> String {
        let text = format!(
            r#"{{"name": "x", "duration_s": 1, "seed": 1, "routers": ["r"], "tcp": {{}}, "flows": [],
                "hosts": [{{"name": "a", "nic_queue_bytes": 1}}, {{"name": "b", "nic_queue_bytes": 1}}],
                "links": [{{"from": "a", "to": "r", "rate_bps": 1e9, "delay_us": 1}},
                          {{"from": "r", "to": "b", "rate_bps": 1e9, "delay_us": 1}}],
                "ports": [{{"at": "r", "to": "b", "buffer_bytes": 1000, "default_class": "all", {port}}}]}}"#
        );
        Scenario::from_json(&text).map(|_| String::new()).unwrap_or_else(|error| error.to_string())
    }

    const QUEUE: &str = r#""queues": [{"class": "all", "rate_share_pct": 100, "buffer_share_pct": 100}]"#;

    #[test]
    fn a_part_of_papers_is_refused_by_its_name() {
        let scheduled = |kind: &str| refusal(&format!(r#"{QUEUE}, "scheduler": {{"kind": "{kind}"}}"#));
        assert_eq!(scheduled("priority_wfq"), "");
        for kind in ["round_robin", "class_guarantees"] {
            let wanted = format!("ports[0].scheduler: {kind} is not built in; build the engine with");
            assert!(scheduled(kind).starts_with(&wanted), "{}", scheduled(kind));
        }
        let meter = r#"{"kind": "tsw2cm", "committed_rate_bps": 1e6, "window_s": 1}"#;
        let metered = refusal(&format!(r#"{QUEUE}, "conditioners": [{{"class": "all", "meter": {meter}}}]"#));
        assert!(metered.starts_with("ports[0].conditioners[0].meter: tsw2cm is not built in"), "{metered}");
        let pi = r#"{"kind": "pi", "a": 0.1, "b": 0.1, "reference_pkts": 1, "frequency_hz": 1}"#;
        let queue = QUEUE.replace("100}", &format!(r#"100, "discipline": {pi}}}"#));
        assert!(
            refusal(&queue).starts_with("ports[0].queues[0].discipline: pi is not built in"),
            "{}",
            refusal(&queue)
        );
    }
}
