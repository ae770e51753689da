//! What rows of the lake add up to minute by minute, as `etl/lake/minute_sums.py` defines it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;
const LONGEST_PACKET_BYTES: i64 = 65_535;
const SQUARE_UNIT: i64 = 64;

/// (SNMP index of the egress interface, sampling factor, epoch minute).
pub type Group = (i64, i64, i64);
/// (upper half of the exporter's address, lower half, direction).
pub type Point = (i64, i64, i64);

/// Beyond these there are no sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Groups of a part.
    pub groups: usize,
    /// Metering points of a part.
    pub points: usize,
    /// Milliseconds that a record lasts.
    pub lasts_ms: i64,
    /// Bytes, and packets, of a record.
    pub counted: i64,
}

/// Columns of the lake, of one length.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Egress interfaces.
    pub output_interface: &'a [i64],
    /// Sampling factors.
    pub sampling_factor: &'a [i64],
    /// Starts, epoch ms.
    pub first_ms: &'a [i64],
    /// Ends, epoch ms.
    pub last_ms: &'a [i64],
    /// Bytes after sampling.
    pub bytes: &'a [i64],
    /// Packets after sampling.
    pub packets: &'a [i64],
    /// Upper halves of the exporters' addresses.
    pub exporter_hi: &'a [i64],
    /// Lower halves.
    pub exporter_lo: &'a [i64],
    /// 0 metered at ingress, 1 at egress.
    pub direction: &'a [i64],
}

/// Of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinuteTotals {
    /// Record-minutes.
    pub pieces: i64,
    /// Records that begin in the minute, or go on at midnight UTC.
    pub records: i64,
    /// Bytes in the minute.
    pub bytes: i128,
    /// Packets in the minute.
    pub packets: i128,
    /// Bytes of each piece, in units of 64 rounded up, times the mean packet of its record.
    pub square_bytes_64: i128,
}

/// Adds rows up, block by block.
#[derive(Debug)]
pub struct MinuteSums {
    limits: Limits,
    groups: Vec<(Group, MinuteTotals)>,
    places: HashMap<Group, u32>,
    /// Most records are of few interfaces and minutes: the last group at each place of this table is tried first.
    latest: Vec<u32>,
    points: BTreeSet<Point>,
    is_kept: bool,
}

const LATEST: usize = 1 << 12;

impl MinuteSums {
    /// Without any row.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            groups: Vec::new(),
            places: HashMap::new(),
            latest: vec![u32::MAX; LATEST],
            points: BTreeSet::new(),
            is_kept: true,
        }
    }

    /// Adds rows.
    pub fn add(&mut self, rows: &Rows<'_>) {
        let mut former = None;
        for row in 0..rows.bytes.len() {
            let point = (rows.exporter_hi[row], rows.exporter_lo[row], rows.direction[row]);
            if former != Some(point) {
                self.points.insert(point);
                former = Some(point);
            }
            self.is_kept &= self.is_believable(rows, row) && self.points.len() <= self.limits.points;
            if !self.is_kept {
                return;
            }
            self.add_row(rows, row);
        }
    }

    /// The totals by group, and the metering points; None where there are none.
    pub fn finish(&self) -> Option<(BTreeMap<Group, MinuteTotals>, &BTreeSet<Point>)> {
        let is_kept = self.is_kept && self.groups.len() <= self.limits.groups;
        is_kept.then(|| (self.groups.iter().copied().collect(), &self.points))
    }

    fn is_believable(&self, rows: &Rows<'_>, row: usize) -> bool {
        let lasts_ms = rows.last_ms[row].checked_sub(rows.first_ms[row]);
        lasts_ms.is_some_and(|lasts_ms| (0..=self.limits.lasts_ms).contains(&lasts_ms))
            && [rows.bytes[row], rows.packets[row]].iter().all(|counted| (0..=self.limits.counted).contains(counted))
    }

    fn add_row(&mut self, rows: &Rows<'_>, row: usize) {
        let (first_ms, last_ms) = (rows.first_ms[row], rows.last_ms[row]);
        let (bytes, packets) = (rows.bytes[row], rows.packets[row]);
        let packet_bytes = (bytes / packets.max(1)).min(LONGEST_PACKET_BYTES);
        let begin = first_ms.div_euclid(MINUTE_MS);
        // the last millisecond in which it has bytes: one that ends with a minute has none in the next
        let end = (last_ms - 1).max(first_ms).div_euclid(MINUTE_MS);
        let way = (rows.output_interface[row], rows.sampling_factor[row]);
        if begin == end {
            self.add_piece((way.0, way.1, begin), true, bytes, packets, packet_bytes);
            return;
        }
        let duration_ms = last_ms - first_ms;
        for minute in begin..=end {
            let from_ms = (minute * MINUTE_MS - first_ms).max(0);
            let to_ms = ((minute + 1) * MINUTE_MS - first_ms).min(duration_ms);
            let share = |counted| share(counted, from_ms, to_ms, duration_ms);
            self.add_piece((way.0, way.1, minute), minute == begin, share(bytes), share(packets), packet_bytes);
        }
    }

    fn add_piece(&mut self, group: Group, begins: bool, bytes: i64, packets: i64, packet_bytes: i64) {
        if self.groups.len() > self.limits.groups {
            self.is_kept = false;
            return;
        }
        let latest = &mut self.latest[(group.0.wrapping_mul(61) ^ group.2) as usize % LATEST];
        if self.groups.get(*latest as usize).is_none_or(|(other, _)| *other != group) {
            *latest = *self.places.entry(group).or_insert_with(|| {
                self.groups.push((group, MinuteTotals::default()));
                self.groups.len() as u32 - 1
            });
        }
        let totals = &mut self.groups[*latest as usize].1;
        totals.pieces += 1;
        totals.records += i64::from(begins || group.2.rem_euclid(DAY_MINUTES) == 0);
        totals.bytes += i128::from(bytes);
        totals.packets += i128::from(packets);
        totals.square_bytes_64 += i128::from((bytes + SQUARE_UNIT - 1) / SQUARE_UNIT * packet_bytes);
    }
}

/// What a counter that grows evenly for `lasts_ms` gains between two moments, by cumulative floors.
fn share(counted: i64, from_ms: i64, to_ms: i64, lasts_ms: i64) -> i64 {
    let (whole, rest) = (counted / lasts_ms, counted % lasts_ms);
    whole * (to_ms - from_ms) + rest * to_ms / lasts_ms - rest * from_ms / lasts_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { groups: 10, points: 2, lasts_ms: 600_000, counted: 1 << 52 };

    fn sums(rows: &[[i64; 5]]) -> MinuteSums {
        let column = |number: usize| rows.iter().map(|row| row[number]).collect::<Vec<_>>();
        let none = vec![0; rows.len()];
        let (interface, first_ms, last_ms, bytes, packets) = (column(0), column(1), column(2), column(3), column(4));
        let mut sums = MinuteSums::new(LIMITS);
        sums.add(&Rows {
            output_interface: &interface,
            sampling_factor: &none,
            first_ms: &first_ms,
            last_ms: &last_ms,
            bytes: &bytes,
            packets: &packets,
            exporter_hi: &none,
            exporter_lo: &interface,
            direction: &none,
        });
        sums
    }

    fn of(sums: &MinuteSums, interface: i64, minute: i64) -> Option<(i64, i64, i128, i128, i128)> {
        let totals = sums.finish()?.0.get(&(interface, 0, minute)).copied()?;
        Some((totals.pieces, totals.records, totals.bytes, totals.packets, totals.square_bytes_64))
    }

    #[test]
    fn a_record_of_two_minutes_is_divided_and_counted_once() {
        // 100 bytes and 7 packets in 3 ms, of which the first is in minute 1
        let found = sums(&[[5, 119_999, 120_002, 100, 7], [5, 120_000, 120_000, 65, 1]]);
        assert_eq!(of(&found, 5, 1), Some((1, 1, 33, 2, 14)));
        assert_eq!(of(&found, 5, 2), Some((2, 1, 67 + 65, 5 + 1, 2 * 14 + 2 * 65)));
        assert_eq!(of(&found, 5, 3), None);
    }

    #[test]
    fn one_that_ends_with_a_minute_is_not_in_the_next_and_one_at_midnight_counts_on_both_days() {
        let found = sums(&[[5, 86_340_000, 86_400_000, 10, 1], [5, 86_399_999, 86_400_001, 10, 2]]);
        assert_eq!(of(&found, 5, 1439), Some((2, 2, 15, 2, 10 + 5)));
        assert_eq!(of(&found, 5, 1440), Some((1, 1, 5, 1, 5)));
    }

    #[test]
    fn what_is_beyond_a_limit_leaves_no_sums() {
        assert!(sums(&[[5, 0, 600_000, 1, 1]]).finish().is_some());
        assert!(sums(&[[5, 0, 600_001, 1, 1]]).finish().is_none());
        assert!(sums(&[[5, 1, 0, 1, 1]]).finish().is_none());
        assert!(sums(&[[5, 0, 0, (1 << 52) + 1, 1]]).finish().is_none());
        assert!(sums(&[[5, i64::MIN, i64::MAX, 1, 1]]).finish().is_none());
        assert!(sums(&[[5, 0, 0, 1, 1], [6, 0, 0, 1, 1], [7, 0, 0, 1, 1]]).finish().is_none(), "three points");
        let minutes: Vec<_> = (0..11).map(|minute| [5, minute * 60_000, minute * 60_000, 1, 1]).collect();
        assert!(sums(&minutes[..10]).finish().is_some());
        assert!(sums(&minutes).finish().is_none());
    }
}
