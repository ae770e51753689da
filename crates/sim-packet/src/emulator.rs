//! A delay emulator at a host, such as Linux's netem: everything sent waits in it for a fixed time. The wait itself is part
//! of the link's delay; here is how many buffers may wait, which is what the emulator counts.

use crate::packet::{FlowNumber, Label};
use hntes_sim_scenario::time::Time;
use std::collections::VecDeque;

/// The largest buffer that a host hands over, to be cut into segments by its card (`gso_max_size` of Linux).
const BUFFER_BYTES: u32 = 65536;

/// A buffer that waits.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    flow: FlowNumber,
    handed_over: Time,
    bytes: u32,
}

/// What waits in an emulator, and how much may.
#[derive(Clone, Debug)]
pub struct DelayEmulator {
    delay: Time,
    limit: usize,
    waiting: VecDeque<Buffer>,
}

impl DelayEmulator {
    /// An empty emulator for so many buffers.
    pub const fn new(delay: Time, limit: usize) -> Self {
        Self { delay, limit, waiting: VecDeque::new() }
    }

    /// Whether it takes a packet: segments that a flow sends at one moment share a buffer while it has room.
    pub fn takes(&mut self, label: Label, now: Time) -> bool {
        let (flow, bytes) = (label.flow(), u32::from(label.ip_bytes()));
        while self.waiting.front().is_some_and(|buffer| buffer.handed_over + self.delay <= now) {
            self.waiting.pop_front();
        }
        if let Some(last) = self.waiting.back_mut() {
            let joins = last.flow == flow && last.handed_over == now && label.is_segment();
            if joins && last.bytes + bytes <= BUFFER_BYTES {
                last.bytes += bytes;
                return true;
            }
        }
        let fits = self.waiting.len() < self.limit;
        if fits {
            self.waiting.push_back(Buffer { flow, handed_over: now, bytes });
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::DelayEmulator;
    use crate::packet::{FlowNumber, Packet, PacketKind};
    use hntes_sim_scenario::time::Time;

    /// How many of so many packets of one kind, offered at one moment, are taken.
    fn taken(emulator: &mut DelayEmulator, kind: PacketKind, count: usize, at_ms: u64) -> usize {
        let packet = Packet::new(kind, FlowNumber::new(0), 1500);
        (0..count).filter(|_| emulator.takes(packet.label(), Time::from_ms(at_ms))).count()
    }

    #[test]
    fn buffers_of_64_kb_wait_for_the_delay_and_no_more_than_the_limit() {
        // 43 x 1500 bytes are the most in 65536; two buffers of them, then none until the first two have left.
        let mut emulator = DelayEmulator::new(Time::from_ms(50), 2);
        let sent = [(0, 100), (49, 100), (50, 30), (60, 100), (61, 1)]
            .map(|(at_ms, count)| taken(&mut emulator, PacketKind::Segment, count, at_ms));
        assert_eq!(sent, [86, 0, 30, 43, 0]);
    }

    #[test]
    fn other_packets_are_a_buffer_each() {
        let mut emulator = DelayEmulator::new(Time::from_ms(50), 2);
        assert_eq!(taken(&mut emulator, PacketKind::Ack, 5, 0), 2);
    }
}
