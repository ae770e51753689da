//! Static routes: by the fewest links where the scenario says nothing else; loops and dead ends are refused.

use super::{Scenario, ScenarioError};
use std::collections::VecDeque;

/// No route.
const NONE: u16 = u16::MAX;

/// For each node and each destination host the directed link to take. Link n leads from `from` to `to` as link 2n, and
/// back as link 2n + 1; hosts come first among the nodes.
///
/// # Errors
/// What is wrong with a route, with the key.
pub fn route_table(scenario: &Scenario) -> Result<Vec<u16>, ScenarioError> {
    let nodes: Vec<&str> = node_names(scenario);
    let number = |name: &str| nodes.iter().position(|node| *node == name).unwrap_or_default();
    let ends: Vec<[usize; 2]> = scenario
        .links
        .iter()
        .flat_map(|link| {
            let (a, b) = (number(&link.from), number(&link.to));
            [[a, b], [b, a]]
        })
        .collect();
    let hosts = scenario.hosts.len();
    let mut table = vec![NONE; nodes.len() * hosts];
    for host in 0..hosts {
        for (node, link) in shortest(&ends, nodes.len(), hosts, host).into_iter().enumerate() {
            table[node * hosts + host] = link;
        }
    }
    for (index, route) in scenario.routes.iter().enumerate() {
        let (at, to, via) = (number(&route.at), number(&route.to), number(&route.via));
        for (key, name) in [("at", &route.at), ("to", &route.to), ("via", &route.via)] {
            if !nodes.contains(&name.as_str()) || (key == "to" && to >= hosts) {
                let message = format!("no such node is known: {name:?}");
                return Err(ScenarioError::new(format!("routes[{index}].{key}"), message));
            }
        }
        let Some(link) = ends.iter().position(|end| *end == [at, via]) else {
            let message = format!("no link leads from {:?} to {:?}", route.at, route.via);
            return Err(ScenarioError::new(format!("routes[{index}].via"), message));
        };
        table[at * hosts + to] = link as u16;
    }
    refuse_loops(scenario, &table, &ends, &number)?;
    Ok(table)
}

/// Which links some flow uses, in either direction.
pub fn used_links(scenario: &Scenario, table: &[u16]) -> Vec<bool> {
    let nodes = node_names(scenario);
    let number = |name: &str| nodes.iter().position(|node| *node == name).unwrap_or_default();
    let mut used = vec![false; 2 * scenario.links.len()];
    for flow in &scenario.flows {
        for (start, goal) in [(&flow.from, &flow.to), (&flow.to, &flow.from)] {
            let (mut node, goal) = (number(start), number(goal));
            while node != goal {
                let link = usize::from(table[node * scenario.hosts.len() + goal]);
                used[link] = true;
                let spec = &scenario.links[link / 2];
                node = number(if link % 2 == 0 { &spec.to } else { &spec.from });
            }
        }
    }
    used
}

/// Names of all nodes, hosts first.
pub fn node_names(scenario: &Scenario) -> Vec<&str> {
    let hosts = scenario.hosts.iter().map(|host| host.name.as_str());
    hosts.chain(scenario.routers.iter().map(String::as_str)).collect()
}

/// For each node the link on a path with the fewest links to `host`; hosts pass nothing on.
fn shortest(ends: &[[usize; 2]], nodes: usize, hosts: usize, host: usize) -> Vec<u16> {
    let mut next = vec![NONE; nodes];
    let mut waiting = VecDeque::from([host]);
    while let Some(node) = waiting.pop_front() {
        if node < hosts && node != host {
            continue;
        }
        for (link, &[from, to]) in ends.iter().enumerate() {
            if to == node && from != host && next[from] == NONE {
                next[from] = link as u16;
                waiting.push_back(from);
            }
        }
    }
    next
}

/// Follow every flow both ways.
fn refuse_loops(
    scenario: &Scenario,
    table: &[u16],
    ends: &[[usize; 2]],
    number: &dyn Fn(&str) -> usize,
) -> Result<(), ScenarioError> {
    let hosts = scenario.hosts.len();
    for (index, flow) in scenario.flows.iter().enumerate() {
        for (start, goal) in [(&flow.from, &flow.to), (&flow.to, &flow.from)] {
            let (mut node, target) = (number(start), number(goal));
            let mut steps = 0;
            while node != target {
                let link = table[node * hosts + target];
                if link == NONE || (steps > 0 && node < hosts) {
                    let message = format!("no route from {start:?} to {goal:?}");
                    return Err(ScenarioError::new(format!("flows[{index}].to"), message));
                }
                steps += 1;
                if steps > ends.len() {
                    let route = scenario.routes.iter().position(|route| route.to == *goal).unwrap_or_default();
                    let message = format!("the routes from {start:?} to {goal:?} form a loop");
                    return Err(ScenarioError::new(format!("routes[{route}].via"), message));
                }
                node = ends[usize::from(link)][1];
            }
        }
    }
    Ok(())
}
