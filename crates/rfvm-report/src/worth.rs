//! What the full model should reach, and how much of it a model keeps, in words.

use rfvm::{Expected, Method, Overview, Projected, Size, StopReason, Task, Verdict};

/// A model that keeps less than this share of what the full one tells is no stand-in for it.
const ENOUGH: f64 = 0.8;

/// A few sentences on a projected model: what the full one should cost on new samples, how much of what it tells the model
/// keeps, and what the verdict means; `None` for signatures.
pub fn worth(model: &Overview) -> Option<String> {
    let Method::Projected(method) = &model.parameters.method else {
        return None;
    };
    if model.stop_reason == StopReason::Interrupted {
        return None;
    }
    let Some(full) = model.full else {
        return Some(match &model.expected {
            // `Model::judged_elsewhere`.
            Some(own) => format!(
                "It {}, as samples show whose outcomes had no part in choosing its features.",
                reach(model, own)
            ),
            None => "Too few samples to hold some back, or all had a part in choosing its features: what it would cost on new ones cannot be told."
                .to_string(),
        });
    };
    let base = model.stop_reason == StopReason::NoSignal;
    let drawn = !base
        && method.size == Size::Full
        && matches!(model.judgement, Some(found) if found.verdict == Verdict::Nothing);
    let mut sentences = vec![match method.size {
        Size::Full if drawn => format!("By itself the full model {}.", reach(model, &full)),
        Size::Full if !base => format!("This is the full model. It {}.", reach(model, &full)),
        _ => format!(
            "The full model (all {} features) {}.",
            thousands(model.training.varying()),
            reach(model, &full)
        ),
    }];
    if let (Some(share), Some(own)) = (model.share, model.expected)
        && method.size != Size::Full
    {
        sentences.push(kept(model, share, &own, &full));
        sentences.extend(missed(model, method, share));
    }
    sentences.extend(caution(model, base, method.size));
    Some(sentences.join(" "))
}

fn reach(model: &Overview, full: &Expected) -> String {
    let (measure, base) = match model.task {
        Task::Classification => ("log loss", "base rate"),
        Task::Regression => (
            "half the squared error, in units of the target's variance",
            "mean alone",
        ),
    };
    let base = match model.covariates.is_empty() {
        true => base,
        false => "covariates alone",
    };
    format!(
        "should cost {} a new sample ({measure}; {base} {:.3})",
        cost(full),
        full.base
    )
}

fn cost(expected: &Expected) -> String {
    format!("{:.3} ± {:.3}", expected.loss, expected.se)
}

/// How much of the full model a small one keeps, and what it costs.
fn kept(model: &Overview, share: f64, own: &Expected, full: &Expected) -> String {
    let (these, few, keep) = match model.feature_count {
        1 => (
            "This feature".to_string(),
            "One feature".to_string(),
            "keeps",
        ),
        count => (
            format!("These {} features", thousands(count)),
            format!("{} features", thousands(count)),
            "keep",
        ),
    };
    let (share_kept, cost) = (percent(share), cost(own));
    if share >= ENOUGH {
        return format!("{these} {keep} {share_kept} of what it tells and should cost {cost}.");
    }
    let all = thousands(model.training.varying());
    match own.loss <= full.loss {
        true => format!(
            "{few} {keep} only {share_kept} of what all {all} tell, yet should cost {cost}, no more than they: what is left out may be noise."
        ),
        false => format!(
            "{few} {keep} only {share_kept} of what all {all} tell and should cost {cost}: this is not for a small panel; --size full keeps everything."
        ),
    }
}

/// What there is to say where a share was asked for that no size keeps.
fn missed(model: &Overview, method: &Projected, share: f64) -> Option<String> {
    match method.size {
        Size::Share(wanted) if share < wanted => Some(format!(
            "No size of the path keeps the {} that was asked for; this is the largest, of {} features.",
            percent(wanted),
            thousands(model.feature_count)
        )),
        _ => None,
    }
}

fn caution(model: &Overview, base: bool, size: Size) -> Option<String> {
    let verdict = model.judgement.map(|found| found.verdict)?;
    if !model.covariates.is_empty() {
        let words = match verdict {
            Verdict::Signal => return None,
            Verdict::Weak => {
                "The full model beats the covariates alone by less than one standard error: as far as these samples tell, the features may add nothing."
            }
            Verdict::Nothing => {
                "What the features add to the covariates is no more than chance would."
            }
        };
        return Some(words.to_string());
    }
    let words = match verdict {
        Verdict::Signal => return None,
        Verdict::Weak => {
            "The full model beats the base rate by less than one standard error: as far as these samples tell, the difference may be chance."
        }
        Verdict::Nothing if base => {
            "Samples that were held back are not told apart clearly better than by chance."
        }
        Verdict::Nothing if size == Size::Full => {
            "Samples that were held back are not told apart clearly better than by chance: this one is drawn to the base rate, by the odds that these samples give, and claims no more than that."
        }
        Verdict::Nothing => {
            "Samples that were held back are not told apart clearly better than by chance: there may be nothing to find, and a size by name would have given the base rate."
        }
    };
    Some(words.to_string())
}

/// A share in words. One below nothing is of a model that says less of the full one than the base rate does.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share.clamp(0.0, 1.0))
}

/// A count with commas between its thousands.
pub fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<String> = groups
        .map(|group| String::from_utf8_lossy(group).into_owned())
        .collect();
    groups.join(",")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rfvm::{Dataset, Model, Params, Simulation};

    fn data(features: usize, informative: usize, effect: f64) -> Dataset {
        let simulation = Simulation {
            samples: 80,
            features,
            informative,
            effect,
            ..Simulation::default()
        };
        simulation.draw().unwrap().data
    }

    fn fit(size: Size, data: &Dataset) -> Model {
        let params = Params::projected(size).check().unwrap();
        params.fit(data.clone()).unwrap()
    }

    fn words(model: &Model) -> String {
        worth(&model.overview()).unwrap()
    }

    #[test]
    fn counts_and_shares_are_easy_to_read() {
        let written = [7, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(written, ["7", "999", "1,000", "1,234,567"]);
        assert_eq!([-1.0, 0.944, 1.0].map(percent), ["0 %", "94 %", "100 %"]);
    }

    #[test]
    fn a_model_says_what_it_keeps_of_the_full_one() {
        let data = data(1200, 10, 1.0);
        let small = words(&fit(Size::Balanced, &data));
        assert!(
            small.starts_with("The full model (all 1,200 features) should cost 0."),
            "{small}"
        );
        assert!(small.contains(" keep"), "{small}");
        let full = words(&fit(Size::Full, &data));
        assert!(full.starts_with("This is the full model. It should cost 0."));
        assert!(!full.contains("keep"), "{full}");
        let one = words(&fit(Size::Features(1), &data));
        assert!(one.contains("One feature keeps only "), "{one}");
        let share = words(&fit(Size::Share(1.0), &data));
        assert!(
            share.contains("No size of the path keeps the 100 % that was asked for; this is the largest, of 55 features."),
            "{share}"
        );
        let signature = Params::signatures().check().unwrap().fit(data).unwrap();
        assert_eq!(worth(&signature.overview()), None);
    }

    #[test]
    fn nothing_to_find_and_too_few_samples_are_told() {
        let noise = data(300, 2, 0.0);
        let base = fit(Size::Balanced, &noise);
        assert_eq!(base.feature_count(), 0);
        assert!(words(&base).ends_with("not told apart clearly better than by chance."));
        let asked = words(&fit(Size::Features(2), &noise));
        assert!(asked.contains("there may be nothing to find"), "{asked}");
        let four = noise.rows(&[0, 1, 2, 3]).unwrap();
        assert!(words(&fit(Size::Balanced, &four)).starts_with("Too few samples"));
    }
}
