//! Conversions from service results to view models that several pages use.

use super::{
    findings::{Item, ScoreRow},
    labels,
    parts::Tone,
    words::say,
};
use domain::{
    decision::{Score, contradictions},
    document::{FieldName, OcrField},
    findings::{DocumentFindings, superseded_items},
    input_match::{MatchItem, compare},
    named::Named,
    outcome::{Authenticity, Checks},
    reasons::Reason,
    request::PreRegistered,
    user_input::{Gender, UserInput},
};
use service::session::history::SessionHistory;

/// Codes with their sentences.
pub(super) fn reasons(codes: &[Named<Reason>]) -> Vec<(Named<Reason>, String)> {
    codes.iter().map(|code| (code.clone(), labels::reason(code))).collect()
}

/// Scores as shown.
pub(super) fn scores(scores: &[Score]) -> Vec<ScoreRow> {
    let row = |score: &Score| ScoreRow {
        name: score.name.clone(),
        value: score.value,
        threshold: score.threshold,
        passed: score.passed,
    };
    scores.iter().map(row).collect()
}

/// The system's reasons. Once a person has decided, the outcome has theirs.
pub(super) fn system_reasons(history: &SessionHistory) -> &[Named<Reason>] {
    match (&history.detail.outcome, history.decisions.last()) {
        (Some(outcome), Some(decided)) if outcome.review.is_some() => &decided.reasons,
        (Some(outcome), _) => &outcome.reasons,
        (None, _) => &[],
    }
}

/// Checks in words; `reasons` are those of the system.
pub(super) fn checks(checks: &Checks, reasons: &[Named<Reason>]) -> Vec<(&'static str, String, Tone)> {
    let mut shown = Vec::new();
    let confidence = |value: Option<f64>| match value {
        Some(value) => (format!("{value:.2}"), Tone::Plain),
        None => (say("not measured", "未測定").to_owned(), Tone::Warn),
    };
    if let Some(document) = &checks.document {
        let (word, tone) = match (document.performed, document.authenticity) {
            (false, _) => (say("not performed", "未実施"), Tone::Bad),
            (true, Some(Authenticity::Authentic)) => (say("authentic", "真正"), Tone::Good),
            (true, Some(Authenticity::Suspicious)) => (say("suspicious", "偽造の疑い"), Tone::Bad),
            (true, Some(Authenticity::Unknown)) => (say("could not be judged", "判定不能"), Tone::Warn),
            (true, None) => (say("not assessed", "未評価"), Tone::Warn),
        };
        shown.push((say("Document", "本人確認書類"), word.to_owned(), tone));
    }
    if let Some(selfie) = &checks.selfie {
        if selfie.performed {
            let (live, live_tone) = confidence(selfie.liveness_confidence);
            shown.push((say("Liveness", "生体検知"), live, live_tone));
            if checks.document.is_some() {
                let (same, same_tone) = confidence(selfie.face_match_confidence);
                shown.push((say("Face match", "顔照合"), same, same_tone));
            }
        } else {
            shown.push((
                say("Selfie", "自撮り写真"),
                say("not performed", "未実施").to_owned(),
                Tone::Bad,
            ));
        }
    }
    if let Some(input) = &checks.input_match {
        let is_partial = reasons.contains(&Named::Known(Reason::InputNotComparable));
        let (word, tone) = match input.matched {
            Some(true) if is_partial => (say("partly compared", "一部のみ照合"), Tone::Warn),
            Some(true) => (say("match", "一致"), Tone::Good),
            Some(false) => (say("do not match", "不一致"), Tone::Bad),
            None => (say("nothing to compare", "照合対象なし"), Tone::Warn),
        };
        shown.push((say("Entered data", "入力内容"), word.to_owned(), tone));
    }
    shown
}

/// What was found on the documents that count.
fn sides(history: &SessionHistory) -> Vec<DocumentFindings> {
    let attempt = history.detail.session.attempt;
    let counts = history
        .captures
        .iter()
        .filter(|taken| taken.used && taken.attempt == attempt);
    counts
        .filter_map(|taken| Some(taken.document.as_ref()?.expose().clone()))
        .collect()
}

/// As the console words it, if it is one that the system knows.
fn gender(code: &str) -> String {
    Gender::parse(code).map_or_else(|| code.to_owned(), |known| labels::gender(known).to_owned())
}

/// The item that a reading is compared as, and what was typed and pre-registered for it.
fn compared(
    name: FieldName,
    typed: Option<&UserInput>,
    known: Option<&PreRegistered>,
) -> (Option<MatchItem>, Option<String>, Option<String>) {
    match name {
        FieldName::LastName => (
            Some(MatchItem::LastName),
            typed.and_then(|t| t.last_name.clone()),
            known.and_then(|k| k.last_name.clone()),
        ),
        FieldName::FirstName => (
            Some(MatchItem::FirstName),
            typed.and_then(|t| t.first_name.clone()),
            known.and_then(|k| k.first_name.clone()),
        ),
        FieldName::LastNameKana => (
            Some(MatchItem::LastNameKana),
            typed.and_then(|t| t.last_name_kana.clone()),
            None,
        ),
        FieldName::FirstNameKana => (
            Some(MatchItem::FirstNameKana),
            typed.and_then(|t| t.first_name_kana.clone()),
            None,
        ),
        FieldName::BirthDate => (
            Some(MatchItem::BirthDate),
            typed.and_then(|t| t.birth_date.clone()),
            known.and_then(|k| k.birth_date.clone()),
        ),
        FieldName::Address => (
            Some(MatchItem::Address),
            typed.and_then(|t| t.address.clone()),
            known.and_then(|k| k.address.clone()),
        ),
        FieldName::Gender => (
            Some(MatchItem::Gender),
            None,
            known.and_then(|k| k.gender.map(labels::gender)).map(str::to_owned),
        ),
        _ => (None, None, None),
    }
}

/// Readings beside what was typed and pre-registered.
pub(super) fn items(history: &SessionHistory) -> Vec<Item> {
    let detail = &history.detail;
    let sides = sides(history);
    // What the print says otherwise than the machine-readable data.
    let printed: Vec<&OcrField> = contradictions(&sides);
    let superseded = superseded_items(&sides);
    let fields = detail.ocr.as_ref().map(|ocr| ocr.expose().clone()).unwrap_or_default();
    let typed = detail.typed.as_ref().map(|typed| typed.expose());
    let known = detail.pre_registered.as_ref().map(|known| known.expose());
    let matched = compare(&fields, typed, known).items;
    let mut items = Vec::new();
    for name in FieldName::ALL {
        let read = fields.iter().find(|field| field.name == *name);
        let document = read.and_then(|field| match name {
            // Reviewers compare these lines as they are printed.
            FieldName::Mrz => field.text.clone(),
            FieldName::Gender => field.normalized.as_deref().map(gender).or_else(|| field.text.clone()),
            _ => field.normalized.clone().or_else(|| field.text.clone()),
        });
        let (item, typed_text, known_text) = compared(*name, typed, known);
        if document.is_some() || typed_text.is_some() || known_text.is_some() {
            items.push(Item {
                field: *name,
                name: labels::field(*name),
                crop: None,
                document,
                printed: printed
                    .iter()
                    .find(|print| print.name == *name)
                    .and_then(|print| print.normalized.clone()),
                superseded: superseded.contains(name),
                typed: typed_text,
                known: known_text,
                matched: item.and_then(|item| matched.get(&item).copied()),
                lines: *name == FieldName::Mrz,
            });
        }
    }
    items
}
