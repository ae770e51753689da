//! Numbers in their range, and lists with the keys of their entries.

use crate::error::ScenarioError;
use crate::units::{BitRate, Percent, Rate, Seconds};

/// The longest run: far below what the clock holds, with room for timers set at its end.
pub(super) const MAX_DURATION_S: f64 = 1e6;

/// Read each entry of a list, given its key and its number.
pub(super) fn each<T, U>(
    key: &str,
    items: &[T],
    read: impl Fn(&str, usize, &T) -> Result<U, ScenarioError>,
) -> Result<Vec<U>, ScenarioError> {
    items.iter().enumerate().map(|(number, item)| read(&format!("{key}[{number}]"), number, item)).collect()
}

/// The value, if it is within these bounds.
pub(super) fn within(key: &str, value: f64, least: f64, most: f64) -> Result<f64, ScenarioError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(ScenarioError::new(key, format!("{value} is not between {least} and {most}")))
}

/// The whole number, if it is within these bounds.
pub(super) fn count_within<T: Copy + Into<u64>>(
    key: &str,
    value: T,
    least: f64,
    most: f64,
) -> Result<T, ScenarioError> {
    within(key, value.into() as f64, least, most).map(|_| value)
}

pub(super) fn rate(key: &str, bps: f64) -> Result<BitRate, ScenarioError> {
    within(key, bps, Rate::MIN_BPS as f64, Rate::MAX_BPS as f64).map(BitRate::from_bps)
}

pub(super) fn percent(key: &str, pct: f64) -> Result<Percent, ScenarioError> {
    within(key, pct, 0.0, 100.0).map(Percent::from_pct)
}

pub(super) fn seconds(key: &str, seconds: f64, least: f64, most: f64) -> Result<Seconds, ScenarioError> {
    within(key, seconds, least, most).map(Seconds::from_s)
}

pub(super) fn milliseconds(key: &str, ms: f64, least: f64, most: f64) -> Result<Seconds, ScenarioError> {
    within(key, ms, least, most).map(Seconds::from_ms)
}

pub(super) fn microseconds(key: &str, us: f64, least: f64, most: f64) -> Result<Seconds, ScenarioError> {
    within(key, us, least, most).map(Seconds::from_us)
}
