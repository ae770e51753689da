//! From a scenario's text to the scenario: every name becomes what it stands for, every number is in its range. The
//! first mistake is reported with its key.

mod built_in;
mod change;
mod conditioner;
mod discipline;
mod flow;
mod names;
mod network;
mod port;
mod profile;
mod range;
mod tcp;
mod window;

use crate::error::ScenarioError;
use crate::limits;
use crate::model::Scenario;
use crate::routes;
use crate::text;
use names::Names;
use profile::Profiles;
use range::{MAX_DURATION_S, each, seconds};

impl Scenario {
    /// Read a scenario.
    ///
    /// # Errors
    /// What is wrong, with the key.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let text: text::Scenario = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| ScenarioError::new(error.path().to_string(), error.inner().to_string()))?;
        parse(&text)
    }
}

fn parse(text: &text::Scenario) -> Result<Scenario, ScenarioError> {
    let duration = seconds("duration_s", text.duration_s, 1e-9, MAX_DURATION_S)?;
    let interval = seconds("interval_s", text.interval_s, 1e-6, MAX_DURATION_S)?;
    let names = Names::of(text)?;
    let hosts = each("hosts", &text.hosts, network::host)?;
    let mut links = network::links(&text.links, &names, &hosts)?;
    let ports = each("ports", &text.ports, |key, number, port| port::port(key, number, port, &names, &links))?;
    built_in::check(&ports)?;
    let profiles = Profiles::of(text)?;
    let flows = each("flows", &text.flows, |key, number, flow| flow::flow(key, number, flow, &names, &profiles))?;
    let tcp = tcp::tcp(&text.tcp, &links, duration)?;
    let profiles = profiles.read(&links, duration)?;
    for port in &ports {
        links[port.link.index()].port = Some(port.id);
    }
    let mut scenario = Scenario {
        name: text.name.clone(),
        duration,
        interval,
        seed: text.seed,
        seeds: text.seeds.clone(),
        hosts,
        routers: text.routers.clone(),
        links,
        ports,
        tcp,
        profiles,
        flows,
        windows: Vec::new(),
        changes: Vec::new(),
    };
    limits::check(&scenario)?;
    let routes = routes::Routes::of(&scenario, &text.routes, |name| names.node(name))?;
    for number in 0..scenario.flows.len() {
        scenario.flows[number].paths = routes.paths(&scenario, &scenario.flows[number])?;
    }
    scenario.windows = each("windows", &text.windows, |key, _, text| window::window(key, text, &names, &scenario))?;
    scenario.changes = change::changes(text, &names, &scenario)?;
    Ok(scenario)
}
