//! Readings, scores, reasons and checks, as shown on the session page and the case page.

use super::labels;
use super::parts::{Tone, badge, facts};
use domain::{decision::ScoreName, document::DocumentType, named::Named, reasons::Reason};
use leptos::prelude::*;

/// An item from up to three sources.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// What it is.
    pub name: &'static str,
    /// As read from the document.
    pub document: Option<String>,
    /// As printed on the document, if that contradicts its machine-readable data.
    pub printed: Option<String>,
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
    view! { <p class="soft">"Accepted evidence: "{labels::evidence(kind)}</p> }.into_any()
}

/// The readings side by side.
pub(crate) fn items(items: &[Item]) -> AnyView {
    let (typed, known) = (
        items.iter().any(|i| i.typed.is_some()),
        items.iter().any(|i| i.known.is_some()),
    );
    let rows = items
        .iter()
        .map(|item| {
            let mark = item.matched.map(|same| {
                if same {
                    badge("match", Tone::Good)
                } else {
                    badge("differs", Tone::Bad)
                }
            });
            let cell = |text: &Option<String>| {
                let text = text.clone();
                view! { <td class="value">{text.unwrap_or_else(|| "–".into())}</td> }
            };
            if item.lines {
                let text = item.document.clone();
                return view! {
                    <tr><th scope="row">{item.name}</th><td class="lines" colspan="4"><pre>{text}</pre></td></tr>
                }
                .into_any();
            }
            let differs = item.matched == Some(false) || item.printed.is_some();
            let class = if differs { "differs" } else { "" };
            let document = item.document.clone().unwrap_or_else(|| "–".into());
            let printed = item.printed.clone().map(|print| {
                view! { <p class="printed">{print}" "{badge("printed otherwise", Tone::Bad)}</p> }
            });
            view! {
                <tr class=class>
                    <th scope="row">{item.name}</th>
                    <td class="value">{document}{printed}</td>
                    {typed.then(|| cell(&item.typed))}
                    {known.then(|| cell(&item.known))}
                    <td>{mark}</td>
                </tr>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label="Readings">
            <table class="readings">
                <thead><tr>
                    <th scope="col">"Item"</th><th scope="col">"Document"</th>
                    {typed.then(|| view! { <th scope="col">"Typed"</th> })}
                    {known.then(|| view! { <th scope="col">"Pre-registered"</th> })}
                    <th scope="col"><span class="unseen">"Match"</span></th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// Numbers and limits.
pub(crate) fn scores(scores: &[ScoreRow]) -> AnyView {
    let rows = scores
        .iter()
        .map(|score| {
            let at_most = score.name.known().is_some_and(ScoreName::is_at_most);
            let limit = if at_most { "at most" } else { "at least" };
            let (word, tone) = if score.passed {
                ("passed", Tone::Good)
            } else {
                ("not passed", Tone::Bad)
            };
            let measured = format!("{:.2}, {limit} {:.2}", score.value, score.threshold);
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
