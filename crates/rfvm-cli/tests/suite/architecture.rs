//! The plan of the house, read from the sources: no modules that need each other in a circle, in any crate, and no import
//! from a layer above one's own in the engine.
//!
//! A module needs another where its code (tests apart) names a path into it; a module needs the modules it declares. So a
//! file that takes something from the folder it lies in makes a circle too: it is to name the file next to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The engine's layers, lowest first: each imports from those before it alone.
const ENGINE: [&str; 13] = [
    "error",
    "numerics",
    "data",
    "posterior",
    "params",
    "inference",
    "projection",
    "model",
    "fit",
    "evaluate",
    "summary",
    "validate",
    "simulate",
];

const CRATES: [&str; 6] = [
    "rfvm",
    "rfvm-io",
    "rfvm-report",
    "rfvm-study",
    "rfvm-cli",
    "rfvm-py",
];

/// Names that several types may have: the error of a crate, the options of a command.
const SHARED_NAMES: [&str; 2] = ["Error", "Options"];

/// What every module (by its path, `""` is the root) needs of the others.
type Needs = BTreeMap<String, BTreeSet<String>>;

/// Code without comments, text and the modules that are there for tests alone.
fn code(source: &str) -> String {
    // They come last in a file.
    let source = match source.find("mod tests {") {
        Some(tests) => &source[..source[..tests].rfind("#[cfg(test)]").unwrap_or(tests)],
        None => source,
    };
    let mut code = String::new();
    for line in source.lines() {
        let line = line.split("//").next().unwrap_or("");
        let outside_text = line.split('"').step_by(2);
        code.extend(outside_text);
        code.push('\n');
    }
    code
}

/// The paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`. Stops where the tree does.
fn paths(tree: &str) -> Vec<String> {
    let end = tree
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(tree.len());
    let (head, rest) = tree.split_at(end);
    if !((head.is_empty() || head.ends_with("::")) && rest.starts_with('{')) {
        return vec![head.to_string()];
    }
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for c in rest.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match c {
            '{' if depth == 1 => {}
            ',' if depth == 1 => parts.push(String::new()),
            _ if depth == 0 => break,
            _ => parts.last_mut().unwrap().push(c),
        }
    }
    let parts = parts.iter().map(|part| part.trim());
    let parts = parts.filter(|part| !part.is_empty());
    parts
        .flat_map(|part| paths(part).into_iter().map(|path| format!("{head}{path}")))
        .collect()
}

/// The modules of a crate, from their sources by path.
fn needs(sources: &BTreeMap<String, String>) -> Needs {
    let mut needs = Needs::new();
    for (module, source) in sources {
        let code = code(source);
        let found = needs.entry(module.clone()).or_default();
        let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
        for (start, above) in [("crate::", false), ("super::", true)] {
            for (at, _) in code.match_indices(start) {
                if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                    continue;
                }
                for path in paths(&code[at + start.len()..]) {
                    let path = match above {
                        true if !parent.is_empty() => format!("{parent}::{path}"),
                        _ => path,
                    };
                    found.insert(resolved(sources, &path));
                }
            }
        }
        let below = |other: &&String| match other.rsplit_once("::") {
            Some((folder, _)) => folder == module,
            None => module.is_empty() && !other.is_empty(),
        };
        found.extend(sources.keys().filter(below).cloned());
        found.remove(module);
    }
    needs
}

/// The longest beginning of a path that is a module.
fn resolved(sources: &BTreeMap<String, String>, path: &str) -> String {
    let mut path = path;
    while !sources.contains_key(path) {
        path = path.rsplit_once("::").map_or("", |(before, _)| before);
    }
    path.to_string()
}

/// The first circle of modules, or none.
fn circle(needs: &Needs) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    for module in needs.keys() {
        if let Some(circle) = walk(needs, module, &mut Vec::new(), &mut done) {
            return Some(circle);
        }
    }
    None
}

fn walk<'n>(
    needs: &'n Needs,
    module: &'n str,
    way: &mut Vec<&'n str>,
    done: &mut BTreeSet<&'n str>,
) -> Option<Vec<String>> {
    if let Some(at) = way.iter().position(|before| *before == module) {
        let circle = way[at..].iter().chain([&module]);
        return Some(circle.map(|module| (*module).to_string()).collect());
    }
    if !done.insert(module) {
        return None;
    }
    way.push(module);
    let found = needs[module]
        .iter()
        .find_map(|next| walk(needs, next, way, done));
    way.pop();
    found
}

/// Imports from a layer above, as `from -> to`.
fn upward(needs: &Needs, layers: &[&str]) -> Vec<String> {
    let layer = |module: &str| {
        let top = module.split("::").next().unwrap_or("");
        layers.iter().position(|layer| *layer == top)
    };
    let mut wrong = Vec::new();
    for (module, others) in needs {
        for other in others {
            if layer(other) > layer(module) && layer(module).is_some() {
                wrong.push(format!("{module} -> {other}"));
            }
        }
    }
    wrong
}

/// The types that code defines, whatever their visibility.
fn types(source: &str) -> Vec<String> {
    let mut types = Vec::new();
    for line in code(source).lines() {
        let mut words = line.split_whitespace();
        let Some(keyword) = words.find(|word| !word.starts_with("pub") && !word.ends_with(')'))
        else {
            continue;
        };
        if ["struct", "enum", "trait", "type"].contains(&keyword) && !line.starts_with("    ") {
            let name = words.next().unwrap_or("");
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
            types.push(name[..end.unwrap_or(name.len())].to_string());
        }
    }
    types
}

/// Types that have one name, with their places. `may` says which names a place may share with others.
fn namesakes(places: &[(String, String)], may: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let mut found = BTreeMap::<String, Vec<&str>>::new();
    for (place, source) in places {
        for name in types(source) {
            if !may(place, &name) {
                found.entry(name).or_default().push(place);
            }
        }
    }
    let several = found.iter().filter(|(_, places)| places.len() > 1);
    several
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect()
}

/// The sources of a crate by module, those of tests left out.
fn sources(krate: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(krate)
        .join("src");
    let mut sources = BTreeMap::new();
    let mut folders = vec![(root.clone(), String::new())];
    while let Some((folder, module)) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_string_lossy().to_string();
            let inner = match module.as_str() {
                "" => stem.clone(),
                outer => format!("{outer}::{stem}"),
            };
            if path.is_dir() && stem != "tests" {
                folders.push((path, inner));
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = match stem.as_str() {
                    "mod" => module.clone(),
                    "lib" | "main" if module.is_empty() => String::new(),
                    stem if stem.ends_with("tests") => continue,
                    _ => inner,
                };
                let text = fs::read_to_string(&path).unwrap();
                sources
                    .entry(name)
                    .or_insert_with(String::new)
                    .push_str(&text);
            }
        }
    }
    assert!(sources.len() > 5, "{krate} has modules");
    sources
}

#[test]
fn no_crate_has_modules_in_a_circle() {
    for krate in CRATES {
        let found = circle(&needs(&sources(krate)));
        assert!(found.is_none(), "{krate}: {}", found.unwrap().join(" -> "));
    }
}

#[test]
fn the_engine_imports_downwards_alone() {
    let needs = needs(&sources("rfvm"));
    let known = needs
        .keys()
        .map(|module| module.split("::").next().unwrap_or(""));
    let unknown: Vec<&str> = known
        .filter(|top| !top.is_empty() && !ENGINE.contains(top))
        .collect();
    assert!(unknown.is_empty(), "modules of no layer: {unknown:?}");
    assert_eq!(upward(&needs, &ENGINE), Vec::<String>::new());
}

#[test]
fn no_two_types_have_one_name() {
    let of = |krate: &str| {
        let place = |(module, text)| (format!("{krate}::{module}"), text);
        sources(krate).into_iter().map(place).collect::<Vec<_>>()
    };
    let places: Vec<(String, String)> = CRATES.iter().flat_map(|krate| of(krate)).collect();
    // What Python sees of a type carries its name.
    let may = |place: &str, name: &str| {
        SHARED_NAMES.contains(&name)
            || place.starts_with("rfvm-py::model")
            || place == "rfvm-py::multiclass"
            || place == "rfvm-py::watch"
    };
    assert_eq!(namesakes(&places, may), Vec::<String>::new());
}

/// The three checks above, on sources that are wrong.
#[test]
fn what_is_wrong_is_found() {
    let places = [
        ("a::x", "pub struct Table<'a> {\n    type Item = u8;\n}\n"),
        (
            "b::y",
            "pub(super) enum Table {}\n// struct Other\nstruct Other;\n",
        ),
        ("c::z", "trait Other {}\n"),
    ];
    let places = places.map(|(place, text)| (place.to_string(), text.to_string()));
    let found = namesakes(&places, |place, _| place == "c::z");
    assert_eq!(found, ["Table: a::x, b::y"]);

    let sources = |files: &[(&str, &str)]| -> BTreeMap<String, String> {
        let own = |(name, text): &(&str, &str)| ((*name).to_string(), (*text).to_string());
        files.iter().map(own).collect()
    };
    let fine = [
        ("", "mod low; mod high;"),
        (
            "low",
            "//! crate::high is above.\nfn low() {}\n#[cfg(test)]\nmod tests {\n    use crate::high::High;\n}\n",
        ),
        ("high", "use crate::low::low;\nmod part;\n"),
        ("high::part", "use crate::low::{self, low};\n"),
    ];
    assert_eq!(circle(&needs(&sources(&fine))), None);
    assert!(upward(&needs(&sources(&fine)), &["low", "high"]).is_empty());
    // By a line of `use`, by a path in the code, inside braces, and from the folder one lies in.
    for (at, text) in [
        (1, "use crate::high::High;\n"),
        (1, "fn low() { crate::high::part::high() }\n"),
        (1, "use crate::{\n    other, high::{part::High},\n};\n"),
        (3, "use super::High;\n"),
    ] {
        let mut wrong = fine;
        wrong[at].1 = text;
        let needs = needs(&sources(&wrong));
        assert!(circle(&needs).is_some(), "{text}");
        assert_eq!(
            upward(&needs, &["low", "high"]).is_empty(),
            at == 3,
            "{text}"
        );
    }
}
