//! Loss of a retransmission or of a recovery's new segment: a sender of Linux 6 begins another recovery.
//!
//! A recovery that sends as much as arrives keeps a full queue just full. The fluid has room for all of it then, to the
//! byte; packets come in bursts, and one that finds no room begins another recovery if it was sent in this one.

use crate::bound::Bound;
use crate::chunk::Chunk;
use crate::flow::TcpEnds;
use crate::port::PortState;

/// Segments that one segment lets out at most, in slow start.
const LET_OUT: f64 = 2.0;

/// Such losses per round trip at most. When a segment is lost decides whether another recovery follows, and one
/// try per round trip misses some; twenty find hardly more.
const PER_ROUND_TRIP: f64 = 10.0;

/// One of a recovery's new segments is lost, if a queue on the way has no room for a burst; up to ten times per round trip.
///
/// A burst is what the acknowledgement of one look lets out. Not while segments that were lost twice wait for their turn:
/// the receiver knows it for certain only when no other hole is left. What is lost here no queue counts.
pub fn lose_retransmission(ends: &mut TcpEnds, chunk: &mut Chunk, ports: &[PortState], now_s: f64) {
    let Some(sender) = ends.sender.as_ref().filter(|sender| sender.may_recover_again()) else { return };
    if chunk.fresh <= 0.0
        || ends.retransmission_loss_due_s.is_none_or(|due_s| now_s < due_s)
        || ends.receiver.waits_for_turns()
    {
        return;
    }
    let burst = LET_OUT * ends.segments_per_look;
    let is_full = ends.forward_queues.iter().any(|place| {
        let class = &ports[place.port].queues[place.queue];
        let packet_bytes = class.queue.packet_bytes().iter().fold(0.0_f64, |most, &bytes| most.at_least(bytes));
        !class.queue.has_room_for(burst * packet_bytes)
    });
    if is_full {
        chunk.lose(chunk.fresh.at_most(1.0), 0.0);
        ends.retransmission_loss_due_s = Some(now_s + sender.srtt_s() / PER_ROUND_TRIP);
    }
}
