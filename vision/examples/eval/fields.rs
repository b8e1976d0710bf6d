//! V0: the items of documents, right, wrong or left out, by layout, circumstance and item. V1 beside it: whole zones for machines.

use crate::{
    compare::{Item, Read, items},
    look::Look,
    truth::Label,
};
use domain::share::Share;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Counts of one row of the table.
#[derive(Clone, Copy, Default)]
struct Row {
    right: usize,
    wrong: usize,
    left_out: usize,
}

impl Row {
    fn add(&mut self, read: Read) {
        match read {
            Read::Right => self.right += 1,
            Read::Wrong => self.wrong += 1,
            Read::LeftOut => self.left_out += 1,
        }
    }

    fn shares(self) -> [Share; 2] {
        let all = self.right + self.wrong + self.left_out;
        [Share::of(self.right, all), Share::of(self.wrong, all)]
    }
}

/// One picture and how its items were read.
pub(crate) struct Case<'a> {
    pub(crate) label: &'a Label,
    pub(crate) items: Vec<Item>,
}

impl Case<'_> {
    /// How many are so.
    pub(crate) fn count(&self, read: Read) -> usize {
        self.items.iter().filter(|item| item.read == read).count()
    }
}

/// Compares every fair picture with its label.
pub(crate) fn cases<'a>(labels: &[&'a Label], looks: &[Look]) -> Vec<Case<'a>> {
    labels
        .iter()
        .zip(looks)
        .map(|(label, look)| Case {
            label,
            items: items(label, &look.findings),
        })
        .collect()
}

/// Prints the tables; answers them for machines.
pub(crate) fn report(name: &str, cases: &[Case<'_>]) -> Value {
    let mut whole = Row::default();
    let mut tables: [(&str, BTreeMap<String, Row>); 3] = [
        ("layout", BTreeMap::new()),
        ("circumstance", BTreeMap::new()),
        ("item", BTreeMap::new()),
    ];
    for case in cases {
        for item in &case.items {
            whole.add(item.read);
            let keys = [
                case.label.layout.clone(),
                case.label.condition.clone(),
                item.name.to_string(),
            ];
            for ((_, rows), key) in tables.iter_mut().zip(keys) {
                rows.entry(key).or_default().add(item.read);
            }
        }
    }
    let [right, wrong] = whole.shares();
    println!(
        "{name}: {} pictures; right {}, wrong {}",
        cases.len(),
        right.text(),
        wrong.text()
    );
    let mut out = serde_json::Map::new();
    out.insert(
        "all".to_owned(),
        json!({"right": right, "wrong": wrong, "pictures": cases.len()}),
    );
    for (table, rows) in &tables {
        println!("  {table:<40} {:<34} {:<30} left out", "right", "wrong");
        for (key, row) in rows {
            let [right, wrong] = row.shares();
            println!("  {key:<40} {:<34} {:<30} {}", right.text(), wrong.text(), row.left_out);
        }
        let json: serde_json::Map<String, Value> = rows
            .iter()
            .map(|(key, row)| {
                let [right, wrong] = row.shares();
                (
                    key.clone(),
                    json!({"right": right, "wrong": wrong, "left_out": row.left_out}),
                )
            })
            .collect();
        out.insert((*table).to_owned(), Value::Object(json));
    }
    let failures: Vec<Value> = cases
        .iter()
        .filter(|case| case.count(Read::Right) < case.items.len())
        .map(|case| {
            let failed: Vec<&Item> = case.items.iter().filter(|item| item.read != Read::Right).collect();
            json!({"file": case.label.file, "items": failed})
        })
        .collect();
    out.insert("failures".to_owned(), Value::Array(failures));
    Value::Object(out)
}
