//! Files with changes in their structure: whatever they hold, reading ends soon, without a panic and in little memory.
//!
//! An input is made of some records of good files: records, elements and extension maps are changed, the block's head
//! may lie about them, and the block is compressed after that, so that most inputs reach the decoding of records. Bytes
//! of the finished file are changed in some. Each input follows from the seed and its number alone.
//!
//! `HNTES_FUZZ_INPUTS` (20,000), `HNTES_FUZZ_SEED` (1), `HNTES_FUZZ_FIRST` (0) and `HNTES_FUZZ_CORPUS`, a folder with further
//! nfcapd files, are read from the environment:
//!
//!     HNTES_FUZZ_INPUTS=1000000 HNTES_FUZZ_SEED=7 cargo test --release -p hntes-nfcapd --test fuzz -- --nocapture

mod allocation;
mod chance;
mod corpus;
mod file;
mod mutation;
mod packing;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::abort;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use hntes_nfcapd::{Decision, Decisions, Groups, LARGEST_BLOCK, Reader, Refusal};

use crate::chance::Chance;
use crate::corpus::Corpus;
use crate::file::{Block, COMPRESSIONS, Compression, File};

/// An input that takes longer hangs.
const HANGS_AFTER: Duration = Duration::from_secs(20);
/// The table of groups, and what is small.
const ALWAYS_BYTES: usize = 1 << 20;
/// Of decoders for bzip2 and zstd: windows and tables.
const WINDOW_BYTES: usize = 16 << 20;
/// For each byte of a block once it is opened: buffers for it and for the appendix, and columns (a record without
/// elements has 12 bytes, and 30 columns of 8), numbers of groups and of plain records.
const BYTES_PER_BYTE: usize = 2 + 20 + 1;
/// What LZO and LZ4 make of a byte at most.
const LARGEST_RATIO: usize = 255;

#[derive(Default)]
struct Tally {
    inputs: u64,
    /// A flow record was decoded, or refused for what is in it.
    reached_records: u64,
    whole: u64,
    flows: u64,
    longest: Duration,
    largest_bytes: usize,
}

#[test]
fn no_file_makes_it_panic_hang_or_take_much_memory() {
    let (inputs, seed, first) = (number("INPUTS", 20_000), number("SEED", 1), number("FIRST", 0));
    let corpus = Corpus::read(env::var_os("HNTES_FUZZ_CORPUS").map(PathBuf::from).as_deref());
    unchanged_files_are_read_whole(&corpus);
    let current = watched(seed);
    let mut tally = Tally::default();
    for input in first..first + inputs {
        current.store(input + 1, Relaxed);
        let repeat = format!("HNTES_FUZZ_SEED={seed} HNTES_FUZZ_FIRST={input} HNTES_FUZZ_INPUTS=1 repeats it");
        let content = made(&corpus, seed, input);
        let before = allocation::live_bytes();
        allocation::forget_largest();
        let begin = Instant::now();
        let read = catch_unwind(AssertUnwindSafe(|| read(content.as_slice())));
        let taken = begin.elapsed();
        let bytes = allocation::largest_bytes().saturating_sub(before);
        let Ok((flows, refusal)) = read else { panic!("input {input} panics; {repeat}") };
        let most = most_bytes(&content);
        assert!(bytes <= most, "input {input}, {} bytes, takes {bytes} bytes and not {most}; {repeat}", content.len());
        tally.add(flows, refusal.as_ref(), taken, bytes);
    }
    tally.print(seed, first);
    assert!(
        inputs < 1000 || tally.reached_records * 2 > inputs,
        "most inputs must reach the decoding of records, or this says nothing"
    );
}

/// What is made is good until it is changed.
fn unchanged_files_are_read_whole(corpus: &Corpus) {
    for number in 0..60 {
        for compression in COMPRESSIONS {
            let file = File::of(corpus, &mut Chance::new(1, number));
            if compression == Compression::Zstd && file.layout == 1 {
                continue; // nfdump 1.6 does not know it
            }
            let (flows, refusal) = read(&file.content(compression, 0, |_| {}));
            assert_eq!((flows, refusal), (file.flows(), None), "{compression:?}, file {number}");
        }
    }
    // compressed as far as the formats go
    let alike = Block { records: vec![corpus::record(11, &[0; 8]); 200_000], ..Block::of(3) };
    let file = File { layout: 2, blocks: vec![alike], exporters: Vec::new() };
    for compression in COMPRESSIONS {
        assert_eq!(read(&file.content(compression, 1, |_| {})), (200_000, None), "{compression:?}");
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    let Ok(text) = env::var(format!("HNTES_FUZZ_{name}")) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("HNTES_FUZZ_{name} is {text:?}, which is no number"))
}

fn made(corpus: &Corpus, seed: u64, input: u64) -> Vec<u8> {
    let mut chance = Chance::new(seed, input);
    let mut file = File::of(corpus, &mut chance);
    mutation::change(&mut file, corpus, &mut chance);
    let compression = chance.compression(file.layout);
    let mut content = file.content(compression, chance.below(8), |stored| mutation::change_stored(stored, &mut chance));
    mutation::change_content(&mut content, &mut chance);
    content
}

/// As ingest does: all blocks, their groups, and which records are plain.
fn read(content: &[u8]) -> (usize, Option<Refusal>) {
    let mut flows = 0;
    let mut reader = match Reader::new(content) {
        Ok(reader) => reader,
        Err(refusal) => return (flows, Some(refusal)),
    };
    let mut groups = Groups::default();
    loop {
        match reader.next_block() {
            Ok(None) => return (flows, None),
            Err(refusal) => return (flows, Some(refusal)),
            Ok(Some(columns)) => {
                flows += columns.rows();
                let numbers = groups.of(std::slice::from_ref(&columns));
                let mut decisions = Decisions { of: vec![Some(PLAIN); groups.keys().len()], ..Decisions::default() };
                let split = decisions.split(std::slice::from_ref(&columns), &numbers, 300_000);
                assert_eq!(split.rest.len() + split.plain.iter().map(Vec::len).sum::<usize>(), columns.rows());
                reader.reuse(columns);
            }
        }
    }
}

const PLAIN: Decision = Decision {
    owner: 0,
    multiplier: 1000,
    factor: 1,
    flags: 0,
    exporter_hi: 0,
    exporter_lo: 0,
    bytes_per_ms: f64::INFINITY,
    shift_ms: 1,
    by_collector: true,
};

/// A multiple of the file's size, and no more than for the largest block; what is always there is added.
fn most_bytes(content: &[u8]) -> usize {
    let of = |compression: Compression| match compression {
        Compression::Bz2 | Compression::Zstd => WINDOW_BYTES + LARGEST_BLOCK * BYTES_PER_BYTE,
        Compression::Lzo | Compression::Lz4 => (content.len() * LARGEST_RATIO).min(LARGEST_BLOCK) * BYTES_PER_BYTE,
        Compression::None => 0,
    };
    let as_it_is = content.len().min(LARGEST_BLOCK) * BYTES_PER_BYTE;
    ALWAYS_BYTES + Compression::named(content).into_iter().map(of).max().unwrap_or(0).max(as_it_is)
}

impl Tally {
    fn add(&mut self, flows: usize, refusal: Option<&Refusal>, taken: Duration, bytes: usize) {
        let is_in_records = |refusal: &Refusal| refusal.what.contains("of this block's records: ");
        self.inputs += 1;
        self.flows += flows as u64;
        self.whole += u64::from(refusal.is_none());
        self.reached_records += u64::from(flows > 0 || refusal.is_some_and(is_in_records));
        self.longest = self.longest.max(taken);
        self.largest_bytes = self.largest_bytes.max(bytes);
    }

    fn print(&self, seed: u64, first: u64) {
        let share = |part: u64| 100.0 * part as f64 / self.inputs.max(1) as f64;
        println!(
            "{} inputs from {first} on, seed {seed}: {:.1}% reached the decoding of records, {:.1}% were read whole, \
             {} flows; the longest took {:.1} ms, the largest {:.1} MB",
            self.inputs,
            share(self.reached_records),
            share(self.whole),
            self.flows,
            self.longest.as_secs_f64() * 1e3,
            self.largest_bytes as f64 / 1e6
        );
    }
}

/// Where the number of the present input, and one, is to be written: when it stays the same, the process ends.
fn watched(seed: u64) -> &'static AtomicU64 {
    static CURRENT: AtomicU64 = AtomicU64::new(0);
    thread::spawn(move || {
        let (mut former, mut since) = (0, Instant::now());
        loop {
            thread::sleep(Duration::from_secs(1));
            let now = CURRENT.load(Relaxed);
            if now != former {
                (former, since) = (now, Instant::now());
            } else if now > 0 && since.elapsed() > HANGS_AFTER {
                eprintln!("input {} of seed {seed} hangs", now - 1);
                abort();
            }
        }
    });
    &CURRENT
}
