//! A table, a zero byte, and a file of labels for it: all the way to what a fit takes.

#![no_main]

use rfvm_fuzz::{complaint, file, halves, options};
use rfvm_io::{FeatureChoice, TargetChoice, load_dataset};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (table, labels) = halves(bytes);
    let paths = [file("input.csv", table)];
    let labels = Some(labels).filter(|labels| !labels.is_empty());
    let target = TargetChoice {
        column: bytes.len().is_multiple_of(3).then(|| "class".to_owned()),
        labels: labels.map(|labels| file("input.txt", labels)),
        regression: bytes.len().is_multiple_of(5),
        group: bytes.len().is_multiple_of(7).then(|| "site".to_owned()),
        ..TargetChoice::default()
    };
    let features = FeatureChoice {
        max_missing: bytes.len().is_multiple_of(2).then_some(0.5),
        ..FeatureChoice::default()
    };
    let loaded = complaint(load_dataset(&paths, &options(bytes), &target, &features));
    if let Some(loaded) = loaded
        && let Some(groups) = loaded.data.groups()
    {
        assert_eq!(loaded.data.table().samples(), groups.len());
    }
});
