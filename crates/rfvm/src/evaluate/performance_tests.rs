//! Measures of given predictions, against scikit-learn 1.9 (AUC, losses, R², errors), Newton's method by NumPy for the
//! logistic regressions, and sandwich variances with SciPy's quantiles of t for their intervals.

use super::*;
use crate::numerics::special::sigmoid;

fn labels() -> Vec<usize> {
    (0..40).map(|n| usize::from(n * 7 % 11 < 5)).collect()
}

fn logits() -> Vec<f64> {
    let of = |(n, label): (usize, usize)| (n * 37 % 101) as f64 / 40.0 - 1.5 + 0.8 * label as f64;
    labels().into_iter().enumerate().map(of).collect()
}

fn near(found: Option<Estimate>, [mean, low, high]: [f64; 3]) {
    let found = found.unwrap();
    for (got, wanted) in [(found.mean, mean), (found.low, low), (found.high, high)] {
        assert!((got - wanted).abs() < 1e-9, "{got} {wanted}");
    }
}

fn value(found: Option<Estimate>, wanted: f64) {
    let found = found.unwrap();
    assert!((found.mean - wanted).abs() < 1e-12, "{found:?} {wanted}");
    assert!(found.low <= found.mean && found.mean <= found.high);
}

#[test]
fn classes_are_measured_as_elsewhere() {
    let labels = labels();
    let repeats = [logits().into_iter().map(sigmoid).collect::<Vec<f64>>()];
    let rows = |groups| PredictedRows {
        truth: SeenTarget::Labels(&labels),
        groups,
        repeats: &repeats,
    };
    let found = rows(None).measures(0.3);
    value(found.auc, 0.888_888_888_888_888_8);
    value(found.brier, 0.133_127_917_961_552_77);
    value(found.accuracy, 0.625);
    value(rows(None).measures(0.5).accuracy, 0.875);
    let at = found.at_threshold.unwrap();
    value(at.sensitivity, 1.0);
    value(at.specificity, 0.318_181_818_181_818_2);
    value(at.ppv, 0.545_454_545_454_545_4);
    value(at.npv, 1.0);
    let benefit = found.net_benefit.iter().find(|b| b.threshold == 0.3);
    let benefit = benefit.unwrap();
    value(Some(benefit.model), 0.289_285_714_285_714_3);
    assert!((benefit.all - 0.214_285_714_285_714_27).abs() < 1e-12);
    let loss = 0.436_421_738_192_933_06;
    near(
        found.log_loss,
        [loss, 0.355_009_368_506_376_93, 0.517_834_107_879_489_1],
    );
    let calibration = found.calibration.unwrap();
    near(
        calibration.in_the_large,
        [
            0.064_448_463_609_508_9,
            -0.051_870_047_313_986_24,
            0.180_766_974_533_004_05,
        ],
    );
    near(
        calibration.intercept,
        [
            -0.322_056_003_850_116,
            -0.904_575_086_107_950_1,
            0.260_463_078_407_718_1,
        ],
    );
    let slope = 2.552_057_437_884_005_5;
    near(
        calibration.slope,
        [slope, 1.554_026_483_470_054_6, 3.550_088_392_297_956_5],
    );
    // Whole groups of four.
    let groups: Vec<usize> = (0..40).map(|n| n / 4).collect();
    let grouped = rows(Some(&groups)).measures(0.3);
    near(
        grouped.log_loss,
        [loss, 0.382_506_246_297_059, 0.490_337_230_088_807_14],
    );
    near(
        grouped.calibration.unwrap().slope,
        [slope, 1.860_879_739_052_480_3, 3.243_235_136_715_530_8],
    );
    let base = rows(None).base_rate(0.4);
    assert!((base.loss - 0.693_284_922_414_664_7).abs() < 1e-12);
    near(
        base.gain,
        [
            0.256_863_184_221_731_54,
            0.147_084_323_491_596_22,
            0.366_642_044_951_866_86,
        ],
    );
    // The same predictions twice are no more evidence.
    let twice = [repeats[0].clone(), repeats[0].clone()];
    let again = PredictedRows {
        repeats: &twice,
        ..rows(None)
    };
    near(
        again.measures(0.3).log_loss,
        [loss, 0.355_009_368_506_376_93, 0.517_834_107_879_489_1],
    );
}

#[test]
fn values_are_measured_as_elsewhere() {
    let seen = logits().into_iter().enumerate();
    let seen: Vec<f64> = seen.map(|(n, x)| 2.0 * x + (n as f64).cos()).collect();
    let repeats = [logits().into_iter().map(|x| 1.5 * x + 0.3).collect()];
    let rows = PredictedRows {
        truth: SeenTarget::Values(&seen),
        groups: None,
        repeats: &repeats,
    };
    let found = rows.measures(0.5);
    near(
        found.r2,
        [
            0.821_239_955_122_724_1,
            0.770_036_242_996_076_9,
            0.872_443_667_249_371_3,
        ],
    );
    let root = |square: f64| square.sqrt();
    near(
        found.rmse,
        [
            0.901_428_535_684_040_9,
            root(0.512_016_804_529_826_6),
            root(1.113_130_005_361_122),
        ],
    );
    near(
        found.mae,
        [
            0.750_060_465_897_462_1,
            0.588_121_187_124_057_4,
            0.911_999_744_670_866_9,
        ],
    );
    let calibration = found.calibration.unwrap();
    near(
        calibration.slope,
        [
            1.346_444_466_231_049_3,
            1.195_147_766_953_601_5,
            1.497_741_165_508_497_1,
        ],
    );
    let intercept = [
        -0.208_989_268_085_049_08,
        -0.492_997_726_000_030_67,
        0.075_019_189_829_932_5,
    ];
    near(calibration.intercept, intercept);
    near(
        calibration.in_the_large,
        [-intercept[0], -intercept[2], -intercept[1]],
    );
    let half = rows.loss(2.0).unwrap().mean;
    assert!((half - 0.812_573_404_945_474_3 / 4.0).abs() < 1e-12);
}

#[test]
fn what_has_no_value_is_none_and_told() {
    let one = [1, 1, 1];
    let repeats = [vec![0.2, 0.7, 0.8]];
    let rows = PredictedRows {
        truth: SeenTarget::Labels(&one),
        groups: None,
        repeats: &repeats,
    };
    let found = rows.measures(0.5);
    assert!(found.auc.is_none() && found.at_threshold.as_ref().unwrap().specificity.is_none());
    assert!(found.notes[0].contains("all samples are of one class"));
    let told = found.notes.iter().filter(|note| note.contains("slope"));
    assert_eq!(told.count(), 1, "{:?}", found.notes);
    assert!((found.accuracy.unwrap().mean - 2.0 / 3.0).abs() < 1e-12);
    // A single row has a value of nothing but shares.
    let alone = [vec![0.7]];
    let rows = PredictedRows {
        truth: SeenTarget::Labels(&[1]),
        groups: None,
        repeats: &alone,
    };
    assert_eq!(rows.measures(0.5).log_loss, None);
    let same = [vec![2.0; 3]];
    let rows = PredictedRows {
        truth: SeenTarget::Values(&[1.0, 1.0, 1.0]),
        groups: None,
        repeats: &same,
    };
    let found = rows.measures(0.5);
    assert!(found.r2.is_none() && found.calibration.unwrap().slope.is_none());
    assert_eq!(found.notes.len(), 2);
    assert_eq!(found.rmse.unwrap().mean, 1.0);
}
