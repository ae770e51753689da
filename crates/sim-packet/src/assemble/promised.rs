//! Markers, and schedulers that keep what classes are promised.

use crate::queue::marking::{Filter, HeuristicMarker, Marker, ReferenceMarker, RoundRule};
use crate::scheduler::ClassGuarantees;
use crate::scheduler::guarantees::{Credits, Promise, weights};
use hntes_sim_scenario::units::{Percent, Rate, Seconds};
use hntes_sim_scenario::{Guarantees, Marking, Port, Queue};

pub(super) fn make_marker(marking: &Marking) -> Marker {
    let rule = RoundRule {
        gaps_per_round_trip: marking.rounds.gaps_per_round_trip,
        memory: marking.rounds.memory,
        initial_round_trip: marking.rounds.initial_round_trip.time(),
    };
    match marking.heavy_hitters {
        None => Marker::Reference(Box::new(ReferenceMarker::new(rule))),
        Some(sought) => {
            let filter = Filter::new(sought.stages as usize, sought.buckets as usize, sought.threshold_bytes);
            Marker::Heuristic(Box::new(HeuristicMarker::new(rule, filter, sought.interval.time())))
        }
    }
}

pub(super) fn make_guarantees(
    port: &Port,
    link: Rate,
    credits_at_arrivals: bool,
    marker: Option<Marker>,
) -> ClassGuarantees {
    let link_bytes_per_s = link.bps() as f64 / 8.0;
    let ratios = |of: fn(&Guarantees) -> Option<f64>| {
        weights(&port.queues.iter().map(|queue| of(&queue.guarantees)).collect::<Vec<_>>())
    };
    let (delays, losses) = (ratios(|class| class.delay_ratio), ratios(|class| class.loss_ratio));
    let promise = |(number, queue): (usize, &Queue)| Promise {
        delay_s: queue.guarantees.delay.map_or(f64::INFINITY, Seconds::s),
        loss: queue.guarantees.loss.map(Percent::part),
        floor_bytes_per_s: queue.rate_share.part() * link_bytes_per_s,
        delay_weight: delays[number],
        loss_weight: losses[number],
    };
    let promises: Vec<Promise> = port.queues.iter().enumerate().map(promise).collect();
    let credits = if credits_at_arrivals { Credits::AtArrivals } else { Credits::AsTimePasses };
    let limit_bytes = port.queues.iter().map(|queue| queue.limit_bytes).max().unwrap_or(0);
    ClassGuarantees::new(&promises, link_bytes_per_s, limit_bytes, credits, marker)
}
