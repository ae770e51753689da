//! Congestion control: how the window grows, and what it falls to.

mod bbr;
mod bbr3;
mod cubic;
mod htcp;
mod hystart;
mod reno;

pub use bbr::Bbr;
pub use bbr3::Bbr3;
pub use cubic::Cubic;
pub use htcp::{HTcp, HTcpParameters};
pub use reno::Reno;

use super::delivery::{Delivery, Totals};
use hntes_sim_scenario::time::Time;

/// The states of a sender, as Linux names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaState {
    /// Nothing unusual.
    #[default]
    Open,
    /// Duplicates or SACK blocks came, too few to call it a loss.
    Disorder,
    /// The window is being reduced although nothing was lost: the host's own queue was full.
    Cwr,
    /// Lost segments are being sent again.
    Recovery,
    /// The retransmission timer ran out.
    Loss,
}

/// The windows, in segments.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The congestion window.
    pub cwnd: u32,
    /// Counts towards the next change of `cwnd` by one.
    pub count: u32,
    /// Above it, slow start is over.
    pub ssthresh: u32,
}

impl Window {
    /// Slow start: one segment per acknowledgement, as Linux did with ABC off.
    #[inline]
    pub const fn slow_start(&mut self) {
        self.cwnd += 1;
    }

    /// Whether slow start goes on, for a growth that counts segments.
    #[inline]
    pub const fn is_in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start by so many segments, up to the threshold (RFC 3465 without a limit); how many were not needed.
    #[inline]
    pub fn slow_start_by(&mut self, segments: u32) -> u32 {
        let grown = self.cwnd.saturating_add(segments).min(self.ssthresh);
        let left = segments - (grown - self.cwnd);
        self.cwnd = grown;
        left
    }

    /// One segment more for each `every` of those delivered.
    #[inline]
    pub const fn grow_every(&mut self, every: u32, segments: u32) {
        if self.count >= every {
            self.count = 0;
            self.cwnd += 1;
        }
        self.count += segments;
        if self.count >= every {
            self.cwnd += self.count / every;
            self.count %= every;
        }
    }
}

/// What an acknowledgement told a congestion control.
#[derive(Clone, Copy, Debug)]
pub struct AckSample {
    /// Segments newly acknowledged.
    pub acked: u32,
    /// A round-trip time measured with it.
    pub rtt: Option<Time>,
    /// The sender's state before it.
    pub state: CaState,
    /// When it came.
    pub now: Time,
}

/// Where a connection is when an acknowledgement has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    /// The smoothed round-trip time.
    pub srtt: Time,
    /// The first segment not acknowledged.
    pub una: u32,
    /// The next new segment.
    pub next: u32,
}

/// A rule for the window. All hooks but the two windows have defaults.
pub trait CongestionControl {
    /// Segments were acknowledged, in whatever state.
    fn on_acked(&mut self, _sample: &AckSample, _window: &mut Window) {}

    /// The window may grow: called when the window, and nothing else, held the sender back.
    fn grow(&mut self, window: &mut Window, now: Time);

    /// The same for a sender that counts the segments delivered, not the acknowledgements.
    fn grow_by(&mut self, window: &mut Window, segments: u32, now: Time);

    /// Congestion: the slow-start threshold to fall to.
    fn ssthresh(&mut self, window: &Window, now: Time) -> u32;

    /// The congestion was none: the window to go back to.
    fn undo(&mut self, window: &Window) -> u32 {
        window.cwnd.max(window.ssthresh.saturating_mul(2))
    }

    /// The sender changed its state.
    fn on_state(&mut self, _state: CaState, _now: Time) {}
}

/// A segment judged lost, as a control that paces sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loss {
    /// Segments in flight when it was sent, with it.
    pub in_flight: u32,
    /// Segments judged lost since then, with it.
    pub lost: u64,
    /// It was sent while the application was the limit.
    pub is_app_limited: bool,
    /// Segments delivered so far.
    pub delivered: u64,
    /// The time in microseconds.
    pub now_us: u64,
}

/// A control that paces by a model of the path, and sets the window by it: each version of BBR.
pub trait Pacer {
    /// The handshake took `rtt_us`, which sets the first pacing rate.
    fn on_established(&mut self, rtt_us: u64, cwnd: u32, totals: Totals, now: Time);

    /// Bytes of data per second at which segments are to leave.
    fn pacing_rate(&self) -> u64;

    /// Whether so little is in flight on purpose that the delivery rate says nothing about the path.
    fn is_probing_rtt(&self) -> bool;

    /// An acknowledgement.
    fn on_ack(&mut self, delivery: &Delivery, window: &mut Window);

    /// A segment was judged lost; an acknowledgement that shows it comes to `on_ack` afterwards.
    fn on_lost(&mut self, _loss: &Loss, _window: &Window) {}

    /// A probe of the last segment has repaired a loss that nothing else showed.
    fn on_probe_repaired(&mut self, _window: &Window) {}

    /// The application has data again after a pause with nothing in flight.
    fn on_restart(&mut self, now: Time, window: &mut Window);
}

/// The congestion controls there are; one more kind is one more file and one more line here.
#[derive(Clone, Debug)]
pub enum CongestionKind {
    /// Reno.
    Reno(Reno),
    /// H-TCP.
    HTcp(HTcp),
    /// CUBIC.
    Cubic(Cubic),
    /// BBR, version 1.
    Bbr(Box<Bbr>),
    /// BBR, version 3.
    Bbr3(Box<Bbr3>),
}

impl CongestionKind {
    /// As a control that paces, if it is one.
    pub fn pacer(&self) -> Option<&dyn Pacer> {
        match self {
            Self::Bbr(control) => Some(control.as_ref()),
            Self::Bbr3(control) => Some(control.as_ref()),
            Self::Reno(_) | Self::HTcp(_) | Self::Cubic(_) => None,
        }
    }

    /// The same to be told something.
    pub fn pacer_mut(&mut self) -> Option<&mut dyn Pacer> {
        match self {
            Self::Bbr(control) => Some(control.as_mut()),
            Self::Bbr3(control) => Some(control.as_mut()),
            Self::Reno(_) | Self::HTcp(_) | Self::Cubic(_) => None,
        }
    }
}

impl CongestionControl for CongestionKind {
    #[inline]
    fn on_acked(&mut self, sample: &AckSample, window: &mut Window) {
        match self {
            Self::Reno(control) => control.on_acked(sample, window),
            Self::HTcp(control) => control.on_acked(sample, window),
            Self::Cubic(control) => control.on_acked(sample, window),
            Self::Bbr(control) => control.on_acked(sample, window),
            Self::Bbr3(control) => control.on_acked(sample, window),
        }
    }

    #[inline]
    fn grow(&mut self, window: &mut Window, now: Time) {
        match self {
            Self::Reno(control) => control.grow(window, now),
            Self::HTcp(control) => control.grow(window, now),
            Self::Cubic(control) => control.grow(window, now),
            Self::Bbr(control) => control.grow(window, now),
            Self::Bbr3(control) => control.grow(window, now),
        }
    }

    #[inline]
    fn grow_by(&mut self, window: &mut Window, segments: u32, now: Time) {
        match self {
            Self::Reno(control) => control.grow_by(window, segments, now),
            Self::HTcp(control) => control.grow_by(window, segments, now),
            Self::Cubic(control) => control.grow_by(window, segments, now),
            Self::Bbr(control) => control.grow_by(window, segments, now),
            Self::Bbr3(control) => control.grow_by(window, segments, now),
        }
    }

    fn ssthresh(&mut self, window: &Window, now: Time) -> u32 {
        match self {
            Self::Reno(control) => control.ssthresh(window, now),
            Self::HTcp(control) => control.ssthresh(window, now),
            Self::Cubic(control) => control.ssthresh(window, now),
            Self::Bbr(control) => control.ssthresh(window, now),
            Self::Bbr3(control) => control.ssthresh(window, now),
        }
    }

    fn undo(&mut self, window: &Window) -> u32 {
        match self {
            Self::Reno(control) => control.undo(window),
            Self::HTcp(control) => control.undo(window),
            Self::Cubic(control) => control.undo(window),
            Self::Bbr(control) => control.undo(window),
            Self::Bbr3(control) => control.undo(window),
        }
    }

    fn on_state(&mut self, state: CaState, now: Time) {
        match self {
            Self::Reno(control) => control.on_state(state, now),
            Self::HTcp(control) => control.on_state(state, now),
            Self::Cubic(control) => control.on_state(state, now),
            Self::Bbr(control) => control.on_state(state, now),
            Self::Bbr3(control) => control.on_state(state, now),
        }
    }
}
