//! What a scenario's names stand for.

use crate::error::ScenarioError;
use crate::ids::{FlowId, HostId, NodeId};
use crate::text::Scenario;
use std::collections::HashMap;

/// The names of a text, each used once.
pub(super) struct Names<'a> {
    nodes: HashMap<&'a str, NodeId>,
    flows: HashMap<&'a str, FlowId>,
    hosts: usize,
}

impl<'a> Names<'a> {
    /// Collect the names; one that is used twice is refused.
    pub(super) fn of(text: &'a Scenario) -> Result<Self, ScenarioError> {
        let mut nodes = HashMap::new();
        for (index, host) in text.hosts.iter().enumerate() {
            enter(&mut nodes, &host.name, NodeId::at(index), || format!("hosts[{index}].name"))?;
        }
        for (index, router) in text.routers.iter().enumerate() {
            enter(&mut nodes, router, NodeId::at(text.hosts.len() + index), || format!("routers[{index}]"))?;
        }
        let mut flows = HashMap::new();
        for (index, flow) in text.flows.iter().enumerate() {
            enter(&mut flows, &flow.name, FlowId::at(index), || format!("flows[{index}].name"))?;
        }
        Ok(Self { nodes, flows, hosts: text.hosts.len() })
    }

    /// The node of this name.
    pub(super) fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.get(name).copied()
    }

    /// The node that a key names.
    pub(super) fn known_node(&self, key: &str, name: &str) -> Result<NodeId, ScenarioError> {
        self.node(name).ok_or_else(|| ScenarioError::new(key, format!("no host or router is called {name:?}")))
    }

    /// The host that a key names.
    pub(super) fn known_host(&self, key: &str, name: &str) -> Result<HostId, ScenarioError> {
        let host = self.node(name).filter(|node| node.index() < self.hosts).map(|node| HostId::at(node.index()));
        host.ok_or_else(|| ScenarioError::new(key, format!("no host is called {name:?}")))
    }

    /// The router that a key names, as a node.
    pub(super) fn known_router(&self, key: &str, name: &str) -> Result<NodeId, ScenarioError> {
        let router = self.node(name).filter(|node| node.index() >= self.hosts);
        router.ok_or_else(|| ScenarioError::new(key, format!("no router is called {name:?}")))
    }

    /// The flow that a key names.
    pub(super) fn known_flow(&self, key: &str, name: &str) -> Result<FlowId, ScenarioError> {
        let flow = self.flows.get(name).copied();
        flow.ok_or_else(|| ScenarioError::new(key, format!("no flow is called {name:?}")))
    }
}

/// Enter a name that must not have been entered before.
pub(super) fn enter<'a, T>(
    known: &mut HashMap<&'a str, T>,
    name: &'a str,
    id: T,
    key: impl FnOnce() -> String,
) -> Result<(), ScenarioError> {
    match known.insert(name, id) {
        None => Ok(()),
        Some(_) => Err(ScenarioError::new(key(), format!("{name:?} is used twice"))),
    }
}
