//! Static routes: by the fewest links where the scenario says nothing else; loops and dead ends are refused.

use crate::error::ScenarioError;
use crate::ids::{HostId, LinkId, NodeId};
use crate::model::{Direction, Flow, Link, Place, Scenario};
use std::collections::VecDeque;

/// A static route as a scenario gives it: at a router, packets for host `to` go to neighbour `via`.
pub(crate) struct RouteText<'a> {
    pub(crate) at: &'a str,
    pub(crate) to: &'a str,
    pub(crate) via: &'a str,
}

/// For each node and each destination host the link to take.
pub(crate) struct Routes {
    next: Vec<Option<LinkId>>,
    hosts: usize,
    /// Where each static route leads, in the order of the text.
    goals: Vec<HostId>,
}

impl Routes {
    /// The routes of a scenario, whose text gives some of them.
    pub(crate) fn of(
        scenario: &Scenario,
        text: &[RouteText<'_>],
        node: impl Fn(&str) -> Option<NodeId>,
    ) -> Result<Self, ScenarioError> {
        let hosts = scenario.hosts().len();
        let nodes = hosts + scenario.routers().len();
        let mut routes = Self { next: vec![None; nodes * hosts], hosts, goals: Vec::new() };
        for host in scenario.hosts() {
            for (from, link) in shortest(scenario, nodes, host.id).into_iter().enumerate() {
                *routes.entry(NodeId::at(from), host.id) = link;
            }
        }
        for (index, route) in text.iter().enumerate() {
            routes.add(index, route, scenario, &node)?;
        }
        Ok(routes)
    }

    fn entry(&mut self, from: NodeId, goal: HostId) -> &mut Option<LinkId> {
        &mut self.next[from.index() * self.hosts + goal.index()]
    }

    fn add(
        &mut self,
        index: usize,
        text: &RouteText<'_>,
        scenario: &Scenario,
        node: &impl Fn(&str) -> Option<NodeId>,
    ) -> Result<(), ScenarioError> {
        let unknown = |key: &str, name: &str| {
            ScenarioError::new(format!("routes[{index}].{key}"), format!("no such node is known: {name:?}"))
        };
        let at = node(text.at).ok_or_else(|| unknown("at", text.at))?;
        let Some(Place::Host(goal)) = node(text.to).map(|goal| scenario.place(goal)) else {
            return Err(unknown("to", text.to));
        };
        let via = node(text.via).ok_or_else(|| unknown("via", text.via))?;
        let Some(link) = scenario.links().iter().find(|link| link.from == at && link.to == via) else {
            let message = format!("no link leads from {:?} to {:?}", text.at, text.via);
            return Err(ScenarioError::new(format!("routes[{index}].via"), message));
        };
        *self.entry(at, goal) = Some(link.id);
        self.goals.push(goal);
        Ok(())
    }

    /// The links a flow's packets take there and back.
    pub(crate) fn paths(&self, scenario: &Scenario, flow: &Flow) -> Result<[Vec<LinkId>; 2], ScenarioError> {
        let [there, back] = Direction::BOTH.map(|direction| self.path(scenario, flow, direction));
        Ok([there?, back?])
    }

    fn path(&self, scenario: &Scenario, flow: &Flow, direction: Direction) -> Result<Vec<LinkId>, ScenarioError> {
        let (start, goal) = flow.ends(direction);
        let names = || format!("from {:?} to {:?}", scenario.host(start).name, scenario.host(goal).name);
        let mut node = NodeId::from(start);
        let mut path = Vec::new();
        while node != goal.into() {
            let passes_host = !path.is_empty() && node.index() < self.hosts;
            let Some(link) = self.next[node.index() * self.hosts + goal.index()].filter(|_| !passes_host) else {
                let key = format!("flows[{}].to", flow.id.index());
                return Err(ScenarioError::new(key, format!("no route {}", names())));
            };
            if path.len() == scenario.links().len() {
                return Err(ScenarioError::new(
                    self.key_of_route_to(goal),
                    format!("the routes {} form a loop", names()),
                ));
            }
            path.push(link);
            node = scenario.link(link).to;
        }
        Ok(path)
    }

    /// Shortest paths form no loops: a static route does.
    fn key_of_route_to(&self, goal: HostId) -> String {
        let route = self.goals.iter().position(|&to| to == goal);
        route.map_or_else(|| "routes".to_owned(), |index| format!("routes[{index}].via"))
    }
}

/// For each node the link on a path with the fewest links to `host`; hosts pass nothing on.
fn shortest(scenario: &Scenario, nodes: usize, host: HostId) -> Vec<Option<LinkId>> {
    let goal = NodeId::from(host);
    let mut next = vec![None; nodes];
    let mut waiting = VecDeque::from([goal]);
    while let Some(node) = waiting.pop_front() {
        if node != goal && matches!(scenario.place(node), Place::Host(_)) {
            continue;
        }
        for &Link { id, from, to, .. } in scenario.links() {
            if to == node && from != goal && next[from.index()].is_none() {
                next[from.index()] = Some(id);
                waiting.push_back(from);
            }
        }
    }
    next
}
