//! What a busy queue makes of a slow start's flight, which travels as one clump. The equations are derived in
//! `docs/reference/simulator-fluid.md`, "A flow joins a link that another fills"; n, t, D and g are named as there.

use super::MOSTLY;
use crate::bound::Bound;
use crate::chunk::Chunk;
use crate::tcp::segments_per_ack;

/// How long a clump takes to leave: D' = D o + n t, as its own packets need n t of service, and others send o times the
/// service while it arrives within D.
pub(super) fn spread_s(spread_s: f64, others: f64, own_s: f64) -> f64 {
    spread_s * others + own_s
}

/// The part of a clump's service that its flow had one round trip before: n t (1 - m / n), if m of its segments are more
/// than then: one for each of its bursts, which an acknowledgement makes, or under Linux 6 half of them.
pub(super) fn service_before_s(own_s: f64, more: f64, pkts: f64) -> f64 {
    own_s * (1.0 - more / pkts).clamp(0.0, 1.0)
}

/// What the clump of one round trip before, of service s within a time D, left of the others' sending, relative to the
/// others' mean rate: (1 - s / D) / (1 - s / T), with T the step over which that mean is known. A flow that has most of
/// the step counts as having [`MOSTLY`] of it.
pub(super) fn room_left(before_s: f64, spread_s: f64, step_s: f64) -> f64 {
    (1.0 - before_s / spread_s) / (1.0 - (before_s / step_s).at_most(MOSTLY))
}

/// The share of another flow's packets that draws a clump apart: 1 - m (1 - r), where r is the room that was left to it
/// and m, from 1 for equal round trips to 0 for round trips that differ by a flight's length, says how much of the clump
/// meets what yielded to it before.
pub(super) fn share_that_draws_apart(round_trips_apart_s: f64, flight_s: f64, room_left: f64) -> f64 {
    let meets = (1.0 - round_trips_apart_s / flight_s).at_least(0.0);
    1.0 - meets * (1.0 - room_left.at_most(1.0))
}

/// A busy queue sends a flow evenly, so that the receiver finds the same number of segments each time it looks. Slow start
/// keeps its flight together, so that fewer looks find more segments each. `alone` says that a flow has the link to itself.
pub(super) fn space_out(chunk: &mut Chunk, looks_per_step: f64, step_s: f64, alone: bool) {
    let pkts = chunk.packets();
    let looks = looks_per_step * share_of_step(chunk, looks_per_step, step_s).at_most(1.0);
    chunk.bursts = looks.at_most(pkts);
    chunk.acks = pkts / segments_per_ack(pkts / looks, alone);
}

/// The share of a step during which a chunk arrives: a clump within D / T and one look more, anything else all the time.
fn share_of_step(chunk: &Chunk, looks_per_step: f64, step_s: f64) -> f64 {
    if chunk.clumps > 0.0 { chunk.spread_s / step_s + chunk.clumps / looks_per_step } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::{room_left, service_before_s, share_that_draws_apart};

    #[test]
    fn a_clump_of_another_round_trip_is_drawn_apart_by_all_others() {
        assert_eq!(share_that_draws_apart(0.02, 0.01, 0.3), 1.0);
        assert_eq!(share_that_draws_apart(0.0, 0.01, 0.25), 0.25);
        assert_eq!(share_that_draws_apart(0.0, 0.01, 1.7), 1.0);
    }

    #[test]
    fn a_clump_that_had_nothing_before_left_all_room() {
        assert_eq!(service_before_s(0.5, 8.0, 8.0), 0.0);
        assert_eq!(room_left(0.0, 0.5, 1.0), 1.0);
    }
}
