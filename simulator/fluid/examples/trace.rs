use hntes_sim_core::{Scenario};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let scenario = Scenario::from_json(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut engine = hntes_sim_fluid::assemble(&scenario).unwrap();
    let from: f64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let to: f64 = std::env::args().nth(3).unwrap().parse().unwrap();
    let every: u64 = std::env::args().nth(4).unwrap().parse().unwrap();
    let mut n = (from / engine.step_s) as u64;
    while (n as f64) * engine.step_s < to {
        engine.run_until(n);
        println!("{:.5} {}", n as f64 * engine.step_s, engine.debug());
        n += every;
    }
}
