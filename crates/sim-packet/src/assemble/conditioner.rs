//! Conditioners and their meters.

use super::queue_number;
#[cfg(feature = "papers")]
use crate::meter::{AccessRate, Exponents, RttAware, RttRtoAware, SlidingWindow};
use crate::meter::{Action, Conditioner, MeterKind, SingleRate, TokenBucket, TwoRate};
use crate::senders::Senders;
use hntes_sim_scenario::rng::Random;
#[cfg(feature = "papers")]
use hntes_sim_scenario::units::BitRate;
use hntes_sim_scenario::{self as scenario, Bucket, ConditionerId, Meter, Scenario};

/// A conditioner that has seen nothing; `number` is its own among those of the port.
pub(super) fn make_conditioner(
    scenario: &Scenario,
    port: &scenario::Port,
    id: ConditionerId,
    number: u16,
    senders: &mut Senders,
) -> Conditioner {
    let text = port.conditioner(id);
    let action = |action| match action {
        scenario::Action::Pass => Action::Pass,
        scenario::Action::Drop => Action::Drop,
        scenario::Action::Requeue(queue) => Action::Requeue(queue_number(queue)),
    };
    let actions = [text.actions.green, text.actions.yellow, text.actions.red].map(action);
    let stream = || scenario.stream(&format!("meters/{}/{number}", scenario.link(port.link).name));
    Conditioner::new(make_meter(&text.meter, senders, stream), actions)
}

#[cfg_attr(
    not(feature = "papers"),
    expect(unused_variables, reason = "only meters of papers draw or ask about senders")
)]
fn make_meter(meter: &Meter, senders: &mut Senders, random: impl FnOnce() -> Random) -> MeterKind {
    let full = |bucket: Bucket| TokenBucket::new(bucket.rate.rate(), bucket.burst_bytes);
    match *meter {
        Meter::TokenBucket(bucket) => MeterKind::TokenBucket(full(bucket)),
        Meter::SingleRate { committed, excess_burst_bytes, colour_aware } => MeterKind::SingleRate(SingleRate::new(
            committed.rate.rate(),
            committed.burst_bytes,
            excess_burst_bytes,
            colour_aware,
        )),
        Meter::TwoRate { committed, peak, colour_aware } => {
            MeterKind::TwoRate(TwoRate::new(full(committed), full(peak), colour_aware))
        }
        #[cfg(feature = "papers")]
        Meter::SlidingWindow { committed, peak, window } => {
            MeterKind::SlidingWindow(SlidingWindow::new(committed.bps(), peak.map(BitRate::bps), window.s(), random()))
        }
        #[cfg(feature = "papers")]
        Meter::RttAware { committed, peak, window, small_window_pkts } => {
            let rates_bps = (committed.bps(), peak.bps());
            let meter = RttAware::new(rates_bps, window.s(), small_window_pkts, senders.aggregate(), random());
            MeterKind::RttAware(meter)
        }
        #[cfg(feature = "papers")]
        Meter::RttRtoAware { target, window, excess_exponent, rto_exponent, small_window_pkts } => {
            let exponents = Exponents { excess: excess_exponent, rto: rto_exponent };
            let (aggregate, random) = (senders.aggregate(), random());
            let meter = RttRtoAware::new(target.bps(), window.s(), exponents, small_window_pkts, aggregate, random);
            MeterKind::RttRtoAware(meter)
        }
        #[cfg(feature = "papers")]
        Meter::AccessRate { normal, extended_burst_bytes } => {
            MeterKind::AccessRate(AccessRate::new(normal.rate.rate(), normal.burst_bytes, extended_burst_bytes))
        }
        #[cfg(not(feature = "papers"))]
        _ => unreachable!("a scenario is refused if a meter is not built in"),
    }
}
