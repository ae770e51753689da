//! Routers run ahead: nothing can reach a router sooner than the delay of the shortest link into it, so all that happens
//! inside it until then is done in one go, without asking the agenda for each packet.
//!
//! Inside a router events are ordered by time, arrivals before departures, then by the number of link or port.

use crate::network::Network;
use crate::time::Time;

/// A router's view of its surroundings.
#[derive(Clone, Debug, Default)]
pub struct Router {
    /// Links that lead to it and that flows use.
    pub in_links: Vec<usize>,
    /// Its ports with a scheduler.
    pub ports: Vec<usize>,
    /// How far it may run ahead.
    pub lookahead: Time,
    /// When the packet at the end of each of `in_links` arrives.
    heads: Vec<Time>,
}

impl Router {
    /// A router at rest.
    pub const fn new(in_links: Vec<usize>, ports: Vec<usize>, lookahead: Time) -> Self {
        Self { in_links, ports, lookahead, heads: Vec::new() }
    }

    fn look(&mut self, network: &Network) {
        self.heads.clear();
        self.heads.extend(self.in_links.iter().map(|&link| network.links[link].head()));
    }

    /// The earliest arrival: its time and its place among `in_links`.
    #[inline(always)]
    fn next_arrival(&self) -> (Time, usize) {
        let mut best = (Time::NEVER, 0);
        for (place, &head) in self.heads.iter().enumerate() {
            if head < best.0 {
                best = (head, place);
            }
        }
        best
    }

    /// The earliest departure: its time and its port.
    #[inline(always)]
    fn next_departure(&self, network: &Network) -> (Time, usize) {
        let mut best = (Time::NEVER, 0);
        for &port in &self.ports {
            let due = network.ports[port].due;
            if due < best.0 {
                best = (due, port);
            }
        }
        best
    }
}

impl Network {
    /// Do all that happens at a router up to its lookahead, but not beyond `limit`; the number of events.
    pub fn advance(&mut self, number: usize, now: Time, limit: Time) -> u64 {
        let mut router = std::mem::take(&mut self.routers[number]);
        router.look(self);
        let horizon = (now + router.lookahead).min(limit).max(now);
        let node = self.hosts + number;
        let mut events = 0;
        let next = loop {
            let ((arrival, place), (departure, port)) = (router.next_arrival(), router.next_departure(self));
            let at = arrival.min(departure);
            if at > horizon {
                break at;
            }
            events += 1;
            if departure < arrival {
                self.serve_port(port, at);
                continue;
            }
            let link = &mut self.links[router.in_links[place]];
            if let Some(packet) = link.arrive(at) {
                router.heads[place] = link.head();
                self.forward(node, packet, at);
            }
        };
        self.routers[number] = router;
        let source = self.links.len() + number;
        if next == Time::NEVER {
            self.agenda.cancel(source);
        } else {
            self.agenda.schedule(source, next);
        }
        events
    }
}
