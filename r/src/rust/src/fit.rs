//! From a matrix to the text of a model file.

use extendr_api::prelude::*;

use crate::dataset::{dataset, has_several, params, provenance};
use crate::given::{Given, Outcome, sentence, values};
use crate::job::Job;

extendr_module! {
    mod fit;
    fn start_fit;
}

/// Starts a fit.
#[extendr]
fn start_fit(x: Robj, given: List) -> Outcome<ExternalPtr<Job>> {
    let given = Given::new(given);
    let params = params(&given)?;
    let data = dataset(values(&x)?, &given)?;
    Ok(Job::start(move |progress| {
        let provenance = provenance(&data);
        let see = |iteration: &rfvm::Iteration| progress.tell(iteration.number, iteration.features);
        if has_several(&data) {
            let model = params.fit_classes_with(data, see).map_err(sentence)?;
            return Ok(model.with_provenance(provenance).to_json());
        }
        let model = params.fit_with(data, see).map_err(sentence)?;
        Ok(model.with_provenance(provenance).to_json())
    }))
}
