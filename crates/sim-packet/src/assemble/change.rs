//! Ports that are another way from some time on.

use super::make_scheduler;
use crate::port::Port;
use hntes_sim_scenario as scenario;
use hntes_sim_scenario::time::Time;
use hntes_sim_scenario::units::Rate;

/// Let a port be as the scenario has it from now on; its link has this rate. What waits and what was counted stays.
pub fn change_port(port: &mut Port, to: &scenario::Port, link: Rate, now: Time) {
    port.scheduler.adopt_shares(make_scheduler(to, link));
    for (queue, of) in port.queues.iter_mut().zip(&to.queues) {
        queue.set_limit(of.limit_bytes);
    }
    for (conditioner, &id) in port.conditioners.iter_mut().zip(&port.conditioner_ids) {
        conditioner.set_rates(&to.conditioner(id).meter, now);
    }
}
