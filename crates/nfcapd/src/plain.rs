//! Records that no rule of ingest takes hold of: they are kept as they are, and need not be shown to the rules.
//!
//! The rules are not here but in `etl/ingest/`. What is here is narrower than they are: a record that might interest one
//! of them is not plain, and the rules decide on it.

use crate::columns::{Column, Columns};

/// Epoch milliseconds before which a time is a missing one (`OLDEST_MS` of `etl/days.py`): 2000-01-01.
const OLDEST_MS: i64 = 946_684_800_000;
const LONGEST_MS: i64 = (1 << 31) - 1;
const DAY_MS: i64 = 86_400_000;
/// What ends longer before its reception may be right as it is (`MAX_EXPORT_DELAY_MS` of `etl/ingest/exporter_clock.py`).
const LONGEST_DELAY_MS: i64 = 3_600_000;
/// Larger counters are absurd (`MAX_COUNTER` of `etl/ingest/decode.py`).
const LARGEST_COUNTER: i64 = 1 << 52;
/// As in `etl/ingest/plausibility.py`.
const LONGEST_PACKET_BYTES: i64 = 65_575;
/// More bytes than a packet has.
const OVERSIZED_BYTES: i64 = LONGEST_PACKET_BYTES + 1;
const SHORTEST_PACKET_BYTES: i64 = 20;
const GRANULARITY_MS: i64 = 100;

/// How the plain records of a group become rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Whose they are.
    pub owner: u32,
    /// What stored counters are multiplied by, at least 1.
    pub multiplier: i64,
    /// 1 packet in so many was sampled.
    pub factor: i64,
    /// Flags of the row (`record_flags`).
    pub flags: i64,
    /// Upper half of the exporter's address.
    pub exporter_hi: i64,
    /// Lower half of it.
    pub exporter_lo: i64,
    /// What certainly fits through any of the owner's ports; infinite where these are not known.
    pub bytes_per_ms: f64,
    /// By how much times are moved.
    pub shift_ms: i64,
    /// Whether they are moved to what the collector's clock said: records that it has no time for are not plain.
    pub by_collector: bool,
}

/// What is counted of a group's plain records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// How many there are.
    pub records: u64,
    /// Their bytes as stored, at most 2^63 - 1.
    pub bytes: i64,
    /// The same of those that ended more than a day before they were received.
    pub old_records: u64,
    /// See there.
    pub old_bytes: i64,
    /// How many have times that are not whole seconds, as the exporter says them. This and what follows of groups whose
    /// ports are known.
    pub fine: u64,
    /// How many of several packets, as sampled, do not last.
    pub instants: u64,
    /// How many begin before they end.
    pub lasting: u64,
}

/// Which records of some blocks are plain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Numbers of the plain records of each owner, in their order.
    pub plain: Vec<Vec<u32>>,
    /// Numbers of the others, in their order.
    pub rest: Vec<u32>,
    /// By group, of those whose times the collector's clock decides on: from the ends of the plain records, as the
    /// exporter says them, to their reception.
    pub lags_ms: Vec<Vec<i64>>,
}

/// What is decided on the groups of a file, and what is counted of their plain records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// By group, none where the rules have to look at all its records.
    pub of: Vec<Option<Decision>>,
    /// By group.
    pub counted: Vec<Counted>,
}

impl Decisions {
    /// Parts the records of blocks; `groups` are theirs. One that ends more than `ahead_ms` after its reception is not
    /// plain, nor is one of a group that is not decided.
    pub fn split(&mut self, blocks: &[Columns], groups: &[u32], ahead_ms: i64) -> Split {
        let owners = self.of.iter().flatten().map(|decision| decision.owner as usize + 1).max().unwrap_or(0);
        let lags_ms = vec![Vec::new(); self.of.len()];
        let mut found = Split { plain: vec![Vec::new(); owners], rest: Vec::new(), lags_ms };
        self.counted.resize(self.of.len(), Counted::default());
        let mut begin = 0;
        for block in blocks {
            let fields = Fields::of(block);
            for (row, group) in groups[begin..begin + block.rows()].iter().map(|group| *group as usize).enumerate() {
                match self.of.get(group) {
                    Some(Some(decision)) if fields.is_plain(row, decision, ahead_ms) => {
                        found.plain[decision.owner as usize].push((begin + row) as u32);
                        fields.count(row, decision, &mut self.counted[group]);
                        if decision.by_collector {
                            found.lags_ms[group].push(fields.lag_ms(row));
                        }
                    }
                    _ => found.rest.push((begin + row) as u32),
                }
            }
            begin += block.rows();
        }
        found
    }
}

/// The columns by which it is decided.
struct Fields<'a> {
    first_ms: &'a [u64],
    last_ms: &'a [u64],
    received_ms: &'a [u64],
    bytes: &'a [u64],
    packets: &'a [u64],
    /// Those that are 0 in a plain record.
    zeros: [&'a [u64]; 3],
    has4: &'a [u64],
    has6: &'a [u64],
    four: [&'a [u64]; 2],
    six: [&'a [u64]; 2],
}

impl<'a> Fields<'a> {
    fn of(block: &'a Columns) -> Self {
        Self {
            first_ms: block.column(Column::FirstMs),
            last_ms: block.column(Column::LastMs),
            received_ms: block.column(Column::ReceivedMs),
            bytes: block.column(Column::InBytes),
            packets: block.column(Column::InPackets),
            zeros: [Column::Event, Column::OutPackets, Column::OutBytes].map(|column| block.column(column)),
            has4: block.column(Column::Has4),
            has6: block.column(Column::Has6),
            four: [Column::Src4, Column::Dst4].map(|column| block.column(column)),
            six: [Column::Src6Hi, Column::Dst6Hi].map(|column| block.column(column)),
        }
    }

    #[inline]
    fn is_plain(&self, row: usize, decision: &Decision, ahead_ms: i64) -> bool {
        // an upper half of 0 is that of no host, or of an IPv4 address that is written as an IPv6 one
        let has_hosts = match (self.has4[row], self.has6[row]) {
            (1, 0) => self.four.iter().all(|column| column[row] != 0),
            (0, 1) => self.six.iter().all(|column| column[row] != 0),
            _ => false,
        };
        self.zeros.iter().all(|column| column[row] == 0)
            && has_hosts
            && self.has_plain_times(row, decision, ahead_ms)
            && self.has_plain_counters(row, decision)
    }

    #[inline]
    fn has_plain_times(&self, row: usize, decision: &Decision, ahead_ms: i64) -> bool {
        // decoded times are before the year 10000
        let [first, last, received] = [self.first_ms, self.last_ms, self.received_ms].map(|column| column[row] as i64);
        let latest = received.saturating_add(ahead_ms);
        let is_past = if received < OLDEST_MS {
            !decision.by_collector
        } else {
            let moved = last.saturating_add(decision.shift_ms);
            let is_late = decision.shift_ms != 0 && received.saturating_sub(moved) > LONGEST_DELAY_MS;
            last <= latest && moved <= latest && !is_late
        };
        first >= OLDEST_MS && last >= first && last - first <= LONGEST_MS && is_past
    }

    #[inline]
    fn count(&self, row: usize, decision: &Decision, counted: &mut Counted) {
        let [first, last, received] = [self.first_ms, self.last_ms, self.received_ms].map(|column| column[row] as i64);
        let bytes = self.bytes[row] as i64;
        counted.records += 1;
        counted.bytes = counted.bytes.saturating_add(bytes);
        if received >= OLDEST_MS && last.saturating_add(decision.shift_ms) < received - DAY_MS {
            counted.old_records += 1;
            counted.old_bytes = counted.old_bytes.saturating_add(bytes);
        }
        if decision.bytes_per_ms.is_finite() {
            counted.fine += u64::from(last % 1000 != 0 || first % 1000 != 0);
            counted.lasting += u64::from(first != last);
            // many records of one packet lie between those that last: no branch is to be guessed
            counted.instants += u64::from((first == last) & self.has_several_packets(row, decision));
        }
    }

    #[inline]
    fn lag_ms(&self, row: usize) -> i64 {
        self.received_ms[row] as i64 - self.last_ms[row] as i64
    }

    /// More than one that was sampled; without a packet counter by as few as can hold the bytes.
    #[inline]
    fn has_several_packets(&self, row: usize, decision: &Decision) -> bool {
        let packets = match self.packets[row] as i64 {
            0 => self.bytes[row] as i64 * decision.multiplier / LONGEST_PACKET_BYTES,
            packets => packets * decision.multiplier,
        };
        packets > decision.factor
    }

    #[inline]
    fn has_plain_counters(&self, row: usize, decision: &Decision) -> bool {
        let largest = (LARGEST_COUNTER / decision.multiplier) as u64;
        if self.bytes[row] > largest || self.packets[row] > largest {
            return false;
        }
        let bytes = self.bytes[row] as i64 * decision.multiplier;
        let packets = self.packets[row] as i64 * decision.multiplier;
        let duration_ms = (self.last_ms[row] - self.first_ms[row]) as i64;
        let carried = bytes.max(packets * SHORTEST_PACKET_BYTES) as f64;
        (packets == 0 || bytes < packets.saturating_mul(OVERSIZED_BYTES))
            && carried <= (duration_ms + GRANULARITY_MS) as f64 * decision.bytes_per_ms
    }
}
