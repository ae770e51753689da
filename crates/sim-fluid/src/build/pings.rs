//! Pings: the stretches between the queues on their way there and back.

use super::Plan;
use crate::ping::{Ping, Stretch, next_on};
use crate::topology::crossing_s;
use hntes_sim_scenario::{Direction, Flow, Traffic};

/// The pings of a scenario, in the order of its flows.
pub(super) fn pings(plan: &Plan<'_>) -> Vec<Ping> {
    plan.scenario.flows().iter().filter_map(|flow| ping(plan, flow)).collect()
}

fn ping(plan: &Plan<'_>, flow: &Flow) -> Option<Ping> {
    let Traffic::Ping { interval, ip_bytes, poisson, .. } = flow.traffic else { return None };
    let intervals_s: Vec<[f64; 2]> =
        flow.intervals.iter().map(|interval| [interval.start.s(), interval.end.s()]).collect();
    let next_s = next_on(&intervals_s, 0.0);
    let ip_bytes = f64::from(ip_bytes);
    Some(Ping {
        flow: flow.id,
        way: stretches(plan, flow, ip_bytes),
        ip_bytes,
        gap_s: interval.s(),
        poisson,
        intervals_s,
        next_s,
        sent: 0,
        replies: Vec::new(),
        lost: 0,
    })
}

fn stretches(plan: &Plan<'_>, flow: &Flow, ip_bytes: f64) -> Vec<Stretch> {
    let mut way = Vec::new();
    let mut delay_s = 0.0;
    for direction in Direction::BOTH {
        for &link in flow.path(direction) {
            if let Some(place) = plan.place_at(link, flow, direction) {
                way.push(Stretch { delay_s, queue: Some(place) });
                delay_s = 0.0;
            }
            delay_s += crossing_s(plan.scenario.link(link), ip_bytes);
        }
    }
    way.push(Stretch { delay_s, queue: None });
    way
}
