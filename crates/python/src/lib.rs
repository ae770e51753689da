//! `hntes._native`: the decoder of flow files, the lake's Parquet code and both simulators, for Python.

mod flows;
mod simulator;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    flows::register(module)?;
    simulator::register(module)
}
