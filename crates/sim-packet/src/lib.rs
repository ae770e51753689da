//! A deterministic, event-driven simulator of every packet: hosts with TCP, routers with policers, queues and
//! schedulers, links with rate and delay. No input, no output, no clock: a scenario goes in, results come out.
//!
//! ```
//! let text = r#"{
//!     "name": "two hosts", "duration_s": 0.1, "seed": 1,
//!     "hosts": [{"name": "a", "nic_queue_bytes": 1000000}, {"name": "b", "nic_queue_bytes": 1000000}],
//!     "routers": [],
//!     "links": [{"from": "a", "to": "b", "rate_bps": 1e9, "delay_us": 100}],
//!     "tcp": {},
//!     "flows": [{"name": "p", "from": "a", "to": "b", "intervals_s": [[0, 1]],
//!                "traffic": {"kind": "ping", "interval_s": 0.01}}]
//! }"#;
//! let scenario = hntes_sim_packet::Scenario::from_json(text)?;
//! let result = hntes_sim_packet::run(&scenario);
//! assert!(result.summary.imbalances.is_empty());
//! assert_eq!(result.summary.flows[0].ping.as_ref().map(|ping| ping.received), Some(10));
//! # Ok::<(), hntes_sim_packet::ScenarioError>(())
//! ```
#![forbid(unsafe_code)]

mod assemble;
pub mod bucket;
pub mod egress;
pub mod emulator;
pub mod event;
pub mod flow;
pub mod link;
pub mod meter;
pub mod network;
pub mod packet;
pub mod plain_port;
pub mod port;
pub mod queue;
pub mod reception;
pub mod ring;
pub mod router;
pub mod run;
pub mod scheduler;
pub mod senders;
pub mod simulation;
pub mod sources;
pub mod stats;
pub mod tcp;
pub mod trace;
pub mod traffic;

pub use assemble::assemble;
pub use hntes_sim_scenario::results::{Column, RunResult, RunSummary, Values};
pub use hntes_sim_scenario::{Scenario, ScenarioError};
pub use simulation::Simulation;
pub use stats::summarise;

/// Run a scenario from start to end.
pub fn run(scenario: &Scenario) -> RunResult {
    let mut simulation = assemble(scenario);
    simulation.run_until(simulation.end());
    summarise(&simulation)
}
