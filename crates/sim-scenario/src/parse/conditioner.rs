//! Conditioners of a port.

use super::names::Names;
use super::port::Classes;
use super::range::{count_within, each, rate, seconds};
use crate::error::ScenarioError;
use crate::ids::FlowId;
use crate::model::{Action, Actions, Aggregate, Bucket, Conditioner, Meter};
use crate::text::{ActionSpec, ActionsSpec, AggregateName, AggregateSpec, ConditionerSpec, MeterSpec};
use std::collections::HashSet;

/// The most that a bucket holds.
const MAX_BURST_BYTES: f64 = 1e10;

pub(super) fn conditioner(
    key: &str,
    text: &ConditionerSpec,
    classes: &Classes<'_>,
    names: &Names<'_>,
) -> Result<Conditioner, ScenarioError> {
    Ok(Conditioner {
        queue: classes.queue(&format!("{key}.class"), &text.class)?,
        aggregate: aggregate(&format!("{key}.aggregate"), &text.aggregate, names)?,
        meter: meter(&format!("{key}.meter"), &text.meter)?,
        actions: actions(&format!("{key}.actions"), &text.actions, classes)?,
        has_colour_series: text.colour_series,
    })
}

fn aggregate(key: &str, text: &AggregateSpec, names: &Names<'_>) -> Result<Aggregate, ScenarioError> {
    let lists = match text {
        AggregateSpec::Named(AggregateName::Class) => return Ok(Aggregate::Class),
        AggregateSpec::Named(AggregateName::Flow) => return Ok(Aggregate::Flow),
        AggregateSpec::Lists(lists) => lists,
    };
    let lists: Vec<Vec<FlowId>> = each(key, lists, |key, _, list| match list.as_slice() {
        [] => Err(ScenarioError::new(key, "an aggregate without flows")),
        list => each(key, list, |key, _, flow| names.known_flow(key, flow)),
    })?;
    let mut seen = HashSet::new();
    match lists.iter().flatten().find(|&&flow| !seen.insert(flow)) {
        Some(_) => Err(ScenarioError::new(key, "a flow belongs to two aggregates")),
        None => Ok(Aggregate::Lists(lists)),
    }
}

fn meter(key: &str, text: &MeterSpec) -> Result<Meter, ScenarioError> {
    let rate = |name: &str, bps: f64| rate(&format!("{key}.{name}"), bps);
    let burst = |name: &str, bytes: u64| count_within(&format!("{key}.{name}"), bytes, 1.0, MAX_BURST_BYTES);
    let excess = |name: &str, bytes: u64| count_within(&format!("{key}.{name}"), bytes, 0.0, MAX_BURST_BYTES);
    let window = |window_s: f64| seconds(&format!("{key}.window_s"), window_s, 1e-6, 1e3);
    let exponent = |name: &str, power: u32| count_within(&format!("{key}.{name}"), power, 1.0, 4.0);
    Ok(match *text {
        MeterSpec::TokenBucket { rate_bps, burst_bytes } => {
            Meter::TokenBucket(Bucket::new(rate("rate_bps", rate_bps)?, burst("burst_bytes", burst_bytes)?))
        }
        MeterSpec::Srtcm { committed_rate_bps, committed_burst_bytes, excess_burst_bytes, colour_aware } => {
            Meter::SingleRate {
                committed: Bucket::new(
                    rate("committed_rate_bps", committed_rate_bps)?,
                    burst("committed_burst_bytes", committed_burst_bytes)?,
                ),
                excess_burst_bytes: excess("excess_burst_bytes", excess_burst_bytes)?,
                colour_aware,
            }
        }
        MeterSpec::Trtcm {
            committed_rate_bps,
            committed_burst_bytes,
            peak_rate_bps,
            peak_burst_bytes,
            colour_aware,
        } => {
            let committed = rate("committed_rate_bps", committed_rate_bps)?;
            let peak = rate("peak_rate_bps", peak_rate_bps)?;
            not_below(&format!("{key}.peak_rate_bps"), peak_rate_bps, committed_rate_bps)?;
            Meter::TwoRate {
                committed: Bucket::new(committed, burst("committed_burst_bytes", committed_burst_bytes)?),
                peak: Bucket::new(peak, burst("peak_burst_bytes", peak_burst_bytes)?),
                colour_aware,
            }
        }
        MeterSpec::Tsw2cm { committed_rate_bps, window_s } => Meter::SlidingWindow {
            committed: rate("committed_rate_bps", committed_rate_bps)?,
            peak: None,
            window: window(window_s)?,
        },
        MeterSpec::Tsw3cm { committed_rate_bps, peak_rate_bps, window_s } => {
            not_below(&format!("{key}.peak_rate_bps"), peak_rate_bps, committed_rate_bps)?;
            Meter::SlidingWindow {
                committed: rate("committed_rate_bps", committed_rate_bps)?,
                peak: Some(rate("peak_rate_bps", peak_rate_bps)?),
                window: window(window_s)?,
            }
        }
        MeterSpec::RttAware { committed_rate_bps, peak_rate_bps, window_s, small_window_pkts } => {
            not_below(&format!("{key}.peak_rate_bps"), peak_rate_bps, committed_rate_bps)?;
            Meter::RttAware {
                committed: rate("committed_rate_bps", committed_rate_bps)?,
                peak: rate("peak_rate_bps", peak_rate_bps)?,
                window: window(window_s)?,
                small_window_pkts,
            }
        }
        MeterSpec::RttRtoAware { committed_rate_bps, window_s, excess_exponent, rto_exponent, small_window_pkts } => {
            Meter::RttRtoAware {
                target: rate("committed_rate_bps", committed_rate_bps)?,
                window: window(window_s)?,
                excess_exponent: exponent("excess_exponent", excess_exponent)?,
                rto_exponent: exponent("rto_exponent", rto_exponent)?,
                small_window_pkts,
            }
        }
        MeterSpec::Car { rate_bps, normal_burst_bytes, extended_burst_bytes } => Meter::AccessRate {
            normal: Bucket::new(rate("rate_bps", rate_bps)?, burst("normal_burst_bytes", normal_burst_bytes)?),
            extended_burst_bytes: excess("extended_burst_bytes", extended_burst_bytes)?,
        },
    })
}

fn not_below(key: &str, peak_bps: f64, committed_bps: f64) -> Result<(), ScenarioError> {
    if peak_bps >= committed_bps {
        return Ok(());
    }
    Err(ScenarioError::new(key, format!("{peak_bps} is below the committed rate, {committed_bps}")))
}

fn actions(key: &str, text: &ActionsSpec, classes: &Classes<'_>) -> Result<Actions, ScenarioError> {
    let action = |colour: &str, text: &ActionSpec| {
        Ok(match text {
            ActionSpec::Pass => Action::Pass,
            ActionSpec::Drop => Action::Drop,
            ActionSpec::ToClass(class) => Action::Requeue(classes.queue(&format!("{key}.{colour}.to_class"), class)?),
        })
    };
    Ok(Actions {
        green: action("green", &text.green)?,
        yellow: action("yellow", &text.yellow)?,
        red: action("red", &text.red)?,
    })
}
