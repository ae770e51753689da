//! A meter together with what is done to packets of each colour (RFC 2475).

use super::MeterKind;
use crate::packet::{Colour, Label};
use crate::senders::{AggregateNumber, Senders};
use hntes_sim_scenario::Meter;
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

    /// A packet's colour and what happens to it. A call, so that ports without conditioners do not carry its code along.
    #[inline(never)]
    pub fn condition(&mut self, label: Label, senders: &Senders, now: Time) -> (Colour, Action) {
        let colour = self.meter.colour(label, senders, now);
        (colour, self.actions[colour as usize])
    }

    /// Go on with the rates of this meter, which is of the same kind.
    pub fn set_rates(&mut self, meter: &Meter, now: Time) {
        self.meter.set_rates(meter, now);
    }

    /// The aggregate whose senders its meter asks about, if it does.
    pub const fn asks_about(&self) -> Option<AggregateNumber> {
        self.meter.asks_about()
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Conditioner};
    use crate::meter::arrivals::packet;
    use crate::meter::{MeterKind, SingleRate};
    use crate::packet::Colour;
    use crate::senders::Senders;
    use hntes_sim_scenario::time::Time;
    use hntes_sim_scenario::units::Rate;

    #[test]
    fn each_colour_has_its_action() {
        let meter = MeterKind::SingleRate(SingleRate::new(Rate::from_bps(8000), 1000, 1000, false));
        let mut conditioner = Conditioner::new(meter, [Action::Pass, Action::Requeue(3), Action::Drop]);
        let found =
            [(); 3].map(|()| conditioner.condition(packet(1000, Colour::Green), &Senders::default(), Time::ZERO));
        let expected =
            [(Colour::Green, Action::Pass), (Colour::Yellow, Action::Requeue(3)), (Colour::Red, Action::Drop)];
        assert_eq!(found, expected);
    }
}
