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
    /// When the packet at the end of each of `in_links` arrives, then when each of `ports` is to be served.
    dues: Vec<Time>,
}

impl Router {
    /// A router at rest.
    pub const fn new(in_links: Vec<usize>, ports: Vec<usize>, lookahead: Time) -> Self {
        Self { in_links, ports, lookahead, dues: Vec::new() }
    }

    fn look(&mut self, network: &Network) {
        self.dues.clear();
        self.dues.extend(self.in_links.iter().map(|&link| network.links[link].head()));
        self.dues.extend(self.ports.iter().map(|&port| network.ports[port].due));
    }

    /// The earliest arrival or departure: its time and its place in `dues`. Of equals the first one counts.
    #[inline(always)]
    fn next(&self) -> (Time, usize) {
        let mut best = (Time::NEVER, 0);
        for (place, &due) in self.dues.iter().enumerate() {
            best = if due < best.0 { (due, place) } else { best };
        }
        best
    }

    /// A packet that arrived may have set an idle port to work.
    #[inline(always)]
    fn look_at_ports(&mut self, network: &Network) {
        let departures = &mut self.dues[self.in_links.len()..];
        for (due, &port) in departures.iter_mut().zip(&self.ports) {
            *due = network.ports[port].due;
        }
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
            let (at, place) = router.next();
            if at > horizon {
                break at;
            }
            events += 1;
            let Some(&index) = router.in_links.get(place) else {
                let port = router.ports[place - router.in_links.len()];
                self.serve_port(port, at);
                router.dues[place] = self.ports[port].due;
                continue;
            };
            let link = &mut self.links[index];
            if let Some(packet) = link.arrive(at) {
                router.dues[place] = link.head();
                self.forward(node, packet, at);
                router.look_at_ports(self);
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
