//! When a host takes packets from a link: when an interrupt comes, or while it polls.

use crate::packet::FlowNumber;
use hntes_sim_scenario::rng::Random;
use hntes_sim_scenario::time::Time;

/// How a host takes packets from a link.
#[derive(Clone, Debug)]
pub enum Reception {
    /// All that has arrived, whenever an interrupt comes.
    Interrupts(Interrupts),
    /// One by one, which takes time.
    Polls(Box<Polling>),
}

impl Reception {
    /// When the host looks at a packet that arrives at `due`.
    #[inline(always)]
    pub fn wake(&mut self, due: Time) -> Time {
        match self {
            Self::Interrupts(interrupts) => interrupts.at(due),
            Self::Polls(polling) => polling.wake(due),
        }
    }

    /// When the host looks next, where a packet arrives at `head` or none is under way.
    #[inline(always)]
    pub fn next_look(&mut self, head: Time) -> Option<Time> {
        match self {
            Self::Interrupts(interrupts) => (head != Time::NEVER).then(|| interrupts.at(head)),
            Self::Polls(polling) => polling.next_look(head),
        }
    }
}

/// Interrupts, which come at most once in `gap`, of a host that stalls now and then.
#[derive(Clone, Debug)]
pub struct Interrupts {
    gap: Time,
    stall: Time,
    mean_between_stalls_s: f64,
    /// When the next stall begins, or the present one began.
    next_stall: Time,
    last: Time,
    random: Random,
}

impl Interrupts {
    const NO_STALL: Time = Time::from_ps(u64::MAX / 2);

    /// A host that stalls `stalls_per_s` times per second on average.
    pub fn new(gap: Time, stall: Time, stalls_per_s: f64, mut random: Random) -> Self {
        let mean = if stalls_per_s > 0.0 { 1.0 / stalls_per_s } else { f64::INFINITY };
        let next_stall = if mean.is_finite() { Time::from_s(random.exponential(mean)) } else { Self::NO_STALL };
        Self { gap, stall, mean_between_stalls_s: mean, next_stall, last: Time::ZERO, random }
    }

    /// When a packet that arrives at `due` interrupts.
    #[inline(always)]
    pub fn at(&mut self, due: Time) -> Time {
        let at = if self.last == Time::ZERO { due } else { due.max(self.last + self.gap) };
        self.unless_stalled(at)
    }

    #[inline(always)]
    fn unless_stalled(&mut self, at: Time) -> Time {
        while self.next_stall + self.stall <= at {
            let wait = Time::from_s(self.random.exponential(self.mean_between_stalls_s));
            self.next_stall += self.stall + wait;
        }
        if at < self.next_stall { at } else { self.next_stall + self.stall }
    }

    /// An interrupt has come.
    #[inline(always)]
    pub const fn note(&mut self, now: Time) {
        self.last = now;
    }
}

/// Polling as Linux's NAPI does it: an interrupt begins a poll, which goes on while packets wait, but takes no more than so
/// many. Then the next poll follows, until nothing waits. What is merged is handed on when a poll ends.
#[derive(Clone, Debug)]
pub struct Polling {
    interrupts: Interrupts,
    /// From an interrupt to the poll.
    delay: Time,
    packet: Time,
    poll_pkts: u32,
    /// What the present poll may still take.
    left_pkts: u32,
    /// When the host is done with what it has taken; none while it waits for an interrupt.
    busy_until: Option<Time>,
    /// Flows whose receivers are merging segments in the present poll.
    pub merging: Vec<FlowNumber>,
}

impl Polling {
    /// A host that waits for an interrupt.
    pub const fn new(interrupts: Interrupts, delay: Time, packet: Time, poll_pkts: u32) -> Self {
        Self { interrupts, delay, packet, poll_pkts, left_pkts: 0, busy_until: None, merging: Vec::new() }
    }

    #[inline(never)]
    fn wake(&mut self, due: Time) -> Time {
        match self.busy_until {
            Some(until) => self.interrupts.unless_stalled(until),
            None => self.interrupts.at(due) + self.delay,
        }
    }

    #[inline(never)]
    fn next_look(&mut self, head: Time) -> Option<Time> {
        if head != Time::NEVER {
            return Some(self.wake(head));
        }
        self.busy_until.map(|until| self.interrupts.unless_stalled(until))
    }

    /// Whether the present poll has taken all that it may, so that another one follows.
    pub const fn is_spent(&self) -> bool {
        self.busy_until.is_some() && self.left_pkts == 0
    }

    /// What it may take now: what is left of the present poll, or all that a new one may.
    pub const fn begin(&mut self, now: Time) -> u32 {
        if self.busy_until.is_none() {
            self.interrupts.note(now);
        }
        if self.left_pkts == 0 {
            self.left_pkts = self.poll_pkts;
        }
        self.left_pkts
    }

    /// So many packets waited and were taken. Whether none were, which ends the poll: the next packet interrupts.
    pub fn took(&mut self, taken_pkts: u32, now: Time) -> bool {
        if taken_pkts == 0 {
            self.left_pkts = 0;
            self.busy_until = None;
            return true;
        }
        self.left_pkts -= taken_pkts;
        self.busy_until = Some(now + Time::from_ps(self.packet.ps() * u64::from(taken_pkts)));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Interrupts;
    use hntes_sim_scenario::rng::Random;
    use hntes_sim_scenario::time::Time;

    #[test]
    fn the_first_packet_after_a_pause_is_seen_at_once() {
        let mut host = Interrupts::new(Time::from_us(20), Time::ZERO, 0.0, Random::named(1, "host"));
        assert_eq!(host.at(Time::from_us(5)), Time::from_us(5));
        host.note(Time::from_us(5));
        assert_eq!(host.at(Time::from_us(6)), Time::from_us(25));
        assert_eq!(host.at(Time::from_us(400)), Time::from_us(400));
    }

    #[test]
    fn stalls_come_at_their_rate_and_end() {
        let stall = Time::from_us(200);
        let mut host = Interrupts::new(Time::ZERO, stall, 5.0, Random::named(1, "host"));
        let arrivals = (1..10_000_000).map(|n| Time::from_us(n * 10));
        let late: Vec<Time> = arrivals.map(|at| host.at(at).since(at)).filter(|&wait| wait > Time::ZERO).collect();
        assert!((8_000..12_000).contains(&late.len()), "20 packets per stall, 500 stalls: {}", late.len());
        assert!(late.iter().all(|&wait| wait <= stall));
    }

    #[test]
    fn a_rare_packet_seldom_meets_a_stall() {
        let mut host = Interrupts::new(Time::ZERO, Time::from_us(200), 3.0, Random::named(1, "host"));
        let late = (1..10_000).filter(|&n| host.at(Time::from_ms(n * 1000)) > Time::from_ms(n * 1000)).count();
        assert!(late < 20, "{late} of 10000");
    }
}
