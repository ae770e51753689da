//! A packet on its way: a plain value of four words, copied from ring to ring.

use hntes_sim_scenario::FlowId;
use hntes_sim_scenario::time::Time;

/// What a packet carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketKind {
    /// A TCP segment; `seq` is its number, `stamp` the sender's time stamp.
    #[default]
    Segment,
    /// A TCP acknowledgement; `seq` is the next segment expected, `stamp` the echoed time stamp.
    Ack,
    /// A piece of a UDP datagram; `seq` is the datagram, `stamp` when it was sent.
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
    /// All kinds, in the order of their numbers.
    const ALL: [Self; 8] = [
        Self::Segment,
        Self::Ack,
        Self::Fragment,
        Self::EchoRequest,
        Self::EchoReply,
        Self::Syn,
        Self::SynAck,
        Self::Established,
    ];

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

/// A flow's number in the two bytes that a packet has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowNumber(u16);

impl FlowNumber {
    /// The flow at this place.
    pub const fn new(number: u16) -> Self {
        Self(number)
    }

    /// Its place among the flows.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<FlowId> for FlowNumber {
    /// A scenario has fewer flows than two bytes can number: each has several sources of events, all numbered so.
    fn from(flow: FlowId) -> Self {
        Self(flow.index() as u16)
    }
}

/// Says that an acknowledgement carries no SACK blocks.
pub const NO_SACK: u32 = u32::MAX;

/// Where each part of a packet's label begins; the flow stands lowest.
const SIZE_AT: u32 = 16;
const KIND_AT: u32 = 32;
const COLOUR_AT: u32 = 40;
const CONNECTION_AT: u32 = 48;
const REVERSE_AT: u32 = 56;
const ECN_CAPABLE_AT: u32 = 57;
const MARKED_AT: u32 = 58;
const CONGESTION_ECHO_AT: u32 = 59;
const WINDOW_REDUCED_AT: u32 = 60;
const PUSHED_AT: u32 = 61;

/// What meters and queues look at: size, flow, kind, colour and marks of a packet, in one word. Passed by itself, so that
/// the packet need not leave its registers for a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label(u64);

impl Label {
    /// The flow it belongs to.
    #[inline(always)]
    pub const fn flow(self) -> FlowNumber {
        FlowNumber(self.0 as u16)
    }

    /// Bytes from the IP header on.
    #[inline(always)]
    pub const fn ip_bytes(self) -> u16 {
        (self.0 >> SIZE_AT) as u16
    }

    /// 1 when the packet travels from the flow's destination back to its source, else 0.
    #[inline(always)]
    pub const fn direction(self) -> usize {
        (self.0 >> REVERSE_AT) as usize & 1
    }

    /// Whether the other packet is of the same flow and goes in the same direction.
    #[inline(always)]
    pub const fn goes_with(self, other: Self) -> bool {
        (self.0 ^ other.0) & (u16::MAX as u64 | 1 << REVERSE_AT) == 0
    }

    /// The drop precedence.
    #[inline(always)]
    pub const fn colour(self) -> Colour {
        match (self.0 >> COLOUR_AT) as u8 {
            0 => Colour::Green,
            1 => Colour::Yellow,
            _ => Colour::Red,
        }
    }

    /// The number of the drop precedence, 0 to 2 from best to worst.
    #[inline(always)]
    pub const fn colour_number(self) -> usize {
        (self.0 >> COLOUR_AT) as usize & 3
    }

    /// Whether the drop precedence is the best.
    #[inline(always)]
    pub const fn is_green(self) -> bool {
        self.0 & 0xff << COLOUR_AT == 0
    }

    /// Whether it carries data of a TCP flow.
    #[inline(always)]
    pub const fn is_segment(self) -> bool {
        (self.0 >> KIND_AT) as u8 == PacketKind::Segment as u8
    }

    /// The same with the mark of a congested queue.
    #[must_use]
    pub const fn marked(self) -> Self {
        Self(self.0 | 1 << MARKED_AT)
    }

    /// Whether the packet's transport heeds marks.
    #[inline(always)]
    pub const fn is_ecn_capable(self) -> bool {
        self.0 & 1 << ECN_CAPABLE_AT != 0
    }
}

/// One packet. Its small parts share words: a copy is then four moves through registers, where fields of one and two
/// bytes are copied one by one (measured: a tenth of all time).
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// When it reaches the end of the link it is on.
    pub due: Time,
    /// A time it carries; see [`PacketKind`].
    pub stamp: Time,
    numbers: u64,
    label: Label,
}

impl Packet {
    /// A packet of so many bytes from the IP header on; in profile, with no numbers and no SACK blocks.
    #[inline(always)]
    pub const fn new(kind: PacketKind, flow: FlowNumber, ip_bytes: u16) -> Self {
        let label = flow.0 as u64
            | (ip_bytes as u64) << SIZE_AT
            | (kind as u64) << KIND_AT
            | (kind.is_reverse() as u64) << REVERSE_AT;
        Self { due: Time::ZERO, stamp: Time::ZERO, numbers: (NO_SACK as u64) << 32, label: Label(label) }
    }

    /// The same with a time to carry.
    #[must_use]
    #[inline(always)]
    pub const fn stamped(self, stamp: Time) -> Self {
        Self { stamp, ..self }
    }

    /// The same with a number to carry; see [`PacketKind`].
    #[must_use]
    #[inline(always)]
    pub const fn numbered(self, seq: u32) -> Self {
        Self { numbers: self.numbers & !(u32::MAX as u64) | seq as u64, ..self }
    }

    /// The same from this of its flow's connections, modulo 256; for a packet that names none yet.
    #[must_use]
    #[inline(always)]
    pub const fn of_connection(self, connection: u8) -> Self {
        Self { label: Label(self.label.0 | (connection as u64) << CONNECTION_AT), ..self }
    }

    /// The same with SACK blocks that lie there, and the bytes they take.
    #[must_use]
    #[inline(always)]
    pub const fn with_sack(self, slot: u32, bytes: u16) -> Self {
        let numbers = self.numbers & (u32::MAX as u64) | (slot as u64) << 32;
        Self { numbers, label: Label(self.label.0 + ((bytes as u64) << SIZE_AT)), ..self }
    }

    /// The packet sent back in answer: it carries the same.
    #[must_use]
    pub const fn answered_by(self, kind: PacketKind) -> Self {
        Self { stamp: self.stamp, numbers: self.numbers, ..Self::new(kind, self.flow(), self.ip_bytes()) }
    }

    /// Give it a drop precedence.
    #[inline(always)]
    pub const fn paint(&mut self, colour: Colour) {
        self.label.0 = self.label.0 & !(0xff << COLOUR_AT) | (colour as u64) << COLOUR_AT;
    }

    /// The same of a transport that heeds marks (ECT, RFC 3168).
    #[must_use]
    #[inline(always)]
    pub const fn ecn_capable(self) -> Self {
        Self { label: Label(self.label.0 | 1 << ECN_CAPABLE_AT), ..self }
    }

    /// Note that a queue on its way is congested (CE, RFC 3168).
    #[inline(always)]
    pub const fn mark(&mut self) {
        self.label = self.label.marked();
    }

    /// The same; an acknowledgement that tells the sender of a mark (ECE, RFC 3168).
    #[must_use]
    #[inline(always)]
    pub const fn echoing_congestion(self, echoes: bool) -> Self {
        Self { label: Label(self.label.0 | (echoes as u64) << CONGESTION_ECHO_AT), ..self }
    }

    /// The same asking for an acknowledgement at once (PSH), or not.
    #[must_use]
    pub const fn pushed(self, is_pushed: bool) -> Self {
        Self { label: Label(self.label.0 | (is_pushed as u64) << PUSHED_AT), ..self }
    }

    /// The same; a segment that tells the receiver that its echo was heard (CWR, RFC 3168).
    #[must_use]
    #[inline(always)]
    pub const fn window_reduced(self, reduced: bool) -> Self {
        Self { label: Label(self.label.0 | (reduced as u64) << WINDOW_REDUCED_AT), ..self }
    }

    /// What meters and queues look at.
    #[inline(always)]
    pub const fn label(&self) -> Label {
        self.label
    }

    /// A number it carries; see [`PacketKind`].
    #[inline(always)]
    pub const fn seq(&self) -> u32 {
        self.numbers as u32
    }

    /// For an acknowledgement where its SACK blocks lie, if it has any.
    #[inline(always)]
    pub const fn sack(&self) -> Option<u32> {
        let slot = (self.numbers >> 32) as u32;
        if slot == NO_SACK { None } else { Some(slot) }
    }

    /// The flow it belongs to.
    #[inline(always)]
    pub const fn flow(&self) -> FlowNumber {
        self.label.flow()
    }

    /// Bytes from the IP header on.
    #[inline(always)]
    pub const fn ip_bytes(&self) -> u16 {
        self.label.ip_bytes()
    }

    /// What it carries.
    #[inline(always)]
    pub const fn kind(&self) -> PacketKind {
        PacketKind::ALL[self.kind_number() as usize & 7]
    }

    /// The number of its kind.
    #[inline(always)]
    pub const fn kind_number(&self) -> u8 {
        (self.label.0 >> KIND_AT) as u8
    }

    /// 1 when it travels from the flow's destination back to its source, else 0.
    #[inline(always)]
    pub const fn direction(&self) -> usize {
        self.label.direction()
    }

    /// Its drop precedence.
    #[inline(always)]
    pub const fn colour(&self) -> Colour {
        self.label.colour()
    }

    /// Whether its transport heeds marks.
    #[inline(always)]
    pub const fn is_ecn_capable(&self) -> bool {
        self.label.is_ecn_capable()
    }

    /// Whether a segment says more than its number: it could be marked, tells that an echo was heard, or is pushed.
    #[inline(always)]
    pub const fn says_more(&self) -> bool {
        self.label.0 & (1 << ECN_CAPABLE_AT | 1 << WINDOW_REDUCED_AT | 1 << PUSHED_AT) != 0
    }

    /// Whether it asks for an acknowledgement at once.
    pub const fn is_pushed(&self) -> bool {
        self.label.0 & 1 << PUSHED_AT != 0
    }

    /// Whether a queue marked it.
    #[inline(always)]
    pub const fn is_marked(&self) -> bool {
        self.label.0 & 1 << MARKED_AT != 0
    }

    /// Whether it tells the sender of a mark.
    #[inline(always)]
    pub const fn echoes_congestion(&self) -> bool {
        self.label.0 & 1 << CONGESTION_ECHO_AT != 0
    }

    /// Whether it tells the receiver that its echo was heard.
    #[inline(always)]
    pub const fn is_window_reduced(&self) -> bool {
        self.label.0 & 1 << WINDOW_REDUCED_AT != 0
    }

    /// Which of its flow's connections sent it, modulo 256.
    #[inline(always)]
    pub const fn connection(&self) -> u8 {
        (self.label.0 >> CONNECTION_AT) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::{Colour, FlowNumber, Packet, PacketKind};
    use hntes_sim_scenario::time::Time;

    #[test]
    fn a_packet_is_small() {
        assert_eq!(size_of::<Packet>(), 32);
    }

    #[test]
    fn every_part_keeps_its_value() {
        for (number, kind) in PacketKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            let plain = Packet::new(kind, FlowNumber(u16::MAX), 1448).stamped(Time::from_us(7)).numbered(u32::MAX - 1);
            let mut packet = plain.of_connection(255).with_sack(5, 36);
            packet.paint(Colour::Red);
            packet.paint(Colour::Yellow);
            assert!(!packet.label().is_green() && plain.label().is_green());
            packet = packet.ecn_capable();
            assert!(packet.is_ecn_capable() && !packet.is_marked() && !plain.is_ecn_capable());
            packet.mark();
            assert!(packet.is_marked() && packet.colour() == Colour::Yellow);
            assert_eq!((packet.kind(), packet.direction()), (kind, usize::from(kind.is_reverse())));
            assert_eq!((packet.flow(), packet.ip_bytes(), packet.connection()), (FlowNumber(u16::MAX), 1484, 255));
            assert_eq!(packet.label().is_segment(), kind == PacketKind::Segment);
            assert_eq!((packet.seq(), packet.sack(), packet.stamp), (u32::MAX - 1, Some(5), Time::from_us(7)));
            assert!(packet.label().goes_with(plain.label()));
            assert!(!plain.label().goes_with(Packet::new(kind, FlowNumber(7), 1448).label()));
            let answer = plain.answered_by(PacketKind::EchoReply);
            assert_eq!((answer.seq(), answer.sack(), answer.stamp), (u32::MAX - 1, None, Time::from_us(7)));
            assert_eq!((answer.flow(), answer.ip_bytes(), answer.direction()), (FlowNumber(u16::MAX), 1448, 1));
        }
    }
}
