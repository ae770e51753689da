//! A packet on its way: a plain value of 32 bytes, copied from ring to ring.

use crate::time::Time;

/// What a packet carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketKind {
    /// A TCP segment; `seq` is its number, `stamp` the sender's time stamp.
    #[default]
    Segment,
    /// A TCP acknowledgement; `seq` is the next segment expected, `stamp` the echoed time stamp.
    Ack,
    /// A piece of a UDP datagram; `seq` is the datagram, `extra` holds piece and number of pieces.
    Fragment,
    /// An echo request; `seq` is its number, `stamp` when it was sent.
    EchoRequest,
    /// An echo reply, with the request's number and time stamp.
    EchoReply,
    /// A TCP connection's first packet; `stamp` the sender's time stamp.
    Syn,
    /// The answer to it, with its time stamp.
    SynAck,
    /// The sender's answer to that, which opens the connection at the other end.
    Established,
}

impl PacketKind {
    /// Whether it travels from the flow's destination back to its source.
    #[inline]
    pub const fn is_reverse(self) -> bool {
        matches!(self, Self::Ack | Self::EchoReply | Self::SynAck)
    }
}

/// The drop precedence a meter gave, from best to worst (RFC 2697, RFC 2698).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Colour {
    /// In profile.
    #[default]
    Green,
    /// Above the committed rate.
    Yellow,
    /// Out of profile.
    Red,
}

/// Says that an acknowledgement carries no SACK blocks.
pub const NO_SACK: u32 = u32::MAX;

/// One packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// When it reaches the end of the link it is on.
    pub due: Time,
    /// A time it carries; see [`PacketKind`].
    pub stamp: Time,
    /// A number it carries; see [`PacketKind`].
    pub seq: u32,
    /// For an acknowledgement where its SACK blocks lie, or [`NO_SACK`]; for a fragment its place.
    pub extra: u32,
    /// The flow it belongs to.
    pub flow: u16,
    /// Bytes from the IP header on.
    pub ip_bytes: u16,
    /// What it carries.
    pub kind: PacketKind,
    /// Its drop precedence.
    pub colour: Colour,
    /// Which of its flow's connections sent it, modulo 256.
    pub connection: u8,
}

#[cfg(test)]
mod tests {
    use super::Packet;

    #[test]
    fn a_packet_is_small() {
        assert_eq!(size_of::<Packet>(), 32);
    }
}
