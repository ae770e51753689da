//! Queue disciplines.

use super::range::{count_within, milliseconds, percent, seconds, within};
use crate::error::ScenarioError;
use crate::model::{Averages, Curve, Discipline, HeavyHitters, Marking, Ramp, RoundRule};
use crate::text::{CurveSpec, DisciplineSpec, RampSpec, RampsSpec, RoundsSpec};

/// More packets than any queue holds.
const MAX_PKTS: f64 = 1e9;

pub(super) fn discipline(key: &str, text: &DisciplineSpec) -> Result<Discipline, ScenarioError> {
    let weight = |weight: f64| within(&format!("{key}.average_weight"), weight, 1e-9, 1.0);
    let marked = |ecn: bool, below: f64| {
        let below = within(&format!("{key}.marks_below"), below, 0.0, 1.0)?;
        Ok(if ecn { below } else { 0.0 })
    };
    let curve = |colour: &str, text: &CurveSpec| curve(&format!("{key}{colour}"), text);
    let ramp = |colour: &str, text: &Option<RampSpec>| {
        text.map(|text| ramp(&format!("{key}.ramps.{colour}"), text)).transpose()
    };
    Ok(match text {
        DisciplineSpec::DropTail => Discipline::DropTail,
        DisciplineSpec::Wred { step_pct, ramps } => {
            let step = percent(&format!("{key}.step_pct"), *step_pct)?;
            match ramps {
                None => Discipline::ByOccupancy { step },
                Some(RampsSpec { green, yellow, red }) => Discipline::ByColour {
                    step,
                    ramps: [ramp("green", green)?, ramp("yellow", yellow)?, ramp("red", red)?],
                },
            }
        }
        &DisciplineSpec::Red {
            average_weight,
            min_pkts,
            max_pkts,
            max_probability,
            gentle,
            mean_packet_bytes,
            ecn,
            marks_below,
        } => Discipline::ByAverage {
            weight: weight(average_weight)?,
            mean_packet_bytes,
            counted: Averages::All,
            curves: [curve("", &CurveSpec { min_pkts, max_pkts, max_probability, gentle })?; 3],
            marks_below: marked(ecn, marks_below)?,
        },
        DisciplineSpec::Gred { average_weight, averages, curves, mean_packet_bytes, ecn, marks_below } => {
            Discipline::ByAverage {
                weight: weight(*average_weight)?,
                mean_packet_bytes: *mean_packet_bytes,
                counted: *averages,
                curves: [
                    curve(".curves.green", &curves.green)?,
                    curve(".curves.yellow", &curves.yellow)?,
                    curve(".curves.red", &curves.red)?,
                ],
                marks_below: marked(*ecn, *marks_below)?,
            }
        }
        &DisciplineSpec::Pi { a, b, reference_pkts, frequency_hz, ecn } => {
            controller(key, (a, b), reference_pkts, frequency_hz, ecn)?
        }
        DisciplineSpec::ReferenceMarking { rounds } => {
            Discipline::Projecting(Marking { rounds: round_rule(key, rounds)?, heavy_hitters: None })
        }
        &DisciplineSpec::HeuristicMarking { threshold_bytes, interval_s, stages, buckets, rounds } => {
            let sought = (threshold_bytes, interval_s, stages, buckets);
            Discipline::Projecting(Marking {
                rounds: round_rule(key, &rounds)?,
                heavy_hitters: Some(heavy_hitters(key, sought)?),
            })
        }
    })
}

fn controller(
    key: &str,
    (a, b): (f64, f64),
    reference_pkts: f64,
    frequency_hz: f64,
    marks: bool,
) -> Result<Discipline, ScenarioError> {
    let frequency = format!("{key}.frequency_hz");
    Ok(Discipline::ProportionalIntegral {
        gains: (within(&format!("{key}.a"), a, 0.0, 1.0)?, within(&format!("{key}.b"), b, 0.0, 1.0)?),
        reference_pkts: within(&format!("{key}.reference_pkts"), reference_pkts, 0.0, MAX_PKTS)?,
        pace: seconds(&frequency, 1.0 / within(&frequency, frequency_hz, 1e-3, 1e6)?, 0.0, 1e3)?,
        marks,
    })
}

fn heavy_hitters(
    key: &str,
    (threshold_bytes, interval_s, stages, buckets): (u64, f64, u64, u64),
) -> Result<HeavyHitters, ScenarioError> {
    Ok(HeavyHitters {
        threshold_bytes: count_within(&format!("{key}.threshold_bytes"), threshold_bytes, 1.0, 1e12)?,
        interval: seconds(&format!("{key}.interval_s"), interval_s, 1e-3, 1e6)?,
        stages: count_within(&format!("{key}.stages"), stages, 1.0, 16.0)?,
        buckets: count_within(&format!("{key}.buckets"), buckets, 1.0, 1e6)?,
    })
}

fn round_rule(key: &str, text: &RoundsSpec) -> Result<RoundRule, ScenarioError> {
    let key = |name: &str| format!("{key}.rounds.{name}");
    Ok(RoundRule {
        gaps_per_round_trip: within(&key("gaps_per_round_trip"), text.gaps_per_round_trip, 1.0, 1e6)?,
        memory: within(&key("round_trip_memory"), text.round_trip_memory, 0.0, 1.0)?,
        initial_round_trip: milliseconds(&key("initial_round_trip_ms"), text.initial_round_trip_ms, 1e-3, 1e6)?,
    })
}

fn ramp(key: &str, text: RampSpec) -> Result<Ramp, ScenarioError> {
    let (from, to) =
        (percent(&format!("{key}.from_pct"), text.from_pct)?, percent(&format!("{key}.to_pct"), text.to_pct)?);
    if to.pct() <= from.pct() {
        let reason = format!("{} is not above from_pct, {}", text.to_pct, text.from_pct);
        return Err(ScenarioError::new(format!("{key}.to_pct"), reason));
    }
    Ok(Ramp { from, to })
}

fn curve(key: &str, text: &CurveSpec) -> Result<Curve, ScenarioError> {
    let min_pkts = within(&format!("{key}.min_pkts"), text.min_pkts, 0.0, MAX_PKTS)?;
    Ok(Curve {
        min_pkts,
        max_pkts: within(&format!("{key}.max_pkts"), text.max_pkts, min_pkts, MAX_PKTS)?,
        max_probability: within(&format!("{key}.max_probability"), text.max_probability, 0.0, 1.0)?,
        is_gentle: text.gentle,
    })
}
