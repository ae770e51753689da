//! Arrivals that tell nothing but that they are there, taken in together.

use super::{AckEffect, extend};
use crate::tcp::sender::Sender;
use hntes_sim_scenario::time::Time;

impl Sender {
    /// Segments from `first` on have arrived that were sent once each, none of them reported: what they tell is effect by the
    /// first and the last.
    pub(in crate::tcp) fn take_in_sent_once(
        &mut self,
        first: u32,
        next: u32,
        forward_before: u32,
        effect: &mut AckEffect,
        now: Time,
    ) {
        let rack = &mut self.rack.detection;
        let (first_sent, last_sent) = (rack.sent_at(first), rack.sent_at(next - 1));
        effect.delivered += next - first;
        effect.latest_sent = effect.latest_sent.max(Some((last_sent, next - 1)));
        if first < forward_before && effect.reordered.is_none() {
            effect.reordered = Some(first);
        }
        extend(&mut effect.acked_sent, first_sent);
        extend(&mut effect.acked_sent, last_sent);
        rack.on_delivered(next - 1, 0, last_sent, now);
        self.note_acknowledged(next - first, effect);
    }

    pub(in crate::tcp) fn note_acknowledged(&mut self, acked: u32, effect: &mut AckEffect) {
        effect.acked = acked;
        if acked > 0 {
            effect.sets_timer = true;
            if let Some(lowest) = effect.reordered.take() {
                self.note_reordering_from(lowest);
            }
        }
    }
}
