//! What the packet and the fluid simulator share: scenarios with their network, routes and classifiers, random numbers,
//! time and rates, and the form of results. No input, no output, no clock.
//!
//! [`Scenario::from_json`] is the only way to a [`Scenario`]: it refuses names that stand for nothing, values out of
//! range, routes that form loops and sizes that no run can hold. Names have become ids by then, which nothing else can
//! make, so no later part of a run can meet an unknown one:
//!
//! ```compile_fail,E0624
//! let host = hntes_sim_scenario::HostId::at(7); // only the parser makes ids
//! ```
//!
//! ```compile_fail,E0616
//! fn without_routes(mut scenario: hntes_sim_scenario::Scenario) {
//!     scenario.links.clear(); // nor can what the parser has checked be changed
//! }
//! ```
#![forbid(unsafe_code)]

mod error;
mod fragments;
mod ids;
mod limits;
mod model;
mod parse;
pub mod results;
pub mod rng;
mod routes;
pub mod time;
pub mod units;

pub use error::ScenarioError;
pub use fragments::fragment_sizes;
pub use ids::{ConditionerId, FlowId, HostId, LinkId, NodeId, PortId, ProfileId, QueueId, RouterId};
pub use limits::{MAX_EVENT_SOURCES, TIMERS_PER_FLOW, event_sources};
pub use model::{Action, Actions, Aggregate, Averages, Bucket, Change, Conditioner, Curve, Discipline, Meter};
pub use model::{Congestion, Data, Direction, Distribution, Flow, Host, Interval, Link, OnOff, Place, PlainQueue};
pub use model::{DelayEmulator, Framing, Guarantees, HeavyHitters, Marking, Polling, Ramp, RoundRule};
pub use model::{LossRecovery, Port, Protocol, Queue, Rule, Scenario, Scheduler, Spacing, Tcp, Traffic, Window};
