//! Readings, scores, reasons and checks, as shown on the session page and the case page.

use super::differences::marked;
use super::labels;
use super::parts::{Tone, badge, facts};
use super::table::{Row, Table, cell, row_name};
use super::words::{say, tell};
use crate::parts::crop::{Crop, cropped};
use domain::{
    decision::ScoreName,
    document::{DocumentType, FieldName},
    named::Named,
    reasons::Reason,
};
use leptos::prelude::*;

/// An item from up to three sources.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// What it is.
    pub field: FieldName,
    /// Its name.
    pub name: &'static str,
    /// How it looks on the document, if the page may show pictures and its place is known.
    pub crop: Option<Crop>,
    /// As read from the document.
    pub document: Option<String>,
    /// As printed on the document, if that contradicts its machine-readable data.
    pub printed: Option<String>,
    /// Whether a later entry on the document replaces it.
    pub superseded: bool,
    /// As typed by the user.
    pub typed: Option<String>,
    /// As sent by the tenant.
    pub known: Option<String>,
    /// Whether they agree; `None` if there was nothing to compare.
    pub matched: Option<bool>,
    /// Whether line breaks are kept.
    pub lines: bool,
}

impl std::fmt::Debug for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Item({})", self.name)
    }
}

/// A score that the decision used.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScoreRow {
    /// What was measured.
    pub name: Named<ScoreName>,
    /// Its value.
    pub value: f64,
    /// Its limit.
    pub threshold: f64,
    /// Whether the value is within the limit.
    pub passed: bool,
}

/// The evidence accepted for this kind of document, shown beside what was found.
pub(crate) fn evidence(kind: DocumentType) -> AnyView {
    view! { <p class="soft">{say("Accepted evidence: ", "真正と認める根拠は次のとおりです。")}{labels::evidence(kind)}</p> }
        .into_any()
}

/// The readings side by side; where they differ, the letters that do are marked.
pub(crate) fn items(items: &[Item]) -> AnyView {
    let (typed, known) = (
        items.iter().any(|i| i.typed.is_some()),
        items.iter().any(|i| i.known.is_some()),
    );
    let crops = items.iter().any(|i| i.crop.is_some());
    let columns = [
        Some(say("Item", "項目")),
        crops.then_some(say("On the document", "書類の印字")),
        Some(if crops {
            say("Read", "読み取り")
        } else {
            say("Document", "本人確認書類")
        }),
        typed.then_some(say("Typed", "入力")),
        known.then_some(say("Pre-registered", "事前登録")),
    ];
    Table::new(say("Readings", "読み取り内容"), columns.into_iter().flatten())
        .unseen(say("Match", "一致"))
        .class("cards readings")
        .rows(items.iter().map(|item| row(item, [crops, typed, known])))
}

fn row(item: &Item, [crops, typed, known]: [bool; 3]) -> Row {
    let crop = item
        .crop
        .as_ref()
        .map(|crop| cropped(crop, tell!("{}, as printed", "{}（印字）", item.name)));
    if item.lines {
        let text = view! { {crop}<pre tabindex="0">{item.document.clone()}</pre> };
        return Row::from([row_name(item.name), cell(text).class("lines").over(5)]);
    }
    let has_other = item.typed.is_some() || item.known.is_some();
    let mark = match item.matched {
        Some(true) => Some(badge(say("match", "一致"), Tone::Good)),
        Some(false) => Some(badge(say("differs", "不一致"), Tone::Bad)),
        None => has_other.then(|| badge(say("not compared", "未比較"), Tone::Plain)),
    };
    let differs = item.matched == Some(false);
    let beside = |text: &Option<String>| cell(value(text.as_deref(), item.document.as_deref(), differs)).class("value");
    // The document's own letters are marked against the first source that differs from it.
    let other = [&item.typed, &item.known].into_iter().flatten();
    let other = other.into_iter().find(|other| item.document.as_ref() != Some(*other));
    let printed = item.printed.as_ref().map(|print| {
        let print = value(Some(print), item.document.as_deref(), true);
        view! { <p class="printed">{print}" "{badge(say("Print differs", "印字は異なる"), Tone::Bad)}</p> }
    });
    let superseded = (item.superseded && item.document.is_some()).then(|| {
        let words = say("Replaced by a later entry", "追記により変更あり");
        view! { <p class="printed">{badge(words, Tone::Warn)}</p> }
    });
    let document = value(item.document.as_deref(), other.map(String::as_str), differs);
    let cells = [
        Some(row_name(item.name)),
        crops.then(|| cell(crop.map(IntoAny::into_any).unwrap_or_else(|| "–".into_any())).class("as-printed")),
        Some(cell(view! { {document}{printed}{superseded} }).class("value")),
        typed.then(|| beside(&item.typed)),
        known.then(|| beside(&item.known)),
        Some(cell(mark)),
    ];
    let row = Row::from(cells.into_iter().flatten());
    if differs || item.printed.is_some() {
        row.class("differs")
    } else {
        row
    }
}

fn value(text: Option<&str>, other: Option<&str>, differs: bool) -> AnyView {
    match (text, other) {
        (None, _) => "–".into_any(),
        (Some(text), Some(other)) if differs => marked(text, other),
        (Some(text), _) => text.to_owned().into_any(),
    }
}

/// Numbers and limits.
pub(crate) fn scores(scores: &[ScoreRow]) -> AnyView {
    let rows = scores
        .iter()
        .map(|score| {
            let known = score.name.known();
            let digits = if known.is_some_and(ScoreName::is_count) { 0 } else { 2 };
            let [value, limit] = [score.value, score.threshold].map(|number| format!("{number:.digits$}"));
            let measured = if known.is_some_and(ScoreName::is_at_most) {
                tell!("{value}, no more than {limit}", "{value}（{limit}以下）")
            } else {
                tell!("{value}, at least {limit}", "{value}（{limit}以上）")
            };
            let (word, tone) = if score.passed {
                (say("passed", "合格"), Tone::Good)
            } else {
                (say("not passed", "不合格"), Tone::Bad)
            };
            view! {
                <li>
                    <span>{labels::score(&score.name)}<span class="soft">{measured}</span></span>
                    {badge(word, tone)}
                </li>
            }
        })
        .collect_view();
    view! { <ul class="scores">{rows}</ul> }.into_any()
}

/// Where the limits come from.
pub(crate) fn how_decided() -> AnyView {
    view! { <p><a class="button quiet small" href="/admin/decisions">{say("How decisions are made", "判定の仕組み")}</a></p> }.into_any()
}

/// Reasons with their codes.
pub(crate) fn reasons(reasons: &[(Named<Reason>, String)]) -> AnyView {
    let items = reasons
        .iter()
        .map(|(code, sentence)| view! { <li><span>{sentence.clone()}</span><code>{code.to_string()}</code></li> })
        .collect_view();
    view! { <ul class="reasons">{items}</ul> }.into_any()
}

/// Checks in words.
pub(crate) fn checks(checks: &[(&'static str, String, Tone)]) -> AnyView {
    facts(
        checks
            .iter()
            .map(|(name, result, tone)| (*name, badge(result.clone(), *tone)))
            .collect(),
    )
}
