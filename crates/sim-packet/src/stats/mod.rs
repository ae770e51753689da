//! What a run measures: a series per interval, totals, and whether the books balance.

mod books;
mod series;
mod summary;

pub use series::measure;
pub use summary::summarise;
