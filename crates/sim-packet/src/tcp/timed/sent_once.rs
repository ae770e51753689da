//! Arrivals that tell nothing but that they are there, taken in together.

use super::{Told, extend};
use crate::tcp::sender::Sender;
use hntes_sim_scenario::time::Time;

impl Sender {
    /// Segments from `first` on have arrived that were sent once each, none of them reported: what they tell is told by the
    /// first and the last.
    pub(super) fn take_in_sent_once(&mut self, first: u32, next: u32, forward_before: u32, told: &mut Told, now: Time) {
        let rack = &mut self.timed.rack;
        let (first_sent, last_sent) = (rack.sent_at(first), rack.sent_at(next - 1));
        told.delivered += next - first;
        told.latest_sent = told.latest_sent.max(Some(last_sent));
        if first < forward_before && told.reordered.is_none() {
            told.reordered = Some(first);
        }
        extend(&mut told.acked_sent, first_sent);
        extend(&mut told.acked_sent, last_sent);
        rack.on_delivered(next - 1, 0, last_sent, now);
        self.note_acknowledged(next - first, told);
    }

    pub(super) fn note_acknowledged(&mut self, acked: u32, told: &mut Told) {
        told.acked = acked;
        if acked > 0 {
            told.sets_timer = true;
            if let Some(lowest) = told.reordered.take() {
                self.note_reordering_from(lowest);
            }
        }
    }
}
