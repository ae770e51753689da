//! The packet engine for Python: a scenario as JSON in, totals as JSON and series as little-endian arrays out.
//!
//! The interpreter is released while packets move. It is taken back about a hundred times a run, to report progress and
//! to let Ctrl-C through, so that several runs in Python threads proceed side by side.

use hntes_sim_core::time::Time;
use hntes_sim_core::{Column, Scenario, Simulation, Values, assemble, summarise};
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

create_exception!(_core, ScenarioError, PyValueError, "A scenario that cannot be run; the message names the key.");

/// How often progress is reported and signals are looked at.
const REPORTS_A_RUN: u64 = 100;
type Series = (String, String, Py<PyBytes>);

/// Run a scenario.
///
/// Returns the summary as JSON and the series as (name, "u64" or "f64", bytes in little-endian order).
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python arguments arrive as owned values")]
#[pyo3(signature = (scenario_json, progress_callback=None))]
fn run(
    py: Python<'_>,
    scenario_json: &str,
    progress_callback: Option<Py<PyAny>>,
) -> PyResult<(Py<PyBytes>, Vec<Series>)> {
    let (scenario, mut simulation) = py.detach(|| prepare(scenario_json))?;
    let end = simulation.end();
    for step in 1..=REPORTS_A_RUN {
        let until = Time::from_ps((u128::from(end.ps()) * u128::from(step) / u128::from(REPORTS_A_RUN)) as u64);
        py.detach(|| simulation.run_until(until));
        py.check_signals()?;
        if let Some(callback) = &progress_callback {
            callback.call1(py, (until.s() / end.s(),))?;
        }
    }
    let (summary, columns) = py.detach(|| {
        let result = summarise(&simulation, &scenario.name, scenario.seed);
        (serde_json::to_vec(&result.summary), result.columns)
    });
    let summary = summary.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let series = columns.iter().map(|column| series(py, column)).collect();
    Ok((PyBytes::new(py, &summary).unbind(), series))
}

/// Check a scenario without running it.
#[pyfunction]
fn check(scenario_json: &str) -> PyResult<()> {
    prepare(scenario_json).map(|_| ())
}

fn prepare(scenario_json: &str) -> PyResult<(Scenario, Simulation)> {
    let named = |error: hntes_sim_core::ScenarioError| ScenarioError::new_err(error.to_string());
    let scenario = Scenario::from_json(scenario_json).map_err(named)?;
    let simulation = assemble(&scenario).map_err(named)?;
    Ok((scenario, simulation))
}

fn series(py: Python<'_>, column: &Column) -> Series {
    let (kind, bytes): (&str, Vec<u8>) = match &column.values {
        Values::Counts(values) => ("u64", values.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Values::Numbers(values) => ("f64", values.iter().flat_map(|value| value.to_le_bytes()).collect()),
    };
    (column.name.clone(), kind.to_owned(), PyBytes::new(py, &bytes).unbind())
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)
}
