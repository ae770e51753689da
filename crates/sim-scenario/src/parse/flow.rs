//! Flows.

use super::names::Names;
use super::table::{Field, MAX_DURATION_S, Table, in_range};
use super::tcp::Profiles;
use crate::error::ScenarioError;
use crate::ids::FlowId;
use crate::model::{Congestion, Data, Distribution, Flow, Interval, OnOff, Spacing, Tcp, Traffic};
use crate::units::Seconds;

/// Segments of even one byte are numbered in 32 bits.
const MAX_DATA_BYTES: f64 = 4e9;
/// nuttcp's default.
const DATAGRAM_BYTES: u32 = 8192;
/// Of ping: 56 bytes of data, 8 of ICMP and 20 of IP.
const PING_BYTES: u16 = 84;

/// A flow whose paths are still to be found.
pub(super) fn flow(
    table: &Table<'_>,
    number: usize,
    names: &Names<'_>,
    profiles: &Profiles,
) -> Result<Flow, ScenarioError> {
    let (from, to) = (names.host_at(&table.need("from")?)?, names.host_at(&table.need("to")?)?);
    if from == to {
        return Err(table.refusal_of("to", "a flow leads to another host"));
    }
    let traffic = traffic(&table.need("traffic")?.table()?, profiles)?;
    let has_one_way_delays = table.or("one_way_delays", false)?;
    if has_one_way_delays && traffic.is_tcp() {
        let reason = "segments bear the time of their host's clock, in its steps; give a udp or ping flow as a probe";
        return Err(table.refusal_of("one_way_delays", reason));
    }
    Ok(Flow {
        id: FlowId::at(number),
        name: table.need("name")?.read()?,
        from,
        to,
        intervals: intervals(&table.need("intervals_s")?)?,
        traffic,
        has_one_way_delays,
        paths: [Vec::new(), Vec::new()],
    })
}

/// Intervals in order of time, none of which overlaps another.
fn intervals(field: &Field<'_>) -> Result<Vec<Interval>, ScenarioError> {
    let mut end_before = 0.0;
    let read = |item: Field<'_>| {
        let [start, end]: [f64; 2] = item.read()?;
        in_range(&item.key, start, end_before, MAX_DURATION_S)?;
        end_before = in_range(&item.key, end, start, MAX_DURATION_S)?;
        Ok(Interval { start: Seconds::from_s(start), end: Seconds::from_s(end) })
    };
    field.items()?.map(read).collect()
}

fn traffic(table: &Table<'_>, profiles: &Profiles) -> Result<Traffic, ScenarioError> {
    let found = match table.kind()? {
        "tcp" => {
            let (profile, tcp) = profiles.chosen(table)?;
            let congestion = table.need("congestion")?;
            Traffic::Tcp {
                congestion: check_congestion(&congestion, tcp)?,
                profile,
                data: table.table("data")?.map_or(Ok(Data::Endless), |table| data(&table))?,
                window_bytes: table.count_or("window_bytes", tcp.window_bytes, 1.0, 1e11)?,
            }
        }
        "udp" => {
            let jitter = table.within_or("jitter", 0.0, 0.0, 1.0)?;
            Traffic::Udp {
                rate: table.need("rate_bps")?.rate()?,
                datagram_bytes: table.count_or("datagram_bytes", DATAGRAM_BYTES, 1.0, 65_507.0)?,
                spacing: if table.or("poisson", false)? { Spacing::Poisson } else { Spacing::Even { jitter } },
                on_off: table.get("on_off_s").map(|field| on_off(&field)).transpose()?,
                wakeup_slack: table.us_or("wakeup_slack_us", 0.0, 0.0, 1e6)?,
            }
        }
        "ping" => Traffic::Ping {
            interval: table.need("interval_s")?.seconds(1e-6, MAX_DURATION_S)?,
            ip_bytes: table.count_or("ip_bytes", PING_BYTES, 28.0, 65_000.0)?,
            poisson: table.or("poisson", false)?,
            wakeup_slack: table.us_or("wakeup_slack_us", 0.0, 0.0, 1e6)?,
        },
        other => return Err(table.unknown_kind(other, &["tcp", "udp", "ping"])),
    };
    table.finish()?;
    Ok(found)
}

/// The congestion control at a key: BBR needs a sender that judges losses by time and counts what is delivered.
fn check_congestion(field: &Field<'_>, tcp: &Tcp) -> Result<Congestion, ScenarioError> {
    let congestion = field.read()?;
    let name = match congestion {
        Congestion::Bbr => "bbr",
        Congestion::Bbr3 => "bbr3",
        Congestion::Reno | Congestion::Htcp | Congestion::Cubic => return Ok(congestion),
    };
    if !tcp.rack {
        let needs = format!("{name} needs the hosts of Linux 6; set tcp.profile, or this flow's, to linux-6");
        return Err(field.refusal(needs));
    }
    Ok(congestion)
}

fn data(table: &Table<'_>) -> Result<Data, ScenarioError> {
    let distribution = || match table.get("pareto_shape") {
        Some(field) => field.within(1.01, 100.0).map(|shape| Distribution::Pareto { shape }),
        None => Ok(Distribution::Exponential),
    };
    let at_most = |name: &'static str| table.get(name).map(|field| field.count(1.0, 1e9)).transpose();
    let found = match table.kind()? {
        "endless" => Data::Endless,
        "transfer" => Data::Transfer { bytes: table.need("bytes")?.count(1.0, MAX_DATA_BYTES)? },
        "writes" => Data::Writes {
            bytes: table.need("bytes")?.count(1.0, MAX_DATA_BYTES)?,
            every: table.need("every_ms")?.milliseconds(1e-3, MAX_DURATION_S * 1e3)?,
        },
        "bursts" => Data::Bursts {
            mean_bytes: table.need("mean_bytes")?.within(1.0, MAX_DATA_BYTES)?,
            mean_pause: table.need("mean_pause_s")?.seconds(0.0, MAX_DURATION_S)?,
            distribution: distribution()?,
            count: at_most("count")?,
        },
        "web" => Data::Web {
            objects_per_page: table.need("objects_per_page")?.count(1.0, 1e6)?,
            mean_object_bytes: table.need("mean_object_bytes")?.within(1.0, MAX_DATA_BYTES)?,
            distribution: distribution()?,
            mean_think: table.need("mean_think_s")?.seconds(0.0, MAX_DURATION_S)?,
            pages: at_most("pages")?,
        },
        other => return Err(table.unknown_kind(other, &["endless", "transfer", "writes", "bursts", "web"])),
    };
    table.finish()?;
    Ok(found)
}

fn on_off(field: &Field<'_>) -> Result<OnOff, ScenarioError> {
    let [on, off]: [f64; 2] = field.read()?;
    in_range(&field.key, on, 1e-9, MAX_DURATION_S)?;
    in_range(&field.key, off, 0.0, MAX_DURATION_S)?;
    Ok(OnOff { on: Seconds::from_s(on), off: Seconds::from_s(off) })
}
