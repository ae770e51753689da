//! Changes while a run goes on. Each is made in the document of the network, which is then read again: what is refused at
//! the start of a run is refused later, too.

use super::names::Names;
use super::table::{Field, Table};
use super::{network, port};
use crate::error::ScenarioError;
use crate::limits;
use crate::model::{Change, Discipline, Place, Port, Scenario};
use crate::units::Seconds;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// After each moment the network is read anew.
const MAX_CHANGES: usize = 1000;
const KINDS: [&str; 4] = ["link_rate", "rate_share", "buffer_share", "meter_rate"];
const RATES: [&str; 3] = ["rate_bps", "committed_rate_bps", "peak_rate_bps"];

/// Entries of the document that changes of one moment touch.
#[derive(Default)]
struct Touched {
    links: BTreeSet<usize>,
    ports: BTreeSet<usize>,
}

/// The changes of a scenario whose network is known, those of one moment together.
pub(super) fn changes(
    document: &Value,
    root: &Table<'_>,
    names: &Names<'_>,
    scenario: &Scenario,
) -> Result<Vec<Change>, ScenarioError> {
    let Some(list) = root.get("changes") else { return Ok(Vec::new()) };
    let fields: Vec<_> = list.items()?.collect();
    if fields.len() > MAX_CHANGES {
        return Err(list.refusal(format!("{} changes, at most {MAX_CHANGES}", fields.len())));
    }
    let tables = fields.iter().map(Field::table).collect::<Result<Vec<_>, _>>()?;
    let mut after = document.clone();
    let (mut found, mut touched, mut earliest_s) = (Vec::new(), Touched::default(), 0.0);
    for (number, (table, field)) in tables.iter().zip(&fields).enumerate() {
        let at = table.need("at_s")?.seconds(earliest_s, scenario.duration.s())?;
        earliest_s = at.s();
        make(table, &mut after, &mut touched)?;
        table.finish()?;
        let next_s = tables.get(number + 1).map(|next| next.need("at_s")?.read::<f64>()).transpose()?;
        if next_s.is_none_or(|next_s| next_s > earliest_s) {
            let touched = std::mem::take(&mut touched);
            let from_then_on = |error: ScenarioError| field.refusal(format!("from then on {error}"));
            found.push(moment(at, &after, &touched, names, scenario).map_err(from_then_on)?);
        }
    }
    Ok(found)
}

/// Make a change in the document.
fn make(table: &Table<'_>, after: &mut Value, touched: &mut Touched) -> Result<(), ScenarioError> {
    match table.kind()? {
        "link_rate" => {
            let (from, to): (&str, &str) = (table.need("from")?.read()?, table.need("to")?.read()?);
            let joins = |link: &Value| {
                let ends = (link["from"].as_str(), link["to"].as_str());
                ends == (Some(from), Some(to)) || ends == (Some(to), Some(from))
            };
            let links = after["links"].as_array().map_or(&[][..], Vec::as_slice);
            let Some(entry) = links.iter().position(joins) else {
                return Err(table.refusal_of("to", format!("no link joins {from:?} and {to:?}")));
            };
            after["links"][entry]["rate_bps"] = json!(table.need("rate_bps")?.read::<f64>()?);
            touched.links.insert(entry);
        }
        kind @ ("rate_share" | "buffer_share") => {
            let name = if kind == "rate_share" { "rate_share_pct" } else { "buffer_share_pct" };
            let share: f64 = table.need(name)?.read()?;
            queue(table, port_text(table, after, touched)?)?[name] = json!(share);
        }
        "meter_rate" => set_rates(table, port_text(table, after, touched)?)?,
        other => return Err(table.unknown_kind(other, &KINDS)),
    }
    Ok(())
}

fn port_text<'v>(
    table: &Table<'_>,
    after: &'v mut Value,
    touched: &mut Touched,
) -> Result<&'v mut Value, ScenarioError> {
    let (at, to): (&str, &str) = (table.need("at")?.read()?, table.need("to")?.read()?);
    let ports = after["ports"].as_array().map_or(&[][..], Vec::as_slice);
    let leads = |port: &Value| port["at"].as_str() == Some(at) && port["to"].as_str() == Some(to);
    let Some(number) = ports.iter().position(leads) else {
        return Err(table.refusal_of("to", format!("no port leads from {at:?} to {to:?}")));
    };
    touched.ports.insert(number);
    Ok(&mut after["ports"][number])
}

/// The entry of a port's list that has the class of a change.
fn of_class<'v>(port: &'v mut Value, list: &str, class: &str) -> Option<&'v mut Value> {
    port.get_mut(list)?.as_array_mut()?.iter_mut().find(|entry| entry["class"].as_str() == Some(class))
}

fn queue<'v>(table: &Table<'_>, port: &'v mut Value) -> Result<&'v mut Value, ScenarioError> {
    if port["scheduler"]["kind"].as_str() == Some("class_guarantees") {
        return Err(table.refusal_of("kind", "the scheduler class_guarantees shares rate and buffer by itself"));
    }
    let class: &str = table.need("class")?.read()?;
    let missing = || table.refusal_of("class", format!("no queue of this port serves class {class:?}"));
    of_class(port, "queues", class).ok_or_else(missing)
}

fn set_rates(table: &Table<'_>, port: &mut Value) -> Result<(), ScenarioError> {
    let class: &str = table.need("class")?.read()?;
    let Some(conditioner) = of_class(port, "conditioners", class) else {
        return Err(table.refusal_of("class", format!("no conditioner of this port meters class {class:?}")));
    };
    let given: Vec<_> = RATES.into_iter().filter_map(|name| Some((name, table.get(name)?))).collect();
    if given.is_empty() {
        return Err(table.refusal("give the rate of the meter that changes"));
    }
    for (name, rate) in given {
        match conditioner["meter"].get_mut(name) {
            Some(present) => *present = json!(rate.read::<f64>()?),
            None => return Err(rate.refusal("the meter of this class has no such rate")),
        }
    }
    Ok(())
}

/// The network as it is from then on, read and checked.
fn moment(
    at: Seconds,
    after: &Value,
    touched: &Touched,
    names: &Names<'_>,
    scenario: &Scenario,
) -> Result<Change, ScenarioError> {
    let root = Table::at("", after)?;
    let mut then = scenario.clone();
    for (link, fresh) in then.links.iter_mut().zip(network::links(&root, names, &scenario.hosts)?) {
        link.rate = fresh.rate;
    }
    then.ports = root.each("ports", |table, number| port::port(table, number, names, &then.links))?;
    limits::check_rates(&then)?;
    limits::check_segments(&then)?;
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

/// Refuse a part of a port that cannot follow another rate of its link.
fn check_follows(port: &Port) -> Result<(), ScenarioError> {
    let key = format!("ports[{}]", port.id.index());
    if port.scheduler.has_guarantees() {
        let reason = "class_guarantees is made for one rate of its link";
        return Err(ScenarioError::new(format!("{key}.scheduler"), reason));
    }
    let is_made_for_one =
        |discipline: &Discipline| matches!(discipline, Discipline::ByAverage { .. } | Discipline::Projecting(_));
    match port.queues.iter().position(|queue| is_made_for_one(&queue.discipline)) {
        Some(queue) => {
            let key = format!("{key}.queues[{queue}].discipline");
            Err(ScenarioError::new(key, "it is made for one rate of its link"))
        }
        None => Ok(()),
    }
}

/// Senders that know when what they sent leaves their host would have to be told of another rate.
fn check_senders(then: &Scenario, entry: usize) -> Result<(), ScenarioError> {
    let starts = then.links[2 * entry..2 * entry + 2].iter().map(|link| then.place(link.from));
    let has_small_queues = then.tcp.small_queues || then.profiles.iter().any(|tcp| tcp.small_queues);
    if has_small_queues && starts.into_iter().any(|place| matches!(place, Place::Host(_))) {
        let reason = "with tcp.small_queues a host's link keeps its rate";
        return Err(ScenarioError::new(format!("links[{entry}].rate_bps"), reason));
    }
    Ok(())
}
