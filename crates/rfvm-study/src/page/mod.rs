//! The study as one page: every wave, what it cost, what was retired, and what is advised now.

use maud::{Markup, html};
use rfvm_report::{Page, Section, Tile, missing, tiles};

use crate::error::Error;
use crate::store::{Event, Study};
use crate::timeline::Timeline;

mod cohort_chart;
mod fits;
mod log_values;
mod people;
mod story;
mod test_tables;
mod waves;

use cohort_chart::cohort;
use log_values::number;
use people::{recruit, subjects};
use story::{changes, log, retired};
use test_tables::{frontier, replacements, tests};
use waves::waves;

impl Study {
    /// The page as an HTML file.
    pub fn report(&self) -> Result<String, Error> {
        let timeline = self.timeline()?;
        let name = self
            .path()
            .file_name()
            .map(|name| name.to_string_lossy().to_string())
            .unwrap_or_default();
        Ok(page(&timeline, &name).render())
    }
}

fn page(timeline: &Timeline, name: &str) -> Page {
    let state = &timeline.state;
    let subtitle = format!(
        "{} subjects in {} waves; outcome: {}",
        state.subjects.len(),
        state.waves,
        state.terms.outcome
    );
    let mut page = Page::new(format!("Study: {name}"), subtitle);
    page.lead = lead(timeline);
    page.sections = vec![
        Section::new("waves", "Wave by wave", waves(timeline)),
        Section::new("cohort", "Who is in the study", cohort(timeline)),
        Section::new("retired", "Retired tests", retired(timeline)),
    ];
    let last = timeline
        .turns
        .iter()
        .rev()
        .find_map(|turn| turn.advice.last());
    match last {
        Some((event, advice)) => {
            page.sections
                .push(Section::new("tests", "Tests now", tests(event, advice)));
            page.sections.push(Section::new(
                "frontier",
                "Cost against performance",
                frontier(advice),
            ));
            page.sections.push(Section::new(
                "replacements",
                "What replaces what",
                replacements(advice),
            ));
            page.sections.push(Section::new(
                "subjects",
                "Defining subjects",
                subjects(advice),
            ));
            page.sections.push(Section::new(
                "recruit",
                "Whom to recruit next",
                recruit(advice),
            ));
        }
        None => {
            let what = "There is no advice yet: rfvm study advise gives it.";
            page.sections
                .push(Section::new("advice", "Advice", missing(what)));
        }
    }
    page.sections.push(Section::new(
        "changes",
        "What changed, and why",
        changes(timeline),
    ));
    page.sections
        .push(Section::new("log", "Log", log(timeline)));
    page.footer = html! { p { "Written by rfvm " (env!("CARGO_PKG_VERSION")) ". Nothing in a study file is ever changed or removed." } };
    page
}

/// The last fit that says what it is worth, and its wave.
fn last_shown_fit(timeline: &Timeline) -> Option<(usize, &Event)> {
    let mut turns = timeline.turns.iter().rev();
    turns.find_map(|turn| Some((turn.wave.wave, turn.shown_fit("auc", &timeline.log)?)))
}

fn lead(timeline: &Timeline) -> Markup {
    let state = &timeline.state;
    let active = state.active();
    let price = state.price(&active);
    let first = timeline.turns.first();
    let fit = last_shown_fit(timeline);
    let at_first = first.map_or(String::new(), |turn| {
        format!("{:.2} with the first wave", turn.price.cost)
    });
    let auc = fit.map_or("none yet".to_string(), |(_, fit)| {
        format!("{:.3}", number(&fit.summary["auc"]["mean"]))
    });
    let interval = fit.map_or(String::new(), |(wave, fit)| {
        let (auc, basis) = (&fit.summary["auc"], &fit.summary["basis"]);
        let on = match basis["judged_on"] == "later_subjects" {
            true => format!("on {} later subjects", basis["subjects"]),
            false => "on all subjects".to_string(),
        };
        format!(
            "cross-validated after wave {wave} {on}, 95 % interval {:.3} to {:.3}",
            number(&auc["low"]),
            number(&auc["high"])
        )
    });
    let unknown = state
        .attribute(&state.terms.outcome)
        .iter()
        .filter(|outcome| outcome.is_empty())
        .count();
    tiles(&[
        Tile::new(
            "Subjects",
            state.subjects.len().to_string(),
            format!("{unknown} without an outcome yet"),
        ),
        Tile::new(
            "Tests in use",
            active.len().to_string(),
            format!("of {} in the catalogue", state.catalogue.tests.len()),
        ),
        Tile::new("Cost a subject", format!("{:.2}", price.cost), at_first),
        Tile::new("AUC", auc, interval),
    ])
}
