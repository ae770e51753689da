//! Queue disciplines.

use super::table::Table;
use crate::error::ScenarioError;
use crate::model::{Averages, Curve, Discipline, HeavyHitters, Marking, Ramp, RoundRule};
use crate::units::Seconds;

/// More packets than any queue holds.
const MAX_PKTS: f64 = 1e9;
/// Of RED's average, unless the text says otherwise.
const FULL_ETHERNET_PACKET_BYTES: u16 = 1500;
const KINDS: [&str; 7] = ["drop_tail", "wred", "red", "gred", "pi", "reference_marking", "heuristic_marking"];

pub(super) fn discipline(table: &Table<'_>) -> Result<Discipline, ScenarioError> {
    let found = match table.kind()? {
        "drop_tail" => Discipline::DropTail,
        "wred" => wred(table)?,
        "red" => by_average(table, Averages::All, [curve(table)?; 3])?,
        "gred" => {
            let averages = table.need("averages")?.read()?;
            let curves = table.need("curves")?.table()?;
            let of = |colour| -> Result<Curve, ScenarioError> {
                let table = curves.need(colour)?.table()?;
                let found = curve(&table)?;
                table.finish()?;
                Ok(found)
            };
            let found = [of("green")?, of("yellow")?, of("red")?];
            curves.finish()?;
            by_average(table, averages, found)?
        }
        "pi" => controller(table)?,
        "reference_marking" => Discipline::Projecting(Marking { rounds: round_rule(table)?, heavy_hitters: None }),
        "heuristic_marking" => {
            Discipline::Projecting(Marking { rounds: round_rule(table)?, heavy_hitters: Some(heavy_hitters(table)?) })
        }
        other => return Err(table.unknown_kind(other, &KINDS)),
    };
    table.finish()?;
    Ok(found)
}

fn wred(table: &Table<'_>) -> Result<Discipline, ScenarioError> {
    let step = table.need("step_pct")?.percent()?;
    let Some(ramps) = table.table("ramps")? else { return Ok(Discipline::ByOccupancy { step }) };
    let of = |colour| ramps.table(colour)?.map(|table| ramp(&table)).transpose();
    let found = [of("green")?, of("yellow")?, of("red")?];
    ramps.finish()?;
    Ok(Discipline::ByColour { step, ramps: found })
}

fn by_average(table: &Table<'_>, counted: Averages, curves: [Curve; 3]) -> Result<Discipline, ScenarioError> {
    let below = table.within_or("marks_below", 1.0, 0.0, 1.0)?;
    Ok(Discipline::ByAverage {
        weight: table.need("average_weight")?.within(1e-9, 1.0)?,
        mean_packet_bytes: table.or("mean_packet_bytes", FULL_ETHERNET_PACKET_BYTES)?,
        counted,
        curves,
        marks_below: if table.or("ecn", false)? { below } else { 0.0 },
    })
}

fn controller(table: &Table<'_>) -> Result<Discipline, ScenarioError> {
    let frequency_hz = table.need("frequency_hz")?.within(1e-3, 1e6)?;
    Ok(Discipline::ProportionalIntegral {
        gains: (table.need("a")?.within(0.0, 1.0)?, table.need("b")?.within(0.0, 1.0)?),
        reference_pkts: table.need("reference_pkts")?.within(0.0, MAX_PKTS)?,
        pace: Seconds::from_s(1.0 / frequency_hz),
        marks: table.or("ecn", false)?,
    })
}

/// Stages and buckets as published (Christin and Liebeherr 2003).
fn heavy_hitters(table: &Table<'_>) -> Result<HeavyHitters, ScenarioError> {
    Ok(HeavyHitters {
        threshold_bytes: table.need("threshold_bytes")?.count(1.0, 1e12)?,
        interval: table.need("interval_s")?.seconds(1e-3, 1e6)?,
        stages: table.count_or("stages", 3, 1.0, 16.0)?,
        buckets: table.count_or("buckets", 8, 1.0, 1e6)?,
    })
}

/// The first two as published (Christin and Liebeherr 2003); the first estimate is this project's.
fn round_rule(table: &Table<'_>) -> Result<RoundRule, ScenarioError> {
    let Some(rounds) = table.table("rounds")? else {
        let initial_round_trip = Seconds::from_ms(100.0);
        return Ok(RoundRule { gaps_per_round_trip: 10.0, memory: 0.9, initial_round_trip });
    };
    let rule = RoundRule {
        gaps_per_round_trip: rounds.within_or("gaps_per_round_trip", 10.0, 1.0, 1e6)?,
        memory: rounds.within_or("round_trip_memory", 0.9, 0.0, 1.0)?,
        initial_round_trip: rounds.ms_or("initial_round_trip_ms", 100.0, 1e-3, 1e6)?,
    };
    rounds.finish()?;
    Ok(rule)
}

fn ramp(table: &Table<'_>) -> Result<Ramp, ScenarioError> {
    let (from, to) = (table.need("from_pct")?.percent()?, table.need("to_pct")?.percent()?);
    if to.pct() <= from.pct() {
        let reason = format!("{} is not above from_pct, {}", to.pct(), from.pct());
        return Err(table.refusal_of("to_pct", reason));
    }
    table.finish()?;
    Ok(Ramp { from, to })
}

fn curve(table: &Table<'_>) -> Result<Curve, ScenarioError> {
    let min_pkts = table.need("min_pkts")?.within(0.0, MAX_PKTS)?;
    Ok(Curve {
        min_pkts,
        max_pkts: table.need("max_pkts")?.within(min_pkts, MAX_PKTS)?,
        max_probability: table.need("max_probability")?.within(0.0, 1.0)?,
        is_gentle: table.or("gentle", false)?,
    })
}
