//! The rows of flows that another metering point read more of.
//!
//! A router that meters at ingress and egress, or with several exporters, tells of a flow more than once. The choice
//! is one per flow (5-tuple) and for the day, so that all its rows must be looked at together: rows are dealt to
//! partitions by a hash of their key, and each partition is decided by itself (`flow_choice.rs`). Partitions
//! that do not fit in memory are put aside. Whole keys are compared, so a hash collision costs time only.

mod flow_choice;

use std::collections::HashMap;
use std::io;

use flow_choice::{Choice, Entries, Entry, value};

const PARTITION_BITS: u32 = 9;
const PARTITIONS: usize = 1 << PARTITION_BITS;
/// Words of 32 bits in a key: of IPv4 addresses, and of any.
const NARROW: usize = 4;
const WIDE: usize = 11;
const MOST_BYTES: u64 = 1 << 52;
const MOST_POINTS: usize = 1 << 8;

/// (upper half of the exporter's address, lower half, direction), as bits.
pub type Point = (u64, u64, u64);

/// Columns of a row group as bits: 32-bit ones are not extended by their sign. All have one length.
#[derive(Clone, Copy, Debug)]
pub struct Metered<'a> {
    /// 4 or 6.
    pub ip_version: &'a [u64],
    /// Upper halves of the sources' addresses.
    pub src_hi: &'a [u64],
    /// Lower halves.
    pub src_lo: &'a [u64],
    /// Upper halves of the destinations' addresses.
    pub dst_hi: &'a [u64],
    /// Lower halves.
    pub dst_lo: &'a [u64],
    /// Source ports.
    pub src_port: &'a [u64],
    /// Destination ports.
    pub dst_port: &'a [u64],
    /// IP protocols.
    pub protocol: &'a [u64],
    /// Upper halves of the exporters' addresses.
    pub exporter_hi: &'a [u64],
    /// Lower halves.
    pub exporter_lo: &'a [u64],
    /// 0 metered at ingress, 1 at egress.
    pub direction: &'a [u64],
    /// SNMP indexes, 0 or less where it is not known.
    pub output_interface: &'a [u64],
    /// Starts, epoch ms.
    pub first_ms: &'a [u64],
    /// Ends, epoch ms.
    pub last_ms: &'a [u64],
    /// Bytes after sampling.
    pub bytes: &'a [u64],
}

/// Why rows are not compared.
#[derive(Debug)]
pub enum Failure {
    /// A metering point that was not named, or counters beyond any flow's.
    NotComparable,
    /// What was put aside cannot be written or read.
    Aside(io::Error),
}

impl From<io::Error> for Failure {
    fn from(cause: io::Error) -> Self {
        Self::Aside(cause)
    }
}

/// Storage for rows that do not fit in memory.
pub trait Aside {
    /// Appends bytes; where they begin.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<u64>;

    /// Reads bytes that begin there.
    ///
    /// # Errors
    ///
    /// There are not so many, or they cannot be read.
    fn read(&mut self, begin: u64, bytes: &mut [u8]) -> io::Result<()>;
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Each metering point, and its place among those that are compared: of equals the lowest one counts. Points of one
    /// place are one.
    pub points: Vec<(Point, u8)>,
    /// Rows that end before `from_ms`, or start at `to_ms` or later, are not compared; they go with their reading.
    pub from_ms: i64,
    /// See there.
    pub to_ms: i64,
    /// About so many bytes of rows are held in memory, if more than one flow has them.
    pub held_bytes: usize,
}

/// Finds them.
#[derive(Debug)]
pub struct Repeats<A> {
    points: HashMap<Point, u8>,
    bounds: (i64, i64),
    most_held: usize,
    choice: Choice,
    narrow: Vec<Entries<NARROW>>,
    wide: Vec<Entries<WIDE>>,
    held: usize,
    /// Partitions from here on have one piece in memory, and all others aside.
    in_memory: usize,
    aside: A,
    /// So far, and where each group begins.
    rows: usize,
    groups: Vec<usize>,
    /// A bit for each row.
    repeated: Vec<u64>,
}

impl<A: Aside> Repeats<A> {
    /// The multipliers are odd, secret and eleven: whoever forges keys does not know which meet.
    ///
    /// # Errors
    ///
    /// There are more metering points than can be told apart here.
    pub fn new(asked: &Asked, multipliers: Vec<u64>, aside: A) -> Result<Self, Failure> {
        if asked.points.len() > MOST_POINTS || multipliers.len() != WIDE {
            return Err(Failure::NotComparable);
        }
        Ok(Self {
            points: asked.points.iter().copied().collect(),
            bounds: (asked.from_ms, asked.to_ms),
            most_held: asked.held_bytes,
            choice: Choice::new(multipliers),
            narrow: (0..PARTITIONS).map(|_| Entries::default()).collect(),
            wide: (0..PARTITIONS).map(|_| Entries::default()).collect(),
            held: 0,
            in_memory: PARTITIONS,
            aside,
            rows: 0,
            groups: Vec::new(),
            repeated: Vec::new(),
        })
    }

    /// Takes the next row group.
    ///
    /// # Errors
    ///
    /// A row cannot be compared, or nothing put aside.
    pub fn add(&mut self, rows: &Metered<'_>) -> Result<(), Failure> {
        self.groups.push(self.rows);
        self.repeated.resize((self.rows + rows.bytes.len()).div_ceil(64), 0);
        let mut latest = None;
        for row in 0..rows.bytes.len() {
            let point = (rows.exporter_hi[row], rows.exporter_lo[row], rows.direction[row]);
            let place = match latest {
                Some((other, place)) if other == point => place,
                _ => *self.points.get(&point).ok_or(Failure::NotComparable)?,
            };
            latest = Some((point, place));
            let number = u32::try_from(self.rows + row).map_err(|_| Failure::NotComparable)?;
            self.take(rows, row, number, place)?;
        }
        self.rows += rows.bytes.len();
        Ok(())
    }

    /// After the last group: compares all.
    ///
    /// # Errors
    ///
    /// The bytes of a reading exceed 64 bits, or what was put aside cannot be read.
    pub fn finish(&mut self) -> Result<(), Failure> {
        let repeated = &mut self.repeated;
        let mut mark = |row: u32| repeated[row as usize / 64] |= 1 << (row % 64);
        for partition in 0..PARTITIONS {
            let mut narrow = std::mem::take(&mut self.narrow[partition]);
            narrow.take_back(&mut self.aside)?;
            self.choice.mark(&narrow, PARTITION_BITS, &mut mark).ok_or(Failure::NotComparable)?;
            let mut wide = std::mem::take(&mut self.wide[partition]);
            wide.take_back(&mut self.aside)?;
            self.choice.mark(&wide, PARTITION_BITS, &mut mark).ok_or(Failure::NotComparable)?;
        }
        Ok(())
    }

    /// At the end: whether each of `rows` rows of a group repeats what another point counts.
    pub fn of_group(&self, group: usize, rows: usize) -> Option<Vec<u8>> {
        let begin = *self.groups.get(group)?;
        let is_there = (begin + rows).div_ceil(64) <= self.repeated.len();
        is_there.then(|| (begin..begin + rows).map(|row| (self.repeated[row / 64] >> (row % 64) & 1) as u8).collect())
    }

    fn take(&mut self, rows: &Metered<'_>, row: usize, number: u32, place: u8) -> Result<(), Failure> {
        let bytes = rows.bytes[row];
        if bytes > MOST_BYTES {
            return Err(Failure::NotComparable);
        }
        let is_compared = rows.last_ms[row] as i64 >= self.bounds.0 && (rows.first_ms[row] as i64) < self.bounds.1;
        let value = value(bytes, is_compared, rows.output_interface[row] as i64 > 0, place);
        let partition;
        if let Some(key) = narrow_key(rows, row) {
            partition = self.partition(&key);
            self.held += self.narrow[partition].push(Entry { key, value, row: number });
        } else {
            let key = wide_key(rows, row);
            partition = self.partition(&key);
            self.held += self.wide[partition].push(Entry { key, value, row: number });
        }
        if partition >= self.in_memory {
            self.put_aside(partition)?;
        }
        while self.held > self.most_held && self.in_memory > 0 {
            self.in_memory -= 1;
            self.put_aside(self.in_memory)?;
        }
        Ok(())
    }

    fn put_aside(&mut self, partition: usize) -> io::Result<()> {
        self.held -= self.narrow[partition].put_aside(&mut self.aside)?;
        self.held -= self.wide[partition].put_aside(&mut self.aside)?;
        Ok(())
    }

    fn partition(&self, key: &[u32]) -> usize {
        (self.choice.hash(key) >> (u64::BITS - PARTITION_BITS)) as usize
    }
}

/// The 5-tuple of a row with IPv4 addresses and ordinary ports.
fn narrow_key(rows: &Metered<'_>, row: usize) -> Option<[u32; NARROW]> {
    let (source, destination) = (rows.src_lo[row], rows.dst_lo[row]);
    let (from, to) = (rows.src_port[row], rows.dst_port[row]);
    let beyond = rows.src_hi[row] | rows.dst_hi[row] | (source | destination) >> 32 | (from | to) >> 16;
    let is_narrow = rows.ip_version[row] == 4 && beyond == 0;
    is_narrow.then_some([source as u32, destination as u32, (from << 16 | to) as u32, rows.protocol[row] as u32])
}

/// The 5-tuple of any row.
fn wide_key(rows: &Metered<'_>, row: usize) -> [u32; WIDE] {
    let halves = [rows.src_hi[row], rows.src_lo[row], rows.dst_hi[row], rows.dst_lo[row]];
    let [a, b, c, d] = halves.map(|half| [half as u32, (half >> 32) as u32]);
    // columns of 8 and 16 bits, in one word whatever their sign
    let kind = rows.ip_version[row] as u32 & 0xFF | (rows.protocol[row] as u32) << 8;
    [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1], rows.src_port[row] as u32, rows.dst_port[row] as u32, kind]
}

#[cfg(test)]
mod tests {
    use super::*;

    const INGRESS: u64 = 0;
    const EGRESS: u64 = 1;

    /// (version, upper half of the source, source port, direction, bytes, end)
    type Row = (u64, u64, u64, u64, u64, u64);

    fn asked(held_bytes: usize) -> Asked {
        Asked { points: vec![((0, 9, EGRESS), 0), ((0, 9, INGRESS), 1)], from_ms: 1000, to_ms: 2000, held_bytes }
    }

    /// In memory; it holds no more than so many bytes.
    #[derive(Debug)]
    struct Held {
        bytes: Vec<u8>,
        most: usize,
    }

    impl Aside for Held {
        fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
            if self.bytes.len() + bytes.len() > self.most {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.bytes.extend_from_slice(bytes);
            Ok((self.bytes.len() - bytes.len()) as u64)
        }

        fn read(&mut self, begin: u64, bytes: &mut [u8]) -> io::Result<()> {
            let from = self.bytes.get(begin as usize..).ok_or(io::ErrorKind::UnexpectedEof)?;
            io::Read::read_exact(&mut &*from, bytes)
        }
    }

    fn multipliers() -> Vec<u64> {
        (0..11).map(|place| 0x9E37_79B9_7F4A_7C15_u64.rotate_left(5 * place) | 1).collect()
    }

    fn repeats(held_bytes: usize) -> Repeats<Held> {
        let aside = Held { bytes: Vec::new(), most: usize::MAX };
        Repeats::new(&asked(held_bytes), multipliers(), aside).expect("two points, eleven multipliers")
    }

    fn add(to: &mut Repeats<Held>, rows: &[Row]) -> Result<(), Failure> {
        let all = |value: u64| vec![value; rows.len()];
        let column = |of: fn(&Row) -> u64| rows.iter().map(of).collect::<Vec<_>>();
        to.add(&Metered {
            ip_version: &column(|row| row.0),
            src_hi: &column(|row| row.1),
            src_lo: &all(1),
            dst_hi: &all(0),
            dst_lo: &all(2),
            src_port: &column(|row| row.2),
            dst_port: &all(443),
            protocol: &all(6),
            exporter_hi: &all(0),
            exporter_lo: &all(9),
            direction: &column(|row| row.3),
            output_interface: &all(5),
            first_ms: &all(900),
            last_ms: &column(|row| row.5),
            bytes: &column(|row| row.4),
        })
    }

    /// The marks of each group, and how many bytes were put aside.
    fn found(groups: &[Vec<Row>], held_bytes: usize) -> (Vec<Vec<u8>>, usize) {
        let mut repeats = repeats(held_bytes);
        for rows in groups {
            add(&mut repeats, rows).expect("comparable");
        }
        repeats.finish().expect("small sums");
        let marks =
            groups.iter().enumerate().map(|(group, rows)| repeats.of_group(group, rows.len()).expect("a group"));
        (marks.collect(), repeats.aside.bytes.len())
    }

    #[test]
    fn a_flow_counts_where_most_of_it_was_read_and_others_are_left_alone() {
        let groups = [
            vec![(4, 0, 7, INGRESS, 60, 1500), (6, 1, 7, INGRESS, 60, 1500), (6, 0, 7, INGRESS, 5, 1500)],
            vec![(4, 0, 7, EGRESS, 50, 1500), (6, 1, 7, EGRESS, 60, 1500), (4, 0, 8, EGRESS, 1, 1500)],
        ];
        assert_eq!(found(&groups, 1 << 20).0, [[0, 1, 0], [1, 0, 0]]);
    }

    #[test]
    fn what_ended_the_day_before_does_not_weigh() {
        let groups = [vec![(4, 0, 7, INGRESS, 60, 999), (4, 0, 7, INGRESS, 1, 1000), (4, 0, 7, EGRESS, 2, 1000)]];
        assert_eq!(found(&groups, 1 << 20).0, [[1, 1, 0]]);
    }

    /// Of flows some of which count at one point and some at the other, and what is right of them.
    fn flows_of_two_points() -> ([Vec<Row>; 2], [Vec<u8>; 2]) {
        let rows = |direction: u64| {
            let flow = move |row: u64| {
                let bytes = if direction == EGRESS { 50 } else { row % 100 };
                (if row % 3 == 0 { 6 } else { 4 }, row / 50_000, row % 50_000, direction, bytes, 1500)
            };
            (0..400_000).map(flow).collect::<Vec<Row>>()
        };
        let at_egress: Vec<u8> = (0..400_000).map(|row| u8::from(row % 100 <= 50)).collect();
        let at_ingress = at_egress.iter().map(|repeats| 1 - repeats).collect();
        ([rows(INGRESS), rows(EGRESS)], [at_egress, at_ingress])
    }

    #[test]
    fn little_memory_puts_rows_aside_and_gives_the_same_marks() {
        let (groups, right) = flows_of_two_points();
        let (marks, aside) = found(&groups, 64 << 20);
        assert_eq!((&marks[..], aside), (&right[..], 0));
        for held_bytes in [24 << 20, 1 << 20, 0] {
            let (marks, aside) = found(&groups, held_bytes);
            assert!(aside > 1 << 20, "{aside}");
            assert_eq!(marks, right);
        }
    }

    #[test]
    fn a_full_store_is_an_error() {
        let aside = Held { bytes: Vec::new(), most: 1 << 20 };
        let mut repeats = Repeats::new(&asked(0), multipliers(), aside).expect("as above");
        let (groups, _) = flows_of_two_points();
        let failed = groups.iter().find_map(|rows| add(&mut repeats, rows).err());
        let Some(Failure::Aside(cause)) = failed else { panic!("{failed:?}") };
        assert_eq!(cause.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let added = |row: Row| add(&mut repeats(1 << 20), &[row]);
        assert!(matches!(added((4, 0, 7, 2, 60, 1500)), Err(Failure::NotComparable)));
        assert!(matches!(added((4, 0, 7, INGRESS, (1 << 52) + 1, 1500)), Err(Failure::NotComparable)));
        assert!(added((4, 0, 7, INGRESS, 1 << 52, 1500)).is_ok());
        assert!(Repeats::new(&asked(1), vec![1; 10], Held { bytes: Vec::new(), most: 0 }).is_err());
        assert_eq!(repeats(1 << 20).of_group(0, 1), None);
    }
}
