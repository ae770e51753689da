//! Records of good files: the demonstration's, a folder's that is named, and records of layouts 1 and 3 made by hand.

use std::fs;
use std::path::Path;

use hntes_nfcapd::Reader;

use crate::chance::Chance;

const DEMONSTRATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../demo/flows");
/// More than these of one file add nothing.
const MOST_FLOWS: usize = 2000;
const MOST_CONTEXT: usize = 12;
const EXTENSION_MAP: u16 = 2;
const RECORD_V1: u16 = 10;
const RECORD_V3: u16 = 11;
const RECORD_V4: u16 = 16;
/// Extensions of layout 3 and their bytes, from `nfxV4.h` of nfdump 1.8.
const EXTENSIONS_V4: [(u32, usize); 14] = [
    (1, 48),
    (2, 8),
    (3, 32),
    (4, 8),
    (5, 8),
    (6, 24),
    (7, 8),
    (8, 8),
    (11, 8),
    (12, 16),
    (21, 32),
    (26, 12),
    (35, 32),
    (39, 8),
];
/// Extensions and their bytes in a record, from `nffile.h` of nfdump 1.6.25.
const EXTENSIONS: [(u16, usize); 32] = [
    (4, 4),
    (5, 8),
    (6, 4),
    (7, 8),
    (8, 4),
    (9, 4),
    (10, 16),
    (11, 4),
    (12, 16),
    (13, 4),
    (14, 4),
    (15, 8),
    (16, 4),
    (17, 8),
    (18, 4),
    (19, 8),
    (20, 16),
    (21, 16),
    (22, 40),
    (23, 4),
    (24, 16),
    (25, 4),
    (26, 8),
    (27, 8),
    (37, 20),
    (38, 4),
    (39, 8),
    (40, 32),
    (41, 24),
    (42, 24),
    (43, 72),
    (45, 24),
];

/// The records of one file.
pub struct Source {
    pub layout: u16,
    /// Extension maps, exporters, samplers: all that are not flows.
    pub context: Vec<Vec<u8>>,
    flows: Vec<Vec<u8>>,
}

impl Source {
    pub fn flow(&self, chance: &mut Chance) -> &[u8] {
        &self.flows[chance.below(self.flows.len())]
    }
}

pub struct Corpus {
    /// Of layouts 1, 2 and 3.
    sources: [Vec<Source>; 3],
}

impl Corpus {
    pub fn read(further: Option<&Path>) -> Self {
        let mut sources = [made_by_hand(), Vec::new(), made_by_hand_v4()];
        for folder in std::iter::once(Path::new(DEMONSTRATION)).chain(further) {
            for path in files(folder) {
                if let Some(source) = opened(&fs::read(&path).expect("it was listed")) {
                    sources[usize::from(source.layout) - 1].push(source);
                }
            }
        }
        assert!(!sources[1].is_empty(), "{DEMONSTRATION} has no flow files");
        let [one, two, three] = [0, 1, 2].map(|place: usize| sources[place].len());
        println!("records of {one} files of layout 1, {two} of layout 2 and {three} of layout 3");
        Self { sources }
    }

    /// One of any layout, as often.
    pub fn source(&self, chance: &mut Chance) -> &Source {
        let of_layout = &self.sources[chance.below(3)];
        &of_layout[chance.below(of_layout.len())]
    }
}

pub fn is_flow(record: &[u8]) -> bool {
    let kind = u16::from_le_bytes([record[0], record[1]]);
    [RECORD_V1, RECORD_V3, RECORD_V4].contains(&kind)
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|cause| panic!("{}: {cause}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("listed").path()).collect();
    paths.sort();
    let (folders, files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| self::files(folder))).collect()
}

/// None of what is no flow file, or has no flows.
fn opened(content: &[u8]) -> Option<Source> {
    let mut reader = Reader::new(content).ok()?;
    let (mut others, mut flows) = (Vec::new(), Vec::new());
    while let Ok(Some(records)) = reader.next_opened() {
        let (more, rest): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| is_flow(record));
        flows.extend(more.into_iter().take(MOST_FLOWS - flows.len().min(MOST_FLOWS)));
        others.extend(rest);
    }
    others.truncate(MOST_CONTEXT);
    let is_used = |flow: &Vec<u8>| flow[0] != RECORD_V1 as u8 || others.iter().any(|map| is_map_of(map, flow));
    flows.retain(is_used);
    if flows.is_empty() { None } else { Some(Source { layout: reader.layout(), context: others, flows }) }
}

fn is_map_of(map: &[u8], flow: &[u8]) -> bool {
    map[0] == EXTENSION_MAP as u8 && map[4..6] == flow[6..8]
}

/// Maps of all extensions, some at a time, and flows of both versions of IP with both sizes of counters.
fn made_by_hand() -> Vec<Source> {
    let mut chance = Chance::new(0, 0);
    (0..20_u16)
        .map(|number| {
            let chosen: Vec<_> = EXTENSIONS.into_iter().filter(|_| chance.once_in(4)).collect();
            let flows = (0..8).map(|flags| flow_v1(flags, number, &chosen, &mut chance)).collect();
            Source { layout: 1, context: vec![map_v1(number, &chosen)], flows }
        })
        .collect()
}

fn map_v1(number: u16, extensions: &[(u16, usize)]) -> Vec<u8> {
    let bytes: usize = extensions.iter().map(|(_, bytes)| bytes).sum();
    let mut content = [number.to_le_bytes(), (bytes as u16).to_le_bytes()].concat();
    content.extend(extensions.iter().flat_map(|(id, _)| id.to_le_bytes()));
    content.extend_from_slice(&[0; 2]);
    content.resize(content.len().next_multiple_of(4), 0);
    record(EXTENSION_MAP, &content)
}

/// `flags`: bit 0 IPv6, bits 1 and 2 counters of 64 bits.
fn flow_v1(flags: u16, map: u16, extensions: &[(u16, usize)], chance: &mut Chance) -> Vec<u8> {
    let size = |bit: u16, with: usize, without: usize| if flags & bit == 0 { without } else { with };
    let own = 28 + size(1, 32, 8) + size(2, 8, 4) + size(4, 8, 4);
    let all = own + extensions.iter().map(|(_, bytes)| bytes).sum::<usize>();
    let content: Vec<u8> = (0..all).map(|_| if chance.once_in(2) { 0 } else { chance.next() as u8 }).collect();
    record(RECORD_V1, &[&flags.to_le_bytes()[..], &map.to_le_bytes(), &content].concat())
}

/// Flows with some of the extensions, and what files say of exporters.
fn made_by_hand_v4() -> Vec<Source> {
    let mut chance = Chance::new(0, 1);
    (0..20)
        .map(|_| {
            let chosen: Vec<_> = EXTENSIONS_V4.into_iter().filter(|_| chance.once_in(2)).collect();
            let flows = (0..8).map(|_| flow_v4(&chosen, &mut chance)).collect();
            let context = (0..chance.below(4)).map(|number| exporter_v4(number as u32, &mut chance)).collect();
            Source { layout: 3, context, flows }
        })
        .collect()
}

fn flow_v4(extensions: &[(u32, usize)], chance: &mut Chance) -> Vec<u8> {
    let begin = (24 + 2 * extensions.len()).next_multiple_of(8);
    let (mut table, mut at, mut bits) = (Vec::new(), begin, 0_u64);
    for (kind, bytes) in extensions {
        table.extend((at as u16).to_le_bytes());
        bits |= 1 << kind;
        at += bytes;
    }
    table.resize(begin - 24, 0);
    let content: Vec<u8> = (begin..at).map(|_| if chance.once_in(2) { 0 } else { chance.next() as u8 }).collect();
    let head = [extensions.len() as u16, chance.below(8) as u16].map(u16::to_le_bytes).concat();
    let sysid = (chance.below(4) as u32).to_le_bytes();
    record(RECORD_V4, &[&head[..], &sysid, &[0; 4], &bits.to_le_bytes(), &table, &content].concat())
}

fn exporter_v4(sysid: u32, chance: &mut Chance) -> Vec<u8> {
    let samplers = chance.below(3);
    let mut content: Vec<u8> = (0..52 + 24 * samplers).map(|_| chance.next() as u8).collect();
    content[24..28].copy_from_slice(&sysid.to_le_bytes());
    content[50..52].copy_from_slice(&(samplers as u16).to_le_bytes());
    record(17, &content)
}

pub fn record(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(content.len() as u16 + 4).to_le_bytes(), content].concat()
}
