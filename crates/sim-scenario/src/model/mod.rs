//! A scenario: what a run is made of, with every name resolved and every number in its range.

mod change;
mod conditioner;
mod discipline;
mod flow;
mod framing;
mod marking;
mod network;
mod port;
mod tcp;
mod window;

pub use change::Change;
pub use conditioner::{Action, Actions, Aggregate, Bucket, Conditioner, Meter};
pub use discipline::{Averages, Curve, Discipline, Ramp};
pub use flow::{Congestion, Data, Direction, Distribution, Flow, Interval, OnOff, Protocol, Spacing, Traffic};
pub use framing::Framing;
pub use marking::{HeavyHitters, Marking, RoundRule};
pub use network::{DelayEmulator, Host, Link, Place, PlainQueue, Polling};
pub use port::{Guarantees, Port, Queue, Rule, Scheduler};
pub use tcp::{LossRecovery, Tcp};
pub use window::Window;

use crate::fragments::fragment_sizes;
use crate::ids::{FlowId, HostId, LinkId, NodeId, PortId, ProfileId, RouterId};
use crate::results::QueueRef;
use crate::rng::Random;
use crate::units::Seconds;
use std::collections::BTreeMap;

/// A run. [`Scenario::from_json`] is the only way to make one.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub(crate) name: String,
    pub(crate) duration: Seconds,
    pub(crate) interval: Seconds,
    pub(crate) seed: u64,
    pub(crate) seeds: BTreeMap<String, u64>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) routers: Vec<String>,
    pub(crate) links: Vec<Link>,
    pub(crate) ports: Vec<Port>,
    pub(crate) tcp: Tcp,
    pub(crate) profiles: Vec<Tcp>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) windows: Vec<Window>,
    pub(crate) changes: Vec<Change>,
}

impl Scenario {
    /// Its name in results.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Simulated time.
    pub const fn duration(&self) -> Seconds {
        self.duration
    }

    /// Length of an interval of the series.
    pub const fn interval(&self) -> Seconds {
        self.interval
    }

    /// Windows of time of which statistics are wanted.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// What is another way from some time on, in order of time.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The seed of all random streams.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The stream of this name, under a seed of its own if the scenario gives it one.
    pub fn stream(&self, name: &str) -> Random {
        Random::named(self.seeds.get(name).copied().unwrap_or(self.seed), name)
    }

    /// The hosts.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Names of the routers.
    pub fn routers(&self) -> &[String] {
        &self.routers
    }

    /// The routers, as nodes.
    pub fn router_nodes(&self) -> impl Iterator<Item = NodeId> {
        (self.hosts.len()..self.hosts.len() + self.routers.len()).map(NodeId::at)
    }

    /// The links, each direction by itself.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Router ports with more than one plain queue.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// TCP of all flows that have no profile.
    pub const fn tcp(&self) -> &Tcp {
        &self.tcp
    }

    /// TCP of a profile, or without one of all other flows.
    pub fn tcp_of(&self, profile: Option<ProfileId>) -> &Tcp {
        profile.map_or(&self.tcp, |profile| &self.profiles[profile.index()])
    }

    /// The flows.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// A host.
    pub fn host(&self, host: HostId) -> &Host {
        &self.hosts[host.index()]
    }

    /// A link in one direction.
    pub fn link(&self, link: LinkId) -> &Link {
        &self.links[link.index()]
    }

    /// A port.
    pub fn port(&self, port: PortId) -> &Port {
        &self.ports[port.index()]
    }

    /// A flow.
    pub fn flow(&self, flow: FlowId) -> &Flow {
        &self.flows[flow.index()]
    }

    /// Whether a node is a host or a router.
    pub fn place(&self, node: NodeId) -> Place {
        match node.index().checked_sub(self.hosts.len()) {
            None => Place::Host(HostId::at(node.index())),
            Some(router) => Place::Router(RouterId::at(router)),
        }
    }

    /// A node's name.
    pub fn node_name(&self, node: NodeId) -> &str {
        match self.place(node) {
            Place::Host(host) => &self.host(host).name,
            Place::Router(router) => &self.routers[router.index()],
        }
    }

    /// The port before a link, if it has one.
    pub fn port_of(&self, link: LinkId) -> Option<&Port> {
        self.link(link).port.map(|port| self.port(port))
    }

    /// What results call a queue.
    pub fn queue_name(&self, queue: QueueRef) -> &str {
        match queue {
            QueueRef::Plain(link) => &self.link(link).name,
            QueueRef::Class(port, queue) => &self.port(port).queue(queue).name,
        }
    }

    /// Sizes of the IP packets that carry a datagram of so many payload bytes, headers included.
    pub fn fragments(&self, payload_bytes: u32) -> Vec<u16> {
        fragment_sizes(payload_bytes, self.tcp.segment_data_bytes + self.tcp.header_bytes)
    }
}
