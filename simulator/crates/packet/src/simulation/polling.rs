//! What a host does that polls.

use super::Simulation;
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
        let before_pkts = link.left_pkts;
        let until = link.arrival_of_last(polling.begin(), now);
        self.take_in(index, until);
        let link = &mut self.network.links[index];
        if polling.took((link.left_pkts - before_pkts) as u32, now) {
            self.end_runs();
        }
        std::mem::swap(&mut self.merging, &mut polling.merging);
        self.network.links[index].go_on_polling(polling);
        self.reschedule_link(index);
    }
}
