//! Addresses of both IP versions in one record, as templates for MPLS traffic have them.

use crate::columns::{Column, Row};

/// Drops the addresses that are not the flow's. A pair of zeros yields to the other version. Of two that are not zero the one
/// of `ip_version` (IPFIX `ipVersion`, 0 where the record does not say it) counts, and IPv4 otherwise: it is then what a
/// tunnel over IPv6 carries, as with `SRv6`, and nfdump 1.7.8 takes it as well.
pub(crate) fn settle(row: &mut Row, ip_version: u8) {
    if row[Column::Has4 as usize] == 0 || row[Column::Has6 as usize] == 0 {
        return;
    }
    let is_zero = |columns: &[Column]| columns.iter().all(|column| row[*column as usize] == 0);
    if !is_zero(&SIX) && (is_zero(&FOUR) || ip_version == 6) {
        drop(row, Column::Has4, &FOUR);
    } else {
        drop(row, Column::Has6, &SIX);
    }
}

const FOUR: [Column; 2] = [Column::Src4, Column::Dst4];
const SIX: [Column; 4] = [Column::Src6Hi, Column::Src6Lo, Column::Dst6Hi, Column::Dst6Lo];

fn drop(row: &mut Row, has: Column, addresses: &[Column]) {
    row[has as usize] = 0;
    for column in addresses {
        row[*column as usize] = 0;
    }
}
