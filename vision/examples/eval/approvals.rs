//! V7: whether anything but a person's own, untouched document of the chosen kind is approved.
//!
//! Everything else speaks for the attacker: the selfie is alive and fits the portrait that is shown, and what was typed is what
//! stands on the document. Specimens count as genuine.

use crate::{
    Done,
    look::{Look, Looker, Task},
    truth::Label,
};
use domain::share::Share;
use domain::{
    decision::{Decision, Earlier, Evidence, Policy, decide},
    document::{DocumentType, FieldName, Side},
    findings::{
        Challenge, DocumentFindings, Face, LiveFindings, LivenessFindings, Movement, SelfieFindings, SelfieSigns,
    },
    outcome::Verdict,
    session::{Plan, Step},
    user_input::UserInput,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How far a person's selfie is from the portrait, in the descriptor's distance.
const LIKENESS: f32 = 0.4;

/// One attempt: pictures of sides, shown as a kind.
struct Attempt<'a> {
    name: String,
    chosen: DocumentType,
    shown: Vec<(&'a Label, Side)>,
    honest: bool,
}

/// Every pairing of what is chosen with what is shown.
fn attempts<'a>(labels: &[&'a Label]) -> Vec<Attempt<'a>> {
    let find = |document: usize, side: Side| {
        labels
            .iter()
            .copied()
            .find(|l| l.document == document && l.side == side && l.deceit.is_none())
    };
    let fronts: Vec<&Label> = labels.iter().copied().filter(|l| l.side == Side::Front).collect();
    let mut attempts = Vec::new();
    for (index, &front) in fronts.iter().enumerate() {
        let back = find(front.document, Side::Back);
        let kind = front.kind;
        let two = kind.sides().len() == 2;
        let mut push = |name: &str, chosen: DocumentType, shown: Vec<(&'a Label, Side)>, honest| {
            attempts.push(Attempt {
                name: name.to_owned(),
                chosen,
                shown,
                honest,
            });
        };
        let own: Vec<_> = std::iter::once((front, Side::Front))
            .chain(back.map(|back| (back, Side::Back)))
            .collect();
        if let Some(deceit) = &front.deceit {
            let how = if deceit.digital { ", edited" } else { "" };
            push(&format!("{}{how}", deceit.what), kind, own, false);
            continue;
        }
        push("honest", kind, own, true);
        for &chosen in DocumentType::ALL.iter().filter(|chosen| **chosen != kind) {
            let sides = chosen.sides();
            // Both sides of the document, and the front for all of them.
            let shown = sides.iter().map(|&side| {
                (
                    if side == Side::Back {
                        back.unwrap_or(front)
                    } else {
                        front
                    },
                    side,
                )
            });
            push("another kind was chosen", chosen, shown.collect(), false);
            if sides.len() == 2 && back.is_some() {
                push(
                    "another kind was chosen, front twice",
                    chosen,
                    sides.iter().map(|&side| (front, side)).collect(),
                    false,
                );
            }
        }
        if !two {
            continue;
        }
        push(
            "front twice",
            kind,
            vec![(front, Side::Front), (front, Side::Back)],
            false,
        );
        if let Some(back) = back {
            push("back twice", kind, vec![(back, Side::Front), (back, Side::Back)], false);
            push(
                "sides swapped",
                kind,
                vec![(back, Side::Front), (front, Side::Back)],
                false,
            );
        }
        let untouched = |label: &&&Label| label.deceit.is_none() && label.document != front.document;
        let others = || {
            fronts
                .iter()
                .cycle()
                .skip(index + 1)
                .take(fronts.len())
                .filter(untouched)
        };
        // The back of another person's document of the same layout, and of another kind of the same person's.
        let stranger = others().find(|l| l.layout == front.layout && l.person != front.person);
        if let Some(back) = stranger.and_then(|stranger| find(stranger.document, Side::Back)) {
            push(
                "another person's back",
                kind,
                vec![(front, Side::Front), (back, Side::Back)],
                false,
            );
        }
        let own_other = others().find(|l| l.person == front.person && l.kind != kind);
        if let Some(&other) = own_other {
            let back = find(other.document, Side::Back).unwrap_or(other);
            push(
                "the same person's other document as back",
                kind,
                vec![(front, Side::Front), (back, Side::Back)],
                false,
            );
        }
    }
    attempts
}

/// Tries every pair; prints what was approved.
pub(crate) fn report(looker: &Looker<'_>, labels: &[&Label], today: time::Date) -> Done<Value> {
    let attempts = attempts(labels);
    let mut tasks: Vec<Task> = Vec::new();
    let mut known: BTreeMap<(String, &str, &str), usize> = BTreeMap::new();
    for attempt in &attempts {
        for (label, side) in &attempt.shown {
            known
                .entry((label.file.clone(), attempt.chosen.as_str(), side.as_str()))
                .or_insert_with(|| {
                    tasks.push(Task {
                        path: label.path(),
                        kind: attempt.chosen,
                        side: *side,
                    });
                    tasks.len() - 1
                });
        }
    }
    let looks = looker.all(&tasks, "V7")?;
    let mut rows: BTreeMap<&str, (usize, usize, BTreeMap<String, usize>)> = BTreeMap::new();
    let (mut approved, mut honest_failures) = (Vec::new(), Vec::new());
    for attempt in &attempts {
        let sides: Vec<DocumentFindings> = attempt
            .shown
            .iter()
            .filter_map(|(label, side)| known.get(&(label.file.clone(), attempt.chosen.as_str(), side.as_str())))
            .filter_map(|&index| looks.get(index))
            .map(|look: &Look| look.findings.clone())
            .collect();
        let decision = judge(attempt, &sides, today);
        let row = rows.entry(&attempt.name).or_default();
        row.1 += 1;
        for reason in &decision.reasons {
            *row.2.entry(reason.to_string()).or_default() += 1;
        }
        let files: Vec<&str> = attempt.shown.iter().map(|(label, _)| label.file.as_str()).collect();
        if decision.verdict == Verdict::Approved {
            row.0 += 1;
            if !attempt.honest {
                println!(
                    "  APPROVED {} as {}: {}",
                    attempt.name,
                    attempt.chosen,
                    files.join(" + ")
                );
                approved.push(json!({"attempt": attempt.name, "chosen": attempt.chosen, "files": files}));
            }
        } else if attempt.honest {
            honest_failures.push(json!({"files": files, "reasons": decision.reasons}));
        }
    }
    println!("V7: attempts that were approved, and the reasons of the others");
    let mut out = serde_json::Map::new();
    for (name, (approved, of, reasons)) in &rows {
        let share = Share::of(*approved, *of);
        let mut most: Vec<(&String, &usize)> = reasons.iter().collect();
        most.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let most: Vec<String> = most
            .iter()
            .take(6)
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        println!("  {name:<44} {:<32} {}", share.text(), most.join(", "));
        out.insert((*name).to_owned(), json!({"approved": share, "reasons": reasons}));
    }
    out.insert("falsely_approved".to_owned(), Value::Array(approved));
    out.insert("honest_not_approved".to_owned(), Value::Array(honest_failures));
    Ok(Value::Object(out))
}

fn judge(attempt: &Attempt<'_>, sides: &[DocumentFindings], today: time::Date) -> Decision {
    let plan = Plan {
        steps: vec![Step::Document, Step::Selfie],
    };
    let portrait = sides.iter().find_map(|side| side.portrait.clone());
    let selfie = selfie(portrait);
    let typed = attempt.shown.first().map(|(label, _)| typed(label));
    let policy = Policy {
        accept_specimens: true,
        ..Policy::default()
    };
    let evidence = Evidence {
        plan: &plan,
        document_type: Some(attempt.chosen),
        document: sides,
        selfie: Some(&selfie),
        typed: typed.as_ref(),
        known: None,
        earlier: &Earlier::default(),
        draw: 1.0,
        today,
    };
    decide(&evidence, &policy)
}

/// A living person who looks like the portrait.
fn selfie(portrait: Option<Face>) -> SelfieFindings {
    let face = portrait.map(|mut face| {
        if let Some(first) = face.descriptor.first_mut() {
            *first += LIKENESS;
        }
        face
    });
    let mut quality = domain::findings::Quality::default();
    (quality.sharpness, quality.exposure) = (0.9, 0.5);
    SelfieFindings {
        quality,
        frames: 15,
        faces: 1,
        face,
        face_crop: None,
        best_frame: Some(0),
        watched_faces: Vec::new(),
        poses: Vec::new(),
        repeated_files: 0,
        liveness: Some(LivenessFindings {
            movements: vec![Movement {
                challenge: Challenge::TurnLeft,
                extent: 0.5,
                plane_residual: Some(0.15),
            }],
            frontal_yaw: 0.02,
            same_person_distance: Some(0.3),
            turned_person_distance: Some(0.4),
            still: false,
            live: Some(LiveFindings {
                answered_ms: vec![900],
                same_frames: true,
                watched: None,
                commitment: None,
                run: 1,
                repeated_frames: 0,
                unseen_turns: 0,
                flashes: None,
            }),
            colours_followed: None,
        }),
        signs: SelfieSigns {
            eyes_covered: Some(0.1),
            mouth_covered: Some(0.1),
            grid: Some(0.7),
            in_card: Some(0.0),
        },
        passive: None,
        unavailable: Vec::new(),
        models: Vec::new(),
        timings: Vec::new(),
    }
}

/// What stands on the document, as its owner would type it.
fn typed(label: &Label) -> UserInput {
    let value = |name| {
        label
            .fields
            .iter()
            .find(|field| field.name == name)
            .map(|field| field.normalized.clone())
    };
    UserInput {
        last_name: value(FieldName::LastName),
        first_name: value(FieldName::FirstName),
        birth_date: value(FieldName::BirthDate).filter(|date| !date.is_empty()),
        address: value(FieldName::Address),
        ..UserInput::default()
    }
}
