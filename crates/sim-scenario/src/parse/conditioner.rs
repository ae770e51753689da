//! Conditioners of a port.

use super::names::Names;
use super::port::Classes;
use super::table::{Field, Table};
use crate::error::ScenarioError;
use crate::ids::FlowId;
use crate::model::{Action, Actions, Aggregate, Bucket, Conditioner, Meter};
use crate::units::{BitRate, Seconds};
use std::collections::HashSet;

/// The most that a bucket holds.
const MAX_BURST_BYTES: f64 = 1e10;
const KINDS: [&str; 8] = ["token_bucket", "srtcm", "trtcm", "tsw2cm", "tsw3cm", "rtt_aware", "rtt_rto_aware", "car"];

pub(super) fn conditioner(
    table: &Table<'_>,
    classes: &Classes<'_>,
    names: &Names<'_>,
) -> Result<Conditioner, ScenarioError> {
    Ok(Conditioner {
        queue: classes.queue(&table.need("class")?)?,
        aggregate: table.get("aggregate").map_or(Ok(Aggregate::Class), |field| aggregate(&field, names))?,
        meter: meter(&table.need("meter")?.table()?)?,
        actions: actions(table.table("actions")?.as_ref(), classes)?,
        has_colour_series: table.or("colour_series", false)?,
    })
}

fn aggregate(field: &Field<'_>, names: &Names<'_>) -> Result<Aggregate, ScenarioError> {
    if field.is_text() {
        return match field.read()? {
            "class" => Ok(Aggregate::Class),
            "flow" => Ok(Aggregate::Flow),
            _ => Err(field.refusal("\"class\", \"flow\" or lists of flows")),
        };
    }
    let lists: Vec<Vec<FlowId>> = field
        .items()?
        .map(|list| {
            let flows: Vec<FlowId> = list.items()?.map(|flow| names.flow_at(&flow)).collect::<Result<_, _>>()?;
            if flows.is_empty() { Err(list.refusal("an aggregate without flows")) } else { Ok(flows) }
        })
        .collect::<Result<_, _>>()?;
    let mut seen = HashSet::new();
    match lists.iter().flatten().find(|&&flow| !seen.insert(flow)) {
        Some(_) => Err(field.refusal("a flow belongs to two aggregates")),
        None => Ok(Aggregate::Lists(lists)),
    }
}

fn meter(table: &Table<'_>) -> Result<Meter, ScenarioError> {
    let bucket = |rate: &'static str, burst: &'static str| {
        Ok(Bucket::new(table.need(rate)?.rate()?, table.need(burst)?.count(1.0, MAX_BURST_BYTES)?))
    };
    let excess = |name: &'static str| table.need(name)?.count(0.0, MAX_BURST_BYTES);
    let committed = || table.need("committed_rate_bps")?.rate();
    let window = || -> Result<Seconds, ScenarioError> { table.need("window_s")?.seconds(1e-6, 1e3) };
    let exponent = |name: &'static str| table.count_or(name, 1, 1.0, 4.0);
    let found = match table.kind()? {
        "token_bucket" => Meter::TokenBucket(bucket("rate_bps", "burst_bytes")?),
        "srtcm" => Meter::SingleRate {
            committed: bucket("committed_rate_bps", "committed_burst_bytes")?,
            excess_burst_bytes: excess("excess_burst_bytes")?,
            colour_aware: table.or("colour_aware", false)?,
        },
        "trtcm" => Meter::TwoRate {
            committed: bucket("committed_rate_bps", "committed_burst_bytes")?,
            peak: Bucket { rate: peak(table)?, ..bucket("peak_rate_bps", "peak_burst_bytes")? },
            colour_aware: table.or("colour_aware", false)?,
        },
        "tsw2cm" => Meter::SlidingWindow { committed: committed()?, peak: None, window: window()? },
        "tsw3cm" => Meter::SlidingWindow { committed: committed()?, peak: Some(peak(table)?), window: window()? },
        "rtt_aware" => Meter::RttAware {
            committed: committed()?,
            peak: peak(table)?,
            window: window()?,
            small_window_pkts: table.or("small_window_pkts", 0)?,
        },
        "rtt_rto_aware" => Meter::RttRtoAware {
            target: committed()?,
            window: window()?,
            excess_exponent: exponent("excess_exponent")?,
            rto_exponent: exponent("rto_exponent")?,
            small_window_pkts: table.or("small_window_pkts", 0)?,
        },
        "car" => Meter::AccessRate {
            normal: bucket("rate_bps", "normal_burst_bytes")?,
            extended_burst_bytes: excess("extended_burst_bytes")?,
        },
        other => return Err(table.unknown_kind(other, &KINDS)),
    };
    table.finish()?;
    Ok(found)
}

/// The peak rate, which is not below the committed one.
fn peak(table: &Table<'_>) -> Result<BitRate, ScenarioError> {
    let (peak, committed) = (table.need("peak_rate_bps")?.rate()?, table.need("committed_rate_bps")?.rate()?);
    if peak.bps() >= committed.bps() {
        return Ok(peak);
    }
    let reason = format!("{} is below the committed rate, {}", peak.bps(), committed.bps());
    Err(table.refusal_of("peak_rate_bps", reason))
}

fn actions(table: Option<&Table<'_>>, classes: &Classes<'_>) -> Result<Actions, ScenarioError> {
    let Some(table) = table else {
        return Ok(Actions { green: Action::Pass, yellow: Action::Pass, red: Action::Pass });
    };
    let action = |colour| table.get(colour).map_or(Ok(Action::Pass), |field| action(&field, classes));
    let found = Actions { green: action("green")?, yellow: action("yellow")?, red: action("red")? };
    table.finish()?;
    Ok(found)
}

fn action(field: &Field<'_>, classes: &Classes<'_>) -> Result<Action, ScenarioError> {
    if field.is_text() {
        return match field.read()? {
            "pass" => Ok(Action::Pass),
            "drop" => Ok(Action::Drop),
            other => {
                Err(field.refusal(format!("unknown variant `{other}`, expected one of `pass`, `drop`, `to_class`")))
            }
        };
    }
    let table = field.table()?;
    let queue = classes.queue(&table.need("to_class")?)?;
    table.finish()?;
    Ok(Action::Requeue(queue))
}
