//! From a scenario's JSON to the scenario: every name becomes what it stands for, every number is in its range. The first
//! mistake is reported with its key. Where a default is a property of hardware or of a tool, its constant says of which.

mod built_in;
mod change;
mod conditioner;
mod discipline;
mod flow;
mod names;
mod network;
mod port;
mod table;
mod tcp;
mod window;

use crate::error::ScenarioError;
use crate::limits;
use crate::model::Scenario;
use crate::routes::{RouteText, Routes};
use crate::units::Seconds;
use names::Names;
use serde_json::Value;
use std::collections::BTreeMap;
use table::{MAX_DURATION_S, Table};

impl Scenario {
    /// Read a scenario.
    ///
    /// # Errors
    /// What is wrong, with the key.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        let document: Value = serde_json::from_str(text).map_err(|error| ScenarioError::new(".", error.to_string()))?;
        parse(&document)
    }
}

fn parse(document: &Value) -> Result<Scenario, ScenarioError> {
    let root = Table::at("", document)?;
    let duration = root.need("duration_s")?.seconds(1e-9, MAX_DURATION_S)?;
    let names = Names::of(&root)?;
    root.need("hosts")?;
    let hosts = root.each("hosts", network::host)?;
    root.need("links")?;
    let mut links = network::links(&root, &names, &hosts)?;
    let ports = root.each("ports", |table, number| port::port(table, number, &names, &links))?;
    built_in::check(&ports)?;
    let tcp = tcp::Profiles::of(&root)?;
    root.need("flows")?;
    let flows = root.each("flows", |table, number| flow::flow(table, number, &names, &tcp))?;
    for port in &ports {
        links[port.link.index()].port = Some(port.id);
    }
    let mut scenario = Scenario {
        name: root.need("name")?.read()?,
        duration,
        interval: root.within_or("interval_s", 1.0, 1e-6, MAX_DURATION_S).map(Seconds::from_s)?,
        seed: root.need("seed")?.read()?,
        seeds: root.or("seeds", BTreeMap::new())?,
        hosts,
        routers: root.need("routers")?.read()?,
        links,
        ports,
        tcp: tcp.of_all,
        profiles: tcp.named.into_values().collect(),
        flows,
        windows: Vec::new(),
        changes: Vec::new(),
    };
    limits::check(&scenario)?;
    let routes = root.each("routes", route)?;
    let routes = Routes::of(&scenario, &routes, |name| names.node(name))?;
    for number in 0..scenario.flows.len() {
        scenario.flows[number].paths = routes.paths(&scenario, &scenario.flows[number])?;
    }
    limits::check_segments(&scenario)?;
    scenario.windows = root.each("windows", |table, _| window::window(table, &names, &scenario))?;
    scenario.changes = change::changes(document, &root, &names, &scenario)?;
    root.finish()?;
    Ok(scenario)
}

fn route<'a>(table: &Table<'a>, _: usize) -> Result<RouteText<'a>, ScenarioError> {
    Ok(RouteText { at: table.need("at")?.read()?, to: table.need("to")?.read()?, via: table.need("via")?.read()? })
}
