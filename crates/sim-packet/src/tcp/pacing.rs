//! Pacing: no segment leaves before its time, which the one before has set by its length and the rate (as `fq`, or the
//! kernel in its place where a host has none).

use hntes_sim_scenario::time::Time;

/// The first flight is not paced.
const UNPACED_SEGMENTS: u64 = 10;
const PS_PER_S: u128 = 1_000_000_000_000;

/// The state of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacing {
    /// When the next buffer may leave.
    next_at: Time,
    sent_segments: u64,
    /// Of the buffer of which a part has left.
    in_buffer_segments: u32,
    in_buffer_bytes: u64,
}

impl Pacing {
    /// When the next buffer may leave, if that is not now.
    pub(super) fn due(&self, now: Time) -> Option<Time> {
        Some(self.next_at).filter(|&at| at > now)
    }

    /// Segments that have left of a buffer that is not out as a whole.
    pub(super) const fn segments_in_buffer(&self) -> u32 {
        self.in_buffer_segments
    }

    /// A segment left. The rest of its buffer may follow at once; the next buffer only after its time. A sender that is late
    /// makes up for it, by half of a buffer's time at most.
    pub(super) fn on_sent(&mut self, bytes: u64, ends_buffer: bool, bytes_per_s: u64, now: Time) {
        self.sent_segments += 1;
        self.in_buffer_bytes += bytes;
        self.in_buffer_segments += 1;
        if !ends_buffer {
            return;
        }
        let bytes = std::mem::take(&mut self.in_buffer_bytes);
        self.in_buffer_segments = 0;
        let late = now.since(self.next_at);
        self.next_at = self.next_at.max(now);
        if self.sent_segments >= UNPACED_SEGMENTS && bytes_per_s > 0 {
            let takes = Time::from_ps((u128::from(bytes) * PS_PER_S / u128::from(bytes_per_s)) as u64);
            self.next_at += takes.since(late.min(Time::from_ps(takes.ps() / 2)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Pacing, Time, UNPACED_SEGMENTS};

    const US: fn(u64) -> Time = Time::from_us;

    /// A sender that has sent its first flight, at 8 bytes a microsecond.
    fn sender() -> Pacing {
        let mut pacing = Pacing::default();
        (0..UNPACED_SEGMENTS - 1).for_each(|_| pacing.on_sent(8000, true, 8_000_000, US(0)));
        assert_eq!(pacing.due(US(0)), None, "the first flight is not paced");
        pacing
    }

    #[test]
    fn buffers_leave_as_far_apart_as_the_rate_has_it_and_their_segments_together() {
        let mut pacing = sender();
        for (number, at) in [0, 2_000, 4_000].into_iter().enumerate() {
            assert_eq!(pacing.due(US(at)), None);
            pacing.on_sent(8_000, false, 8_000_000, US(at));
            assert_eq!(pacing.due(US(at)), None, "buffer {number} leaves at once");
            pacing.on_sent(8_000, true, 8_000_000, US(at));
            assert_eq!(pacing.due(US(at)), Some(US(at + 2_000)));
        }
    }

    #[test]
    fn who_is_late_makes_up_for_half_a_buffer_at_most() {
        let mut pacing = sender();
        pacing.on_sent(8_000, true, 8_000_000, US(0));
        pacing.on_sent(8_000, true, 8_000_000, US(1_300));
        assert_eq!(pacing.due(US(1_300)), Some(US(2_000)));
        pacing.on_sent(8_000, true, 8_000_000, US(9_000));
        assert_eq!(pacing.due(US(9_000)), Some(US(9_500)));
    }
}
