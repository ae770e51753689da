//! What the fluid engine cannot answer honestly: it says so, with the key, and leaves the scenario to the packet engine.

use crate::topology::Topology;
use hntes_sim_core::ScenarioError;
use hntes_sim_core::scenario::{OutOfProfile, Scenario, TrafficSpec, classify};
use std::fmt;

/// Below this rate single packets matter: one takes more than a tenth of a millisecond or so.
const SLOWEST_LINK_BPS: f64 = 50e6;

/// Why a scenario was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotApplicable {
    /// The scenario is not sound.
    Unsound(ScenarioError),
    /// It needs packets.
    NeedsPackets(ScenarioError),
}

impl fmt::Display for NotApplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unsound(error) | Self::NeedsPackets(error)) = self;
        error.fmt(f)
    }
}

impl std::error::Error for NotApplicable {}

impl From<ScenarioError> for NotApplicable {
    fn from(error: ScenarioError) -> Self {
        Self::Unsound(error)
    }
}

fn needs_packets(key: String, reason: &str) -> NotApplicable {
    NotApplicable::NeedsPackets(ScenarioError::new(key, reason))
}

/// Whether the fluid engine can run a sound scenario.
///
/// # Errors
/// What needs packets, with the key.
pub fn check(scenario: &Scenario) -> Result<(), NotApplicable> {
    let topology = Topology::new(scenario)?;
    check_policers(&topology)?;
    for flow in &scenario.flows {
        if matches!(flow.traffic, TrafficSpec::Ping { .. }) {
            continue;
        }
        for link in topology.path(flow, false) {
            if topology.spec(link).rate_bps < SLOWEST_LINK_BPS {
                let reason = "at less than 50 Mb/s single packets matter, which a fluid does not have";
                return Err(needs_packets(format!("links[{}].rate_bps", link / 2), reason));
            }
        }
    }
    Ok(())
}

fn check_policers(topology: &Topology<'_>) -> Result<(), NotApplicable> {
    for flow in &topology.scenario.flows {
        for link in topology.path(flow, false) {
            let Some((number, port)) = topology.port(link) else { continue };
            let class = &port.queues[usize::from(classify(port, flow, false))].class;
            let Some(at) = port.policers.iter().position(|policer| policer.class == *class) else { continue };
            if port.policers[at].out_of_profile == OutOfProfile::Reclass {
                let key = format!("ports[{number}].policers[{at}].out_of_profile");
                let reason = "packets moved to another queue overtake one another, which a fluid cannot show";
                return Err(needs_packets(key, reason));
            }
        }
    }
    Ok(())
}
