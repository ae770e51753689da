//! A fluid simulator of the packet simulator's scenarios: windows and queues as flows of bytes, in steps of a fraction
//! of the round-trip time; losses, recoveries and timeouts as events. Hundreds of times faster than packets.
//!
//! It gives the same totals and series, and refuses scenarios whose outcome depends on single packets.
#![forbid(unsafe_code)]
// Tests use amounts that binary fractions hold exactly.
#![cfg_attr(test, allow(clippy::float_cmp))]

mod applicable;
mod bound;
mod build;
mod chunk;
mod drop;
mod engine;
mod flow;
mod line;
mod ping;
mod port;
mod queue;
mod record;
mod retransmission_loss;
mod share;
mod summary;
mod tcp;
mod topology;
mod waiting;

pub use applicable::{NeedsPackets, check};
pub use engine::Engine;
pub use summary::summarise;

use hntes_sim_scenario::Scenario;
use hntes_sim_scenario::results::RunResult;

/// A run that is ready to start.
///
/// # Errors
/// What needs packets, with the key.
pub fn assemble(scenario: &Scenario) -> Result<Engine, NeedsPackets> {
    assemble_coarse(scenario, 1.0)
}

/// The same in steps about `longer` times as long, for a look at how far a run moves that costs less.
///
/// # Errors
/// What needs packets, with the key.
pub fn assemble_coarse(scenario: &Scenario, longer: f64) -> Result<Engine, NeedsPackets> {
    check(scenario)?;
    Ok(build::build(scenario, longer))
}

/// Run a scenario from start to end.
///
/// # Errors
/// What needs packets, with the key.
pub fn run(scenario: &Scenario) -> Result<RunResult, NeedsPackets> {
    let mut engine = assemble(scenario)?;
    engine.run_until(engine.steps);
    Ok(summarise(&engine))
}
