//! Flows.

use super::names::Names;
use super::profile::Profiles;
use super::range::{MAX_DURATION_S, count_within, each, microseconds, milliseconds, rate, seconds, within};
use crate::error::ScenarioError;
use crate::ids::FlowId;
use crate::model::{Data, Distribution, Flow, Interval, OnOff, Spacing, Traffic};
use crate::text::{DataSpec, FlowSpec, TrafficSpec};
use crate::units::Seconds;

/// Segments of even one byte are numbered in 32 bits.
const MAX_DATA_BYTES: f64 = 4e9;

/// A flow whose paths are still to be found.
pub(super) fn flow(
    key: &str,
    number: usize,
    text: &FlowSpec,
    names: &Names<'_>,
    profiles: &Profiles<'_>,
) -> Result<Flow, ScenarioError> {
    let from = names.known_host(&format!("{key}.from"), &text.from)?;
    let to = names.known_host(&format!("{key}.to"), &text.to)?;
    if from == to {
        return Err(ScenarioError::new(format!("{key}.to"), "a flow leads to another host"));
    }
    let traffic = traffic(&format!("{key}.traffic"), &text.traffic, profiles)?;
    if text.one_way_delays && traffic.is_tcp() {
        let reason = "segments bear the time of their host's clock, in its steps; give a udp or ping flow as a probe";
        return Err(ScenarioError::new(format!("{key}.one_way_delays"), reason));
    }
    Ok(Flow {
        id: FlowId::at(number),
        name: text.name.clone(),
        from,
        to,
        intervals: intervals(&format!("{key}.intervals_s"), &text.intervals_s)?,
        traffic,
        has_one_way_delays: text.one_way_delays,
        paths: [Vec::new(), Vec::new()],
    })
}

/// Intervals in order of time, none of which overlaps another.
fn intervals(key: &str, text: &[[f64; 2]]) -> Result<Vec<Interval>, ScenarioError> {
    each(key, text, |key, number, &[start, end]| {
        let end_before = number.checked_sub(1).map_or(0.0, |before| text[before][1]);
        let start = seconds(key, start, end_before, MAX_DURATION_S)?;
        Ok(Interval { start, end: seconds(key, end, start.s(), MAX_DURATION_S)? })
    })
}

fn traffic(key: &str, text: &TrafficSpec, profiles: &Profiles<'_>) -> Result<Traffic, ScenarioError> {
    match *text {
        TrafficSpec::Tcp { congestion, window_bytes, ref profile, ref data } => {
            let (profile, tcp) = profiles.chosen(&format!("{key}.profile"), profile.as_deref())?;
            Ok(Traffic::Tcp {
                congestion,
                profile,
                data: self::data(&format!("{key}.data"), data)?,
                window_bytes: match window_bytes {
                    Some(bytes) => count_within(&format!("{key}.window_bytes"), bytes, 1.0, 1e11)?,
                    None => tcp.window_bytes,
                },
            })
        }
        TrafficSpec::Udp { rate_bps, datagram_bytes, jitter, poisson, on_off_s, wakeup_slack_us } => {
            let rate = rate(&format!("{key}.rate_bps"), rate_bps)?;
            let datagram_bytes = count_within(&format!("{key}.datagram_bytes"), datagram_bytes, 1.0, 65_507.0)?;
            let jitter = within(&format!("{key}.jitter"), jitter, 0.0, 1.0)?;
            let spacing = if poisson { Spacing::Poisson } else { Spacing::Even { jitter } };
            let on_off = match on_off_s {
                Some([on, off]) => Some(self::on_off(&format!("{key}.on_off_s"), on, off)?),
                None => None,
            };
            let wakeup_slack = slack(key, wakeup_slack_us)?;
            Ok(Traffic::Udp { rate, datagram_bytes, spacing, on_off, wakeup_slack })
        }
        TrafficSpec::Ping { interval_s, ip_bytes, poisson, wakeup_slack_us } => Ok(Traffic::Ping {
            interval: seconds(&format!("{key}.interval_s"), interval_s, 1e-6, MAX_DURATION_S)?,
            ip_bytes: count_within(&format!("{key}.ip_bytes"), ip_bytes, 28.0, 65_000.0)?,
            poisson,
            wakeup_slack: slack(key, wakeup_slack_us)?,
        }),
    }
}

fn slack(key: &str, us: f64) -> Result<Seconds, ScenarioError> {
    microseconds(&format!("{key}.wakeup_slack_us"), us, 0.0, 1e6)
}

fn data(key: &str, text: &DataSpec) -> Result<Data, ScenarioError> {
    match *text {
        DataSpec::Endless => Ok(Data::Endless),
        DataSpec::Transfer { bytes } => {
            Ok(Data::Transfer { bytes: count_within(&format!("{key}.bytes"), bytes, 1.0, MAX_DATA_BYTES)? })
        }
        DataSpec::Writes { bytes, every_ms } => Ok(Data::Writes {
            bytes: count_within(&format!("{key}.bytes"), bytes, 1.0, MAX_DATA_BYTES)?,
            every: milliseconds(&format!("{key}.every_ms"), every_ms, 1e-3, MAX_DURATION_S * 1e3)?,
        }),
        DataSpec::Bursts { mean_bytes, mean_pause_s, pareto_shape, count } => Ok(Data::Bursts {
            mean_bytes: within(&format!("{key}.mean_bytes"), mean_bytes, 1.0, MAX_DATA_BYTES)?,
            mean_pause: seconds(&format!("{key}.mean_pause_s"), mean_pause_s, 0.0, MAX_DURATION_S)?,
            distribution: distribution(&format!("{key}.pareto_shape"), pareto_shape)?,
            count: at_most(&format!("{key}.count"), count)?,
        }),
        DataSpec::Web { objects_per_page, mean_object_bytes, mean_think_s, pareto_shape, pages } => Ok(Data::Web {
            objects_per_page: count_within(&format!("{key}.objects_per_page"), objects_per_page, 1.0, 1e6)?,
            mean_object_bytes: within(&format!("{key}.mean_object_bytes"), mean_object_bytes, 1.0, MAX_DATA_BYTES)?,
            distribution: distribution(&format!("{key}.pareto_shape"), pareto_shape)?,
            mean_think: seconds(&format!("{key}.mean_think_s"), mean_think_s, 0.0, MAX_DURATION_S)?,
            pages: at_most(&format!("{key}.pages"), pages)?,
        }),
    }
}

fn distribution(key: &str, pareto_shape: Option<f64>) -> Result<Distribution, ScenarioError> {
    match pareto_shape {
        Some(shape) => Ok(Distribution::Pareto { shape: within(key, shape, 1.01, 100.0)? }),
        None => Ok(Distribution::Exponential),
    }
}

/// How often at most, if that is limited.
fn at_most(key: &str, count: Option<u32>) -> Result<Option<u32>, ScenarioError> {
    count.map(|count| count_within(key, count, 1.0, 1e9)).transpose()
}

fn on_off(key: &str, on: f64, off: f64) -> Result<OnOff, ScenarioError> {
    Ok(OnOff { on: seconds(key, on, 1e-9, MAX_DURATION_S)?, off: seconds(key, off, 0.0, MAX_DURATION_S)? })
}
