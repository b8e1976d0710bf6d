//! A session's page and its actions.

mod view;

use super::{
    ask_again::{self, Answer, looked_at},
    audit::{self, who},
    fault::Fault,
    flash::Notice,
    irreversible::{Irreversible, typed},
    labels,
    layout::NavigationItem,
    link,
    notices::{asked_already, why_not_done},
    parts::Tone,
    request::{PageResult, Request, not_done, told},
    rows,
    webhooks::{State, standing_of},
    words::{language, say, tell},
};
use crate::{
    forms::{OUTCOME, TIME},
    page::{Fields, Outcome, form, with_query},
};
use axum::{Router, routing::post};
use domain::{
    ids::{EventId, SessionId},
    outcome::Source,
    sandbox::{SandboxOutcome, SandboxTime},
    session::{AttemptNumber, FailureReason, Status},
    time::Timestamp,
};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    access::{Admin, Auditor, Developer, Reviewer, Tenant},
    review::{RuleError, reopen},
    sandbox::{
        CompleteError,
        clock::{self, AdvanceError},
        complete_in_sandbox,
    },
    session::{
        history::{Judged, SessionHistory, Taken},
        page::{self, find_status, read_page},
        reissue_link::{ReissueError, interrupts, reissue_link},
    },
};
use view::{Capture, Decided, LINKS, LogRow, Sent, SessionView, TimelineEntry, render};

/// The session page, to which its forms return.
const HERE: &str = "/admin/sessions/{id}";

/// A session.
#[component]
pub fn SessionPage() -> impl IntoView {
    link::page_or_link(NavigationItem::Sessions, load, render)
}

/// Its forms.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/sessions/{id}/link", post(form(HERE, reissue)))
        .route("/admin/sessions/{id}/reprocess", post(form(HERE, reprocess)))
        .route("/admin/sessions/{id}/complete", post(form(HERE, complete)))
        .route("/admin/sessions/{id}/advance", post(form(HERE, advance)))
}

async fn load(request: Request) -> PageResult<SessionView> {
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let found = read_page(request.honnin(), request.staff(), &id)
        .await?
        .ok_or(Fault::NotFound)?;
    let now = request.honnin().now();
    let mut view = view_of(&found, now);
    let reviewer = Reviewer::of(request.staff()).is_ok();
    let open = matches!(view.status, Status::Created | Status::Collecting);
    view.can_reissue = reviewer && open;
    view.can_reprocess = reviewer
        && found.history.detail.session.may_be_revived()
        && matches!(view.status, Status::Completed | Status::Failed | Status::Reviewing);
    view.can_complete = reviewer && open && request.staff().is_sandbox();
    view.can_advance_to = advance_to(&view).filter(|_| reviewer && request.staff().is_sandbox());
    view.can_erase = Admin::of(request.staff()).is_ok() && view.erased_at.is_none();
    let something_to_see = view.status == Status::Reviewing || !found.history.captures.is_empty();
    view.can_open_case = reviewer && something_to_see && view.erased_at.is_none();
    view.whole_log = Auditor::of(request.staff())
        .is_ok()
        .then(|| with_query("/admin/audit", "subject", id.as_str()));
    view.can_see_deliveries = Developer::of(request.staff()).is_ok();
    Ok(view)
}

/// Where the clock of a sandbox session can be moved to.
const fn advance_to(view: &SessionView) -> Option<SandboxTime> {
    match (view.status, view.erased_at) {
        (Status::Created | Status::Collecting, _) => Some(SandboxTime::Deadline),
        (Status::Completed | Status::Failed | Status::Expired, None) => Some(SandboxTime::RetentionEnd),
        _ => None,
    }
}

fn view_of(found: &page::SessionPage, now: Timestamp) -> SessionView {
    let history = &found.history;
    let (detail, session) = (&history.detail, &history.detail.session);
    SessionView {
        id: session.id.to_string(),
        status: detail.status,
        failure: history.failure,
        steps: session.plan.steps.clone(),
        attempt: session.attempt,
        document: history.document_type,
        created_at: session.created_at,
        expires_at: session.expires_at,
        completed_at: session.completed_at,
        erased_at: session.purged_at,
        erasure_due_at: found.erasure_due_at,
        links: history.links.len(),
        open_link_until: history
            .links
            .iter()
            .find(|link| link.is_open(now))
            .map(|link| link.expires_at),
        metadata: detail.metadata.as_deref().map(str::to_owned),
        callback_url: history.callback_url.clone(),
        personal: found.personal,
        items: if found.personal {
            rows::items(history)
        } else {
            Vec::new()
        },
        decided: decided(history),
        timeline: timeline(history),
        captures: history.captures.iter().map(capture).collect(),
        events: history
            .events
            .iter()
            .map(|event| Sent {
                id: event.id.to_string(),
                kind: event.content.kind().to_string(),
                at: event.created_at,
                delivery: delivery(found, &event.id),
            })
            .collect(),
        log: found
            .log
            .iter()
            .map(|entry| LogRow {
                at: entry.entry.at,
                who: who(entry),
                what: labels::action(&entry.entry.action),
                detail: audit::detail(entry),
                address: entry.entry.address.clone().unwrap_or_default(),
            })
            .collect(),
        log_goes_on: found.log_goes_on,
        whole_log: None,
        can_reissue: false,
        can_reprocess: false,
        can_complete: false,
        can_advance_to: None,
        can_erase: false,
        can_open_case: false,
        can_see_deliveries: false,
    }
}

/// Where the delivery of an event stands, and whether it was attempted, if the person may see that.
fn delivery(found: &page::SessionPage, event: &EventId) -> Option<(State, bool)> {
    let (_, standing) = found.deliveries.iter().find(|(of, _)| of == event)?;
    let tried = standing.delivery.as_ref().is_some_and(|delivery| delivery.attempts > 0);
    Some((standing_of(standing), tried))
}

fn decided(history: &SessionHistory) -> Option<Decided> {
    let outcome = history.detail.outcome.as_ref()?;
    let manual = outcome.source == Source::ManualReview;
    Some(Decided {
        verdict: outcome.verdict,
        source: outcome.source,
        at: outcome.decided_at,
        reviewer: history
            .rulings
            .last()
            .filter(|_| manual)
            .map(|judged| judged.ruled.name.clone()),
        note: outcome.review.as_ref().and_then(|review| review.note.clone()),
        reasons: rows::reasons(&outcome.reasons),
        checks: rows::checks(&outcome.checks, rows::system_reasons(history)),
        scores: history
            .decisions
            .last()
            .map(|decided| rows::scores(&decided.scores))
            .unwrap_or_default(),
    })
}

fn capture(taken: &Taken) -> Capture {
    let (slot, number, attempt) = (labels::slot_name(taken.slot), taken.number, taken.attempt);
    let name = if attempt > AttemptNumber::FIRST {
        tell!(
            "{slot}, try {number}, attempt {attempt}",
            "{slot}（{attempt}回目の提出、{number}枚目）"
        )
    } else {
        tell!("{slot}, try {number}", "{slot}（{number}枚目）")
    };
    Capture {
        name,
        at: taken.at,
        frames: taken.frames,
        used: taken.used,
        problems: taken
            .problems
            .iter()
            .map(|reason| reason.sentence(language()).to_owned())
            .collect(),
    }
}

fn timeline(history: &SessionHistory) -> Vec<TimelineEntry> {
    let session = &history.detail.session;
    let mut entries = vec![timeline_entry(session.created_at, say("Created", "作成"), Tone::Plain)];
    entries.extend(link_entries(history));
    for taken in history.captures.iter().filter(|taken| taken.used) {
        let what = tell!("{} taken", "{}の撮影", labels::slot_name(taken.slot));
        entries.push(timeline_entry(taken.at, what, Tone::Live));
    }
    for decided in &history.decisions {
        let (word, tone) = labels::verdict(decided.verdict);
        let what = tell!("Decided automatically: {word}", "自動判定：{word}");
        entries.push(timeline_entry(decided.at, what, tone));
    }
    for judged in &history.rulings {
        let (what, tone) = ruled_by(judged);
        entries.push(TimelineEntry {
            note: judged.note.as_ref().map(|note| note.expose().clone()),
            ..timeline_entry(judged.ruled.at, what, tone)
        });
    }
    entries.extend(end_without_verdict(history));
    if let Some(at) = session.erasure_requested_at {
        entries.push(timeline_entry(at, say("Erasure requested", "消去の指示"), Tone::Plain));
    }
    if let Some(at) = session.purged_at {
        entries.push(timeline_entry(
            at,
            say("Personal data erased", "個人情報の消去"),
            Tone::Plain,
        ));
    }
    entries.sort_by_key(|entry| entry.at);
    entries
}

fn link_entries(history: &SessionHistory) -> Vec<TimelineEntry> {
    let mut entries = Vec::new();
    for link in &history.links {
        if link.created_at > history.detail.session.created_at {
            // By a reviewer, or by the user, for another device.
            entries.push(timeline_entry(
                link.created_at,
                say("New link issued", "新しいリンクの発行"),
                Tone::Plain,
            ));
        }
        if let Some(at) = link.used_at {
            entries.push(timeline_entry(
                at,
                say("Link opened by the user", "利用者がリンクにアクセス"),
                Tone::Live,
            ));
        }
    }
    entries
}

/// When a session expired or failed.
fn end_without_verdict(history: &SessionHistory) -> Option<TimelineEntry> {
    let session = &history.detail.session;
    match history.detail.status {
        Status::Expired => Some(timeline_entry(
            session.expires_at,
            say("Expired", "期限切れ"),
            Tone::Plain,
        )),
        Status::Failed => {
            // Its event is removed some time after the personal data, and nobody knows then when it was.
            let at = history.events.last()?.created_at;
            let what = history.failure.map_or(say("Failed", "失敗"), failed);
            Some(timeline_entry(at, what, Tone::Bad))
        }
        _ => None,
    }
}

/// A reviewer's decision in words.
pub(super) fn ruled_by(judged: &Judged) -> (String, Tone) {
    let (word, tone) = labels::ruling(judged.ruled.ruling);
    (tell!("{word} by {}", "{word}（{}）", judged.ruled.name), tone)
}

fn failed(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::ConsentDeclined => say("Declined by the user", "利用者が同意を拒否"),
        _ => say("Failed", "失敗"),
    }
}

fn timeline_entry(at: Timestamp, what: impl Into<String>, tone: Tone) -> TimelineEntry {
    TimelineEntry {
        at,
        what: what.into(),
        note: None,
        tone,
    }
}

async fn reissue(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let know = match fields.raw(LINKS) {
        // Of a page from before an update.
        "" => None,
        links => Some(links.parse().map_err(|_| Fault::Malformed)?),
    };
    if let Some(look) = before_reissuing(&request, &reviewer, &id, &fields).await? {
        return Ok(look);
    }
    match reissue_link(request.honnin(), &reviewer, &id, know).await {
        Ok(made) => {
            let shown = link::shown(
                say("Link reissued", "リンクを再発行しました"),
                &id,
                made.url.expose(),
                made.expires_at,
            );
            Ok(Outcome::shown(StatusCode::OK, shown))
        }
        Err(ReissueError::NotFound) => Err(Fault::NotFound),
        Err(ReissueError::Status(status)) => {
            let (word, _) = labels::status(status);
            let notice = tell!(
                "No new link: the session is now “{word}”.",
                "新しいリンクは発行されませんでした。セッションの現在の状態は「{word}」です。"
            );
            not_done(&format!("/admin/sessions/{id}"), notice)
        }
        // By reloading the page that shows the link, for example.
        Err(ReissueError::Repeated) => not_done(
            &format!("/admin/sessions/{id}"),
            say(
                "No new link: one has been issued since this form was shown. It was shown only once and cannot be shown again. If nobody copied it, \
                 reissue the link again.",
                "新しいリンクは発行されませんでした。このフォームの表示後に、すでに発行されています。リンクは一度だけ表示され、再表示はできません。コピーしていない場合は、もう一度再発行してください。",
            ),
        ),
        Err(ReissueError::Forbidden(forbidden)) => Err(forbidden.into()),
        Err(ReissueError::Store(error)) => Err(error.into()),
    }
}

/// The second look at a link that takes the session from a user who is in the middle of it, until somebody has confirmed it. The page that the form is
/// of may be from before the user opened the link.
async fn before_reissuing(
    request: &Request,
    reviewer: &Reviewer,
    id: &SessionId,
    fields: &Fields,
) -> PageResult<Option<Outcome>> {
    let here = format!("/admin/sessions/{id}");
    match ask_again::answer(fields) {
        Answer::Yes => return Ok(None),
        Answer::No => return Ok(Some(Outcome::go(&here))),
        Answer::Open => {}
    }
    if !interrupts(request.honnin(), reviewer, id).await? {
        return Ok(None);
    }
    let look = Irreversible {
        title: say("Reissue the link?", "リンクを再発行しますか？"),
        meaning: vec![
            say(
                "The user has opened a link. They can no longer continue in the browser in which they opened it. They continue with the \
                 new link, which you send to them.",
                "利用者はすでにリンクを開いています。再発行すると、リンクを開いたブラウザーでは手続きを続けられなくなります。\
                 新しいリンクを利用者に送り、そのリンクから続けるようご案内ください。",
            ),
            say("This cannot be undone.", "この操作は取り消せません。"),
        ],
        about: Vec::new(),
        button: say("Reissue the link", "リンクを再発行"),
        action: format!("{here}/link"),
        typed: typed(fields),
    };
    Ok(Some(Outcome::shown(StatusCode::OK, look)))
}

/// Asks the user again, after a second look.
async fn reprocess(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let here = format!("/admin/sessions/{id}");
    match ask_again::answer(&fields) {
        Answer::No => return Ok(Outcome::go(&here)),
        Answer::Open => {
            let status = find_status(request.honnin(), request.staff(), &id).await?;
            status.ok_or(Fault::NotFound)?;
            let view = ask_again::second_look(format!("{here}/reprocess"), &fields);
            return Ok(Outcome::shown(StatusCode::OK, view));
        }
        Answer::Yes => {}
    }
    match reopen(request.honnin(), &reviewer, looked_at(&id, &fields)).await {
        Ok(made) => Ok(Outcome::shown(StatusCode::OK, link::of_new_attempt(&id, &made))),
        // By reloading the page that shows the link, for example.
        Err(RuleError::Repeated) => not_done(&here, asked_already()),
        Err(refused) => {
            let why = why_not_done(refused)?;
            not_done(&here, tell!("Not done. {why}", "実行できませんでした。{why}"))
        }
    }
}

async fn complete(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let outcome = SandboxOutcome::parse(&fields.text(OUTCOME)).ok_or(Fault::Malformed)?;
    let caller = Tenant::by_hand(&reviewer);
    let notice = match complete_in_sandbox(request.honnin(), &caller, id.as_str(), outcome).await {
        Ok(done) => Notice::good(tell!(
            "Completed: the session is now “{}”.",
            "完了しました。セッションの現在の状態は「{}」です。",
            labels::status(done.status).0
        )),
        Err(CompleteError::NotAllowed) => Notice::bad(say(
            "Not done: the session has already ended.",
            "実行できませんでした。セッションはすでに終了しています。",
        )),
        Err(CompleteError::NotFound) => return Err(Fault::NotFound),
        Err(CompleteError::Store(error)) => return Err(error.into()),
    };
    told(&format!("/admin/sessions/{id}"), notice)
}

async fn advance(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let to = SandboxTime::parse(&fields.text(TIME)).ok_or(Fault::Malformed)?;
    let caller = Tenant::by_hand(&reviewer);
    let notice = match (clock::advance(request.honnin(), &caller, id.as_str(), to).await, to) {
        (Ok(_), SandboxTime::Deadline) => Notice::good(say(
            "The deadline has passed. The event will be sent within seconds.",
            "期限が過ぎました。イベントは数秒以内に送信されます。",
        )),
        (Ok(_), SandboxTime::RetentionEnd) => Notice::good(say(
            "The retention period is over. The personal data will be erased within seconds.",
            "保存期間が終了しました。個人情報は数秒以内に消去されます。",
        )),
        (Err(AdvanceError::NotAllowed), _) => Notice::bad(say(
            "Not done: the session is no longer in that state.",
            "実行できませんでした。セッションの状態が変わっています。",
        )),
        (Err(AdvanceError::ClockJumped), _) => Notice::bad(say(
            "Not done: this server’s clock was changed. Try again in ten minutes.",
            "実行できませんでした。サーバーの時刻が変更されています。10分後に再度お試しください。",
        )),
        (Err(AdvanceError::NotFound), _) => return Err(Fault::NotFound),
        (Err(AdvanceError::Store(error)), _) => return Err(error.into()),
    };
    told(&format!("/admin/sessions/{id}"), notice)
}
