//! `hntes._native`: the decoder of flow files, the lake's Parquet code, histories of prefix pairs and both simulators, for
//! Python.

mod flows;
mod history;
mod simulator;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    flows::register(module)?;
    history::register(module)?;
    simulator::register(module)
}
