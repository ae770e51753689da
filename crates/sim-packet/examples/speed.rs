//! Run scenarios (JSON files) and print totals and speed: `cargo run --profile speed --example speed -- FILE...`

use hntes_sim_packet::{assemble, summarise};
use hntes_sim_scenario::Scenario;
use hntes_sim_scenario::results::Values;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let scenario = Scenario::from_json(&std::fs::read_to_string(&path)?)?;
        let mut simulation = assemble(&scenario);
        let start = Instant::now();
        simulation.run_until(simulation.end());
        let seconds = start.elapsed().as_secs_f64();
        let result = summarise(&simulation);
        println!("{}", serde_json::to_string_pretty(&result.summary)?);
        let columns = if std::env::var_os("SERIES").is_some() { &result.columns[..] } else { &[] };
        for column in columns {
            if let Values::Counts(values) = &column.values {
                println!("{} {:?}", column.name, &values[..values.len().min(40)]);
            }
        }
        let busiest = result.summary.queues.iter().map(|queue| queue.enqueued_pkts).max().unwrap_or(0);
        println!(
            "{seconds:.2} s, {:.2} M events/s, {:.2} M packets of the busiest queue/s",
            result.summary.events as f64 / seconds / 1e6,
            busiest as f64 / seconds / 1e6
        );
    }
    Ok(())
}
