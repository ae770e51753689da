//! What a scenario's names stand for.

use super::table::{Field, Table};
use crate::error::ScenarioError;
use crate::ids::{FlowId, HostId, NodeId};
use std::collections::HashMap;

/// The names of a scenario, each used once.
pub(super) struct Names<'a> {
    nodes: HashMap<&'a str, NodeId>,
    flows: HashMap<&'a str, FlowId>,
    hosts: usize,
}

impl<'a> Names<'a> {
    /// Collect the names; one that is used twice is refused.
    pub(super) fn of(root: &Table<'a>) -> Result<Self, ScenarioError> {
        let mut nodes = HashMap::new();
        let hosts = named(root, "hosts")?;
        let routers = root.get("routers").map_or(Ok(Vec::new()), |field| field.items().map(Iterator::collect))?;
        for field in hosts.iter().chain(&routers) {
            let number = nodes.len();
            enter(&mut nodes, field, NodeId::at(number))?;
        }
        let mut flows = HashMap::new();
        for (index, name) in named(root, "flows")?.iter().enumerate() {
            enter(&mut flows, name, FlowId::at(index))?;
        }
        Ok(Self { nodes, flows, hosts: hosts.len() })
    }

    /// The node of this name.
    pub(super) fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.get(name).copied()
    }

    /// The node that a field names.
    pub(super) fn node_at(&self, field: &Field<'a>) -> Result<NodeId, ScenarioError> {
        let name: &str = field.read()?;
        self.node(name).ok_or_else(|| field.refusal(format!("no host or router is called {name:?}")))
    }

    /// The host that a field names.
    pub(super) fn host_at(&self, field: &Field<'a>) -> Result<HostId, ScenarioError> {
        let name: &str = field.read()?;
        let host = self.node(name).filter(|node| node.index() < self.hosts).map(|node| HostId::at(node.index()));
        host.ok_or_else(|| field.refusal(format!("no host is called {name:?}")))
    }

    /// The router that a field names, as a node.
    pub(super) fn router_at(&self, field: &Field<'a>) -> Result<NodeId, ScenarioError> {
        let name: &str = field.read()?;
        let router = self.node(name).filter(|node| node.index() >= self.hosts);
        router.ok_or_else(|| field.refusal(format!("no router is called {name:?}")))
    }

    /// The flow of this name.
    pub(super) fn flow_called(&self, name: &str) -> Option<FlowId> {
        self.flows.get(name).copied()
    }

    /// The flow that a field names.
    pub(super) fn flow_at(&self, field: &Field<'a>) -> Result<FlowId, ScenarioError> {
        let name: &str = field.read()?;
        let flow = self.flow_called(name);
        flow.ok_or_else(|| field.refusal(format!("no flow is called {name:?}")))
    }
}

/// The names of the tables of a list.
fn named<'a>(root: &Table<'a>, list: &'static str) -> Result<Vec<Field<'a>>, ScenarioError> {
    let Some(list) = root.get(list) else { return Ok(Vec::new()) };
    list.items()?.map(|item| item.table()?.need("name")).collect()
}

/// Enter a name that must not have been entered before.
pub(super) fn enter<'a, T>(known: &mut HashMap<&'a str, T>, name: &Field<'a>, id: T) -> Result<(), ScenarioError> {
    let text: &'a str = name.read()?;
    match known.insert(text, id) {
        None => Ok(()),
        Some(_) => Err(name.refusal(format!("{text:?} is used twice"))),
    }
}
