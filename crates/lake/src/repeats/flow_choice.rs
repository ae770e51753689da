//! Of the rows of some flows those that another metering point read more of.

use std::cmp::Reverse;
use std::io;

use super::Aside;

const CHUNK_ENTRIES: usize = 1 << 8;
const NONE: u32 = u32::MAX;

/// What a row says of its flow, by how many words of 32 bits the flow's key has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<const WORDS: usize> {
    pub key: [u32; WORDS],
    /// Lower and upper half of what `value` makes.
    pub value: [u32; 2],
    /// The row's number.
    pub row: u32,
}

impl<const WORDS: usize> Entry<WORDS> {
    fn write(&self, to: &mut Vec<u8>) {
        let words = self.key.iter().chain(&self.value).chain([&self.row]);
        words.for_each(|word| to.extend_from_slice(&word.to_le_bytes()));
    }

    fn read(from: &[u8]) -> Self {
        let word = |place: usize| from[4 * place..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let value = [word(WORDS), word(WORDS + 1)];
        Self { key: std::array::from_fn(word), value, row: word(WORDS + 2) }
    }
}

/// Bytes, at most 2^52; whether they are compared, and name their output interface; the place of the metering point.
pub(crate) fn value(bytes: u64, is_compared: bool, is_known: bool, place: u8) -> [u32; 2] {
    let value = bytes << 10 | u64::from(is_compared) << 9 | u64::from(is_known) << 8 | u64::from(place);
    [value as u32, (value >> 32) as u32]
}

/// Entries of some flows, in pieces of one size: they grow without being copied, and full pieces can be put aside.
#[derive(Debug, Default)]
pub(crate) struct Entries<const WORDS: usize> {
    chunks: Vec<Vec<Entry<WORDS>>>,
    /// Where full pieces lie that were put aside; all in memory are later ones.
    aside: Vec<u64>,
}

impl<const WORDS: usize> Entries<WORDS> {
    /// Appends one; how many bytes of memory were taken for it.
    pub(crate) fn push(&mut self, entry: Entry<WORDS>) -> usize {
        if let Some(last) = self.chunks.last_mut().filter(|last| last.len() < CHUNK_ENTRIES) {
            last.push(entry);
            return 0;
        }
        let mut chunk = Vec::with_capacity(CHUNK_ENTRIES);
        chunk.push(entry);
        self.chunks.push(chunk);
        Self::CHUNK_BYTES
    }

    /// Puts all full pieces aside; how many bytes of memory that frees.
    pub(crate) fn put_aside(&mut self, store: &mut dyn Aside) -> io::Result<usize> {
        let is_full = |chunk: &Vec<_>| chunk.len() == CHUNK_ENTRIES;
        let full = self.chunks.len() - usize::from(!self.chunks.last().is_none_or(is_full));
        if full == 0 {
            return Ok(0);
        }
        let mut bytes = Vec::with_capacity(Self::CHUNK_BYTES);
        for chunk in self.chunks.drain(..full) {
            bytes.clear();
            for entry in &chunk {
                entry.write(&mut bytes);
            }
            self.aside.push(store.append(&bytes)?);
        }
        Ok(full * Self::CHUNK_BYTES)
    }

    /// Takes the pieces back that were put aside.
    pub(crate) fn take_back(&mut self, store: &mut dyn Aside) -> io::Result<()> {
        let later = std::mem::take(&mut self.chunks);
        let mut bytes = vec![0; Self::CHUNK_BYTES];
        for begin in std::mem::take(&mut self.aside) {
            store.read(begin, &mut bytes)?;
            self.chunks.push(bytes.chunks_exact(size_of::<Entry<WORDS>>()).map(Entry::read).collect());
        }
        self.chunks.extend(later);
        Ok(())
    }

    const CHUNK_BYTES: usize = CHUNK_ENTRIES * size_of::<Entry<WORDS>>();

    fn iter(&self) -> impl Iterator<Item = &Entry<WORDS>> {
        self.chunks.iter().flatten()
    }

    fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK_ENTRIES + last.len())
    }

    fn at(&self, number: u32) -> &Entry<WORDS> {
        &self.chunks[number as usize / CHUNK_ENTRIES][number as usize % CHUNK_ENTRIES]
    }
}

/// What one metering point read of a flow.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// Whether any of its rows is compared: one without does not count, and its rows are of another day.
    is_compared: bool,
    /// Bytes that name their output interface weigh first: a point that does not know the interface says less.
    known: u64,
    bytes: u64,
    place: u8,
    counts: bool,
    /// Another one of the same flow.
    next: u32,
}

/// A flow by one of its entries, and the first of its readings.
#[derive(Clone, Copy, Debug)]
struct Flow {
    entry: u32,
    reading: u32,
}

/// Decides which reading of each flow counts, in memory that it uses again.
#[derive(Debug)]
pub(crate) struct Choice {
    multipliers: Vec<u64>,
    /// Numbers of flows, by their hash.
    slots: Vec<u32>,
    flows: Vec<Flow>,
    readings: Vec<Reading>,
    of_entry: Vec<u32>,
}

impl Choice {
    /// As many odd multipliers as the longest key has words.
    pub(crate) fn new(multipliers: Vec<u64>) -> Self {
        let (slots, of_entry) = (Vec::new(), Vec::new());
        Self { multipliers, slots, flows: Vec::new(), readings: Vec::new(), of_entry }
    }

    /// The upper bits of it are the best mixed.
    pub(crate) fn hash(&self, key: &[u32]) -> u64 {
        let words = key.iter().zip(&self.multipliers);
        words.fold(0, |hash, (word, multiplier)| hash.wrapping_add(u64::from(*word).wrapping_mul(*multiplier)))
    }

    /// Marks the rows of readings that do not count. `used_bits` of the hash are those of all these entries. None where
    /// the bytes of a reading pass 64 bits.
    pub(crate) fn mark<const WORDS: usize>(
        &mut self,
        entries: &Entries<WORDS>,
        used_bits: u32,
        mut mark: impl FnMut(u32),
    ) -> Option<()> {
        if entries.len() == 0 {
            return Some(());
        }
        let bits = (2 * entries.len()).next_power_of_two().ilog2();
        self.slots.clear();
        self.slots.resize(1 << bits, NONE);
        self.flows.clear();
        self.readings.clear();
        self.of_entry.clear();
        for (number, entry) in (0..).zip(entries.iter()) {
            let slot = (self.hash(&entry.key) << used_bits >> (u64::BITS - bits)) as usize;
            let flow = self.flow(entries, slot, entry, number);
            let reading = self.add(flow, entry.value)?;
            self.of_entry.push(reading);
        }
        self.choose();
        for (entry, reading) in entries.iter().zip(&self.of_entry) {
            if !self.readings[*reading as usize].counts {
                mark(entry.row);
            }
        }
        Some(())
    }

    /// The number of an entry's flow, which is looked for from a slot on.
    fn flow<const WORDS: usize>(
        &mut self,
        entries: &Entries<WORDS>,
        mut slot: usize,
        entry: &Entry<WORDS>,
        number: u32,
    ) -> usize {
        loop {
            let flow = self.slots[slot];
            if flow == NONE {
                self.slots[slot] = self.flows.len() as u32;
                self.flows.push(Flow { entry: number, reading: NONE });
                return self.flows.len() - 1;
            }
            if entries.at(self.flows[flow as usize].entry).key == entry.key {
                return flow as usize;
            }
            slot = (slot + 1) % self.slots.len();
        }
    }

    /// Adds an entry to its reading; the reading's number.
    fn add(&mut self, flow: usize, value: [u32; 2]) -> Option<u32> {
        let value = u64::from(value[1]) << 32 | u64::from(value[0]);
        let (is_compared, is_known, place) = (value >> 9 & 1, value >> 8 & 1, value as u8);
        let bytes = (value >> 10) * is_compared;
        let (known, is_compared) = (bytes * is_known, is_compared == 1);
        let mut number = self.flows[flow].reading;
        while number != NONE && self.readings[number as usize].place != place {
            number = self.readings[number as usize].next;
        }
        if number == NONE {
            number = self.readings.len() as u32;
            self.readings.push(Reading {
                is_compared,
                known,
                bytes,
                place,
                counts: false,
                next: self.flows[flow].reading,
            });
            self.flows[flow].reading = number;
        } else {
            let reading = &mut self.readings[number as usize];
            reading.is_compared |= is_compared;
            reading.known = reading.known.checked_add(known)?;
            reading.bytes = reading.bytes.checked_add(bytes)?;
        }
        Some(number)
    }

    fn choose(&mut self) {
        for flow in &self.flows {
            let (mut best, mut number) = (flow.reading, flow.reading);
            while number != NONE {
                let of = |number: u32| {
                    let reading = &self.readings[number as usize];
                    (reading.is_compared, reading.known, reading.bytes, Reverse(reading.place))
                };
                if of(number) > of(best) {
                    best = number;
                }
                number = self.readings[number as usize].next;
            }
            self.readings[best as usize].counts = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER_DAY: u64 = 77_777;

    /// Rows of (flow, bytes, whether their interface is known, place): those that repeat others.
    fn marked(rows: &[(u32, u64, bool, u8)]) -> Option<Vec<u32>> {
        let mut entries = Entries::<2>::default();
        for (row, (flow, bytes, is_known, place)) in (0..).zip(rows) {
            entries.push(Entry { key: [*flow, 7], value: value(*bytes, *bytes != OTHER_DAY, *is_known, *place), row });
        }
        let mut found = Vec::new();
        // all keys in neighbouring slots
        Choice::new(vec![1, 1]).mark(&entries, 0, |row| found.push(row))?;
        Some(found)
    }

    #[test]
    fn known_bytes_count_first_then_bytes_then_the_lowest_place() {
        assert_eq!(marked(&[(1, 10, true, 1), (1, 90, false, 0), (2, 1, true, 0)]), Some(vec![1]));
        assert_eq!(marked(&[(1, 10, true, 1), (1, 10, true, 0), (1, 1, false, 1)]), Some(vec![1]));
        assert_eq!(marked(&[(1, 10, true, 1), (1, 10, true, 0), (1, 10, true, 2)]), Some(vec![0, 2]));
        assert_eq!(marked(&[(1, 0, false, 3), (1, 0, false, 2)]), Some(vec![0]));
        assert_eq!(marked(&[]), Some(vec![]));
    }

    #[test]
    fn rows_of_another_day_weigh_nothing_and_go_with_their_reading() {
        assert_eq!(marked(&[(1, 0, false, 1), (1, OTHER_DAY, true, 0)]), Some(vec![1]));
        assert_eq!(marked(&[(1, OTHER_DAY, true, 1), (1, 1, true, 1), (1, 2, true, 0)]), Some(vec![0, 1]));
    }

    #[test]
    fn a_reading_adds_up_its_rows_wherever_they_lie() {
        let mut rows: Vec<_> = (0..1000).map(|flow| (flow, 6, true, 0)).collect();
        rows.extend((0..1000).flat_map(|flow| [(flow, 5, true, 1), (flow, flow.into(), true, 1)]));
        // the second point read more where it has more than 1 in its second rows
        let expected: Vec<u32> = (2..1000).chain([1000, 1001, 1002, 1003]).collect();
        assert_eq!(marked(&rows), Some(expected));
    }

    #[test]
    fn sums_that_pass_64_bits_are_refused() {
        let largest = (1, 1 << 52, true, 0);
        assert_eq!(marked(&vec![largest; 4095]), Some(vec![]));
        assert_eq!(marked(&vec![largest; 4096]), None);
    }
}
