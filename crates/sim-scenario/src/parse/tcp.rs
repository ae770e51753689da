//! TCP of all flows, and of profiles.

use super::table::Table;
use crate::error::ScenarioError;
use crate::ids::ProfileId;
use crate::model::{LossRecovery, Tcp};
use serde_json::Value;
use std::collections::BTreeMap;

/// TCP of all flows, and the profiles in the order of their names.
pub(super) struct Profiles {
    pub(super) of_all: Tcp,
    pub(super) named: BTreeMap<String, Tcp>,
}

impl Profiles {
    /// Read TCP; a profile's keys replace those of all flows.
    pub(super) fn of(root: &Table<'_>) -> Result<Self, ScenarioError> {
        let common: Value = root.need("tcp")?.read()?;
        let of_all = tcp("tcp".to_owned(), &common)?;
        let texts: BTreeMap<String, Value> = root.or("profiles", BTreeMap::new())?;
        let read = |(name, text): (String, Value)| {
            let mut all = common.clone();
            match (&mut all, text) {
                (Value::Object(all), Value::Object(keys)) => all.extend(keys),
                (all, other) => *all = other,
            }
            let tcp = tcp(format!("profiles.{name}"), &all)?;
            Ok((name, tcp))
        };
        Ok(Self { of_all, named: texts.into_iter().map(read).collect::<Result<_, ScenarioError>>()? })
    }

    /// The profile that a table names, if it names one, and its TCP.
    pub(super) fn chosen(&self, table: &Table<'_>) -> Result<(Option<ProfileId>, &Tcp), ScenarioError> {
        let Some(field) = table.get("profile") else { return Ok((None, &self.of_all)) };
        let name: &str = field.read()?;
        match self.named.iter().position(|(known, _)| known == name) {
            Some(place) => Ok((Some(ProfileId::at(place)), &self.named[name])),
            None => Err(field.refusal(format!("no profile is called {name:?}"))),
        }
    }
}

/// The TCP at a key.
pub(super) fn tcp(key: String, text: &Value) -> Result<Tcp, ScenarioError> {
    let table = Table::at(key, text)?;
    let segment_data_bytes = table.count_or("segment_data_bytes", 1448, 1.0, 65_000.0)?;
    let tcp = Tcp {
        segment_data_bytes,
        header_bytes: table.count_or("header_bytes", 52, 40.0, 120.0)?,
        syn_bytes: table.count_or("syn_bytes", 60, 40.0, 120.0)?,
        initial_window_pkts: table.count_or("initial_window_pkts", 3, 1.0, 1e6)?,
        initial_ssthresh_pkts: table.or("initial_ssthresh_pkts", 0x7fff_ffff)?,
        window_bytes: table.count_or("window_bytes", 150_000_000, f64::from(segment_data_bytes), 1e11)?,
        clamped_window_bytes: table.or("clamped_window_bytes", 150_000_000)?,
        clamp_held_bytes: table.or("clamp_held_bytes", 1_000_000_000_000)?,
        loss_recovery: table.or("loss_recovery", LossRecovery::Sack)?,
        reordering_pkts: table.count_or("reordering_pkts", 3, 1.0, 1e6)?,
        merge_segments: table.count_or("merge_segments", 1, 1.0, 1e4)?,
        min_rto: table.ms_or("min_rto_ms", 200.0, 1.0, 1e6)?,
        timer_step: table.ms_or("timer_step_ms", 0.0, 0.0, 1e4)?,
        min_timeout: table.ms_or("min_timeout_ms", 0.0, 0.0, 1e6)?,
        times_one_segment: table.or("times_one_segment", false)?,
        partial_acks_restart_timer: table.or("partial_acks_restart_timer", false)?,
        initial_rto: table.ms_or("initial_rto_ms", 3000.0, 1.0, 1e6)?,
        stamp_step: table.us_or("stamp_step_us", 1000.0, 0.0, 1e6)?,
        delayed_ack: table.ms_or("delayed_ack_ms", 40.0, 0.0, 1e6)?,
        disorder_burst_pkts: table.count_or("disorder_burst_pkts", 3, 0.0, 1e6)?,
        reordering_limit_pkts: table.count_or("reordering_limit_pkts", 3, 1.0, 1e6)?,
        disorder_after_recovery: table.or("disorder_after_recovery", false)?,
        fack: table.or("fack", false)?,
        undo: table.or("undo", true)?,
        burst_follows_reordering: table.or("burst_follows_reordering", false)?,
        rate_halving: table.or("rate_halving", true)?,
        limited_burst_bytes: table.or("limited_burst_bytes", 65_536)?,
        ecn: table.or("ecn", false)?,
        profile: table.or("profile", None)?,
        rack: table.or("rack", false)?,
        growth_counts_segments: table.or("growth_counts_segments", false)?,
        slow_start_doubles: table.or("slow_start_doubles", false)?,
        small_queues: table.or("small_queues", false)?,
        segmentation_offload: table.or("segmentation_offload", false)?,
        quick_acks_while_window_grows: table.or("quick_acks_while_window_grows", false)?,
        quick_acks_after_duplicate: table.or("quick_acks_after_duplicate", 0)?,
        compressed_sacks: table.or("compressed_sacks", false)?,
        compressed_sack_slack: table.us_or("compressed_sack_slack_us", 0.0, 0.0, 1e6)?,
        offered_window_grows: table.or("offered_window_grows", false)?,
        offered_window_shrinks: table.or("offered_window_shrinks", false)?,
        offered_window_closes: table.or("offered_window_closes", false)?,
        early_write_bytes: table.or("early_write_bytes", 0)?,
        pushed_buffers: table.or("pushed_buffers", false)?,
        pushed_writes: table.or("pushed_writes", false)?,
        partial_segments: table.or("partial_segments", false)?,
        paws: table.or("paws", false)?,
        shared_timer: table.or("shared_timer", false)?,
        rto_holds_deviation: table.or("rto_holds_deviation", false)?,
        rtt_in_us: table.or("rtt_in_us", false)?,
        htcp_rtt_scaling: table.or("htcp_rtt_scaling", true)?,
        htcp_bandwidth_switch: table.or("htcp_bandwidth_switch", true)?,
        htcp_counts_acks: table.or("htcp_counts_acks", false)?,
        quick_acks: table.or("quick_acks", 16)?,
    };
    table.finish()?;
    check_together(&table, &tcp)?;
    Ok(tcp)
}

/// Refuse options that exclude each other.
fn check_together(table: &Table<'_>, tcp: &Tcp) -> Result<(), ScenarioError> {
    let has_sack = tcp.loss_recovery == LossRecovery::Sack;
    let by_time = "with tcp.rack, losses are judged by time and windows fall in proportion; set it to false";
    let without_sack =
        "only senders without selective acknowledgements have it; set tcp.loss_recovery to newreno or reno";
    let refused = [
        ("rate_halving", tcp.rack && tcp.rate_halving, by_time),
        ("fack", tcp.rack && tcp.fack, by_time),
        ("times_one_segment", tcp.times_one_segment && has_sack, without_sack),
        ("partial_acks_restart_timer", tcp.partial_acks_restart_timer && has_sack, without_sack),
        (
            "loss_recovery",
            tcp.rack && !has_sack,
            "tcp.rack needs selective acknowledgements; set one of the two otherwise",
        ),
        (
            "offered_window_closes",
            tcp.offered_window_closes && tcp.offered_window_grows,
            "one kernel's receiver has it, another's tcp.offered_window_grows; set one of the two to false",
        ),
    ];
    match refused.into_iter().find(|(_, is_refused, _)| *is_refused) {
        Some((name, _, reason)) => Err(table.refusal_of(name, reason)),
        None => Ok(()),
    }
}
