//! The two engines for Python: a scenario as JSON in, totals as JSON and series as little-endian arrays out.
//!
//! The interpreter is released while a run goes on. It is taken back about a hundred times per run, to report progress and
//! to let Ctrl-C through, so that several runs in Python threads proceed side by side.

use hntes_sim_packet::Simulation;
use hntes_sim_scenario::Scenario;
use hntes_sim_scenario::results::{Column, RunResult, Values};
use hntes_sim_scenario::time::Time;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

create_exception!(_native, ScenarioError, PyValueError, "A scenario that cannot be run; the message names the key.");
create_exception!(
    _native,
    NotApplicableError,
    PyValueError,
    "A scenario that the fluid engine cannot answer; the message names the key."
);

/// How often progress is reported and signals are looked at.
const REPORTS_PER_RUN: u64 = 100;
/// Steps of a whole round trip: what is sent in one step is answered in the next at the earliest.
const LONGEST_STEPS: f64 = 8.0;
type Series = (String, String, Py<PyBytes>);

/// Run a scenario in the packet engine.
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
    let mut simulation = py.detach(|| prepare(scenario_json))?;
    let end = simulation.end();
    in_pieces(py, progress_callback.as_ref(), |share| {
        simulation.run_until(Time::from_ps((end.ps() as f64 * share) as u64).max(simulation.now()));
    })?;
    py.detach(|| simulation.run_until(end));
    give_back(py, &py.detach(|| hntes_sim_packet::summarise(&simulation)))
}

/// Run a scenario in the fluid engine.
///
/// Returns the same as `run`. With `lost_retransmissions`, packets sent again within a step after a queue overflowed are
/// lost too. Steps are `step_factor` times as long as usual.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python arguments arrive as owned values")]
#[pyo3(signature = (scenario_json, progress_callback=None, lost_retransmissions=false, step_factor=1.0))]
fn run_fluid(
    py: Python<'_>,
    scenario_json: &str,
    progress_callback: Option<Py<PyAny>>,
    lost_retransmissions: bool,
    step_factor: f64,
) -> PyResult<(Py<PyBytes>, Vec<Series>)> {
    let mut engine = py.detach(|| prepare_fluid(scenario_json, step_factor))?;
    if lost_retransmissions {
        engine.lose_retransmissions();
    }
    in_pieces(py, progress_callback.as_ref(), |share| engine.run_until((engine.steps as f64 * share).round() as u64))?;
    give_back(py, &py.detach(|| hntes_sim_fluid::summarise(&engine)))
}

/// Go through a run piece by piece; `advance` is given the share of it to be done by then.
fn in_pieces(py: Python<'_>, progress: Option<&Py<PyAny>>, mut advance: impl FnMut(f64) + Send) -> PyResult<()> {
    for step in 1..=REPORTS_PER_RUN {
        let share = step as f64 / REPORTS_PER_RUN as f64;
        py.detach(|| advance(share));
        py.check_signals()?;
        if let Some(callback) = progress {
            callback.call1(py, (share,))?;
        }
    }
    Ok(())
}

fn give_back(py: Python<'_>, result: &RunResult) -> PyResult<(Py<PyBytes>, Vec<Series>)> {
    let summary = serde_json::to_vec(&result.summary).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let series = result.columns.iter().map(|column| series(py, column)).collect();
    Ok((PyBytes::new(py, &summary).unbind(), series))
}

/// Check a scenario without running it.
#[pyfunction]
fn check(scenario_json: &str) -> PyResult<()> {
    parse(scenario_json).map(|_| ())
}

/// Check a scenario, and that the fluid engine can answer it, without running it.
#[pyfunction]
fn check_fluid(scenario_json: &str) -> PyResult<()> {
    prepare_fluid(scenario_json, 1.0).map(|_| ())
}

fn prepare(scenario_json: &str) -> PyResult<Simulation> {
    Ok(hntes_sim_packet::assemble(&parse(scenario_json)?))
}

fn prepare_fluid(scenario_json: &str, step_factor: f64) -> PyResult<hntes_sim_fluid::Engine> {
    if !(1.0..=LONGEST_STEPS).contains(&step_factor) {
        return Err(PyValueError::new_err(format!("step_factor is {step_factor}, not 1 to {LONGEST_STEPS}")));
    }
    let scenario = parse(scenario_json)?;
    let engine = hntes_sim_fluid::assemble_coarse(&scenario, step_factor);
    engine.map_err(|reason| NotApplicableError::new_err(reason.to_string()))
}

fn parse(scenario_json: &str) -> PyResult<Scenario> {
    Scenario::from_json(scenario_json).map_err(|error| ScenarioError::new_err(error.to_string()))
}

fn series(py: Python<'_>, column: &Column) -> Series {
    let (kind, bytes): (&str, Vec<u8>) = match &column.values {
        Values::Counts(values) => ("u64", values.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Values::Numbers(values) => ("f64", values.iter().flat_map(|value| value.to_le_bytes()).collect()),
    };
    (column.name.clone(), kind.to_owned(), PyBytes::new(py, &bytes).unbind())
}

/// Add what simulates to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add("NotApplicableError", module.py().get_type::<NotApplicableError>())?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(run_fluid, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(check_fluid, module)?)
}
