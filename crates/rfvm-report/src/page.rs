//! The page: one file with its style and script inside, and the parts that sections are made of.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use crate::palette::{chart_style, variables};

/// A page: title, what matters first, then its sections.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Page {
    pub title: String,
    /// A line under the title.
    pub subtitle: String,
    /// What comes before the first section.
    pub lead: Markup,
    pub sections: Vec<Section>,
    /// The last line.
    pub footer: Markup,
}

/// A part of the page that its contents list names.
#[derive(Debug, Clone)]
pub struct Section {
    id: String,
    title: String,
    body: Markup,
}

impl Section {
    /// A section; the id is for links to it.
    pub fn new(id: impl Into<String>, title: impl Into<String>, body: Markup) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            body,
        }
    }
}

impl Page {
    /// A page without content.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subtitle: subtitle.into(),
            lead: html! {},
            sections: Vec::new(),
            footer: html! {},
        }
    }

    /// The HTML file.
    pub fn render(&self) -> String {
        let style = format!(
            ":root{{color-scheme:light dark;{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n\
             @media print{{:root{{color-scheme:light;{}}}}}\n{}{}",
            variables(false),
            variables(true),
            variables(false),
            include_str!("page.css"),
            chart_style()
        );
        // Nothing may be fetched, whatever a name in the data tries.
        let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    link rel="icon" href="data:,";
                    title { (self.title) }
                    style { (PreEscaped(style)) }
                }
                body {
                    a .skip href="#content" { "Skip to the content" }
                    header {
                        h1 { (self.title) }
                        p .subtitle { (self.subtitle) }
                    }
                    div .columns {
                        nav aria-label="Contents" { ol {
                            @for section in &self.sections {
                                li { a href={ "#" (section.id) } { (section.title) } }
                            }
                        } }
                        main id="content" tabindex="-1" {
                            (self.lead)
                            @for section in &self.sections {
                                section id=(section.id) aria-labelledby={ (section.id) "-heading" } {
                                    h2 id={ (section.id) "-heading" } { (section.title) }
                                    (section.body)
                                }
                            }
                        }
                    }
                    footer { (self.footer) }
                    div id="tip" role="tooltip" hidden {}
                    div id="said" .unseen aria-live="polite" {}
                    script { (PreEscaped(include_str!("page.js"))) }
                }
            }
        };
        page.into_string()
    }
}

/// A chart in a card, with its heading and a line below.
pub fn figure(chart: &impl Render, heading: &str, caption: &str) -> Markup {
    card(chart, heading, caption, "card")
}

/// A chart over the whole width; on a narrow screen it scrolls.
pub fn wide_figure(chart: &impl Render, heading: &str, caption: &str) -> Markup {
    card(chart, heading, caption, "card wide")
}

/// A chart drawn twice: over the whole width, and for narrow screens; only one of them shows.
pub fn fitted_figure(
    wide: &impl Render,
    narrow: &impl Render,
    heading: &str,
    caption: &str,
) -> Markup {
    html! {
        figure .card.wide {
            h3 { (heading) }
            (picture(wide, heading, "picture roomy"))
            (picture(narrow, heading, "picture tight"))
            @if !caption.is_empty() { figcaption { (caption) } }
        }
    }
}

/// Arrow keys walk over the marks of the chart inside.
fn picture(chart: &impl Render, heading: &str, class: &str) -> Markup {
    html! {
        div class=(class) tabindex="0" role="group" aria-label={ (heading) ": chart; arrow keys read its marks" } { (chart) }
    }
}

fn card(chart: &impl Render, heading: &str, caption: &str, class: &str) -> Markup {
    html! {
        figure class=(class) {
            h3 { (heading) }
            (picture(chart, heading, "picture"))
            @if !caption.is_empty() { figcaption { (caption) } }
        }
    }
}

/// Cards side by side where there is room.
pub fn grid(cards: &[Markup]) -> Markup {
    html! { div .grid { @for card in cards { (card) } } }
}

/// A number that matters, what it is and what to think of it.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Tile {
    pub label: String,
    pub value: String,
    pub note: String,
}

impl Tile {
    /// A tile.
    pub fn new(
        label: impl Into<String>,
        value: impl Into<String>,
        note: impl Into<String>,
    ) -> Self {
        Self {
            label: label.into(),
            value: value.into(),
            note: note.into(),
        }
    }
}

/// A row of tiles.
pub fn tiles(tiles: &[Tile]) -> Markup {
    html! {
        dl .tiles {
            @for tile in tiles {
                div .tile { dt { (tile.label) } dd .value { (tile.value) } dd .about { (tile.note) } }
            }
        }
    }
}

/// A remark that should not be missed.
pub fn note(content: &Markup) -> Markup {
    html! { div .note { (content) } }
}

/// What is not there, and how to get it.
pub fn missing(what: &str) -> Markup {
    html! { p .missing { strong { "Not shown. " } (what) } }
}
