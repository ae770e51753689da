//! Records of one exporter, domain and mark, which are judged alike.

use std::collections::HashMap;

use crate::columns::{Column, Columns};

/// What the records of a group share: the fields `Sysid`, `Sampled`, `ExporterVersion`, `ExporterHi`, `ExporterLo`.
pub type GroupKey = [u64; 5];

const KEY: [Column; 5] =
    [Column::Sysid, Column::Sampled, Column::ExporterVersion, Column::ExporterHi, Column::ExporterLo];

/// The groups of a file's records, numbered in the order in which they occur.
#[derive(Debug)]
pub struct Groups {
    keys: Vec<GroupKey>,
    places: HashMap<GroupKey, u32>,
    /// A domain's records mostly have one exporter and mark: the last group of each number is tried first.
    latest: Vec<u32>,
}

impl Default for Groups {
    fn default() -> Self {
        Self { keys: Vec::new(), places: HashMap::new(), latest: vec![u32::MAX; 1 << 16] }
    }
}

impl Groups {
    /// What the records of each group share.
    pub fn keys(&self) -> &[GroupKey] {
        &self.keys
    }

    /// The group of each record of these blocks.
    pub fn of(&mut self, blocks: &[Columns]) -> Vec<u32> {
        let mut found = Vec::with_capacity(blocks.iter().map(Columns::rows).sum());
        for block in blocks {
            let columns = KEY.map(|column| block.column(column));
            for row in 0..block.rows() {
                // a datagram's records are of one group
                if row > 0 && columns.iter().all(|column| column[row] == column[row - 1]) {
                    found.extend(found.last().copied());
                    continue;
                }
                let key = columns.map(|column| column[row]);
                let guess = &mut self.latest[key[0] as usize & 0xFFFF];
                if self.keys.get(*guess as usize) != Some(&key) {
                    *guess = *self.places.entry(key).or_insert_with(|| {
                        self.keys.push(key);
                        self.keys.len() as u32 - 1
                    });
                }
                found.push(*guess);
            }
        }
        found
    }
}
