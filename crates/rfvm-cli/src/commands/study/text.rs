//! Advice as tables and sentences.

use std::io::{self, Write};

use rfvm_study::{Advice, AdviceChoice, JudgedOn, Performance, Standing, Uncertain};

use crate::printer::{Align, PrintedTable};

/// Rows of a table at most.
const SHOWN: usize = 20;

/// The first few names and how many more there are.
pub(super) fn list(names: &[String]) -> String {
    let mut text = names.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 8 {
        text.push_str(&format!(" and {} more", names.len() - 8));
    }
    text
}

fn plus_minus(value: &Uncertain) -> String {
    format!("{:.4} ± {:.4}", value.value, value.se)
}

/// What could not be computed is no number.
fn or_unknown(value: &Option<Uncertain>) -> String {
    value.as_ref().map_or("unknown".to_string(), plus_minus)
}

pub(super) fn both(performance: &Performance) -> [String; 2] {
    [
        or_unknown(&performance.log_loss),
        or_unknown(&performance.auc),
    ]
}

pub(super) fn write_advice(
    out: &mut dyn Write,
    advice: &Advice,
    choice: &AdviceChoice,
) -> io::Result<()> {
    writeln!(
        out,
        "Advice number {} of the log, waves 1 to {}: {} subjects with a known outcome, {} tests in use for {:.2} a subject.",
        advice.event,
        advice.wave,
        advice.subjects,
        advice.tests.len(),
        advice.price.cost
    )?;
    let [loss, auc] = both(&advice.everything);
    writeln!(
        out,
        "With every test, on subjects not seen: log loss {loss}, AUC {auc} (± one standard error throughout)."
    )?;
    writeln!(out, "{}", advice.basis.words)?;
    writeln!(out)?;
    retirement(out, advice, choice)?;
    writeln!(out)?;
    frontier(out, advice, choice)?;
    if !advice.replacements.is_empty() {
        writeln!(out)?;
        replacements(out, advice)?;
    }
    writeln!(out)?;
    subjects(out, advice)?;
    writeln!(out)?;
    recruitment(out, advice)?;
    writeln!(out)?;
    for caution in &advice.cautions {
        writeln!(out, "Caution: {caution}")?;
    }
    Ok(())
}

fn retirement(out: &mut dyn Write, advice: &Advice, choice: &AdviceChoice) -> io::Result<()> {
    let retirement = &advice.retirement;
    let count = |standing: Standing| {
        advice
            .tests
            .iter()
            .filter(|test| test.standing == standing)
            .count()
    };
    writeln!(out, "Which tests can be retired now")?;
    writeln!(
        out,
        "  {} in the model, {} must be kept, {} can be retired, {} may still be worth more than {} nats, {} have too few values",
        count(Standing::InUse),
        count(Standing::MustKeep),
        count(Standing::Retire),
        count(Standing::Undecided),
        choice.margin,
        count(Standing::TooEarly)
    )?;
    if let Some(loss) = &retirement.loss_over_all {
        let [log_loss, auc] = both(loss);
        let what = if retirement.tests.is_empty() {
            "All candidates"
        } else {
            "These"
        };
        let limit = |of: Option<f64>| of.map_or("unknown".to_string(), |of| format!("{of:.4}"));
        writeln!(
            out,
            "  {what} gone and everything fitted again: log loss {log_loss} higher (at most {}), AUC {auc} higher (at least {})",
            limit(loss.log_loss.map(|loss| loss.high)),
            limit(loss.auc.map(|auc| auc.low))
        )?;
    }
    if let (JudgedOn::LaterSubjects, Some(loss)) = (advice.basis.judged_on, &retirement.loss) {
        let [log_loss, auc] = both(loss);
        writeln!(
            out,
            "  That is over all subjects and rather too much than too little, since earlier retirements have left what looks needed on them; over the {} later ones: log loss {log_loss} higher, AUC {auc} higher",
            advice.basis.subjects
        )?;
    }
    if let Some(after) = &retirement.after {
        let [log_loss, auc] = both(after);
        writeln!(
            out,
            "  Without them, what goes chosen anew in every fold: log loss {log_loss}, AUC {auc}"
        )?;
    }
    if let Some(reason) = &retirement.why_nothing {
        writeln!(out, "  Nothing is advised for retirement: {reason}.")?;
    } else {
        let (saved, after) = (retirement.saved, retirement.price_after);
        writeln!(
            out,
            "  Saved for each subject: {:.2} in money, {:.0} minutes, {:.0} of burden; {:.2} remain.",
            saved.cost, saved.minutes, saved.burden, after.cost
        )?;
        writeln!(
            out,
            "  {}: {}",
            if choice.accept { "Retired" } else { "Retire" },
            list(&retirement.tests)
        )?;
    }
    if retirement.held_back > 0 {
        writeln!(
            out,
            "  {} more could each go alone; together they would cost too much, as far as these subjects tell.",
            retirement.held_back
        )?;
    }
    let mut table = PrintedTable::new([
        ("test", Align::Left),
        ("stands", Align::Left),
        ("cost", Align::Right),
        ("measured", Align::Right),
        ("used in", Align::Right),
        ("log loss if dropped", Align::Right),
        ("AUC if dropped", Align::Right),
        ("worth at most", Align::Right),
    ]);
    let mut tests: Vec<_> = advice.tests.iter().collect();
    tests.sort_by(|a, b| b.used.total_cmp(&a.used).then(a.test.cmp(&b.test)));
    for test in tests.iter().take(SHOWN) {
        let [loss, auc] = test.loss.as_ref().map(both).unwrap_or_default();
        table.row([
            test.test.clone(),
            standing(test.standing).to_string(),
            format!("{:.2}", test.price.cost),
            test.measured.to_string(),
            format!("{:.0} %", 100.0 * test.used),
            loss,
            auc,
            test.potential
                .map_or(String::new(), |most| format!("{most:.4}")),
        ]);
    }
    table.write(out)?;
    if tests.len() > SHOWN {
        writeln!(
            out,
            "  and {} that fewer fits used; --json has them all",
            tests.len() - SHOWN
        )?;
    }
    Ok(())
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::MustKeep => "must be kept",
        Standing::InUse => "in the model",
        Standing::Retire => "retire",
        Standing::Undecided => "undecided",
        Standing::TooEarly => "too early",
    }
}

fn frontier(out: &mut dyn Write, advice: &Advice, choice: &AdviceChoice) -> io::Result<()> {
    let frontier = &advice.frontier;
    writeln!(out, "Cost against performance")?;
    let mut table = PrintedTable::new([
        ("tests", Align::Right),
        ("cost", Align::Right),
        ("minutes", Align::Right),
        ("burden", Align::Right),
        ("log loss", Align::Right),
        ("AUC", Align::Right),
        ("", Align::Left),
    ]);
    for (at, panel) in frontier.panels.iter().enumerate() {
        let [loss, auc] = both(&panel.performance);
        let mut marks = Vec::new();
        if frontier.best == Some(at) {
            marks.push("best");
        }
        if frontier.within_budget == Some(at) {
            marks.push("within the budget");
        }
        if !panel.efficient {
            marks.push("another is cheaper and better");
        }
        table.row([
            panel.tests.len().to_string(),
            format!("{:.2}", panel.price.cost),
            format!("{:.0}", panel.price.minutes),
            format!("{:.0}", panel.price.burden),
            loss,
            auc,
            marks.join(", "),
        ]);
    }
    table.write(out)?;
    match (choice.budget, frontier.within_budget) {
        (Some(_), None) if frontier.best.is_none() => writeln!(
            out,
            "  Which panel is best within the budget cannot be told yet."
        ),
        (Some(budget), None) => writeln!(out, "  No panel costs {budget} or less."),
        (Some(_), Some(at)) => writeln!(
            out,
            "  Within the budget: {}",
            list(&frontier.panels[at].tests)
        ),
        _ => Ok(()),
    }
}

fn replacements(out: &mut dyn Write, advice: &Advice) -> io::Result<()> {
    writeln!(out, "What could replace a test of the model")?;
    let mut table = PrintedTable::new([
        ("test", Align::Left),
        ("cost", Align::Right),
        ("log loss without it", Align::Right),
        ("by", Align::Left),
        ("cost", Align::Right),
        ("correlation", Align::Right),
        ("came in", Align::Right),
        ("", Align::Left),
    ]);
    for replacement in &advice.replacements {
        let mut head = [
            replacement.test.clone(),
            format!("{:.2}", replacement.price.cost),
            or_unknown(&replacement.loss.log_loss),
        ];
        if replacement.by.is_empty() {
            let [test, cost, loss] = head;
            table.row([
                test,
                cost,
                loss,
                "nothing found".into(),
                String::new(),
                String::new(),
                String::new(),
                String::new(),
            ]);
            continue;
        }
        for stand_in in &replacement.by {
            let [test, cost, loss] = std::mem::take(&mut head);
            let mut marks = Vec::new();
            if stand_in.in_use {
                marks.push("in the model".to_string());
            }
            if stand_in.retired {
                marks.push("retired".to_string());
            }
            if let Some(number) = stand_in.signature {
                marks.push(format!("alternative signature {number}"));
            }
            table.row([
                test,
                cost,
                loss,
                stand_in.test.clone(),
                format!("{:.2}", stand_in.price.cost),
                stand_in
                    .correlation
                    .map_or(String::new(), |r| format!("{:.2} ± {:.2}", r.value, r.se)),
                format!("{:.0} %", 100.0 * stand_in.entered),
                marks.join(", "),
            ]);
        }
    }
    table.write(out)
}

fn subjects(out: &mut dyn Write, advice: &Advice) -> io::Result<()> {
    let defining = &advice.defining;
    writeln!(out, "Which subjects define the model")?;
    let mut table = PrintedTable::new([
        ("subject", Align::Left),
        ("class", Align::Left),
        ("coefficient", Align::Right),
        ("in resampled models", Align::Right),
    ]);
    for subject in defining.subjects.iter().take(SHOWN) {
        table.row([
            subject.subject.clone(),
            subject.class.clone(),
            subject
                .coefficient
                .map_or(String::new(), |c| format!("{c:.4}")),
            format!("{:.0} %", 100.0 * subject.frequency),
        ]);
    }
    table.write(out)?;
    writeln!(
        out,
        "  {} of {} subjects define none of the resampled models.",
        defining.never, advice.subjects
    )?;
    if defining.near_equals.is_empty() {
        return writeln!(
            out,
            "  No two subjects of a class are near-equals for the model."
        );
    }
    writeln!(
        out,
        "  {} subject(s) are near-equals of another for this model, in {} group(s); the largest:",
        defining.redundant,
        defining.near_equals.len()
    )?;
    for group in defining.near_equals.iter().take(5) {
        writeln!(out, "    {} ({})", list(&group.subjects), group.class)?;
    }
    Ok(())
}

fn recruitment(out: &mut dyn Write, advice: &Advice) -> io::Result<()> {
    let recruitment = &advice.recruitment;
    writeln!(out, "Whom to recruit next")?;
    for sentence in &recruitment.wanted {
        writeln!(out, "  {sentence}")?;
    }
    if !recruitment.regions.is_empty() {
        let mut table = PrintedTable::new([
            ("where the model is unsure", Align::Left),
            ("subjects", Align::Right),
            ("probability ±", Align::Right),
            ("more than elsewhere by", Align::Right),
        ]);
        for region in &recruitment.regions {
            table.row([
                region.description.clone(),
                region.subjects.to_string(),
                format!("{:.3}", region.uncertainty),
                plus_minus(&region.excess),
            ]);
        }
        table.write(out)?;
    }
    let mut table = PrintedTable::new([
        ("balance", Align::Left),
        ("value", Align::Left),
        (advice.classes[0].as_str(), Align::Right),
        (advice.classes[1].as_str(), Align::Right),
        ("log loss", Align::Right),
    ]);
    for cell in &recruitment.balance {
        table.row([
            cell.variable.clone(),
            cell.value.clone(),
            cell.counts[0].to_string(),
            cell.counts[1].to_string(),
            or_unknown(&cell.log_loss),
        ]);
    }
    table.write(out)?;
    if let Some((groups, largest)) = recruitment.groups {
        writeln!(
            out,
            "  {groups} groups; the largest has {largest} subject(s)."
        )?;
    }
    let Some(curve) = &recruitment.curve else {
        return Ok(());
    };
    let mut table = PrintedTable::new([
        ("further subjects", Align::Right),
        ("log loss falls by", Align::Right),
        ("AUC rises by", Align::Right),
    ]);
    for gain in &curve.gains {
        table.row([
            gain.further.to_string(),
            or_unknown(&gain.log_loss),
            or_unknown(&gain.auc),
        ]);
    }
    table.write(out)
}
