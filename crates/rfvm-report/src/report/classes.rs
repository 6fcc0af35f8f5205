//! The report of a model of several classes: the shared panel with the weights of each, and how well each is told.

use maud::{Markup, html};
use rfvm::summary::{ClassedSample, ClassesSummary, PanelRow};
use rfvm::{ClassMeasures, ClassesEvaluation, Estimate, Task};

use super::path::path_charts;
use super::words::footer;
use crate::page::{Page, Section, Tile, figure, grid, missing, note, tiles};
use crate::table::{Cell, Column, DataTable};
use crate::worth::{percent, thousands, worth};

/// Rows of a full model's panel that the page has at most.
const MOST: usize = 1000;

/// The report of a model of several classes as one HTML file.
pub fn classes_report(summary: &ClassesSummary) -> String {
    let model = &summary.model;
    let subtitle = format!(
        "One panel of {} features for {} classes, fitted on {} samples and {} features",
        thousands(model.feature_count),
        model.classes.len(),
        model.training.samples,
        thousands(model.training.features)
    );
    let mut page = Page::new(format!("Report: {}", summary.name), subtitle);
    page.lead = lead(summary);
    page.sections = vec![
        panel(summary),
        vectors(summary),
        performance(summary),
        path(summary),
        samples(summary),
        making(summary),
    ];
    page.footer = footer();
    page.render()
}

fn lead(summary: &ClassesSummary) -> Markup {
    let model = &summary.model;
    let mut numbers = vec![Tile::new(
        "Features",
        thousands(model.feature_count),
        format!("one panel for {} classes", model.classes.len()),
    )];
    if let Some(share) = model.share {
        let note = format!(
            "of what all {} features tell",
            thousands(model.training.varying())
        );
        numbers.push(Tile::new("Kept", percent(share), note));
    }
    if let Some(expected) = model.expected {
        let note = format!("the classes' shares alone: {:.3}", expected.base);
        let value = format!("{:.3} ± {:.3}", expected.loss, expected.se);
        numbers.push(Tile::new("Expected log loss", value, note));
    }
    html! {
        (tiles(&numbers))
        @if let Some(words) = worth(model) { p { (words) } }
        @if summary.fitted_on == Some(false) {
            (note(&html! { p { "The table is not the one that the model was fitted on." } }))
        }
        @for told in &summary.notes { p { (told) } }
    }
}

fn panel(summary: &ClassesSummary) -> Section {
    const TITLE: &str = "The panel and what it says of each class";
    if summary.panel.is_empty() {
        let what = "No feature carries enough signal: the model predicts the classes' shares.";
        return Section::new("panel", TITLE, missing(what));
    }
    let mut columns = vec![Column::text("feature"), Column::number("relevance", 3)];
    for class in &summary.model.classes {
        columns.push(Column::number(format!("weight, {class}"), 3));
        columns.push(Column::number(format!("sd, {class}"), 3));
    }
    let evaluated = summary.evaluation.is_some() && !summary.model.is_full;
    if evaluated {
        columns.push(Column::number("selected in", 2));
    }
    let row = |feature: &PanelRow| {
        let mut row: Vec<Cell> = vec![feature.name.as_str().into(), feature.relevance.into()];
        for &(weight, sd) in &feature.weights {
            row.extend([weight.into(), sd.into()]);
        }
        if evaluated {
            row.push(feature.selected.into());
        }
        row
    };
    let rows = summary.panel.iter().take(MOST).map(row).collect();
    let all = summary.panel.len();
    let caption = match all > MOST {
        true => format!("The {MOST} features of the largest weights, of {}.", thousands(all)),
        false => "Every feature is there for all classes; a weight above 0 speaks for the class against all others where the value is high. Weights are per standard deviation."
            .to_string(),
    };
    let table = DataTable::new("panel-table", caption, columns, rows);
    Section::new("panel", TITLE, html! { (table) })
}

fn vectors(summary: &ClassesSummary) -> Section {
    const TITLE: &str = "Relevance vectors of each class";
    if summary.model.is_full || summary.panel.is_empty() {
        let what = "All samples define the full model, and none one without features.";
        return Section::new("vectors", TITLE, missing(what));
    }
    let of_class = summary.model.classes.iter().zip(&summary.vectors);
    let rows = of_class.flat_map(|(class, vectors)| {
        vectors.iter().map(|vector| -> Vec<Cell> {
            let name = vector.sample.as_str();
            vec![
                class.as_str().into(),
                name.into(),
                vector.coefficient.into(),
            ]
        })
    });
    let columns = vec![
        Column::text("class"),
        Column::text("sample"),
        Column::number("coefficient", 3),
    ];
    let caption = "The samples that define each class against the rest; the others are redundant for this classifier.";
    let table = DataTable::new("vectors-table", caption, columns, rows.collect());
    Section::new("vectors", TITLE, html! { (table) })
}

fn performance(summary: &ClassesSummary) -> Section {
    const TITLE: &str = "On samples that the fits had not seen";
    let Some(evaluation) = &summary.evaluation else {
        let what = "Run rfvm evaluate on the same table with the same options and --json, keep what it prints, and give that file to rfvm report as --evaluation.";
        return Section::new("performance", TITLE, missing(what));
    };
    let body = html! {
        p {
            (evaluation.folds) " folds, " (evaluation.repeats)
            " repeat(s). Intervals are of 95 %; those of means over classes take the classes' errors as fully dependent."
        }
        (measures(evaluation))
        (per_class(evaluation))
        (confusion(evaluation))
    };
    Section::new("performance", TITLE, body)
}

fn ends(estimate: Option<Estimate>) -> [Cell; 3] {
    match estimate {
        Some(Estimate {
            mean, low, high, ..
        }) => [mean.into(), low.into(), high.into()],
        None => [Cell::Empty, Cell::Empty, Cell::Empty],
    }
}

fn measures(evaluation: &ClassesEvaluation) -> DataTable {
    let rows = [
        ("accuracy", evaluation.accuracy),
        ("balanced accuracy", evaluation.balanced_accuracy),
        ("macro AUC", evaluation.macro_auc),
        ("log loss", evaluation.log_loss),
        ("log loss of the shares", evaluation.base_log_loss),
        ("features", Some(evaluation.features)),
    ];
    let row = |(name, estimate): (&str, Option<Estimate>)| {
        [Cell::from(name)]
            .into_iter()
            .chain(ends(estimate))
            .collect()
    };
    let columns = vec![
        Column::text("measure"),
        Column::number("mean", 3),
        Column::number("from", 3),
        Column::number("to", 3),
    ];
    let rows = rows.into_iter().map(row).collect();
    DataTable::new("measures-table", "All classes together", columns, rows)
}

fn per_class(evaluation: &ClassesEvaluation) -> DataTable {
    let row = |class: &ClassMeasures| {
        let mut row: Vec<Cell> = vec![class.class.as_str().into(), class.samples.into()];
        for estimate in [class.auc, class.recall, class.precision] {
            row.extend(ends(estimate));
        }
        row
    };
    let mut columns = vec![Column::text("class"), Column::number("samples", 0)];
    for measure in ["AUC", "recall", "precision"] {
        columns.push(Column::number(measure, 3));
        columns.push(Column::number(format!("{measure}, from"), 3));
        columns.push(Column::number(format!("{measure}, to"), 3));
    }
    let rows = evaluation.per_class.iter().map(row).collect();
    DataTable::new(
        "classes-table",
        "Each class against the rest",
        columns,
        rows,
    )
}

fn confusion(evaluation: &ClassesEvaluation) -> DataTable {
    let taken = evaluation.classes.iter();
    let taken = taken.map(|class| Column::number(format!("taken for {class}"), 1));
    let columns = [Column::text("class")].into_iter().chain(taken).collect();
    let rows = evaluation.classes.iter().zip(&evaluation.confusion);
    let rows = rows.map(|(class, row)| {
        let counts = row.iter().map(|&count| Cell::from(count));
        [Cell::from(class.as_str())]
            .into_iter()
            .chain(counts)
            .collect()
    });
    let caption = "Confusion matrix: samples of each class by the class that they are taken for, a mean over the repeats";
    DataTable::new("confusion-table", caption, columns, rows.collect())
}

fn path(summary: &ClassesSummary) -> Section {
    const TITLE: &str = "How many features";
    let model = &summary.model;
    if model.sizes.is_empty() {
        let what = "Too few samples to hold some back, or no size was tried.";
        return Section::new("path", TITLE, missing(what));
    }
    let [shares, losses] = path_charts(&model.sizes, model.full, Task::Classification);
    let cards = [
        figure(
            &shares,
            "Explained share",
            "What a panel of each size keeps of the full model, on held-back samples.",
        ),
        figure(
            &losses,
            "Expected log loss",
            "What it should cost a new sample, with standard errors.",
        ),
    ];
    Section::new("path", TITLE, grid(&cards))
}

fn samples(summary: &ClassesSummary) -> Section {
    let classes = &summary.model.classes;
    let evaluated = summary.evaluation.is_some();
    let mut columns = vec![
        Column::text("sample"),
        Column::text("true class"),
        Column::text("likeliest"),
    ];
    columns.extend(classes.iter().map(|class| Column::number(class, 3)));
    if evaluated {
        let unseen = classes.iter();
        columns.extend(unseen.map(|class| Column::number(format!("{class}, unseen"), 3)));
    }
    let row = |sample: &ClassedSample| {
        let of = |class: usize| Cell::from(classes[class].as_str());
        let mut row = vec![
            sample.name.as_str().into(),
            of(sample.class),
            of(sample.said),
        ];
        row.extend(sample.probability.iter().map(|&p| Cell::from(p)));
        if evaluated {
            match &sample.unseen {
                Some(unseen) => row.extend(unseen.iter().map(|&p| Cell::from(p))),
                None => row.extend(classes.iter().map(|_| Cell::Empty)),
            }
        }
        row
    };
    let caption = match evaluated {
        true => {
            "Probability of every class: the model's own, and the mean of fits that had not seen the sample"
        }
        false => "Probability of every class by the model itself, of the data that it is shown",
    };
    let rows = summary.samples.iter().map(row).collect();
    let table = DataTable::new("samples-table", caption, columns, rows);
    Section::new("samples", "All samples", html! { (table) })
}

fn making(summary: &ClassesSummary) -> Section {
    let training = &summary.model.training;
    let counts = summary.model.classes.iter().zip(&training.class_counts);
    let counts: Vec<String> = counts
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let parameters = serde_json::to_string(&summary.model.parameters).unwrap_or_default();
    let rows = [
        ("Data", html! { (summary.name) }),
        ("Data fingerprint", html! { code { (summary.fingerprint) } }),
        (
            "Rows used",
            html! { (training.samples) ": " (counts.join(", ")) },
        ),
        ("Columns used", html! { (thousands(training.varying())) }),
        ("Parameters", html! { code { (parameters) } }),
        ("Version", html! { (summary.version) }),
    ];
    let body = html! {
        div .card.plain { div .scroll tabindex="0" role="region" aria-label="How it was made (rows)" {
            table { tbody { @for (what, how) in &rows { tr { th scope="row" { (what) } td { (how) } } } } }
        } }
    };
    Section::new("making", "How it was made", body)
}
