//! The list of sessions, with its filters in the URL.

use super::asked::Asked;
use super::saved::{self, Saved};
use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, badge, empty, heading, line, minutes, next_page, select, short, time};
use crate::console::table::{Cell, Table, cell};
use crate::console::words::{say, tell};
use crate::parts::{Mistake, title};
use domain::{
    document::DocumentType, funnel::FunnelStep, named::Named, outcome::Verdict, reasons::Reason, session::Status,
    time::Timestamp,
};
use leptos::prelude::*;
use service::session::search::LONGEST_PART;

/// The person who is looked for, as typed.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Person {
    /// Full name.
    pub name: String,
    /// Date of birth.
    pub birth_date: String,
}

impl Person {
    fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Session id.
    pub id: String,
    /// Status.
    pub status: Status,
    /// The last verdict, if still current.
    pub verdict: Option<Verdict>,
    /// Kind of document.
    pub document: Option<DocumentType>,
    /// The first reason's code.
    pub reason: Option<Named<Reason>>,
    /// Created.
    pub created_at: Timestamp,
    /// Compact JSON.
    pub metadata: Option<String>,
}

/// How far back a search went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// Sessions created before this were not looked at.
    pub at: Timestamp,
    /// Address of the page that continues there.
    pub older: String,
}

/// The list.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct SessionsView {
    /// The filters.
    pub asked: Asked,
    /// The person who is looked for; `None` for people who may not see personal data.
    pub person: Option<Person>,
    /// The rows.
    pub rows: Vec<Row>,
    /// After which session this page begins; empty for the first page.
    pub after: String,
    /// Address of the next page.
    pub next: Option<String>,
    /// How far back the search went, if there are older sessions.
    pub reach: Option<Reach>,
    /// Whether the person has older sessions, which are not listed.
    pub newest_only: bool,
    /// Address of the file with all sessions that match.
    pub file: Option<String>,
    /// Searches that the person has saved.
    pub saved: Vec<Saved>,
    /// The name of a search that was not saved, as typed.
    pub name: String,
    /// What is wrong with the search for a person, or with the name of a search.
    pub mistakes: Vec<Mistake>,
}

impl SessionsView {
    fn is_of_person(&self) -> bool {
        self.person.as_ref().is_some_and(Person::any)
    }

    /// Whether the search was refused, so that nothing was found or counted. A mistake in another form leaves the list as it is.
    fn is_refused(&self) -> bool {
        is_search_wrong(&self.mistakes)
    }
}

/// Whether a mistake is one of the form that looks for a person.
fn is_search_wrong(mistakes: &[Mistake]) -> bool {
    let fields = [super::NAME, super::BIRTH_DATE];
    mistakes.iter().any(|wrong| fields.contains(&wrong.field.as_str()))
}

/// The form that looks for a person.
fn person(person: &Person, wrong: &[Mistake]) -> AnyView {
    let field = |name, label, kind, hint: Option<&str>, value: &str| {
        let field = Line {
            name,
            label,
            kind,
            hint: hint.map(str::to_owned),
            value: value.to_owned(),
            autocomplete: "off",
            ..Line::default()
        };
        line(field, wrong)
    };
    view! {
        <details class="fold" open=person.any() || is_search_wrong(wrong)>
            <summary>{say("Find a person", "人物を検索")}</summary>
            <form class="filters" method="post" action="/admin/sessions" role="search" aria-label=say("Find a person", "人物を検索")>
                {field(super::NAME, say("Full name", "氏名"), "text", None, &person.name)}
                {field(super::BIRTH_DATE, say("Date of birth", "生年月日"), "date", None, &person.birth_date)}
                <div class="filter-actions">
                    <button class="button primary small" type="submit">{say("Find", "検索")}</button>
                    {person.any().then(|| view! { <a class="button quiet small" href="/admin/sessions">{say("Clear", "クリア")}</a> })}
                </div>
                <p class="hint wide">
                    {say(
                        "Family name and given names in any order, in letters or kana. The search is recorded in the audit log, without the name.",
                        "姓と名を入力します（順不同）。漢字、ローマ字、カナのいずれでも検索できます。検索の記録は監査ログに残りますが、氏名は含まれません。",
                    )}
                </p>
            </form>
        </details>
    }
    .into_any()
}

/// The box that finds whatever is typed into it.
fn search_box(asked: &Asked) -> Line {
    Line {
        kind: "search",
        hint: Some(
            say(
                "The start of a session id, part of the metadata, or a date such as 2026-08-02 or 2026-08 (UTC).",
                "セッションIDの先頭、メタデータの一部、または日付（例：2026-08-02、2026-08。UTC）を入力します。",
            )
            .into(),
        ),
        most: Some(LONGEST_PART),
        ..Line::text("q", label("q"), asked.q.clone())
    }
}

/// The label of a filter.
fn label(filter: &str) -> &'static str {
    match filter {
        "q" => say("Search", "検索"),
        "id" => say("Session id", "セッションID"),
        "status" => say("Status", "状態"),
        "verdict" => say("Verdict", "判定"),
        "reason" => say("Reason", "理由"),
        "document" => say("Document", "本人確認書類"),
        "from" => say("From (UTC)", "開始日（UTC）"),
        "to" => say("To (UTC)", "終了日（UTC）"),
        "lost" => say("Gave up after", "離脱前のステップ"),
        _ => say("Metadata", "メタデータ"),
    }
}

/// A filter in words: its name and its value.
fn in_words(filter: &str, value: &str) -> String {
    let known = match filter {
        "status" => Status::parse(value).map(|status| labels::status(status).0.to_owned()),
        "verdict" => Verdict::parse(value).map(|verdict| labels::verdict(verdict).0.to_owned()),
        "reason" => Reason::parse(value).map(labels::reason_name),
        "document" => DocumentType::parse(value).map(|kind| labels::document(kind).to_owned()),
        "lost" => FunnelStep::parse(value).map(|step| labels::funnel_step(step).to_owned()),
        _ => None,
    };
    let (label, value) = (label(filter), known.unwrap_or_else(|| value.to_owned()));
    tell!("{label}: {value}", "{label}：{value}")
}

/// The filters that are set, each a link to the list without it.
fn chips(asked: &Asked) -> AnyView {
    let chips = asked
        .set()
        .into_iter()
        .map(|(name, value)| {
            let href = saved::address(super::HERE, &saved::query_of(asked.without(name)));
            let words = in_words(name, &value);
            let remove = tell!("Remove the filter {words}", "条件「{words}」を解除");
            view! { <li><a class="pill" href=href aria-label=remove>{words}<span aria-hidden="true">"\u{d7}"</span></a></li> }
        })
        .collect_view();
    asked
        .any()
        .then(|| view! { <ul class="searches" aria-label=say("Filters", "検索条件")>{chips}</ul> })
        .into_any()
}

/// How many sessions there are, or are on this page if there are others.
fn count(view: &SessionsView) -> AnyView {
    if view.is_refused() {
        return ().into_any();
    }
    let shown = view.rows.len();
    let is_all = view.after.is_empty() && view.next.is_none() && view.reach.is_none() && !view.newest_only;
    let sentence = match (shown, is_all) {
        (1, true) => say("1 session", "1件").to_owned(),
        (_, true) => tell!("{shown} sessions", "{shown}件"),
        (1, false) => say("1 session on this page", "このページに1件").to_owned(),
        (_, false) => tell!("{shown} sessions on this page", "このページに{shown}件"),
    };
    // An empty list says so itself; the script tells it to people who do not see that.
    let class = if shown == 0 { "unseen" } else { "soft small" };
    view! { <p class=class data-count>{sentence}</p> }.into_any()
}

/// That the search did not look at every session, and the way to those before, where the script goes on by itself if nothing was found.
fn reach(reach: &Reach, found_nothing: bool) -> AnyView {
    let at = minutes(reach.at);
    let sentence = tell!(
        "Sessions created before {at} (UTC) were not searched.",
        "{at}（UTC）より前に作成されたセッションは検索していません。"
    );
    view! {
        <p class="soft small">{sentence}</p>
        <p class="paging">
            <a class="button secondary small" href=reach.older.clone() rel="next" data-older=found_nothing.then_some("")>
                {say("Search older sessions", "さらに前を検索")}</a>
        </p>
    }
    .into_any()
}

/// That a person has more sessions than are listed.
fn newest_only(shown: usize) -> AnyView {
    let sentence = tell!(
        "Only the newest {shown} sessions are listed. Enter both the full name and the date of birth to narrow the search.",
        "新しい順に{shown}件のみ表示しています。氏名と生年月日の両方を入力すると、結果を絞り込めます。"
    );
    view! { <p class="soft small">{sentence}</p> }.into_any()
}

fn filters(asked: &Asked) -> AnyView {
    let statuses = Status::ALL
        .iter()
        .map(|s| (s.to_string(), labels::status(*s).0.to_owned()));
    let verdicts = Verdict::ALL
        .iter()
        .map(|v| (v.to_string(), labels::verdict(*v).0.to_owned()));
    let reasons = Reason::ALL.iter().map(|r| (r.to_string(), labels::reason_name(*r)));
    let kinds = DocumentType::ALL
        .iter()
        .map(|k| (k.to_string(), labels::document(*k).to_owned()));
    let text = |name, kind, value: &str| {
        line(
            Line {
                name,
                label: label(name),
                kind,
                value: value.to_owned(),
                autocomplete: "off",
                ..Line::default()
            },
            &[],
        )
    };
    // Filters of addresses that have no field here. They stay until they are removed.
    let hidden = [("id", &asked.id), ("metadata", &asked.metadata), ("lost", &asked.lost)]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| view! { <input type="hidden" name=name value=value.clone()/> })
        .collect_view();
    view! {
        <form class="filters" method="get" action="/admin/sessions" role="search" data-search>
            <div class="wide">{line(search_box(asked), &[])}</div>
            <div hidden data-part="kept">{hidden}</div>
            {select("status", label("status"), say("Any status", "すべての状態"), statuses, &asked.status)}
            {select("verdict", label("verdict"), say("Any verdict", "すべての判定"), verdicts, &asked.verdict)}
            <details class="fold more" open=asked.more()>
                <summary>{say("More filters", "その他の条件")}</summary>
                <div class="filters">
                    {select("reason", label("reason"), say("Any reason", "すべての理由"), reasons, &asked.reason)}
                    {select("document", label("document"), say("Any document", "すべての書類"), kinds, &asked.document)}
                    {text("from", "date", &asked.from)}
                    {text("to", "date", &asked.to)}
                </div>
            </details>
            <div class="filter-actions">
                <button class="button primary small" type="submit">{say("Search", "検索")}</button>
                <span data-part="clear">
                    {asked.any().then(|| view! { <a class="button quiet small" href="/admin/sessions">{say("Clear", "クリア")}</a> })}
                </span>
            </div>
        </form>
    }
    .into_any()
}

/// Searches that were saved, and the form that saves this one.
fn searches(view: &SessionsView) -> AnyView {
    let hidden = || {
        let set = view.asked.set().into_iter();
        set.map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
            .collect_view()
    };
    let saved = view.saved.iter().map(|one| {
        let remove = tell!("Remove the search {}", "検索条件「{}」を削除", one.name);
        view! {
            <li>
                <a class="button secondary small" href=one.href.clone()>{one.name.clone()}</a>
                <form method="post" action=saved::REMOVE>
                    <input type="hidden" name=saved::NAME value=one.name.clone()/>
                    {hidden()}
                    <button class="button quiet small" type="submit" aria-label=remove.clone() title=remove>"\u{d7}"</button>
                </form>
            </li>
        }
    });
    let list = (!view.saved.is_empty())
        .then(|| view! { <ul class="searches" aria-label=say("Saved searches", "保存した検索条件")>{saved.collect_view()}</ul> });
    let wrong = view.mistakes.iter().any(|mistake| mistake.field == saved::NAME);
    let save = (view.asked.any() || wrong).then(|| {
        view! {
            <details class="fold" open=wrong>
                <summary>{say("Save this search", "この検索条件を保存")}</summary>
                <form class="filters" method="post" action=saved::SAVE>
                    {hidden()}
                    {line(Line::text(saved::NAME, say("Name", "名前"), view.name.clone()), &view.mistakes)}
                    <div class="filter-actions"><button class="button secondary small" type="submit">{say("Save", "保存")}</button></div>
                </form>
            </details>
        }
    });
    view! { {list} {save} }.into_any()
}

/// The cells of a row; first its box, if something can be done with ticked rows.
fn row(row: &Row, ticks: bool) -> Vec<Cell> {
    let href = format!("/admin/sessions/{}", row.id);
    let (status, tone) = labels::status(row.status);
    let verdict = row.verdict.map(|verdict| {
        let (word, tone) = labels::verdict(verdict);
        badge(word, tone)
    });
    let tick = ticks.then(|| {
        let name = tell!("Select session {}", "セッション{}を選択", row.id);
        let box_of_row =
            view! { <input type="checkbox" form="resend" name=super::TICKED value=row.id.clone() aria-label=name/> };
        cell(view! { <label>{box_of_row}<span>{say("Select", "選択")}</span></label> }).class("ticks")
    });
    let rest = [
        cell(view! { <a class="mono" href=href title=row.id.clone()>{short(&row.id)}</a> }),
        cell(badge(status, tone)),
        cell(verdict),
        cell(row.document.map(labels::document)),
        cell(row.reason.as_ref().map(reason)).class("soft reason"),
        cell(row.metadata.clone()).class("mono soft clip"),
        cell(time(row.created_at)).class("nowrap"),
    ];
    tick.into_iter().chain(rest).collect()
}

/// A reason in a few words; the sentence comes with the pointer.
fn reason(reason: &Named<Reason>) -> AnyView {
    let name = match reason {
        Named::Known(known) => labels::reason_name(*known),
        Named::Other(code) => code.clone(),
    };
    view! { <span title=labels::reason(reason)>{name}</span> }.into_any()
}

/// The form of the ticked rows, which leads back to this page of the list.
fn resend(view: &SessionsView) -> AnyView {
    let after = (!view.after.is_empty()).then(|| (super::AFTER, view.after.clone()));
    let hidden = view
        .asked
        .set()
        .into_iter()
        .chain(after)
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
        .collect_view();
    view! {
        <form id="resend" class="inline" method="post" action=super::RESEND>
            {hidden}
            <button class="button secondary small" type="submit">{say("Resend webhooks of selected sessions", "選択したセッションのWebhookを再送")}</button>
        </form>
    }
    .into_any()
}

/// Why no session is listed, and what to do about it.
fn nothing(view: &SessionsView, may_review: bool) -> AnyView {
    let (title, advice) = if view.is_of_person() {
        (
            say("No sessions of this person", "この人物のセッションはありません"),
            say(
                "Only full names match: enter both the family name and the given names, as on the document.",
                "氏名は完全一致で検索します。姓と名の両方を、書類のとおりに入力してください。",
            ),
        )
    } else if let Some(mistake) = view.asked.mistake() {
        mistake
    } else if view.reach.is_some() {
        (
            say(
                "No recent sessions match these filters",
                "最近のセッションに、条件に一致するものはありません",
            ),
            say(
                "Search older sessions, or enter a range of dates in which the session was created.",
                "さらに前を検索するか、作成日の範囲を指定してください。",
            ),
        )
    } else if view.asked.any() {
        (
            say(
                "No sessions match these filters",
                "条件に一致するセッションはありません",
            ),
            say("Clear some of them to see more.", "条件を減らしてお試しください。"),
        )
    } else if may_review {
        (
            say("No sessions yet", "セッションはまだありません"),
            say(
                "Create one by hand, or call POST /v1/verification-sessions with an API key.",
                "管理コンソールで作成するか、APIキーを使ってPOST /v1/verification-sessionsを呼び出してください。",
            ),
        )
    } else {
        (
            say("No sessions yet", "セッションはまだありません"),
            say(
                "They appear here once a member of this tenant, or its server, has created one.",
                "このテナントのメンバーまたはサーバーがセッションを作成すると、ここに表示されます。",
            ),
        )
    };
    empty(title, advice).into_any()
}

/// The sessions that were found, or that there are none.
fn list(view: &SessionsView, frame: &Frame) -> AnyView {
    if view.is_refused() {
        return ().into_any();
    }
    if view.rows.is_empty() {
        return nothing(view, frame.may.review);
    }
    let columns = [
        say("Session", "セッション"),
        say("Status", "状態"),
        say("Verdict", "判定"),
        say("Document", "本人確認書類"),
        say("First reason", "最初の理由"),
        say("Metadata", "メタデータ"),
        say("Created (UTC)", "作成日時（UTC）"),
    ];
    let ticks = frame.may.develop;
    // Each box names its row.
    let box_of_row = ticks.then_some("");
    Table::new(say("Sessions", "セッション"), box_of_row.into_iter().chain(columns))
        .rows(view.rows.iter().map(|one| row(one, ticks)))
}

/// The page.
#[must_use]
pub(super) fn render(view: &SessionsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let resend = (frame.may.develop && !view.rows.is_empty()).then(|| resend(view));
    let file = view.file.clone().filter(|_| !view.rows.is_empty());
    let file = file.map(
        |file| view! { <a class="button secondary small" href=file>{say("Download CSV", "CSVをダウンロード")}</a> },
    );
    let new = frame
        .may
        .review
        .then(|| view! { <a class="button primary small" href="/admin/sessions/new">{say("Create a session", "セッションを作成")}</a> });
    let main = view! {
        {heading(say("Sessions", "セッション"), view! { <span data-part="file">{file}</span> {new} }.into_any())}
        {mistakes(&view.mistakes)}
        {filters(&view.asked)}
        <p class="unseen" role="status" data-said></p>
        <p class="note" role="status" data-failed hidden>{say(
            "The search failed. Trying again…",
            "検索できませんでした。再試行しています…",
        )}</p>
        <div class="stack" data-part="asked">{chips(&view.asked)}{searches(view)}</div>
        {view.person.as_ref().map(|asked| person(asked, &view.mistakes))}
        <div class="stack" data-part="list">{count(view)}{list(view, frame)}{resend}{next_page(view.next.clone())}
            {view.reach.as_ref().map(|reached| reach(reached, view.rows.is_empty()))}
            {view.newest_only.then(|| newest_only(view.rows.len()))}</div>
        <script nonce=meta.nonce.clone() inner_html=include_str!("sessions.js")></script>
    };
    let title = title(meta, say("Sessions", "セッション"), !view.mistakes.is_empty());
    page(frame, meta, &title, main.into_any())
}
