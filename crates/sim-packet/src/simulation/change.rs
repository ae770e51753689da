//! What is another way from some time on. Between two changes nothing knows of them, so that they cost packets nothing.

use super::Simulation;
use crate::assemble::change_port;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{Change, LinkId, Place, PortId};

impl Simulation {
    /// When something changes next.
    pub(super) fn next_change(&self) -> Option<Time> {
        self.scenario.changes().get(self.changes_made).map(|change| change.at.time())
    }

    /// Make the next change, before all else that happens now.
    pub(super) fn make_next_change(&mut self, now: Time) {
        let Change { links, ports, .. } = self.scenario.changes()[self.changes_made].clone();
        self.changes_made += 1;
        for link in links {
            let queue = link.queue;
            let at = &mut self.network.links[link.id.index()];
            at.set_rate(link.rate.rate(), queue.limit_bytes, queue.reopen_bytes, now);
            self.look_anew_at_link(link.id);
        }
        for port in ports {
            let at = &mut self.network.ports[port.id.index()];
            let link = &self.network.links[at.link.index()];
            change_port(at, &port, link.rate, now);
            if at.progress.engaged {
                at.progress.due = link.busy_until;
            } else if at.progress.due != Time::NEVER {
                // it waited for a time that the new rate may bring forward
                at.progress.due = now;
            }
            self.look_anew_at_port(port.id);
        }
    }

    /// The end of a link may be reached at another time.
    fn look_anew_at_link(&mut self, link: LinkId) {
        match self.scenario.place(self.scenario.link(link).to) {
            Place::Host(_) => self.reschedule_link(link.index()),
            Place::Router(router) => self.network.reschedule_router(router.index()),
        }
    }

    fn look_anew_at_port(&mut self, port: PortId) {
        let from = self.scenario.link(self.scenario.port(port).link).from;
        if let Place::Router(router) = self.scenario.place(from) {
            self.network.reschedule_router(router.index());
        }
    }
}
