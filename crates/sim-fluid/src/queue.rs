//! A first-in first-out queue of fluid: what each step brought in stays together and leaves in order, so that the mix
//! of flows that leaves is the mix that came.

use crate::bound::Bound;
use crate::chunk::Chunk;
use crate::waiting::Waiting;
use std::collections::VecDeque;

/// A packet of no size that waits its turn, to measure the delay.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Which one it is.
    pub id: usize,
    /// When it arrived, in seconds.
    pub arrived_s: f64,
    /// Bytes let in before it.
    position: f64,
}

/// The queue. Its flows have slots, numbered from 0.
#[derive(Clone, Debug)]
pub struct FluidQueue {
    packet_bytes: Vec<f64>,
    /// The most that may wait, in bytes.
    pub limit_bytes: f64,
    /// What must be free again before a full queue takes anything.
    pub reopen_bytes: f64,
    /// Whether it is full and waits for that.
    pub closed: bool,
    backlog_bytes: f64,
    waiting: Waiting,
    probes: VecDeque<Probe>,
    in_bytes: f64,
    out_bytes: f64,
    /// The most that waited since this was last set to the backlog.
    pub peak_bytes: f64,
    /// Packets let in.
    pub entered_pkts: f64,
    /// Packets that left.
    pub left_pkts: f64,
}

impl FluidQueue {
    /// An empty queue; each slot has its bytes per packet.
    pub fn new(packet_bytes: Vec<f64>, limit_bytes: f64, reopen_bytes: f64) -> Self {
        Self {
            waiting: Waiting::new(packet_bytes.len()),
            packet_bytes,
            limit_bytes,
            reopen_bytes,
            closed: false,
            backlog_bytes: 0.0,
            probes: VecDeque::new(),
            in_bytes: 0.0,
            out_bytes: 0.0,
            peak_bytes: 0.0,
            entered_pkts: 0.0,
            left_pkts: 0.0,
        }
    }

    /// Bytes per packet of each slot.
    pub fn packet_bytes(&self) -> &[f64] {
        &self.packet_bytes
    }

    /// Bytes that wait.
    pub const fn backlog_bytes(&self) -> f64 {
        self.backlog_bytes
    }

    /// Whether a burst of so many bytes fits for certain: also if the queue closes before it comes.
    pub fn has_room_for(&self, burst_bytes: f64) -> bool {
        self.backlog_bytes + self.reopen_bytes + burst_bytes <= self.limit_bytes
    }

    /// Whether nothing waits, nor for room.
    pub const fn is_idle(&self) -> bool {
        self.waiting.is_empty() && !self.closed
    }

    /// Bytes of what arrives at the first slots.
    pub fn bytes_of(&self, arrivals: &[Chunk]) -> f64 {
        arrivals.iter().zip(&self.packet_bytes).map(|(chunk, bytes)| chunk.packets() * bytes).sum()
    }

    /// Let a step's arrivals of so many bytes in at the first slots; what was lost of them has been taken out.
    pub fn enter(&mut self, arrivals: &[Chunk], bytes: f64) {
        if bytes <= 0.0 && arrivals.iter().all(Chunk::is_empty) {
            return;
        }
        self.entered_pkts += arrivals.iter().map(Chunk::packets).sum::<f64>();
        self.waiting.push(bytes, arrivals);
        self.backlog_bytes += bytes;
        self.in_bytes += bytes;
        self.peak_bytes = self.peak_bytes.at_least(self.backlog_bytes);
    }

    /// Serve so many bytes; what leaves is put into `out`, one chunk for each of the first slots.
    pub fn serve(&mut self, bytes: f64, out: &mut [Chunk]) {
        let (mut left, mut is_first) = (bytes, true);
        while let Some((first, chunks)) = self.waiting.first() {
            let whole = *first;
            if whole > left + 1e-6 {
                if left > 0.0 {
                    split(chunks, left / whole, out, &mut self.left_pkts, is_first);
                    *first = whole - left;
                    self.backlog_bytes -= left;
                    self.out_bytes += left;
                    is_first = false;
                }
                break;
            }
            for (out, chunk) in out.iter_mut().zip(chunks) {
                self.left_pkts += chunk.packets();
                join(out, *chunk, is_first);
            }
            left = (left - whole).at_least(0.0);
            self.backlog_bytes -= whole;
            self.out_bytes += whole;
            self.waiting.pop();
            is_first = false;
        }
        if is_first {
            out.fill(Chunk::default());
        }
        if self.waiting.is_empty() {
            self.backlog_bytes = 0.0;
            self.out_bytes = self.in_bytes;
        }
    }

    /// Let a step's arrivals of so many bytes through: nothing waits, and all is served in the same step.
    pub fn pass(&mut self, arrivals: &[Chunk], bytes: f64) {
        self.entered_pkts += arrivals.iter().map(Chunk::packets).sum::<f64>();
        for chunk in arrivals {
            self.left_pkts += chunk.packets();
        }
        self.in_bytes += bytes;
        self.out_bytes = self.in_bytes;
        self.peak_bytes = self.peak_bytes.at_least(bytes);
    }

    /// A probe arrives before the last `bytes_to_come` of what has been let in; call it after the step was served.
    pub fn probe(&mut self, id: usize, arrived_s: f64, bytes_to_come: f64) {
        self.probes.push_back(Probe { id, arrived_s, position: self.in_bytes - bytes_to_come });
    }

    /// Probes whose turn came in the step from `start_s` that served `served` bytes: each with its departure.
    pub fn departed(&mut self, start_s: f64, step_s: f64, served: f64, gone: &mut Vec<(usize, f64)>) {
        while let Some(&probe) = self.probes.front() {
            if probe.position > self.out_bytes {
                break;
            }
            let before = served - (self.out_bytes - probe.position);
            let at = if served > 0.0 { start_s + step_s * (before / served).clamp(0.0, 1.0) } else { start_s };
            gone.push((probe.id, at.at_least(probe.arrived_s)));
            self.probes.pop_front();
        }
    }

    /// Packets of a slot inside.
    pub fn inside_of(&self, slot: usize) -> f64 {
        self.waiting.steps().map(|step| step[slot].packets()).sum()
    }

    /// Packets inside, slot by slot.
    pub fn inside_pkts(&self) -> Vec<f64> {
        let mut inside = vec![0.0; self.packet_bytes.len()];
        for step in self.waiting.steps() {
            for (inside, chunk) in inside.iter_mut().zip(step) {
                *inside += chunk.packets();
            }
        }
        inside
    }
}

/// Move a share of what each slot has to `out`.
fn split(chunks: &mut [Chunk], share: f64, out: &mut [Chunk], left_pkts: &mut f64, is_first: bool) {
    for (chunk, out) in chunks.iter_mut().zip(out) {
        let part = *chunk * share;
        *chunk = *chunk * (1.0 - share);
        *left_pkts += part.packets();
        join(out, part, is_first);
    }
}

/// A part joins what leaves, of which it may be the first.
#[inline]
fn join(out: &mut Chunk, part: Chunk, is_first: bool) {
    if is_first {
        *out = part;
    } else {
        *out += part;
    }
}

#[cfg(test)]
mod tests {
    use super::FluidQueue;
    use crate::chunk::Chunk;

    fn pkts(fresh: f64) -> Chunk {
        Chunk { fresh, ..Chunk::default() }
    }

    #[test]
    fn the_mix_that_leaves_is_the_mix_that_came() {
        let mut queue = FluidQueue::new(vec![1000.0, 500.0], 1e9, 0.0);
        queue.enter(&[pkts(4.0), pkts(0.0)], 4000.0);
        queue.enter(&[pkts(0.0), pkts(8.0)], 4000.0);
        let mut out = [Chunk::default(); 2];
        queue.serve(5000.0, &mut out);
        assert_eq!((out[0].fresh, out[1].fresh, queue.backlog_bytes()), (4.0, 2.0, 3000.0));
        queue.serve(1e6, &mut out);
        assert_eq!((out[0].fresh, out[1].fresh, queue.backlog_bytes()), (0.0, 6.0, 0.0));
        queue.serve(1e6, &mut out);
        assert_eq!((out, queue.left_pkts), ([Chunk::default(); 2], 12.0));
    }

    #[test]
    fn what_passes_leaves_the_queue_as_if_it_had_entered_and_been_served() {
        let arrivals = [pkts(0.3), pkts(1.0 / 7.0)];
        let counts = |queue: &FluidQueue| {
            [queue.entered_pkts, queue.left_pkts, queue.in_bytes, queue.out_bytes, queue.peak_bytes]
        };
        let mut stored = FluidQueue::new(vec![1538.0, 1462.7], 1e9, 0.0);
        for step in 1..50 {
            let chunks = arrivals.map(|chunk| chunk * f64::from(step));
            let bytes = stored.bytes_of(&chunks);
            let mut through = stored.clone();
            through.pass(&chunks, bytes);
            let mut out = [Chunk::default(); 2];
            stored.enter(&chunks, bytes);
            stored.serve(bytes, &mut out);
            assert_eq!((out, counts(&stored)), (chunks, counts(&through)));
            assert!(stored.is_idle() && through.is_idle());
        }
    }

    #[test]
    fn a_burst_fits_for_certain_if_it_fits_below_where_a_full_queue_opens_again() {
        let mut queue = FluidQueue::new(vec![1000.0], 10_000.0, 2000.0);
        queue.enter(&[pkts(6.0)], 6000.0);
        assert!(queue.has_room_for(2000.0) && !queue.has_room_for(2001.0));
    }

    #[test]
    fn a_probe_leaves_when_the_bytes_before_it_have_left() {
        let mut queue = FluidQueue::new(vec![1000.0], 1e9, 0.0);
        queue.enter(&[pkts(10.0)], 10_000.0);
        queue.probe(7, 0.0, 0.0);
        queue.enter(&[pkts(10.0)], 10_000.0);
        let (mut out, mut gone) = ([Chunk::default()], Vec::new());
        for step in 0..3 {
            queue.serve(4000.0, &mut out);
            queue.departed(f64::from(step), 1.0, 4000.0, &mut gone);
        }
        assert_eq!(gone, [(7, 2.5)]);
    }
}
