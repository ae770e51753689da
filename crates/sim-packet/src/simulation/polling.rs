//! What a host does that polls.

use super::Simulation;
use crate::network::Network;

impl Simulation {
    /// A host that polls has been interrupted, or is done with what it took last: it takes what waits now, as much as its
    /// poll may.
    #[inline(never)]
    pub(super) fn on_polled_link(&mut self, index: usize) {
        let now = self.now;
        let Some(polling) = self.network.links[index].polling() else { return };
        std::mem::swap(&mut self.merging, &mut polling.merging);
        let (is_spent, most_pkts) = (polling.is_spent(), polling.begin(now));
        if is_spent {
            self.end_runs();
        }
        let taken_pkts = (0..most_pkts).take_while(|_| self.take_one(index)).count();
        let is_over = self.network.links[index].polling().is_none_or(|polling| polling.took(taken_pkts as u32, now));
        if is_over {
            self.end_runs();
        }
        if let Some(polling) = self.network.links[index].polling() {
            std::mem::swap(&mut self.merging, &mut polling.merging);
        }
        self.reschedule_link(index);
    }

    /// The host takes a packet, if one waits.
    fn take_one(&mut self, index: usize) -> bool {
        let now = self.now;
        let Self { network: Network { links, counts, trace, .. }, flows, .. } = self;
        let link = &mut links[index];
        if link.head > now {
            return false;
        }
        let Some(packet) = link.hand_over_one() else { return false };
        counts[packet.flow().index()].note_delivery(&packet);
        trace.fold(&packet, 0, now);
        if !flows[packet.flow().index()].ends.take_in_passing(&packet, now) {
            self.react(packet);
        }
        true
    }
}
