//! A study of pure noise claims nothing, whatever was retired with its outcomes in view.

use std::collections::BTreeSet;

use rfvm_study::{AdviceChoice, FitChoice, JudgedOn, NoiseStudy, unwatched};

const SUBJECTS: usize = 60;
const TESTS: usize = 400;

#[test]
fn tests_retired_with_outcomes_in_view_do_not_make_noise_a_signal() {
    let mut claimed = Vec::new();
    for seed in 1..=4 {
        let noise = NoiseStudy::draw(3, SUBJECTS, TESTS, seed).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut study = noise.begin(folder.path()).unwrap();
        let (mut retired, mut last) = (BTreeSet::new(), Vec::new());
        for (wave, stay) in [(1, 80), (2, 12), (3, 12)] {
            noise.join(&mut study, wave, &retired, &last).unwrap();
            last = noise.least_correlated(wave, &retired, stay);
            retired.extend(last.iter().cloned());
        }
        let choice = FitChoice {
            signatures: 1,
            repeats: 1,
            ..FitChoice::default()
        };
        let fitted = study.fit(&choice, &unwatched).unwrap();
        let basis = &fitted.summary.basis;
        assert_eq!(
            (basis.judged_on, basis.subjects),
            (JudgedOn::LaterSubjects, SUBJECTS)
        );
        assert_eq!(basis.retired_after, Some(2));
        assert!(
            fitted.summary.caution.is_some(),
            "seed {seed}: {:?}",
            fitted.summary.expected
        );
        claimed.push(fitted.evaluation.unwrap().auc.unwrap().mean);
    }
    let mean = claimed.iter().sum::<f64>() / claimed.len() as f64;
    // Over all subjects, as it was, these are far above chance.
    assert!((0.4..0.6).contains(&mean), "{claimed:?}");
}

#[test]
fn nothing_is_retired_before_anything_is_learned() {
    let noise = NoiseStudy::draw(3, SUBJECTS, TESTS, 5).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut study = noise.begin(folder.path()).unwrap();
    for wave in 1..=3 {
        noise.join(&mut study, wave, &BTreeSet::new(), &[]).unwrap();
    }
    let choice = AdviceChoice {
        // As generous as can be: each test may go.
        margin: 1.0,
        auc_margin: 1.0,
        repeats: 1,
        quick: true,
        accept: true,
        ..AdviceChoice::default()
    };
    let advice = study.advise(&choice, &unwatched).unwrap();
    assert_eq!(advice.retirement.tests, Vec::<String>::new());
    let reason = advice.retirement.why_nothing.unwrap();
    assert!(
        reason.contains("do not clearly beat the base rate"),
        "{reason}"
    );
    let event = study.log().unwrap().pop().unwrap();
    assert_eq!(event.summary["why_nothing"], reason);
    assert_eq!(event.summary["basis"]["judged_on"], "all_subjects");
}
