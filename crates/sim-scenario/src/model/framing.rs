//! What a link carries a packet in.

/// The least that Ethernet carries in a frame, and what a frame takes besides: preamble, header, check sequence, gap
/// (IEEE 802.3, sections 3 and 4).
const ETHERNET_LEAST_BYTES: u64 = 46;
const ETHERNET_BYTES: u64 = 38;
/// AAL5's trailer, what a cell carries of a packet, and a cell (ITU-T I.363.5 and I.361).
const AAL5_TRAILER_BYTES: u64 = 8;
const CELL_PAYLOAD_BYTES: u64 = 48;
const CELL_BYTES: u64 = 53;

/// How packets are framed, which decides on the link time they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The same number of bytes around each packet.
    Constant {
        /// That number.
        bytes: u32,
    },
    /// Ethernet frames; what is too small for one is padded.
    Ethernet,
    /// ATM: cells of AAL5, of which the last one is padded.
    Atm {
        /// What stands before a packet: 8 bytes with LLC and SNAP, none where a circuit carries IP alone (RFC 2684).
        encapsulation_bytes: u32,
    },
}

impl Framing {
    /// Link time of a packet, in bytes.
    #[inline(always)]
    pub fn wire_bytes(self, ip_bytes: u64) -> u64 {
        match self {
            Self::Constant { bytes } => ip_bytes + u64::from(bytes),
            Self::Ethernet => ip_bytes.max(ETHERNET_LEAST_BYTES) + ETHERNET_BYTES,
            Self::Atm { encapsulation_bytes } => {
                let frame_bytes = u64::from(encapsulation_bytes) + ip_bytes + AAL5_TRAILER_BYTES;
                frame_bytes.div_ceil(CELL_PAYLOAD_BYTES) * CELL_BYTES
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Framing;

    const LLC_SNAP: Framing = Framing::Atm { encapsulation_bytes: 8 };

    #[test]
    fn a_cell_more_begins_where_packet_encapsulation_and_trailer_exceed_whole_cells() {
        // 32 + 8 + 8 bytes fill one cell; 40 bytes of TCP and IP alone take one of a circuit's own and two of LLC's.
        let packets = [(32, 53), (33, 106), (80, 106), (81, 159), (1500, 32 * 53), (9180, 192 * 53)];
        for (ip_bytes, wire_bytes) in packets {
            assert_eq!(LLC_SNAP.wire_bytes(ip_bytes), wire_bytes, "{ip_bytes}");
        }
        let alone = Framing::Atm { encapsulation_bytes: 0 };
        assert_eq!((alone.wire_bytes(40), LLC_SNAP.wire_bytes(40)), (53, 106));
    }

    #[test]
    fn cells_hold_the_frame_and_no_cell_is_empty() {
        for ip_bytes in 1..=9180 {
            let cells = LLC_SNAP.wire_bytes(ip_bytes) / 53;
            assert_eq!(LLC_SNAP.wire_bytes(ip_bytes) % 53, 0);
            assert!(cells * 48 >= ip_bytes + 16 && (cells - 1) * 48 < ip_bytes + 16, "{ip_bytes}: {cells} cells");
        }
    }

    #[test]
    fn ethernet_pads_what_is_too_small_to_84_bytes() {
        for (ip_bytes, wire_bytes) in [(28, 84), (46, 84), (47, 85), (1500, 1538)] {
            assert_eq!(Framing::Ethernet.wire_bytes(ip_bytes), wire_bytes, "{ip_bytes}");
        }
    }
}
