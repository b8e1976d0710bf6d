//! A session's page: its state, what was read, checked and sent, and who accessed it.

use crate::PageMeta;
use crate::console::ask_again::ATTEMPT;
use crate::console::findings::{Item, ScoreRow, checks, how_decided, items, reasons, scores};
use crate::console::labels;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Tone, badge, facts, time, time_to_second, time_utc};
use crate::console::sandbox;
use crate::console::table::{Table, cell, row_name};
use crate::console::webhooks::State;
use crate::console::words::{say, tell};
use domain::{
    document::DocumentType,
    named::Named,
    outcome::{Source, Verdict},
    reasons::Reason,
    sandbox::SandboxTime,
    session::{AttemptNumber, FailureReason, Status, Step},
    time::Timestamp,
};
use leptos::prelude::*;

/// The field of the form that reissues the link: how many links the page knew of.
pub(super) const LINKS: &str = "links";

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TimelineEntry {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: String,
    /// The note written with it.
    pub note: Option<String>,
    /// Its colour.
    pub tone: Tone,
}

/// A picture or burst, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Capture {
    /// What it shows, which try, which attempt.
    pub name: String,
    /// When.
    pub at: Timestamp,
    /// Pictures in it.
    pub frames: usize,
    /// Whether it counts.
    pub used: bool,
    /// Why it should be taken again.
    pub problems: Vec<String>,
}

/// An event and its delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    /// Event id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// When it happened.
    pub at: Timestamp,
    /// Where its delivery stands, and whether it was attempted; `None` for people who may not see that.
    pub delivery: Option<(State, bool)>,
}

/// An entry of the access log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogRow {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub who: String,
    /// What.
    pub what: String,
    /// What else is worth knowing.
    pub detail: Option<String>,
    /// From where.
    pub address: String,
}

/// The last decision and its reasons.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decided {
    /// The verdict.
    pub verdict: Verdict,
    /// By whom.
    pub source: Source,
    /// When.
    pub at: Timestamp,
    /// The reviewer's name.
    pub reviewer: Option<String>,
    /// The reviewer's note.
    pub note: Option<String>,
    /// Codes and sentences.
    pub reasons: Vec<(Named<Reason>, String)>,
    /// Name, result and colour.
    pub checks: Vec<(&'static str, String, Tone)>,
    /// Every score of the decision.
    pub scores: Vec<ScoreRow>,
}

/// The session.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SessionView {
    /// Its id.
    pub id: String,
    /// Status.
    pub status: Status,
    /// Why it failed.
    pub failure: Option<FailureReason>,
    /// Its steps.
    pub steps: Vec<Step>,
    /// Which attempt.
    pub attempt: AttemptNumber,
    /// Kind of document.
    pub document: Option<DocumentType>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires, or did.
    pub expires_at: Timestamp,
    /// When its last attempt was completed.
    pub completed_at: Option<Timestamp>,
    /// When the personal data was erased.
    pub erased_at: Option<Timestamp>,
    /// When the personal data will be erased, if that is planned.
    pub erasure_due_at: Option<Timestamp>,
    /// How many links it has had.
    pub links: usize,
    /// Until when a link can be opened.
    pub open_link_until: Option<Timestamp>,
    /// Compact JSON.
    pub metadata: Option<String>,
    /// Where the user is sent back to.
    pub callback_url: Option<String>,
    /// Whether personal data may be seen.
    pub personal: bool,
    /// Readings; empty if there are none or the person may not see them.
    pub items: Vec<Item>,
    /// The last decision.
    pub decided: Option<Decided>,
    /// What happened, oldest first.
    pub timeline: Vec<TimelineEntry>,
    /// Pictures.
    pub captures: Vec<Capture>,
    /// Events.
    pub events: Vec<Sent>,
    /// Access log, newest first.
    pub log: Vec<LogRow>,
    /// Whether it has older entries.
    pub log_goes_on: bool,
    /// Where all of them are, for those who may see the audit log.
    pub whole_log: Option<String>,
    /// Whether the person viewing the page can reissue the link.
    pub can_reissue: bool,
    /// Whether the person viewing the page can reprocess the session.
    pub can_reprocess: bool,
    /// Whether the person viewing the page can complete it with test data.
    pub can_complete: bool,
    /// Where its clock can be moved to.
    pub can_advance_to: Option<SandboxTime>,
    /// Whether the person viewing the page can erase the personal data now.
    pub can_erase: bool,
    /// Whether the case may be seen.
    pub can_open_case: bool,
    /// Whether deliveries may be seen.
    pub can_see_deliveries: bool,
}

/// `may_see_rules`: whether a link to how decisions are made leads anywhere.
fn decision(decided: &Decided, may_see_rules: bool) -> AnyView {
    let (word, tone) = labels::verdict(decided.verdict);
    let by = match (&decided.source, &decided.reviewer) {
        (Source::Automatic, _) => say("automatically", "自動判定").to_owned(),
        (Source::ManualReview, Some(name)) => tell!("by {name}", "{name}による判定"),
        (Source::ManualReview, None) => say("by a reviewer", "審査担当者による判定").to_owned(),
    };
    view! {
        <section class="panel">
            <h2>{say("Decision", "判定")}</h2>
            <p class="verdict">{badge(word, tone)}<span class="soft">{by}{say(", ", "、")}{time_utc(decided.at)}</span></p>
            {(!decided.reasons.is_empty()).then(|| reasons(&decided.reasons))}
            {decided.note.clone().map(|note| view! { <blockquote class="note-text"><p>{note}</p></blockquote> })}
            {checks(&decided.checks)}
            {(!decided.scores.is_empty()).then(|| view! {
                <details class="fold"><summary>{say("Scores and limits", "スコアとしきい値")}</summary>{scores(&decided.scores)}{may_see_rules.then(how_decided)}</details>
            })}
        </section>
    }
    .into_any()
}

fn timeline(entries: &[TimelineEntry]) -> AnyView {
    let items = entries
        .iter()
        .map(|entry| {
            let class = entry.tone.class();
            let note = entry.note.clone().map(|note| view! { <q class="soft">{note}</q> });
            view! { <li class=class><span>{entry.what.clone()}</span>{time(entry.at)}{note}</li> }
        })
        .collect_view();
    view! { <section class="panel"><h2>{say("Timeline (UTC)", "経過（UTC）")}</h2><ol class="timeline">{items}</ol></section> }
        .into_any()
}

fn captures(list: &[Capture], open: Option<String>) -> AnyView {
    if list.is_empty() {
        return ().into_any();
    }
    let rows = list.iter().map(|capture| {
        let mark = if capture.used {
            badge(say("used", "使用"), Tone::Good)
        } else {
            badge(say("not used", "不使用"), Tone::Plain)
        };
        let problems = (!capture.problems.is_empty()).then(|| capture.problems.join(" "));
        [
            row_name(capture.name.clone()),
            cell(mark),
            cell(capture.frames),
            cell(problems).class("soft"),
            cell(time(capture.at)).class("nowrap"),
        ]
    });
    let table = Table::new(
        say("Captures", "撮影"),
        [
            say("Capture", "画像"),
            say("State", "状態"),
            say("Pictures", "枚数"),
            say("Problems", "問題"),
            say("Taken (UTC)", "撮影日時（UTC）"),
        ],
    )
    .rows(rows);
    view! {
        <section class="panel">
            <div class="panel-head"><h2>{say("Captures", "撮影")}</h2>{open.map(|href| view! { <a href=href>{say("View pictures", "画像を表示")}</a> })}</div>
            {table}
        </section>
    }
    .into_any()
}

/// `may_see_deliveries`: whether the events lead to their deliveries, of which each row shows the state.
fn events(list: &[Sent], may_see_deliveries: bool) -> AnyView {
    if list.is_empty() {
        return ().into_any();
    }
    let rows = list.iter().map(|sent| {
        let href = format!("/admin/webhooks/{}", sent.id);
        let name = if may_see_deliveries {
            view! { <a class="mono" href=href>{crate::console::parts::short(&sent.id)}</a> }.into_any()
        } else {
            view! { <span class="mono">{crate::console::parts::short(&sent.id)}</span> }.into_any()
        };
        let delivery = sent.delivery.map(|(state, tried)| cell(state.badge(tried)));
        let rest = [
            cell(name),
            cell(sent.kind.clone()).class("mono"),
            cell(time(sent.at)).class("nowrap"),
        ];
        rest.into_iter().chain(delivery)
    });
    let columns = [
        say("Event", "イベント"),
        say("Type", "種類"),
        say("Recorded (UTC)", "記録日時（UTC）"),
    ];
    let delivery = may_see_deliveries.then(|| say("Delivery", "配信"));
    let table = Table::new(say("Events", "イベント"), columns.into_iter().chain(delivery)).rows(rows);
    view! { <section class="panel"><h2>{say("Events", "イベント")}</h2>{table}</section> }.into_any()
}

fn log(view: &SessionView) -> AnyView {
    if view.log.is_empty() {
        return ().into_any();
    }
    let rows = view.log.iter().map(|row| {
        [
            cell(time_to_second(row.at)).class("nowrap"),
            cell(row.who.clone()),
            cell(view! { {row.what.clone()}{row.detail.clone().map(|detail| view! { <span class="soft">{tell!(" ({detail})", "（{detail}）")}</span> })} }),
            cell(row.address.clone()).class("mono soft"),
        ]
    });
    let table = Table::new(
        say("Access log", "アクセスログ"),
        [
            say("When (UTC)", "日時（UTC）"),
            say("Who", "実行者"),
            say("What", "操作"),
            say("From", "接続元"),
        ],
    )
    .rows(rows);
    let more = view.log_goes_on.then(|| {
        let whole = view.whole_log.clone().map(|href| {
            view! { " "<a href=href>{say("All entries", "すべての記録")}</a> }
        });
        let sentence = tell!(
            "These are the newest {} entries.",
            "最新の{}件を表示しています。",
            view.log.len()
        );
        view! { <p class="hint">{sentence}{whole}</p> }
    });
    view! { <section class="panel"><h2>{say("Access log", "アクセスログ")}</h2>{table}{more}</section> }.into_any()
}

fn actions(view: &SessionView) -> AnyView {
    // Each form says what the page showed.
    let form = |shown: bool, path: &str, label: &'static str, (name, value): (&'static str, String)| {
        let action = format!("/admin/sessions/{}/{path}", view.id);
        shown.then(|| {
            view! { <form method="post" action=action><input type="hidden" name=name value=value/><button class="button secondary small" type="submit">{label}</button></form> }
        })
    };
    let erase = view.can_erase.then(|| {
        let href = format!("/admin/sessions/{}/erase", view.id);
        view! { <a class="button quiet small" href=href>{say("Erase now", "今すぐ消去")}</a> }
    });
    let case = (view.can_open_case && view.status == Status::Reviewing).then(|| {
        let href = format!("/admin/review/{}", view.id);
        view! { <a class="button primary small" href=href>{say("Review this case", "この案件を審査")}</a> }
    });
    view! {
        {erase}
        {form(view.can_reissue, "link", say("Reissue the link", "リンクを再発行"), (LINKS, view.links.to_string()))}
        {form(view.can_reprocess, "reprocess", say("Ask the user again", "再提出を依頼"), (ATTEMPT, view.attempt.to_string()))}
        {case}
    }
    .into_any()
}

fn summary(view: &SessionView) -> AnyView {
    let mut items = vec![
        (
            say("Session id", "セッションID"),
            view! { <code>{view.id.clone()}</code> }.into_any(),
        ),
        (
            say("Steps", "ステップ"),
            view.steps
                .iter()
                .map(|s| labels::step(*s))
                .collect::<Vec<_>>()
                .join(say(", ", "・"))
                .into_any(),
        ),
        (say("Created", "作成日時"), time_utc(view.created_at)),
    ];
    if matches!(view.status, Status::Created | Status::Collecting | Status::Expired) {
        items.push((say("Expires", "期限"), time_utc(view.expires_at)));
    }
    if let Some(until) = view.open_link_until {
        items.push((say("Link expires", "リンクの有効期限"), time_utc(until)));
    }
    if let Some(at) = view.completed_at {
        items.push((say("Completed", "完了日時"), time_utc(at)));
    }
    if let Some(at) = view.erasure_due_at {
        items.push((say("Erasure due", "個人情報の消去予定日時"), time_utc(at)));
    }
    if let Some(at) = view.erased_at {
        items.push((say("Personal data erased", "個人情報の消去日時"), time_utc(at)));
    }
    if view.attempt > AttemptNumber::FIRST {
        items.push((say("Attempt", "提出回数"), view.attempt.to_string().into_any()));
    }
    if let Some(kind) = view.document {
        items.push((say("Document", "本人確認書類"), labels::document(kind).into_any()));
    }
    if let Some(url) = view.callback_url.clone() {
        items.push((say("Returns to", "戻り先"), url.into_any()));
    }
    if let Some(metadata) = view.metadata.clone() {
        items.push((
            say("Metadata", "メタデータ"),
            view! { <code>{metadata}</code> }.into_any(),
        ));
    }
    view! { <section class="panel"><h2>{say("Session", "セッション")}</h2>{facts(items)}</section> }.into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &SessionView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let (status, tone) = labels::status(view.status);
    let failure = view
        .failure
        .map(|reason| view! { <p class="note">{labels::failure(reason)}</p> });
    let readings = if !view.personal {
        view! { <section class="panel"><h2>{say("Readings", "読み取り内容")}</h2><p class="soft">{say(
            "Your role does not have access to personal data.",
            "お使いの権限では個人情報を閲覧できません。",
        )}</p></section> }
        .into_any()
    } else if view.items.is_empty() {
        ().into_any()
    } else {
        view! { <section class="panel"><h2>{say("Readings", "読み取り内容")}</h2>{items(&view.items)}</section> }
            .into_any()
    };
    // Everybody of the tenant may know the rules, but an operator from elsewhere.
    let may_see_rules = view.personal || view.can_see_deliveries;
    let decided = view.decided.as_ref().map(|decided| decision(decided, may_see_rules));
    let pictures = view.can_open_case.then(|| format!("/admin/review/{}", view.id));
    let id = crate::console::parts::short(&view.id);
    let title = view! {
        <div class="head">
            <h1>{say("Session ", "セッション ")}<span class="mono">{id.clone()}</span>" "{badge(status, tone)}</h1>
            <div class="head-actions">{actions(view)}</div>
        </div>
    };
    let main = view! {
        <p class="crumb"><a href="/admin/sessions">{say("Sessions", "セッション")}</a></p>
        {title}
        {failure}
        <div class="two">
            <div class="stack">
                {decided}
                {readings}
                {captures(&view.captures, pictures)}
                {events(&view.events, view.can_see_deliveries)}
                {log(view)}
            </div>
            <div class="stack">
                {view.can_complete.then(|| sandbox::complete(&view.id))}
                {view.can_advance_to.map(|to| sandbox::advance(&view.id, to))}
                {summary(view)}
                {timeline(&view.timeline)}
            </div>
        </div>
        <script nonce=meta.nonce.clone() inner_html=include_str!("../local_times.js")></script>
    };
    page(frame, meta, &tell!("Session {id}", "セッション {id}"), main.into_any())
}
