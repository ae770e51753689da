//! A fluid simulator of the packet simulator's scenarios: windows and queues as flows of bytes, in steps of a fraction
//! of the round-trip time; losses, recoveries and timeouts as events. Hundreds of times faster than packets.
//!
//! It gives the same totals and series, and refuses scenarios whose outcome hangs on single packets.
#![forbid(unsafe_code)]
// Tests use amounts that binary fractions hold exactly.
#![cfg_attr(test, allow(clippy::float_cmp))]

mod applicable;
mod build;
mod chunk;
mod drop;
mod engine;
mod flow;
mod line;
mod ping;
mod queue;
mod record;
mod share;
mod station;
mod summary;
mod tcp;
mod topology;

pub use applicable::{NotApplicable, check};
pub use engine::Engine;
pub use summary::summarise;

use hntes_sim_packet::{RunResult, Scenario};

/// A run that is ready to start.
///
/// # Errors
/// What is wrong with the scenario or needs packets, with the key.
pub fn assemble(scenario: &Scenario) -> Result<Engine, NotApplicable> {
    check(scenario)?;
    build::build(scenario)
}

/// Run a scenario from start to end.
///
/// # Errors
/// What is wrong with the scenario or needs packets, with the key.
pub fn run(scenario: &Scenario) -> Result<RunResult, NotApplicable> {
    let mut engine = assemble(scenario)?;
    engine.run_until(engine.steps);
    Ok(summarise(&engine, scenario))
}
