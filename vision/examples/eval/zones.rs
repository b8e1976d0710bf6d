//! V1: machine-readable zones of which every line is right.

use crate::{
    Done,
    look::{Look, Looker, Task, times},
    truth::Label,
};
use domain::document::{DocumentType, Side};
use domain::share::Share;
use serde_json::{Value, json};
use std::{fs, path::Path};

/// Rendered pictures, by layout.
pub(crate) fn rendered(labels: &[&Label], looks: &[Look]) -> Value {
    let mut rows: std::collections::BTreeMap<&str, (usize, usize)> = Default::default();
    let mut missed = Vec::new();
    let pairs = labels.iter().zip(looks).filter(|(label, _)| !label.mrz.is_empty());
    for (label, look) in pairs {
        let read = look
            .findings
            .mrz
            .as_ref()
            .map(|mrz| mrz.lines.clone())
            .unwrap_or_default();
        let row = rows.entry(&label.layout).or_default();
        row.1 += 1;
        if read == label.mrz {
            row.0 += 1;
        } else {
            missed.push(json!({"file": label.file, "wanted": label.mrz, "read": read}));
        }
    }
    println!("V1 rendered: all lines of a machine-readable zone right");
    let mut out = serde_json::Map::new();
    for (layout, (hits, of)) in rows {
        let share = Share::of(hits, of);
        println!("  {layout:<40} {}", share.text());
        out.insert(layout.to_owned(), json!(share));
    }
    out.insert("missed".to_owned(), Value::Array(missed));
    Value::Object(out)
}

/// The public specimens of `mrz/labels.csv`: file, then the lines joined by `|`.
pub(crate) fn public(looker: &Looker<'_>, folder: &Path) -> Done<Value> {
    let text = fs::read_to_string(folder.join("labels.csv"))?;
    let rows: Vec<(&str, &str)> = text.lines().skip(1).filter_map(|row| row.split_once(',')).collect();
    let task = |(file, _): &(&str, &str)| Task {
        path: folder.join(file),
        kind: DocumentType::Passport,
        side: Side::Front,
    };
    let tasks: Vec<Task> = rows.iter().map(task).collect();
    let looks = looker.all(&tasks, "V1 public")?;
    let mut missed = Vec::new();
    for ((file, wanted), look) in rows.iter().zip(&looks) {
        let read = look
            .findings
            .mrz
            .as_ref()
            .map(|mrz| mrz.lines.join("|"))
            .unwrap_or_default();
        if read != *wanted {
            println!("  {file}\n    wanted {wanted}\n    read   {read}");
            missed.push(json!({"file": file, "wanted": wanted, "read": read}));
        }
    }
    let share = Share::of(rows.len() - missed.len(), rows.len());
    println!("V1 public: {}", share.text());
    let times = times(&looks);
    times.print();
    Ok(json!({"share": share, "missed": missed, "milliseconds": times.json()}))
}
