//! Routers run ahead: nothing can reach a router sooner than the delay of the shortest link into it, so all that happens
//! inside it until then is done in one go, without asking the agenda for each packet.
//!
//! Inside a router events are ordered by time, arrivals before departures, then by the number of link or port. A port's
//! departures concern nobody else inside: they are made up for when a packet comes to that port, and at the end.

use crate::network::Network;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{LinkId, PortId};

/// How many arrivals are compared at a time.
const GROUP: usize = 4;

/// A router's view of its surroundings.
#[derive(Clone, Debug, Default)]
pub struct Router {
    /// Links that lead to it and that flows use.
    pub in_links: Vec<LinkId>,
    /// Its ports with a scheduler.
    pub ports: Vec<PortId>,
    /// How far it may run ahead.
    pub lookahead: Time,
    /// When the packet at the end of each of `in_links` arrives; places left over are never due.
    dues: Vec<[Time; GROUP]>,
}

impl Router {
    /// A router at rest.
    pub fn new(in_links: Vec<LinkId>, ports: Vec<PortId>, lookahead: Time) -> Self {
        let dues = vec![[Time::NEVER; GROUP]; in_links.len().div_ceil(GROUP)];
        Self { in_links, ports, lookahead, dues }
    }

    fn look(&mut self, network: &Network) {
        for (due, &link) in self.dues.as_flattened_mut().iter_mut().zip(&self.in_links) {
            *due = network.links[link.index()].head;
        }
    }

    /// The earliest arrival: its time and its place in `dues`. Of equals the first one counts.
    #[inline(always)]
    fn next(&self) -> (Time, usize) {
        let earlier = |a: (Time, usize), b: (Time, usize)| if b.0 < a.0 { b } else { a };
        let mut best = (Time::NEVER, 0);
        for (number, &[a, b, c, d]) in self.dues.iter().enumerate() {
            let first = number * GROUP;
            let halves = [earlier((a, first), (b, first + 1)), earlier((c, first + 2), (d, first + 3))];
            best = earlier(best, earlier(halves[0], halves[1]));
        }
        best
    }
}

impl Router {
    /// When the packet at the end of a link, given by its place, arrives.
    #[inline(always)]
    pub fn note_head(&mut self, place: usize, head: Time) {
        self.dues.as_flattened_mut()[place] = head;
    }

    /// The same without one of the places, whose packets are never due from then on.
    #[inline(always)]
    pub fn next_but(&mut self, place: usize) -> (Time, usize) {
        self.dues.as_flattened_mut()[place] = Time::NEVER;
        self.next()
    }
}

impl Network {
    /// Do all that happens at a router up to its lookahead, but not beyond `limit`; the number of events.
    pub fn advance(&mut self, number: usize, now: Time, limit: Time) -> u64 {
        let mut router = std::mem::take(&mut self.routers[number]);
        router.look(self);
        let horizon = (now + router.lookahead).min(limit).max(now);
        let row = self.row(self.hosts + number);
        let before = self.departures;
        let mut arrivals = 0;
        let mut first = router.next();
        while first.0 <= horizon {
            let passed;
            (passed, first) = self.pass_plain_port(&mut router, row, first, horizon);
            arrivals += passed;
            if passed > 0 {
                continue;
            }
            // Packets of one link until one of another link comes first.
            let place = first.1;
            let rival = router.next_but(place);
            let most = rival.0 - Time::from_ps(u64::from(rival.1 < place));
            let index = router.in_links[place].index();
            arrivals += self.forward(row, index, most.min(horizon));
            let head = self.links[index].head;
            router.note_head(place, head);
            first = if head <= most { (head, place) } else { rival };
        }
        let mut next = first.0;
        for &port in &router.ports {
            self.serve_port_while(port, |due| due <= horizon);
            next = next.min(self.ports[port.index()].progress.due);
        }
        self.routers[number] = router;
        self.schedule_router(number, next);
        arrivals + self.departures - before
    }

    /// What comes next at a router may come at another time.
    pub fn reschedule_router(&mut self, number: usize) {
        let router = &self.routers[number];
        let arrivals = router.in_links.iter().map(|link| self.links[link.index()].head);
        let departures = router.ports.iter().map(|port| self.ports[port.index()].progress.due);
        let next = arrivals.chain(departures).min().unwrap_or(Time::NEVER);
        self.schedule_router(number, next);
    }

    #[inline(always)]
    fn schedule_router(&mut self, number: usize, next: Time) {
        let source = self.sources.router_at(number);
        if next == Time::NEVER {
            self.agenda.cancel(source);
        } else {
            self.agenda.schedule(source, next);
        }
    }
}
