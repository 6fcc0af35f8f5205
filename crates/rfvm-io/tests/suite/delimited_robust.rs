//! Text tables: compressed, damaged, and random ones written by the csv crate.

use crate::helpers::{complains, file, gzip, plain, table, torment, values};
use proptest::prelude::*;
use rfvm_io::{Orientation, ReadOptions, read_delimited};

use Orientation::{FeaturesAsRows, SamplesAsRows};

/// Samples as rows: names, two features, a class.
const CLINIC: &str = "sample,age,class,crp\np1,40,ill,1.5\np2,51,well,NA\np3,62,ill,-2e-1\n";
/// Features as rows.
const GENES: &str =
    "gene\ts1\ts2\ts3\nTP53\t1\t2\t3\nABL1\t4\t5\t6\nBCR\t7\t8\t9\nMYC\t0.5\t\t-1\n";

#[test]
fn compressed() {
    let expected = plain(GENES);
    let cut = GENES.len() / 2;
    let members = [
        gzip(&GENES.as_bytes()[..cut]),
        gzip(&GENES.as_bytes()[cut..]),
    ]
    .concat();
    let padded = [members.clone(), vec![0; 500]].concat();
    for bytes in [gzip(GENES.as_bytes()), members.clone(), padded] {
        let source = plain(bytes);
        assert_eq!(
            (source.format.as_str(), values(&source)),
            ("TSV, gzip", values(&expected))
        );
        assert_eq!(source.sample_names, expected.sample_names);
    }
    let zstd = zstd::encode_all(GENES.as_bytes(), 3).unwrap();
    let source = plain(&zstd);
    assert_eq!(
        (source.format.as_str(), values(&source)),
        ("TSV, zstd", values(&expected))
    );

    let default = ReadOptions::default();
    let whole = gzip(GENES.as_bytes());
    for length in 2..whole.len() {
        complains(table(&whole[..length], &default), "cut short");
    }
    for length in 4..zstd.len() {
        assert!(table(&zstd[..length], &default).is_err());
    }
    complains(
        table([&whole[..], b"more"].concat(), &default),
        "something else behind",
    );
    let mut damaged = whole.clone();
    let last = damaged.len() - 6;
    damaged[last] ^= 1;
    complains(table(&damaged, &default), "gzip data are damaged");
}

#[test]
fn no_damage_makes_it_panic() {
    let quoted = "id,\"a\",b\r\n\"x\"\"1\",1,\"u\nv\"\r\ny,2.5e3,w\r\n";
    for (bytes, target) in [
        (CLINIC, Some("class")),
        (GENES, None),
        (quoted, None),
        ("a;b\n1,5;2\n", None),
    ] {
        torment("torment.csv", bytes.as_bytes(), |path| {
            let options = ReadOptions {
                target: target.map(str::to_owned),
                ..ReadOptions::default()
            };
            for orientation in [None, Some(SamplesAsRows), Some(FeaturesAsRows)] {
                let _ = read_delimited(
                    path,
                    &ReadOptions {
                        orientation,
                        ..options.clone()
                    },
                );
            }
            read_delimited(path, &options).map(drop)
        });
    }
    torment("torment.gz", &gzip(CLINIC.as_bytes()), |path| {
        read_delimited(path, &ReadOptions::default()).map(drop)
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What the csv crate writes is read back: names with anything in them, and every number to the last bit.
    #[test]
    fn round_trip(
        (rows, columns) in (1_usize..6, 1_usize..6),
        numbers in proptest::collection::vec(proptest::option::of(proptest::num::f64::NORMAL | proptest::num::f64::ZERO), 36),
        names in proptest::collection::hash_set("[a-z\"',;\t\n\r é]{1,6}x", 12),
        delimiter in proptest::sample::select(vec![b',', b'\t', b';']),
        crlf: bool,
        always: bool,
        features_as_rows: bool,
        compress: bool,
    ) {
        let names: Vec<String> = names.into_iter().collect();
        let trimmed = |range: std::ops::Range<usize>| -> Vec<String> {
            names[range].iter().map(|name| name.trim().to_owned()).collect()
        };
        let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let style = if always { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
        let mut writer = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .terminator(terminator)
            .quote_style(style)
            .from_writer(Vec::new());
        writer.write_field("id").unwrap();
        writer.write_record(&names[..columns]).unwrap();
        for row in 0..rows {
            writer.write_field(&names[6 + row]).unwrap();
            let cell = |column: usize| numbers[row * 6 + column].map_or_else(String::new, |number| format!("{number:?}"));
            writer.write_record((0..columns).map(cell)).unwrap();
        }
        let mut bytes = writer.into_inner().unwrap();
        if compress {
            bytes = gzip(&bytes);
        }
        let orientation = if features_as_rows { FeaturesAsRows } else { SamplesAsRows };
        let options = ReadOptions {
            orientation: Some(orientation),
            delimiter: Some(delimiter),
            decimal_comma: Some(false),
            header: Some(true),
            row_names: Some(true),
            ..ReadOptions::default()
        };
        let source = read_delimited(&file("round.csv", bytes).path, &options).unwrap();
        let (row_names, column_names) = (trimmed(6..6 + rows), trimmed(0..columns));
        let (sample_names, feature_names) =
            if features_as_rows { (column_names, row_names) } else { (row_names, column_names) };
        prop_assert_eq!(source.sample_names.unwrap(), sample_names);
        prop_assert_eq!(source.feature_names.unwrap(), feature_names);
        for row in 0..rows {
            for column in 0..columns {
                let (sample, feature) = if features_as_rows { (column, row) } else { (row, column) };
                let got = source.matrix.feature(feature).unwrap()[sample];
                let wanted = numbers[row * 6 + column].unwrap_or(f64::NAN);
                prop_assert!(got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan());
            }
        }
    }
}
