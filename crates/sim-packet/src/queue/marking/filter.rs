//! A serial multistage filter (Estan and Varghese 2002): finds the flows that send much without counting each.

/// Stages of counters that flows share by chance: a flow is caught once it passes them all. A stage sees only the packets
/// that passed the ones before it, and has its part of the threshold.
#[derive(Clone, Debug)]
pub struct Filter {
    counters: Vec<Vec<u64>>,
    threshold_bytes: u64,
}

impl Filter {
    /// A flow that sends `threshold_bytes` is caught for sure.
    pub fn new(stages: usize, buckets: usize, threshold_bytes: u64) -> Self {
        Self { counters: vec![vec![0; buckets]; stages], threshold_bytes: threshold_bytes / stages as u64 }
    }

    /// Whether a flow is caught with this packet.
    pub fn catches(&mut self, flow: usize, wire_bytes: u64) -> bool {
        for (stage, counters) in self.counters.iter_mut().enumerate() {
            let bucket = mix(flow as u64, stage as u64) as usize % counters.len();
            counters[bucket] += wire_bytes;
            if counters[bucket] < self.threshold_bytes {
                return false;
            }
        }
        true
    }

    /// Count from zero.
    pub fn clear(&mut self) {
        self.counters.iter_mut().for_each(|counters| counters.fill(0));
    }
}

/// Spreads flows over the buckets of a stage (the mixer of `SplitMix64`).
const fn mix(flow: u64, stage: u64) -> u64 {
    let mut z = (flow + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (stage + 1).wrapping_mul(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::Filter;

    #[test]
    fn a_lone_flow_is_caught_when_each_stage_had_its_part() {
        let mut filter = Filter::new(3, 8, 3000);
        // Each stage passes its second packet of 500 bytes; that packet counts in the next stage, too.
        let caught: Vec<bool> = (0..6).map(|_| filter.catches(7, 500)).collect();
        assert_eq!(caught, [false, false, false, true, true, true]);
        filter.clear();
        assert!(!filter.catches(7, 500));
    }

    #[test]
    fn whoever_sends_the_threshold_is_caught_whatever_the_others_do() {
        for seed in 0..50_u64 {
            let mut filter = Filter::new(3, 8, 30_000);
            let (mut sent, mut is_caught) = (0, false);
            for packet in 0..3000_u64 {
                let flow = (packet * 7919 + seed * 31) % 40;
                if flow == 5 {
                    sent += 500;
                    is_caught |= filter.catches(5, 500);
                } else if flow < 30 {
                    filter.catches(flow as usize, 40);
                }
                assert!(is_caught || sent < 30_000);
            }
            assert!(sent > 30_000);
        }
    }

    #[test]
    fn few_small_flows_pass() {
        // 100 flows of 100 bytes, thresholds of 1000 in each of three stages of 64 buckets: k = 1000 x 64 / 10,000 = 6.4
        // in each stage. A stage alone passes a small flow with a chance of at most 1/k / (1 - 100/1000) = 0.174.
        let mut filter = Filter::new(3, 64, 3000);
        let passed = (0..100).filter(|&flow| filter.catches(flow, 100)).count();
        assert!(passed <= 17, "{passed}");
        let mut narrow = Filter::new(3, 1, 3000);
        assert!((0..100).filter(|&flow| narrow.catches(flow, 100)).count() > 70);
    }
}
