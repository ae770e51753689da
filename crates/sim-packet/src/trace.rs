//! A fingerprint of a run: two runs with one fingerprint delivered and dropped the same packets at the same times.

use crate::packet::Packet;
use hntes_sim_scenario::time::Time;

/// A hash over the deliveries and drops of a run. It is a sum, as routers may run ahead of one another.
#[derive(Clone, Copy, Debug)]
pub struct TraceHash(u64);

impl TraceHash {
    /// The hash of an empty trace.
    pub const fn new() -> Self {
        Self(0x243f_6a88_85a3_08d3)
    }

    /// Take in what happened to a packet; `fate` tells one kind of end from another.
    #[inline]
    pub const fn fold(&mut self, packet: &Packet, fate: u8, at: Time) {
        let what = (packet.seq() as u64) << 32
            | (packet.flow().index() as u64) << 16
            | (packet.kind_number() as u64) << 8
            | fate as u64;
        let mixed = at.ps().wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) ^ what;
        self.0 = self.0.wrapping_add((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    }

    /// The fingerprint.
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl Default for TraceHash {
    fn default() -> Self {
        Self::new()
    }
}
