//! How a datagram is cut into IP packets.

/// IP packet sizes that carry a datagram of so many payload bytes, headers included.
pub fn fragment_sizes(payload_bytes: u32, mtu_bytes: u16) -> Vec<u16> {
    const IP_HEADER: u32 = 20;
    const UDP_HEADER: u32 = 8;
    // All fragments but the last carry a multiple of eight bytes (RFC 791).
    let most = (u32::from(mtu_bytes) - IP_HEADER) / 8 * 8;
    let mut left = payload_bytes + UDP_HEADER;
    let mut sizes = Vec::new();
    while left > u32::from(mtu_bytes) - IP_HEADER {
        sizes.push((most + IP_HEADER) as u16);
        left -= most;
    }
    sizes.push((left + IP_HEADER) as u16);
    sizes
}

#[cfg(test)]
mod tests {
    use super::fragment_sizes;

    #[test]
    fn a_datagram_of_8192_bytes_takes_six_packets() {
        assert_eq!(fragment_sizes(8192, 1500), [1500, 1500, 1500, 1500, 1500, 820]);
        assert_eq!(fragment_sizes(1472, 1500), [1500]);
        assert_eq!(fragment_sizes(1473, 1500).len(), 2);
    }
}
