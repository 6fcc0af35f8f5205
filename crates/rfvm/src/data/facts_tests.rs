#![allow(clippy::unwrap_used)]

use super::*;

fn set(name: &str, members: &[&str]) -> FeatureSet {
    FeatureSet {
        name: name.to_string(),
        members: members.iter().map(|m| m.to_string()).collect(),
    }
}

fn names(of: &[&str]) -> Names {
    of.iter().copied().collect()
}

fn prices(of: &[(&str, f64)]) -> Vec<(String, f64)> {
    of.iter().map(|(n, p)| (n.to_string(), *p)).collect()
}

fn refused(facts: FeatureFacts) -> String {
    facts.check().map_err(|e| e.to_string()).unwrap_err()
}

#[test]
fn a_panel_has_its_own_price_or_that_of_its_dearest_feature() {
    let facts = FeatureFacts {
        prices: prices(&[("a", 4.0), ("b", 6.0), ("kit", 20.0), ("e", 10.0)]),
        panels: vec![set("pair", &["a", "b"]), set("kit", &["c", "d"])],
        ..FeatureFacts::default()
    };
    let all = names(&["a", "b", "c", "d", "e", "free"]);
    let weights = facts.weights(&all);
    // Bought can be the pair for 6, the kit for 20 and e for 10: 12 on average.
    let cost = [
        1.5,
        1.5,
        1.0 + 20.0 / 12.0,
        1.0 + 20.0 / 12.0,
        1.0 + 10.0 / 12.0,
        1.0,
    ];
    assert_eq!(weights.cost, Some(cost.to_vec()));
    assert_eq!(
        weights.panel,
        Some(vec![Some(0), Some(0), Some(1), Some(1), None, None])
    );
    let kept = facts.of(["b", "e", "a", "free"].into_iter(), &all);
    assert_eq!(kept.cost(["a", "b", "e", "free"].into_iter()), Some(16.0));
    assert_eq!(kept.panels[0].features, 2);
    assert_eq!(
        facts.notes(&all),
        ["1 of 6 features have no price and count as free: 'free'"]
    );
}

#[test]
fn without_prices_a_panel_costs_as_much_as_a_feature() {
    let facts = FeatureFacts {
        panels: vec![set("pair", &["a", "b"])],
        ..FeatureFacts::default()
    };
    let all = names(&["a", "b", "c"]);
    assert_eq!(facts.weights(&all).cost, Some(vec![2.0; 3]));
    let kept = facts.of(all.iter(), &all);
    assert_eq!(kept.cost(all.iter()), Some(2.0));
    assert_eq!(KnownFeatures::default().cost(all.iter()), None);
}

#[test]
fn what_is_in_no_block_is_one() {
    let facts = FeatureFacts {
        blocks: vec![set("clinical", &["a", "b"]), set("absent", &["z"])],
        ..FeatureFacts::default()
    };
    let (sizes, blocks) = facts
        .weights(&names(&["a", "c", "d", "e"]))
        .block
        .unwrap_or_default();
    assert_eq!((sizes, blocks), (vec![1, 3, 3, 3], 2));
    assert_eq!(
        facts.notes(&names(&["a"])),
        ["blocks: 2 of 3 name(s) are no feature of the table and are left aside: 'b', 'z'"]
    );
}

#[test]
fn mistakes_are_one_sentence_with_names() {
    for (panels, words) in [
        (
            vec![set("p", &["a"]), set("q", &["a"])],
            "'a' is in the panels 'p' and 'q'",
        ),
        (vec![set("p", &[])], "the panel 'p' has no feature"),
        (
            vec![set("p", &["a"]), set("p", &["b"])],
            "there are two panels 'p'",
        ),
        (vec![set("p", &["a", "a"])], "'a' is twice in the panel 'p'"),
    ] {
        let message = refused(FeatureFacts {
            panels,
            ..FeatureFacts::default()
        });
        assert!(message.contains(words), "{message}");
    }
    for (prices, words) in [
        (prices(&[("a", f64::NAN)]), "the price of 'a' is NaN"),
        (prices(&[("a", -1.0)]), "the price of 'a' is -1"),
        (prices(&[("a", 1.0), ("a", 2.0)]), "'a' has two prices"),
    ] {
        let message = refused(FeatureFacts {
            prices,
            ..FeatureFacts::default()
        });
        assert!(message.contains(words), "{message}");
    }
    let facts = FeatureFacts {
        panels: vec![set("a", &["b"])],
        ..FeatureFacts::default()
    };
    let message = facts
        .check_for(&names(&["a", "b"]))
        .map_err(|e| e.to_string());
    assert!(message.unwrap_err().contains("has the name of a feature"));
}
