//! What a host does that polls.

use super::Simulation;
use crate::network::Network;
use crate::reception::Polling;

impl Simulation {
    /// A host that polls has been interrupted, or is done with what it took last: it takes what waits now, as much as its
    /// poll may.
    #[inline(never)]
    pub(super) fn on_polled_link(&mut self, index: usize, mut polling: Box<Polling>) {
        let now = self.now;
        std::mem::swap(&mut self.merging, &mut polling.merging);
        if polling.is_spent() {
            self.end_runs();
        }
        let link = &mut self.network.links[index];
        if polling.is_idle() {
            link.note_interrupt(now);
        }
        let most_pkts = polling.begin();
        let taken_pkts = (0..most_pkts).take_while(|_| self.take_one(index)).count();
        if polling.took(taken_pkts as u32, now) {
            self.end_runs();
        }
        std::mem::swap(&mut self.merging, &mut polling.merging);
        self.network.links[index].go_on_polling(polling);
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
