//! A meter together with what is done to packets of each colour (RFC 2475).

use super::{Meter, MeterKind};
use crate::packet::Packet;
use hntes_sim_scenario::time::Time;

/// What happens to packets of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// They keep their queue, whose discipline may act on the colour.
    Pass,
    /// They are dropped.
    Drop,
    /// They go to another queue.
    Requeue(u8),
}

/// What a conditioner says of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes to the queue it was classified for.
    Pass,
    /// It goes to another queue.
    Requeue(u8),
    /// It is to be dropped.
    Drop,
}

/// The conditioner of one aggregate.
#[derive(Clone, Debug)]
pub struct Conditioner {
    meter: MeterKind,
    /// In the order of the colours.
    actions: [Action; 3],
}

impl Conditioner {
    /// A conditioner that has seen nothing yet; actions in the order of the colours.
    pub const fn new(meter: MeterKind, actions: [Action; 3]) -> Self {
        Self { meter, actions }
    }

    /// Colour a packet and say where it goes. A call, so that ports without conditioners do not carry its code along.
    #[inline(never)]
    pub fn condition(&mut self, packet: &mut Packet, now: Time) -> Verdict {
        let colour = self.meter.colour(packet, now);
        packet.paint(colour);
        match self.actions[colour as usize] {
            Action::Pass => Verdict::Pass,
            Action::Drop => Verdict::Drop,
            Action::Requeue(queue) => Verdict::Requeue(queue),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Conditioner, Verdict};
    use crate::meter::arrivals::packet;
    use crate::meter::{MeterKind, SingleRate};
    use crate::packet::Colour;
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    #[test]
    fn each_colour_has_its_action() {
        let meter = MeterKind::SingleRate(SingleRate::new(Rate::from_bps(8000), 1000, 1000, false));
        let mut conditioner = Conditioner::new(meter, [Action::Pass, Action::Requeue(3), Action::Drop]);
        let mut packets = [packet(1000, Colour::Green); 3];
        let verdicts = packets.each_mut().map(|packet| conditioner.condition(packet, Time::ZERO));
        assert_eq!(verdicts, [Verdict::Pass, Verdict::Requeue(3), Verdict::Drop]);
        assert_eq!(packets.map(|packet| packet.colour()), [Colour::Green, Colour::Yellow, Colour::Red]);
    }
}
