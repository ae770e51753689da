//! Changes while a run goes on. Each is made in the text of the network, which is then read anew: what is refused at the
//! start of a run is refused later, too.

use super::names::Names;
use super::network;
use super::port::port;
use super::range::{each, seconds};
use super::tcp::tcp;
use crate::error::ScenarioError;
use crate::limits;
use crate::model::{Change, Discipline, Place, Port, Scenario};
use crate::text::{self, ChangeSpec, LinkSpec, PortSpec, QueueSpec, SchedulerSpec};
use crate::units::Seconds;
use std::collections::BTreeSet;

/// After each moment the network is read anew.
const MAX_CHANGES: usize = 1000;

/// Places in the text that changes of one moment touch.
#[derive(Default)]
struct Touched {
    links: BTreeSet<usize>,
    ports: BTreeSet<usize>,
}

/// The changes of a scenario whose network is known, those of one moment together.
pub(super) fn changes(
    text: &text::Scenario,
    names: &Names<'_>,
    scenario: &Scenario,
) -> Result<Vec<Change>, ScenarioError> {
    if text.changes.len() > MAX_CHANGES {
        return refuse("changes", format!("{} changes, at most {MAX_CHANGES}", text.changes.len()));
    }
    let mut after = text.clone();
    let (mut found, mut touched, mut earliest_s) = (Vec::new(), Touched::default(), 0.0);
    for (number, change) in text.changes.iter().enumerate() {
        let key = format!("changes[{number}]");
        let at = seconds(&format!("{key}.at_s"), change.at_s(), earliest_s, scenario.duration.s())?;
        earliest_s = at.s();
        make(&key, change, &mut after, &mut touched)?;
        if text.changes.get(number + 1).is_none_or(|next| next.at_s() > earliest_s) {
            let touched = std::mem::take(&mut touched);
            let from_then_on = |error: ScenarioError| ScenarioError::new(key, format!("from then on {error}"));
            found.push(moment(at, &after, &touched, names, scenario).map_err(from_then_on)?);
        }
    }
    Ok(found)
}

/// What the text is from then on.
fn make(
    key: &str,
    change: &ChangeSpec,
    after: &mut text::Scenario,
    touched: &mut Touched,
) -> Result<(), ScenarioError> {
    match change {
        ChangeSpec::LinkRate { from, to, rate_bps, .. } => {
            let joins = |link: &LinkSpec| {
                [(from, to), (to, from)].iter().any(|ends| (&link.from, &link.to) == (ends.0, ends.1))
            };
            let Some(entry) = after.links.iter().position(joins) else {
                return refuse(format!("{key}.to"), format!("no link joins {from:?} and {to:?}"));
            };
            after.links[entry].rate_bps = *rate_bps;
            touched.links.insert(entry);
        }
        ChangeSpec::RateShare { at, to, class, rate_share_pct, .. } => {
            queue(key, at, to, class, after, touched)?.rate_share_pct = *rate_share_pct;
        }
        ChangeSpec::BufferShare { at, to, class, buffer_share_pct, .. } => {
            queue(key, at, to, class, after, touched)?.buffer_share_pct = *buffer_share_pct;
        }
        ChangeSpec::MeterRate { at, to, class, rate_bps, committed_rate_bps, peak_rate_bps, .. } => {
            let rates = [
                ("rate_bps", *rate_bps),
                ("committed_rate_bps", *committed_rate_bps),
                ("peak_rate_bps", *peak_rate_bps),
            ];
            let port = port_spec(key, at, to, after, touched)?;
            set_rates(key, port, class, rates)?;
        }
    }
    Ok(())
}

fn port_spec<'a>(
    key: &str,
    at: &str,
    to: &str,
    after: &'a mut text::Scenario,
    touched: &mut Touched,
) -> Result<&'a mut PortSpec, ScenarioError> {
    let Some(number) = after.ports.iter().position(|port| port.at == at && port.to == to) else {
        return refuse(format!("{key}.to"), format!("no port leads from {at:?} to {to:?}"));
    };
    touched.ports.insert(number);
    Ok(&mut after.ports[number])
}

fn queue<'a>(
    key: &str,
    at: &str,
    to: &str,
    class: &str,
    after: &'a mut text::Scenario,
    touched: &mut Touched,
) -> Result<&'a mut QueueSpec, ScenarioError> {
    let port = port_spec(key, at, to, after, touched)?;
    if matches!(port.scheduler, SchedulerSpec::ClassGuarantees { .. }) {
        return refuse(format!("{key}.kind"), "the scheduler class_guarantees shares rate and buffer by itself");
    }
    let found = port.queues.iter_mut().find(|queue| queue.class == class);
    found.ok_or_else(|| error(format!("{key}.class"), format!("no queue of this port serves class {class:?}")))
}

fn set_rates(
    key: &str,
    port: &mut PortSpec,
    class: &str,
    rates: [(&str, Option<f64>); 3],
) -> Result<(), ScenarioError> {
    let Some(conditioner) = port.conditioners.iter_mut().find(|conditioner| conditioner.class == class) else {
        return refuse(format!("{key}.class"), format!("no conditioner of this port meters class {class:?}"));
    };
    if rates.iter().all(|(_, rate)| rate.is_none()) {
        return refuse(key, "give the rate of the meter that changes");
    }
    for (name, rate) in rates {
        let Some(rate_bps) = rate else { continue };
        match conditioner.meter.rate_mut(name) {
            Some(present_bps) => *present_bps = rate_bps,
            None => return refuse(format!("{key}.{name}"), "the meter of this class has no such rate"),
        }
    }
    Ok(())
}

/// The network as it is from then on, read and checked.
fn moment(
    at: Seconds,
    after: &text::Scenario,
    touched: &Touched,
    names: &Names<'_>,
    scenario: &Scenario,
) -> Result<Change, ScenarioError> {
    let mut then = scenario.clone();
    for (link, fresh) in then.links.iter_mut().zip(network::links(&after.links, names, &scenario.hosts)?) {
        link.rate = fresh.rate;
    }
    then.ports = each("ports", &after.ports, |key, number, text| port(key, number, text, names, &then.links))?;
    limits::check_rates(&then)?;
    // segments are numbered for the fastest link
    tcp(&after.tcp, &then.links, scenario.duration)?;
    let links = then.links.iter().filter(|link| touched.links.contains(&link.id.entry())).cloned().collect();
    let has_such_link = |port: &Port| touched.links.contains(&port.link.entry());
    for port in then.ports.iter().filter(|port| has_such_link(port)) {
        check_follows(port)?;
    }
    for &entry in &touched.links {
        check_senders(&then, entry)?;
    }
    let is_touched = |port: &&Port| has_such_link(port) || touched.ports.contains(&port.id.index());
    Ok(Change { at, links, ports: then.ports.iter().filter(is_touched).cloned().collect() })
}

/// Whether a port follows another rate of its link.
fn check_follows(port: &Port) -> Result<(), ScenarioError> {
    let key = format!("ports[{}]", port.id.index());
    if port.scheduler.has_guarantees() {
        return refuse(format!("{key}.scheduler"), "class_guarantees is made for one rate of its link");
    }
    let is_made_for_one =
        |discipline: &Discipline| matches!(discipline, Discipline::ByAverage { .. } | Discipline::Projecting(_));
    match port.queues.iter().position(|queue| is_made_for_one(&queue.discipline)) {
        Some(queue) => refuse(format!("{key}.queues[{queue}].discipline"), "it is made for one rate of its link"),
        None => Ok(()),
    }
}

/// Senders that know when what they sent leaves their host would have to be told of another rate.
fn check_senders(then: &Scenario, entry: usize) -> Result<(), ScenarioError> {
    let starts = then.links[2 * entry..2 * entry + 2].iter().map(|link| then.place(link.from));
    let has_small_queues = then.tcp.small_queues || then.profiles.iter().any(|tcp| tcp.small_queues);
    if has_small_queues && starts.into_iter().any(|place| matches!(place, Place::Host(_))) {
        return refuse(format!("links[{entry}].rate_bps"), "with tcp.small_queues a host's link keeps its rate");
    }
    Ok(())
}

fn error(key: impl Into<String>, message: impl Into<String>) -> ScenarioError {
    ScenarioError::new(key, message)
}

fn refuse<T>(key: impl Into<String>, message: impl Into<String>) -> Result<T, ScenarioError> {
    Err(error(key, message))
}
