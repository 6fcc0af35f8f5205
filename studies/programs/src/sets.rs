//! The binary sets beside the project in `../shared`, with their fixed folds.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use rfvm::{Dataset, Names, Table, Target};
use rfvm_io::{FeatureChoice, ReadOptions, TargetChoice, load_dataset, read};

/// Name, files under `data`, target column, positive class; `!` before it: all but this class.
pub(crate) type BinarySet = (
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static str,
);

/// All of them.
pub(crate) const SETS: [BinarySet; 23] = [
    ("colon", &["colon.mat"], "Y", "1"),
    ("leukemia", &["leukemia.mat"], "Y", "1"),
    ("lymphoma", &["lymphoma.mat"], "Y", "!1"),
    ("Prostate-GE", &["Prostate-GE.mat"], "Y", "2"),
    ("ALLAML", &["ALLAML.mat"], "Y", "2"),
    ("golub", &["golub/golub.gct"], "", "AML"),
    ("ALL_BCRABL_vs_NEG", &["ALL_BCRABL_vs_NEG.npz"], "y", "1"),
    ("singh_prostate", &["singh_prostate.npz"], "y", "1"),
    ("gravier_breast", &["gravier_breast.npz"], "y", "1"),
    (
        "jacobs_ibd_metabolome",
        &["jacobs_ibd_metabolome.npz"],
        "y",
        "1",
    ),
    (
        "mb_qin2014_cirrhosis",
        &["mb_qin2014_cirrhosis.npz"],
        "y",
        "1",
    ),
    ("arcene", &["arcene.mat"], "Y", "1"),
    ("pomeroy_cns", &["pomeroy_cns.npz"], "y", "1"),
    ("vantveer_breast", &["vantveer_breast.npz"], "y", "1"),
    ("shipp_dlbcl", &["shipp_dlbcl.npz"], "y", "1"),
    ("mb_turnbaugh_obese", &["mb_turnbaugh_obese.npz"], "y", "1"),
    ("gsb_marfan", &["gsb_marfan.npz"], "y", "1"),
    ("lung_michigan_sex", &["lung_michigan_sex.npz"], "y", "1"),
    (
        "ra_methylation_toast",
        &["ra_methylation_toast.npz"],
        "y",
        "1",
    ),
    (
        "ovarian_gse8842_serous",
        &["ovarian_gse8842_serous.npz"],
        "y",
        "1",
    ),
    ("diaplasma_t1_t2", &["diaplasma_t1_t2.npz"], "y", "1"),
    ("msd16s_bangladesh", &["msd16s_bangladesh.npz"], "y", "1"),
    (
        "dorothea",
        &[
            "dorothea/dorothea_train.data",
            "dorothea/dorothea_valid.data",
        ],
        "label",
        "1",
    ),
];

/// The data of a set.
pub(crate) fn load(
    shared: &Path,
    &(name, files, column, positive): &BinarySet,
) -> Result<Dataset, Box<dyn Error>> {
    let files: Vec<PathBuf> = files
        .iter()
        .map(|file| shared.join("data").join(file))
        .collect();
    if name == "gsb_marfan" {
        return numbered(&files[0]);
    }
    let class = |class: &str| Some(vec![class.to_string()]);
    let (positive, positive_not) = match positive.strip_prefix('!') {
        Some(rest) => (None, class(rest)),
        None => (class(positive), None),
    };
    let target = TargetChoice {
        column: Some(column.to_string()).filter(|column| !column.is_empty()),
        labels: (name == "golub").then(|| shared.join("data/golub/golub.cls")),
        positive,
        positive_not,
        group: (name.starts_with("jacobs") || name.starts_with("mb_turnbaugh"))
            .then(|| "groups".to_string()),
        ..TargetChoice::default()
    };
    let options = ReadOptions {
        max_features: (name == "dorothea").then_some(8000),
        ..ReadOptions::default()
    };
    let features = FeatureChoice::default();
    Ok(load_dataset(&files, &options, &target, &features)?.data)
}

/// A set whose names of features come twice, which no table takes: they are numbered instead.
fn numbered(file: &Path) -> Result<Dataset, Box<dyn Error>> {
    let source = read(file, &ReadOptions::default())?;
    let class = source.annotations.iter().find(|column| column.name == "y");
    let labels = class.ok_or("no column y")?.values.iter();
    let target = Target::Classes {
        names: vec!["0".into(), "1".into()],
        labels: labels.map(|y| usize::from(y == "1")).collect(),
    };
    let (samples, features) = (source.matrix.samples, source.matrix.features);
    let names = (
        Names::numbered('f', features),
        Names::numbered('s', samples),
    );
    let table = Table::with_missing(source.matrix.values, names.0, names.1.to_vec())?;
    Ok(Dataset::new(table, target)?)
}

/// The fold of every row in one repeat.
pub(crate) fn fold_of_rows(
    shared: &Path,
    set: &str,
    repeat: usize,
) -> Result<Vec<usize>, Box<dyn Error>> {
    let text = fs::read_to_string(shared.join(format!("folds/{set}.csv")))?;
    let fold = |line: &str| -> Result<usize, Box<dyn Error>> {
        let cell = line.split(',').nth(repeat).ok_or("no such repeat")?;
        Ok(cell.trim().parse()?)
    };
    text.lines().skip(1).map(fold).collect()
}
