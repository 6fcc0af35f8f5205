//! What a fit is worth on samples it has not seen.

use extendr_api::prelude::*;
use rfvm::{CheckedParams, Folds, Method, Size};

use crate::dataset::{dataset, has_several, params, provenance};
use crate::given::{Given, Outcome, sentence, values};
use crate::job::Job;

extendr_module! {
    mod evaluate;
    fn start_evaluation;
}

/// Starts a cross-validation; its result is what `rfvm evaluate --json` prints of the same data and folds.
#[extendr]
fn start_evaluation(x: Robj, given: List) -> Outcome<ExternalPtr<Job>> {
    let given = Given::new(given);
    let params = params(&given)?;
    let data = dataset(values(&x)?, &given)?;
    let strata = match data.labels() {
        [] => vec![0; data.table().samples()],
        labels => labels.to_vec(),
    };
    let count = |name| Ok::<_, String>(given.count(name)?.unwrap_or(1));
    let (folds, repeats, seed) = (count("folds")?, count("repeats")?, count("seed")?);
    if repeats == 0 {
        return Err("repeats is 0; it must be at least 1".into());
    }
    let folds = Folds::stratified(&strata, data.groups(), folds, repeats, seed as u64);
    let folds = folds.map_err(sentence)?;
    Ok(Job::start(move |progress| {
        let provenance = provenance(&data);
        let see = |done, of| progress.tell(done, of);
        // Every fit of the full model uses every feature: to name them all for each fold would say nothing.
        let selects = !is_full(&params);
        const ENDED: &str = "the cross-validation was ended before it was done";
        if has_several(&data) {
            let evaluation = params.evaluate_classes(&data, &folds, see);
            let mut evaluation = evaluation.map_err(sentence)?.ok_or(ENDED)?;
            evaluation.provenance = provenance;
            if !selects {
                evaluation.selection.clear();
                evaluation
                    .results
                    .iter_mut()
                    .for_each(|r| r.selected.clear());
            }
            return serde_json::to_string(&evaluation).map_err(sentence);
        }
        let evaluation = params.evaluate(&data, &folds, see);
        let mut evaluation = evaluation.map_err(sentence)?.ok_or(ENDED)?;
        evaluation.provenance = provenance;
        evaluation = evaluation
            .with_threshold(0.5)
            .and_then(|evaluation| evaluation.with_rejection(0.95))
            .map_err(sentence)?;
        if !selects {
            evaluation.selection.clear();
            evaluation
                .results
                .iter_mut()
                .for_each(|r| r.selected.clear());
        }
        serde_json::to_string(&evaluation).map_err(sentence)
    }))
}

fn is_full(params: &CheckedParams) -> bool {
    matches!(&params.get().method, Method::Projected(own) if own.size == Size::Full)
}
