//! The review queue: waiting cases, oldest first.

use crate::PageMeta;
use crate::console::case::take_or_give_back;
use crate::console::labels;
use crate::console::layout::{Frame, page};
use crate::console::parts::{
    Tone, age, badge, duration, empty, grouped, heading, next_page, select, shortcuts, time_utc,
};
use crate::console::selection::{QUEUE, Selection};
use crate::console::table::{Cell, Table, cell};
use crate::console::words::{say, tell};
use domain::{
    document::DocumentType,
    ids::UserId,
    named::Named,
    reasons::Reason,
    time::{Millis, Timestamp},
};
use leptos::prelude::*;
use service::{review::ReasonCounts, stored::Colleague};

/// Who has reserved a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// The person viewing the page.
    Me,
    /// Somebody else, by name.
    Colleague(String),
}

/// A waiting case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Waiting {
    /// Session id.
    pub id: String,
    /// When the automatic decision sent it to review.
    pub since: Timestamp,
    /// Kind of document.
    pub document: Option<DocumentType>,
    /// Codes.
    pub reasons: Vec<Named<Reason>>,
    /// Face match, 0 to 1.
    pub face_match: Option<f64>,
    /// Liveness, 0 to 1.
    pub liveness: Option<f64>,
    /// Who is to decide it.
    pub assigned_to: Option<Colleague>,
    /// Who has reserved it.
    pub held_by: Option<Holder>,
}

/// The queue.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QueueView {
    /// Which part of it.
    pub selection: Selection,
    /// How many cases there are, and how many have each reason, the most frequent first.
    pub counts: ReasonCounts,
    /// The cases.
    pub rows: Vec<Waiting>,
    /// Whether a case waits that nobody else has, on whatever page it is.
    pub has_next: bool,
    /// After which case this page begins; empty for the first page.
    pub after: String,
    /// Address of the next page.
    pub next: Option<String>,
    /// Within what time a case should be decided.
    pub target: Millis,
    /// Now.
    pub now: Timestamp,
    /// How many cases of the tenant are waiting.
    pub backlog: i64,
    /// Who views the page.
    pub me: UserId,
    /// Where the script asks for what has changed.
    pub live: String,
    /// Names the state that is shown.
    pub version: String,
}

impl QueueView {
    fn case(&self, id: &str) -> String {
        self.selection.href(&format!("{QUEUE}/{id}"))
    }
}

/// How long a case has been waiting, against the target: a bar, and a word once it is late.
fn waiting(since: Timestamp, target: Millis, now: Timestamp) -> AnyView {
    let waited = (now.as_millis() - since.as_millis()).max(0);
    let percent = waited.saturating_mul(100) / target.0.max(1);
    let class = match percent {
        ..75 => "kept",
        75..100 => "near",
        _ => "late",
    };
    let late = (percent >= 100).then(|| badge(say("late", "目標超過"), Tone::Bad));
    let bar = format!(
        r#"<rect class="ground" width="100" height="5"/><rect class="{class}" width="{}" height="5"/>"#,
        percent.min(100)
    );
    view! {
        <p class="nowrap"><strong>{age(since, now)}</strong>" "{late}</p>
        <svg class="age-bar" viewBox="0 0 100 5" preserveAspectRatio="none" aria-hidden="true" focusable="false" inner_html=bar></svg>
        <span class="soft nowrap">{time_utc(since)}</span>
    }
    .into_any()
}

fn row(case: &Waiting, view: &QueueView) -> [Cell; 7] {
    let href = view.case(&case.id);
    let score = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    let more = case.reasons.len().saturating_sub(1);
    let first = case.reasons.first().map(labels::reason).unwrap_or_default();
    let holder = case.held_by.as_ref().map(|holder| match holder {
        Holder::Me => badge(say("Reserved for you", "自分が対応中"), Tone::Live),
        Holder::Colleague(name) => badge(tell!("Reserved by {name}", "{name}が対応中"), Tone::Warn),
    });
    let assignee = case.assigned_to.as_ref().map(|colleague| {
        let name = if colleague.id == view.me {
            say("You", "自分").to_owned()
        } else {
            colleague.name.clone()
        };
        view! { <span>{name}</span> }
    });
    let action = format!("{QUEUE}/{}/take", case.id);
    let action = view.selection.href_after(&action, &view.after);
    let assign = take_or_give_back(case.assigned_to.as_ref(), &view.me, action, &case.id);
    let more = (more > 0).then(|| view! { <span class="soft">{tell!(" and {more} more", " ほか{more}件")}</span> });
    [
        cell(waiting(case.since, view.target, view.now)),
        cell(case.document.map_or("–", labels::document)),
        cell(view! { {first}{more} }),
        cell(score(case.face_match)).class("number"),
        cell(score(case.liveness)).class("number"),
        cell(view! { <div class="assignee">{assignee}{holder}{assign}</div> }),
        cell(
            view! { <a class="button secondary small" href=href id=case.id.clone() data-case=case.id.clone()>
            {say("Open", "開く")}<span class="unseen">{format!(" {}", case.id)}</span></a> },
        ),
    ]
}

/// The reasons as filters, each with its number of cases.
pub(super) fn reasons(view: &QueueView) -> AnyView {
    let chosen = view.selection.reason;
    let chip = |reason: Option<Reason>, name: String, count: i64| {
        let href = view.selection.with_reason(reason).href(QUEUE);
        let here = (reason == chosen).then_some("true");
        view! { <li><a class="pill" href=href aria-current=here>{name}" "<b>{grouped(count)}</b></a></li> }
    };
    let whose = |mine: bool, name: &'static str, count: Option<i64>| {
        let href = view.selection.with_mine(mine).href(QUEUE);
        let here = (mine == view.selection.mine).then_some("true");
        view! { <li><a class="pill" href=href aria-current=here>{name}{count.map(|count| view! { " "<b>{grouped(count)}</b> })}</a></li> }
    };
    // Counted whatever their kind, so it would not be the number of cases that the link leads to where it keeps another filter.
    let is_narrowed = view.selection.reason.is_some() || view.selection.document.is_some();
    let mine = (!is_narrowed).then_some(view.counts.mine);
    let listed = view.counts.by_reason.iter().map(|(reason, _)| *reason);
    // The chosen reason stays, with no case as well.
    let none = chosen.filter(|chosen| !listed.clone().any(|reason| reason == *chosen));
    let chips = view
        .counts
        .by_reason
        .iter()
        .copied()
        .chain(none.map(|reason| (reason, 0)))
        .map(|(reason, count)| chip(Some(reason), labels::reason_name(reason), count))
        .collect_view();
    view! {
        <nav aria-label=say("Whose cases", "担当")><ul class="pills">
            {whose(false, say("Everybody’s", "全員"), None)}{whose(true, say("Mine", "自分"), mine)}</ul></nav>
        <nav aria-label=say("Reasons", "理由")><ul class="pills">
            {chip(None, say("All", "すべて").to_owned(), view.counts.all)}{chips}</ul></nav>
    }
    .into_any()
}

fn documents(view: &QueueView) -> AnyView {
    let kinds = DocumentType::ALL
        .iter()
        .map(|kind| (kind.to_string(), labels::document(*kind).to_owned()));
    let chosen = view.selection.document.map_or("", DocumentType::as_str);
    let reason = view
        .selection
        .reason
        .map(|reason| view! { <input type="hidden" name="reason" value=reason.as_str()/> });
    view! {
        <form class="filters" method="get" action=QUEUE role="search">
            {reason}
            {view.selection.mine.then(|| view! { <input type="hidden" name="assigned" value="me"/> })}
            {select("document", say("Document", "本人確認書類"), say("Any document", "すべての書類"), kinds, chosen)}
            <div class="filter-actions"><button class="button secondary small" type="submit">{say("Filter", "絞り込む")}</button>
                {(!view.selection.is_all()).then(|| view! { <a class="button quiet small" href=QUEUE>{say("Clear", "クリア")}</a> })}</div>
        </form>
    }
    .into_any()
}

fn list(view: &QueueView) -> AnyView {
    if view.rows.is_empty() && !view.selection.is_all() {
        return empty(
            say("No cases match these filters", "条件に一致する案件はありません"),
            say(
                "Clear them to see the whole queue.",
                "条件をクリアすると、審査待ちの案件がすべて表示されます。",
            ),
        )
        .into_any();
    }
    if view.rows.is_empty() {
        let advice = say(
            "Cases appear here when a session could not be decided automatically.",
            "自動で判定できなかったセッションがここに表示されます。",
        );
        return empty(say("Nothing to review", "審査待ちの案件はありません"), advice).into_any();
    }
    Table::new(
        say("Waiting cases", "審査待ちの案件"),
        [
            say("Waiting", "待ち時間"),
            say("Document", "本人確認書類"),
            say("Reason", "理由"),
            say("Face match", "顔照合"),
            say("Liveness", "生体検知"),
            say("Assigned to", "担当者"),
        ],
    )
    .unseen(say("Open", "開く"))
    .rows(view.rows.iter().map(|case| row(case, view)))
}

fn keys() -> AnyView {
    shortcuts(&[
        ("J, K", say("next and previous case", "次の案件、前の案件")),
        ("Enter", say("open it", "案件を開く")),
        ("N", say("start with the oldest", "最も古い案件から開始")),
        (
            "U",
            say("go to Undo of your last decision", "直前の判定の「取り消す」へ移動"),
        ),
    ])
}

/// The way to the case that comes next.
pub(super) fn start(view: &QueueView) -> Option<AnyView> {
    let form = view! {
        <form method="post" action=view.selection.href(QUEUE)>
            <button class="button primary small" type="submit" data-first>{say("Start with the oldest ", "最も古い案件から開始 ")}<kbd>"N"</kbd></button>
        </form>
    };
    view.has_next.then(|| form.into_any())
}

/// The cases, and the next page.
pub(super) fn cases(view: &QueueView) -> AnyView {
    view! { {list(view)}{next_page(view.next.clone())} }.into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &QueueView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let help = (!view.rows.is_empty()).then(|| {
        view! { <button class="button quiet small" type="button" data-help hidden>{say("Shortcuts ", "ショートカット ")}<kbd>"?"</kbd></button> }
    });
    let target = tell!(
        "Oldest first. The target is {}.",
        "待ち時間の長い順に表示しています。目標時間は{}です。",
        duration(view.target)
    );
    let main = view! {
        {heading(say("Review", "審査"), view! { {help}<div data-region="start">{start(view)}</div> }.into_any())}
        <p class="soft">{target}</p>
        <p class="note" role="alert" data-signed-out hidden>{say(
            "You are no longer signed in, or may no longer review. ",
            "サインアウトされているか、審査の権限がなくなっています。",
        )}<a href=QUEUE>{say("Reload this page", "ページを再読み込み")}</a>{say(".", "してください。")}</p>
        <p class="unseen" role="status" data-news data-one=say("1 new case", "新しい案件が1件あります")
            data-more=say("{n} new cases", "新しい案件が{n}件あります")></p>
        <div class="stack" data-region="reasons">{reasons(view)}</div>
        {documents(view)}
        <div class="stack" data-region="cases" data-live=view.live.clone() data-version=view.version.clone()>{cases(view)}</div>
        {keys()}
        <script nonce=meta.nonce.clone() inner_html=include_str!("../shortcuts.js")></script>
        <script nonce=meta.nonce.clone() inner_html=include_str!("../local_times.js")></script>
        <script nonce=meta.nonce.clone() inner_html=include_str!("queue.js")></script>
    };
    page(frame, meta, say("Review", "審査"), main.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_ones_own_cases_is_told_where_no_other_filter_narrows_them() {
        let view = |reason| QueueView {
            selection: Selection::default().with_reason(reason),
            counts: ReasonCounts {
                all: 9,
                mine: 7,
                by_reason: Vec::new(),
            },
            rows: Vec::new(),
            has_next: false,
            after: String::new(),
            next: None,
            target: Millis::hours(4),
            now: Timestamp::from_millis(0),
            backlog: 9,
            me: UserId::from_random([0; 16]),
            live: String::new(),
            version: String::new(),
        };
        for (reason, is_told) in [(None, true), (Some(Reason::DocumentExpired), false)] {
            let html = crate::page::without_markers(&reasons(&view(reason)).to_html());
            assert_eq!(html.contains("Mine <b>7</b>"), is_told, "{html}");
        }
    }

    #[test]
    fn a_case_is_late_once_it_has_waited_for_the_target() {
        let target = Millis::hours(4);
        for (waited, class, late) in [
            (Millis::minutes(5), "kept", false),
            (Millis::hours(3), "near", false),
            (Millis::hours(4), "late", true),
            (Millis::days(400), "late", true),
        ] {
            let html = waiting(Timestamp::from_millis(0), target, Timestamp::from_millis(waited.0)).to_html();
            assert!(html.contains(&format!(r#"<rect class="{class}""#)), "{html}");
            assert_eq!(html.contains(">Late<"), late, "{html}");
        }
    }
}
