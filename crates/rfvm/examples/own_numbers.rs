//! From numbers of one's own to a model, and from the model to what it says of new samples.
//!
//!     cargo run --release -p rfvm --example own_numbers
#![allow(clippy::print_stdout)]

use rfvm::{Dataset, Params, Table, Target};

fn main() -> Result<(), rfvm::Error> {
    // Twenty patients and three measurements, of which the first tells ill from well: all patients of one feature, then
    // all of the next.
    let ill = |n: usize| n % 2;
    let crp = (0..20).map(|n| 2.0 + 3.0 * ill(n) as f64 + 0.1 * (n % 7) as f64);
    let age = (0..20).map(|n| 40.0 + (n * 11 % 20) as f64);
    let weight = (0..20).map(|n| 60.0 + (n * 7 % 20) as f64);
    let table = Table::new(
        crp.chain(age).chain(weight).collect(),
        ["crp", "age", "weight"].map(String::from).to_vec(),
        (1..=20).map(|n| format!("patient{n}")).collect(),
    )?;
    let target = Target::Classes {
        names: vec!["well".into(), "ill".into()],
        labels: (0..20).map(ill).collect(),
    };
    let model = Params::default()
        .check()?
        .fit(Dataset::new(table, target)?)?;

    for feature in model.signatures()[0].features() {
        let class = &model.classes()[feature.class()];
        println!(
            "{}: {:+.2}, speaks for {class}",
            feature.name, feature.weight
        );
    }
    // New samples need the features that the model has, under the same names and in any order.
    let new = Table::new(
        vec![2.3, 5.2],
        vec!["crp".to_string()],
        vec!["eve".into(), "adam".into()],
    )?;
    for (name, p) in new
        .sample_names()
        .iter()
        .zip(model.predict_probability(&new)?)
    {
        println!("{name} is ill with probability {p:.2}");
    }
    Ok(())
}
