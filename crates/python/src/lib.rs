//! `hntes._native`: the names below flow folders, the decoder of flow files, the lake's Parquet code, the evidence for
//! rules and both simulators, for Python.

mod flows;
mod folder;
mod lifetime;
mod simulator;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    flows::register(module)?;
    folder::register(module)?;
    lifetime::register(module)?;
    simulator::register(module)
}
