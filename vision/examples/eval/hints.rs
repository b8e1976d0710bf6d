//! V6: whether a defect made on purpose is named by its own code, and clean pictures by none.

use crate::{look::Look, truth::Label};
use domain::share::Share;
use domain::{
    decision::{Earlier, Evidence, Policy, decide},
    document::DocumentType,
    reasons::Reason,
    session::{Plan, Step},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The codes that a picture may be sent back or doubted with for how it was taken.
const CODES: [Reason; 9] = [
    Reason::DocumentNotFound,
    Reason::DocumentCutOff,
    Reason::DocumentTooDark,
    Reason::DocumentGlare,
    Reason::DocumentBlurry,
    Reason::DocumentObstructed,
    Reason::DocumentNotInColor,
    Reason::DocumentScreenCapture,
    Reason::DocumentPrintedCopy,
];

/// The codes that the decision gives this picture.
pub(crate) fn codes(kind: DocumentType, look: &Look, today: time::Date) -> Vec<&'static str> {
    let plan = Plan {
        steps: vec![Step::Document],
    };
    let policy = Policy {
        accept_specimens: true,
        ..Policy::default()
    };
    let evidence = Evidence {
        plan: &plan,
        document_type: Some(kind),
        document: std::slice::from_ref(&look.findings),
        selfie: None,
        typed: None,
        known: None,
        earlier: &Earlier::default(),
        draw: 1.0,
        today,
    };
    let decision = decide(&evidence, &policy);
    let named = |reason: &&Reason| decision.reasons.contains(reason);
    CODES.iter().filter(named).map(|reason| reason.as_str()).collect()
}

/// Prints who was called what; answers the same for machines.
pub(crate) fn report(labels: &[&Label], looks: &[Look], today: time::Date) -> Value {
    let mut rows: BTreeMap<String, (usize, usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    let (mut alarms, mut clean, mut failures, mut pictures) = (0, 0, Vec::new(), Vec::new());
    for (label, look) in labels.iter().zip(looks) {
        let codes = codes(label.kind, look, today);
        let (name, good) = match label.defects.first() {
            Some(wanted) => (wanted.clone(), codes.contains(&wanted.as_str())),
            None => {
                clean += 1;
                alarms += usize::from(!codes.is_empty());
                (format!("(fair) {}", label.condition), codes.is_empty())
            }
        };
        let row = rows.entry(name).or_default();
        row.0 += usize::from(good);
        row.1 += 1;
        for code in &codes {
            *row.2.entry(code).or_default() += 1;
        }
        let findings = &look.findings;
        let measured = json!({"file": label.file, "defects": label.defects, "codes": codes, "quality": findings.quality,
            "grey": findings.grey_share, "raster": findings.raster_z, "halftone": findings.halftone_z, "outline": findings.outline,
            "portrait": findings.portrait.as_ref().map(|face| face.bounds), "layout": findings.layout.as_ref().map(|known| &known.layout),
            "lines": findings.text_lines});
        if !good {
            failures.push(measured.clone());
        }
        pictures.push(measured);
    }
    println!("V6: what was made, how often that and nothing else was to be said, and everything that was said");
    let mut out = serde_json::Map::new();
    for (name, (good, of, said)) in &rows {
        let share = Share::of(*good, *of);
        let said: Vec<String> = said
            .iter()
            .map(|(code, count)| format!("{} {count}", code.trim_start_matches("document_")))
            .collect();
        println!("  {name:<28} {:<32} {}", share.text(), said.join(", "));
        out.insert(name.clone(), json!({"share": share, "said": said}));
    }
    let alarms = Share::of(alarms, clean);
    println!("  fair pictures with a false alarm: {}", alarms.text());
    out.insert("false_alarms".to_owned(), json!(alarms));
    out.insert("failures".to_owned(), Value::Array(failures));
    out.insert("pictures".to_owned(), Value::Array(pictures));
    Value::Object(out)
}
