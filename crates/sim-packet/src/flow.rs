//! Flows: a source of traffic with its two ends.

use crate::packet::{FlowNumber, Packet, PacketKind};
use crate::simulation::sleep::Sleep;
use crate::tcp::TcpParameters;
use crate::tcp::congestion::{Bbr, Bbr3, CongestionKind, Cubic, HTcp, Reno};
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::{Sender, SenderCounts};
use crate::tcp::stamps::StampClock;
use crate::traffic::SourceKind;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::{Congestion, HostId};

/// A TCP flow: the parameters of its connections and the present one.
#[derive(Clone, Debug)]
pub struct TcpEnds {
    /// For every connection.
    pub parameters: TcpParameters,
    /// For every connection.
    pub congestion: Congestion,
    /// The present connection.
    pub sender: Sender,
    /// The present connection.
    pub receiver: Receiver,
    /// The number of the present connection, modulo 256.
    pub connection: u8,
    /// Bytes of data that arrived in order over all earlier connections.
    pub earlier_bytes: u64,
    /// Out-of-sequence arrivals and duplicates of earlier connections.
    pub earlier_disorder: [u64; 3],
    /// Sender counts of earlier connections.
    pub earlier_counts: SenderCounts,
    /// Connections by which all was sent: when they were asked for, and when the last byte was acknowledged.
    pub transfers: Vec<(Time, Time)>,
    /// What the sender's time stamps are read from.
    stamps: StampClock,
    /// Each connection has so much to send and no more.
    is_sized: bool,
    /// What congestion controls draw from.
    random: Random,
    /// When the present connection was asked for, while it is a transfer that has not ended.
    transfer_from: Option<Time>,
}

impl TcpEnds {
    /// Take in a segment of the present connection that breaks no run being merged.
    #[inline(always)]
    pub fn receive(&mut self, segment: &Packet) {
        if segment.says_more() {
            self.receiver.on_congestion_signs(segment.is_marked(), segment.is_window_reduced());
            if segment.is_pushed() {
                self.receiver.on_pushed(segment.seq(), segment.stamp);
            }
        }
        self.receiver.on_segment(segment.seq(), segment.stamp);
    }

    /// A flow with no connection opened yet.
    pub fn new(parameters: TcpParameters, congestion: Congestion, is_sized: bool, mut random: Random) -> Self {
        let (sender, receiver) = Self::connection(&parameters, congestion, &mut random, Time::ZERO);
        Self {
            parameters,
            congestion,
            sender,
            receiver,
            connection: 0,
            earlier_bytes: 0,
            earlier_disorder: [0; 3],
            earlier_counts: SenderCounts::default(),
            transfers: Vec::new(),
            stamps: StampClock::new(parameters.stamp_step),
            is_sized,
            random,
            transfer_from: None,
        }
    }

    fn connection(
        parameters: &TcpParameters,
        congestion: Congestion,
        random: &mut Random,
        now: Time,
    ) -> (Sender, Receiver) {
        let control = match congestion {
            Congestion::Reno => CongestionKind::Reno(Reno),
            Congestion::Htcp => CongestionKind::HTcp(HTcp::new(parameters.htcp, now)),
            Congestion::Cubic => CongestionKind::Cubic(Cubic::new(parameters.segment_data_bytes)),
            Congestion::Bbr => CongestionKind::Bbr(Box::new(Bbr::new(parameters.segment_data_bytes, random.split()))),
            Congestion::Bbr3 => {
                CongestionKind::Bbr3(Box::new(Bbr3::new(parameters.segment_data_bytes, random.split())))
            }
        };
        (Sender::new(*parameters, control), Receiver::new(parameters.receiver))
    }

    /// An acknowledgement of this number comes from a receiver whose memory has been exhausted.
    #[inline(never)]
    pub fn heed_short_memory(&mut self, acked: u32) {
        if !self.receiver.closes() {
            self.sender.clamp_window();
        } else if let Some(segments) = self.receiver.window_said(acked) {
            self.sender.follow_closing_offer(segments);
        }
    }

    /// Open a new connection that has so many segments to send, or data without end; what is still under way of the one
    /// before is ignored on arrival.
    pub fn open(&mut self, segments: Option<u32>, now: Time) {
        self.earlier_bytes = self.bytes_in_order();
        self.earlier_disorder = self.disorder();
        self.earlier_counts = self.counts();
        (self.sender, self.receiver) = Self::connection(&self.parameters, self.congestion, &mut self.random, now);
        self.connection = self.connection.wrapping_add(1);
        self.transfer_from = self.is_sized.then_some(now);
        if let Some(segments) = segments {
            self.sender.limit(segments);
        }
    }

    /// The application hands over more segments.
    pub fn write(&mut self, segments: u32, now: Time) {
        self.sender.write(segments);
        self.transfer_from = self.is_sized.then_some(now);
    }

    /// The application has no more data; a transfer that is cut off here has not ended.
    pub fn close(&mut self) {
        self.sender.close();
        self.transfer_from = None;
    }

    /// Note the end of a transfer once all of it is acknowledged; whether it has ended now.
    #[inline]
    pub fn note_completion(&mut self, now: Time) -> bool {
        let Some(started) = self.transfer_from.take_if(|_| self.sender.is_done()) else { return false };
        self.transfers.push((started, now));
        true
    }

    /// Bytes of data that arrived in order, over all connections.
    pub fn bytes_in_order(&self) -> u64 {
        let next = self.receiver.next();
        let whole_bytes = u64::from(next) * u64::from(self.parameters.segment_data_bytes);
        self.earlier_bytes + whole_bytes - self.sender.lacking_below(next)
    }

    /// Out-of-sequence segments, duplicates and out-of-sequence runs, over all connections.
    pub fn disorder(&self) -> [u64; 3] {
        let [late, twice, runs] = self.earlier_disorder;
        let now = &self.receiver;
        [late + now.out_of_sequence, twice + now.duplicates, runs + now.late_runs]
    }

    /// The sender's counts, over all connections.
    pub fn counts(&self) -> SenderCounts {
        let (old, new) = (self.earlier_counts, self.sender.counts);
        SenderCounts {
            retransmitted: old.retransmitted + new.retransmitted,
            recoveries: old.recoveries + new.recoveries,
            undone: old.undone + new.undone,
            timeouts: old.timeouts + new.timeouts,
            local_congestions: old.local_congestions + new.local_congestions,
            mark_reductions: old.mark_reductions + new.mark_reductions,
        }
    }

    /// The segment to send as a packet.
    #[inline]
    pub fn segment(&mut self, flow: FlowNumber, seq: u32, now: Time) -> Packet {
        let data_bytes = self.parameters.segment_data_bytes - self.sender.lacks(seq) as u16;
        let ip_bytes = data_bytes + self.parameters.header_bytes;
        let stamp = self.time_stamp(now);
        self.packet(PacketKind::Segment, flow, ip_bytes).stamped(stamp).numbered(seq)
    }

    /// The time stamp of what is sent now.
    #[inline(always)]
    pub fn time_stamp(&mut self, now: Time) -> Time {
        self.stamps.read(now)
    }

    /// A packet of the handshake; `stamp` is the time stamp it carries or echoes.
    pub fn handshake(&self, flow: FlowNumber, kind: PacketKind, stamp: Time) -> Packet {
        let TcpParameters { header_bytes, syn_bytes, stamp_step, .. } = self.parameters;
        let ip_bytes = if kind == PacketKind::Established { header_bytes } else { syn_bytes };
        self.packet(kind, flow, ip_bytes).stamped(stamp.floor_to(stamp_step))
    }

    /// An acknowledgement of all that arrived in order.
    #[inline]
    pub fn acknowledgement(&self, flow: FlowNumber) -> Packet {
        let packet = self.packet(PacketKind::Ack, flow, self.parameters.header_bytes);
        let packet = packet.stamped(self.receiver.echo()).numbered(self.receiver.next());
        packet.echoing_congestion(self.receiver.echoes_congestion())
    }

    /// A packet of the present connection.
    #[inline(always)]
    fn packet(&self, kind: PacketKind, flow: FlowNumber, ip_bytes: u16) -> Packet {
        Packet::new(kind, flow, ip_bytes).of_connection(self.connection)
    }
}

/// The ends of a flow of datagrams.
#[derive(Clone, Debug, Default)]
pub struct UdpEnds {
    /// Payload bytes of a datagram.
    pub payload_bytes: u32,
    /// Sizes of its IP packets.
    pub fragments: Vec<u16>,
    /// How many of them, from the first on, have one size.
    pub alike: u32,
    /// Datagrams sent.
    pub sent: u32,
    /// Datagrams of which every piece arrived.
    pub received: u64,
    /// How long each took, where that is wanted.
    pub delays: Option<Vec<Time>>,
    current: u32,
    pieces: usize,
}

impl UdpEnds {
    /// Ends of a flow whose datagrams go out as packets of these sizes.
    pub fn new(payload_bytes: u32, fragments: Vec<u16>, delays: Option<Vec<Time>>) -> Self {
        let alike = fragments.iter().take_while(|&&bytes| bytes == fragments[0]).count() as u32;
        Self { payload_bytes, fragments, alike, delays, ..Self::default() }
    }

    /// Take in a piece of a datagram.
    #[inline]
    pub fn on_fragment(&mut self, piece: &Packet, now: Time) {
        if piece.seq() != self.current {
            self.current = piece.seq();
            self.pieces = 0;
        }
        self.pieces += 1;
        if self.pieces == self.fragments.len() {
            self.received += 1;
            if let Some(delays) = &mut self.delays {
                delays.push(now - piece.stamp);
            }
        }
    }
}

/// The ends of a ping.
#[derive(Clone, Debug, Default)]
pub struct PingEnds {
    /// IP bytes of request and reply.
    pub ip_bytes: u16,
    /// Requests sent.
    pub sent: u32,
    /// For each reply when its request was sent and the round-trip time.
    pub replies: Vec<(Time, Time)>,
    /// How long each request took that arrived, where that is wanted.
    pub delays: Option<Vec<Time>>,
}

/// The ends of a flow.
#[derive(Clone, Debug)]
pub enum Ends {
    /// TCP.
    Tcp(Box<TcpEnds>),
    /// UDP.
    Udp(UdpEnds),
    /// Ping.
    Ping(PingEnds),
}

impl Ends {
    /// Take in a packet that its host need do nothing about yet. Whether it is such a packet; else nothing is changed.
    #[inline(always)]
    pub fn take_in_passing(&mut self, packet: &Packet, now: Time) -> bool {
        match self {
            Self::Tcp(ends) => {
                let goes_on = packet.label().is_segment()
                    && ends.connection == packet.connection()
                    && ends.receiver.has_run()
                    && !ends.receiver.breaks_run(packet.seq());
                if goes_on {
                    ends.receive(packet);
                }
                goes_on
            }
            Self::Udp(ends) => {
                ends.on_fragment(packet, now);
                true
            }
            Self::Ping(_) => false,
        }
    }
}

impl TcpEnds {
    /// Take in those of some packets, first to last, that arrive until then, lengthen the run being merged and are alike
    /// but for their numbers. How many; `note` is given each.
    #[inline(always)]
    pub fn take_in_alike(&mut self, packets: &[Packet], until: Time, mut note: impl FnMut(&Packet)) -> usize {
        let (next, room) = self.receiver.in_order();
        let Some(first) = packets.first().filter(|_| room > 0) else { return 0 };
        let label = first.label();
        if !label.is_segment() || self.connection != first.connection() || first.says_more() {
            return 0;
        }
        if self.receiver.is_old(first.stamp) {
            return 0;
        }
        let looks_at_stamps = self.receiver.looks_at_stamps();
        let mut count = 0;
        for packet in &packets[..packets.len().min(room as usize)] {
            let is_next = packet.label() == label && packet.seq() == next + count;
            if packet.due > until || !is_next || (looks_at_stamps && packet.stamp < first.stamp) {
                break;
            }
            note(packet);
            count += 1;
        }
        self.receiver.take_in_order(count, first.stamp);
        count as usize
    }
}

/// A flow.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The hosts it leads from and to.
    pub hosts: [HostId; 2],
    /// What it wants to send.
    pub source: SourceKind,
    /// Its two ends.
    pub ends: Ends,
    /// The stream its source draws from.
    pub random: Random,
    /// Its process sleeps until something is due, and then for some time longer.
    pub sleep: Option<Box<Sleep>>,
}

impl Flow {
    /// How long its datagrams or echo requests took, where that is wanted.
    pub fn one_way_delays(&self) -> Option<&[Time]> {
        match &self.ends {
            Ends::Tcp(_) => None,
            Ends::Udp(ends) => ends.delays.as_deref(),
            Ends::Ping(ends) => ends.delays.as_deref(),
        }
    }
}
