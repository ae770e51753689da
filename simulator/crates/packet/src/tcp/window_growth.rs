//! While a receiver offers more and more room, Linux acknowledges every segment at once (`tcp_grow_window`), so that a
//! sender in slow start doubles its window each round trip.

/// Segments until a receiver offers its whole buffer of so many: each makes it offer two more.
pub const fn segments_while_window_grows(buffer: u32) -> u32 {
    buffer / 2
}

#[cfg(test)]
mod tests {
    use super::segments_while_window_grows;
    use crate::tcp::receiver::{AckWish, Receiver, ReceiverParameters};
    use hntes_sim_scenario::time::Time;

    #[test]
    fn each_segment_is_acknowledged_until_the_whole_buffer_is_offered_then_every_second() {
        let buffer = 1000;
        let quick_acks = segments_while_window_grows(buffer);
        let delayed_ack = Time::from_ms(40);
        let parameters = ReceiverParameters { quick_acks, delayed_ack, merge_segments: 1, ..Default::default() };
        let mut receiver = Receiver::new(parameters);
        let mut offered = 0;
        for seq in 0..2 * buffer {
            receiver.on_segment(seq, Time::ZERO);
            let wish = receiver.end_run(Time::ZERO);
            let is_growing = offered < buffer;
            offered += 2;
            assert_eq!(wish == AckWish::Now, is_growing || seq % 2 == 1, "segment {seq}");
            if wish == AckWish::Now {
                receiver.acknowledge();
            }
        }
    }
}
