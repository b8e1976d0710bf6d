//! A case: its pictures, its readings, the decision.

mod assignment;
mod burst;
mod faces;
mod view;

use super::{
    ask_again::{self, ATTEMPT, Answer, attempt_of, looked_at},
    fault::Fault,
    findings::Item,
    flash::Notice,
    labels::slot_name,
    layout::NavigationItem,
    link::{self, LinkView},
    next_case::{none_left, reserve_next},
    notices::{asked_already, assigned, why_not_assigned, why_not_done},
    parts::minutes,
    request::{PageResult, Request, done, not_done, told},
    rows,
    selection::{QUEUE, Selection},
    session::ruled_by,
    words::{language, say},
};
use crate::{
    forms::{self, picture_view},
    page::{Fields, Outcome, form, handler, mistake},
    parts::{Mistake, crop::Crop},
};
use assignment::Assignment;
pub(super) use assignment::take_or_give_back;
use axum::{
    Json, Router,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use burst::Burst;
use domain::{
    document::Side,
    ids::{CaptureId, SessionId, UserId},
    named::Named,
    reasons::Reason,
    secret::Personal,
    session::Status,
};
use faces::Faces;
use http::{
    StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use leptos::prelude::*;
use serde::Serialize;
use service::{
    access::Reviewer,
    capture::strips::{Items, Strips},
    review::{self, Case, CaseError, Reassignment, ReviewDecision, RuleError, UndoError},
    session::{
        history::{SessionHistory, Taken},
        page::find_status,
    },
    stored::Slot,
};
use std::collections::BTreeSet;
use view::{
    APPROVE, ASK_AGAIN, CaseView, DECISION, Earlier, LEAVING, LOOK, NOTE, ONWARD, REASON, REASONS, REJECT, RULED,
    Reservation, SAME_DOCUMENT, SAME_FACE, Shown, render,
};

const HERE: &str = "/admin/review/{id}";

/// A case.
#[component]
pub fn CasePage() -> impl IntoView {
    link::page_or_link(NavigationItem::Review, load, render)
}

/// Its form, and the endpoints its page and script use.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/review/{id}", post(form(HERE, rule)))
        .route("/admin/review/{id}/undo", post(form(HERE, undo)))
        .route("/admin/review/{id}/assign", post(form(HERE, assign)))
        .route("/admin/review/{id}/take", post(form(HERE, assign)))
        .route("/admin/review/{id}/leave", post(form(HERE, leave)))
        .route("/admin/review/{id}/hold", post(handler(keep)))
        .route("/admin/pictures/{capture}/{frame}", get(handler(picture)))
}

impl From<CaseError> for Fault {
    fn from(error: CaseError) -> Self {
        match error {
            CaseError::NotFound => Self::NotFound,
            CaseError::Store(error) => error.into(),
        }
    }
}

async fn load(request: Request) -> PageResult<CaseView> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    view_of(&request, &reviewer, &id).await
}

async fn view_of(request: &Request, reviewer: &Reviewer, id: &SessionId) -> PageResult<CaseView> {
    let honnin = request.honnin();
    let opened = review::open_case(honnin, reviewer, id).await?;
    let selection = Selection::of(request.query()?);
    let filter = selection.filter(request.staff().user());
    let neighbours = review::neighbours(honnin, reviewer, filter, id).await?;
    let history = &opened.history;
    let counting = counting(&opened);
    let outcome = history.detail.outcome.as_ref();
    // The system's reasons are those of a rejection unless the reviewer takes one away.
    let noted = outcome.map(|outcome| names(&outcome.reasons)).unwrap_or_default();
    // A reviewer who has undone a decision finds it as they had filled it in.
    let ticked = match &opened.undone {
        Some(undone) if !undone.reasons.is_empty() => names(&undone.reasons),
        _ => noted,
    };
    let note = opened.undone.as_ref().and_then(|undone| undone.note.as_ref());
    let reasons = rows::system_reasons(history);
    Ok(CaseView {
        id: id.to_string(),
        since: outcome.map_or(history.detail.session.created_at, |outcome| outcome.decided_at),
        now: honnin.now(),
        document: history.document_type,
        attempt: history.detail.session.attempt,
        pictures: pictures(&counting),
        burst: counting
            .iter()
            .find(|taken| taken.slot == Slot::Selfie)
            .copied()
            .map(Burst::of),
        faces: faces(&counting),
        items: items(history, &counting),
        reasons: rows::reasons(reasons),
        checks: outcome
            .map(|outcome| rows::checks(&outcome.checks, reasons))
            .unwrap_or_default(),
        scores: history
            .decisions
            .last()
            .map(|decided| rows::scores(&decided.scores))
            .unwrap_or_default(),
        assignment: assignment(request, reviewer, &opened).await?,
        reservation: reservation(&opened, request.staff().user()),
        not_performed: opened.not_performed.clone(),
        same_document: opened.same_document.iter().map(ToString::to_string).collect(),
        same_face: opened.same_face.iter().map(ToString::to_string).collect(),
        earlier: earlier(history),
        note: note.map(|note| note.expose().clone()).unwrap_or_default(),
        ticked,
        is_unsaved: false,
        onward: None,
        done: None,
        too_late: false,
        mistakes: Vec::new(),
        selection,
        neighbours,
    })
}

/// The codes of those for which a session can be rejected.
fn names(reasons: &[Named<Reason>]) -> Vec<String> {
    let counts = |reason: &&Named<Reason>| reason.known().is_none_or(Reason::counts_against);
    let grounds = reasons.iter().filter(counts);
    grounds.map(|reason| reason.as_str().to_owned()).collect()
}

/// How earlier attempts ended in review, oldest first.
fn earlier(history: &SessionHistory) -> Vec<Earlier> {
    let attempt = history.detail.session.attempt;
    let before = history.rulings.iter().filter(|judged| judged.ruled.attempt < attempt);
    before
        .map(|judged| Earlier {
            what: ruled_by(judged).0,
            at: judged.ruled.at,
            note: judged.note.as_ref().map(|note| note.expose().clone()),
        })
        .collect()
}

/// Who is to decide the case, while it is waiting.
async fn assignment(request: &Request, reviewer: &Reviewer, opened: &Case) -> PageResult<Option<Assignment>> {
    if opened.reservation.is_none() {
        return Ok(None);
    }
    let people = review::list_reviewers(request.honnin(), reviewer).await?;
    Ok(Some(Assignment {
        me: request.staff().user().clone(),
        to: opened.assigned_to.clone(),
        people,
    }))
}

fn reservation(opened: &Case, me: &UserId) -> Reservation {
    if let Some(decided) = &opened.pending {
        return Reservation::Decided(decided.name.clone(), decided.pending.ruling);
    }
    match &opened.reservation {
        Some(held) if held.user == *me => Reservation::Mine(held.until),
        Some(held) => Reservation::Other(held.name.clone(), held.until),
        None => {
            let over = opened.history.detail.status == Status::Completed;
            Reservation::Over(
                opened
                    .history
                    .rulings
                    .last()
                    .filter(|_| over)
                    .map(|judged| (judged.ruled.name.clone(), judged.ruled.ruling, judged.ruled.at)),
            )
        }
    }
}

/// The pictures that count, but for those that must not be kept.
fn counting(opened: &Case) -> Vec<&Taken> {
    let captures = &opened.history.captures;
    let find = |id: &CaptureId| captures.iter().find(|taken| taken.id == *id && taken.frames > 0);
    opened.pictures.iter().filter_map(find).collect()
}

/// The same, as they are shown.
fn pictures(counting: &[&Taken]) -> Vec<Shown> {
    let shown = |taken: &Taken| Shown {
        name: slot_name(taken.slot).to_owned(),
        card_url: taken
            .straight
            .then(|| format!("{}?{}={}", picture_url(taken), forms::VIEW, forms::CARD)),
        url: picture_url(taken),
        small_url: format!("{}?{}={}", picture_url(taken), forms::VIEW, forms::SMALL),
        problems: taken
            .problems
            .iter()
            .map(|reason| reason.sentence(language()).to_owned())
            .collect(),
        compared: taken.slot != Slot::Document(Side::Back),
    };
    counting.iter().copied().map(shown).collect()
}

/// The readings, each beside the part of the picture it was read from.
fn items(history: &SessionHistory, counting: &[&Taken]) -> Vec<Item> {
    let sides: Vec<_> = counting
        .iter()
        .filter_map(|taken| {
            let found = taken.document.as_ref()?.expose();
            let sheet = format!("{}?{}={}", picture_url(taken), forms::VIEW, forms::ITEMS);
            Some((found.side, sheet, Strips::of(found, Items::All)))
        })
        .collect();
    let read = history.detail.ocr.as_ref().map(|ocr| ocr.expose().as_slice());
    let mut items = rows::items(history);
    for item in &mut items {
        let read = read.and_then(|fields| fields.iter().find(|field| field.name == item.field));
        let side = read.and_then(|read| sides.iter().find(|(side, ..)| *side == read.side));
        item.crop = side.and_then(|(_, sheet, strips)| Some(Crop::of(sheet.clone(), strips.find(item.field)?)));
    }
    items
}

/// The portrait and the face of the selfie, if both were found.
fn faces(counting: &[&Taken]) -> Option<Faces> {
    let face = |is_wanted: fn(Slot) -> bool| {
        let taken = counting.iter().find(|taken| taken.face && is_wanted(taken.slot))?;
        Some(format!("{}?{}={}", picture_url(taken), forms::VIEW, forms::FACE))
    };
    Some(Faces {
        portrait: face(|slot| matches!(slot, Slot::Document(_)))?,
        selfie: face(|slot| slot == Slot::Selfie)?,
    })
}

/// The address of the picture of a capture that was judged.
fn picture_url(taken: &Taken) -> String {
    format!("/admin/pictures/{}/{}", taken.id, taken.best)
}

async fn picture(request: Request) -> PageResult<Response> {
    let reviewer = Reviewer::of(request.staff())?;
    let capture = CaptureId::parse(request.param("capture")).ok_or(Fault::NotFound)?;
    let frame = request.param("frame").parse().map_err(|_| Fault::NotFound)?;
    let picture = review::find_picture(
        request.honnin(),
        &reviewer,
        &capture,
        frame,
        picture_view(Some(request.query()?.raw(forms::VIEW))),
    )
    .await?;
    let headers = [(CONTENT_TYPE, "image/jpeg"), (CACHE_CONTROL, "no-store")];
    Ok((headers, picture.into_exposed()).into_response())
}

/// What the case's script receives.
#[derive(Serialize)]
struct Held {
    until: Option<String>,
}

/// POST: the reviewer is still working on the case.
async fn keep(request: Request) -> PageResult<Response> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let reservation = review::keep_case(request.honnin(), &reviewer, looked_at(&id, request.query()?)).await?;
    let until = reservation.map(|reservation| minutes(reservation.until));
    Ok(Json(Held { until }).into_response())
}

async fn rule(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let honnin = request.honnin();
    let ticked: Vec<Reason> = fields.all(REASON).filter_map(Reason::parse).collect();
    let note = note_of(&fields);
    let note = Some(note).filter(|note| !note.is_empty()).map(Personal::new);
    let ruling = match fields.raw(RULED) {
        ASK_AGAIN => return ask_again(&request, &reviewer, &id, &fields, note).await,
        APPROVE => {
            let named = fields.all(SAME_DOCUMENT).chain(fields.all(SAME_FACE));
            let shown: Vec<_> = named.filter_map(SessionId::parse).collect();
            if shown.is_empty() {
                ReviewDecision::Approve
            } else {
                ReviewDecision::ApproveDespite(shown)
            }
        }
        REJECT => ReviewDecision::Reject(ticked),
        LOOK => {
            let view = with_typed(&request, &reviewer, &id, &fields).await?;
            return Ok(Outcome::shown(StatusCode::OK, view));
        }
        _ => return Err(Fault::Malformed),
    };
    match review::rule(honnin, &reviewer, looked_at(&id, &fields), ruling, note).await {
        // A reviewer who presses the button twice continues as well.
        Ok(_) | Err(RuleError::Repeated) => {}
        Err(error) => return refused(&request, &reviewer, &id, &fields, error).await,
    }
    let selection = Selection::of(request.query()?);
    match reserve_next(&request, &reviewer, selection).await? {
        Some(next) => done(&next, say("This is the next case.", "次の案件です。")),
        None => none_left(&request, &reviewer, selection).await,
    }
}

/// The reasons among these names.
fn reasons_of(names: &[String]) -> BTreeSet<Reason> {
    names.iter().filter_map(|name| Reason::parse(name)).collect()
}

/// The note as typed. Browsers send the end of a line as two characters.
fn note_of(fields: &Fields) -> String {
    fields.text(NOTE).replace("\r\n", "\n")
}

/// Asks the user again, after a second look.
async fn ask_again(
    request: &Request,
    reviewer: &Reviewer,
    id: &SessionId,
    fields: &Fields,
    note: Option<Personal<String>>,
) -> PageResult<Outcome> {
    match ask_again::answer(fields) {
        Answer::Yes => match review::ask_again(request.honnin(), reviewer, looked_at(id, fields), note).await {
            Ok(made) => {
                let queue = Selection::of(request.query()?).href(QUEUE);
                let shown = LinkView {
                    queue: Some(queue),
                    ..link::of_new_attempt(id, &made)
                };
                Ok(Outcome::shown(StatusCode::OK, shown))
            }
            // By reloading the page that shows the link, for example.
            Err(RuleError::Repeated) => not_done(&format!("/admin/sessions/{id}"), asked_already()),
            Err(error) => refused(request, reviewer, id, fields, error).await,
        },
        Answer::No => Ok(Outcome::shown(
            StatusCode::OK,
            with_typed(request, reviewer, id, fields).await?,
        )),
        Answer::Open => {
            let status = find_status(request.honnin(), request.staff(), id).await?;
            status.ok_or(Fault::NotFound)?;
            let action = Selection::of(request.query()?).href(&format!("{QUEUE}/{id}"));
            let look = ask_again::second_look(action, fields);
            Ok(Outcome::shown(StatusCode::OK, look))
        }
    }
}

/// POST: the person's own decision on the case is undone.
async fn undo(request: Request, _: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    match review::undo(request.honnin(), &reviewer, &id).await {
        Ok(()) => done(
            &Selection::of(request.query()?).href(&format!("{QUEUE}/{id}")),
            say(
                "Undone. The case is reserved for you again.",
                "判定を取り消しました。案件は再び対応中になりました。",
            ),
        ),
        Err(UndoError::TooLate) => Ok(Outcome::refused(CaseView {
            too_late: true,
            ..view_of(&request, &reviewer, &id).await?
        })),
        Err(UndoError::Store(error)) => Err(error.into()),
    }
}

/// POST: moves to another case. The previous one is free for others. A reviewer who has typed something is asked first.
async fn leave(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let is_sure = fields.has(LEAVING);
    let to = fields.raw(if is_sure { LEAVING } else { ONWARD });
    let to = SessionId::parse(to).ok_or(Fault::Malformed)?;
    if fields.has(ATTEMPT) && !is_sure {
        let view = with_typed(&request, &reviewer, &id, &fields).await?;
        if view.is_unsaved {
            let view = CaseView {
                onward: Some(to),
                ..view
            };
            return Ok(Outcome::shown(StatusCode::OK, view));
        }
    }
    review::leave_case(request.honnin(), &reviewer, &id).await?;
    let selection = Selection::of(request.query()?);
    Ok(Outcome::go(&selection.href(&format!("{QUEUE}/{to}"))))
}

/// POST: who is to decide the case. Both the queue and the case have this form, at addresses of their own: whoever is signed out meanwhile comes
/// back to the page that they sent it from.
async fn assign(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let person = |id: &str| match id {
        "" => Ok(None),
        id => UserId::parse(id).map(Some).ok_or(Fault::Malformed),
    };
    let to = fields.all(assignment::TO).next();
    let to = person(to.unwrap_or_else(|| fields.raw(assignment::COLLEAGUE)))?;
    let before = person(fields.raw(assignment::BEFORE))?;
    let change = Reassignment {
        from: before.as_ref(),
        to: to.as_ref(),
    };
    let notice = match review::assign(request.honnin(), &reviewer, &id, change).await {
        Ok(()) => Notice::good(assigned(to.as_ref(), request.staff().user())),
        Err(error) => Notice::bad(why_not_assigned(error)?),
    };
    let query = request.query()?;
    let selection = Selection::of(query);
    if fields.raw(assignment::BACK) != assignment::TO_CASE {
        let queue = selection.href_after(QUEUE, &query.text("after"));
        return told(&format!("{queue}#{id}"), notice);
    }
    // What is being typed for the decision was sent along, and is stored nowhere.
    if fields.has(ATTEMPT) {
        let typed = with_typed(&request, &reviewer, &id, &fields).await?;
        let view = CaseView {
            done: Some(notice),
            ..typed
        };
        return Ok(Outcome::shown(StatusCode::OK, view));
    }
    told(&selection.href(&format!("{QUEUE}/{id}")), notice)
}

/// The case again, with the reason why the decision was refused and what was typed.
async fn refused(
    request: &Request,
    reviewer: &Reviewer,
    id: &SessionId,
    fields: &Fields,
    error: RuleError,
) -> PageResult<Outcome> {
    let field = match error {
        RuleError::NoReason => REASONS,
        RuleError::SameDocument(_) => SAME_DOCUMENT,
        RuleError::SameFace(_) => SAME_FACE,
        _ => NOTE,
    };
    with_mistake(request, reviewer, id, fields, mistake(field, why_not_done(error)?)).await
}

/// The case again with what was typed, and what is wrong.
async fn with_mistake(
    request: &Request,
    reviewer: &Reviewer,
    id: &SessionId,
    fields: &Fields,
    wrong: Mistake,
) -> PageResult<Outcome> {
    let mut view = with_typed(request, reviewer, id, fields).await?;
    // Only people who may decide get the fields of the form.
    let field = match view.reservation {
        Reservation::Mine(_) => wrong.field,
        Reservation::Other(..) | Reservation::Decided(..) | Reservation::Over(_) => DECISION.to_owned(),
    };
    view.mistakes = vec![Mistake { field, ..wrong }];
    Ok(Outcome::refused(view))
}

/// The case again with what was typed.
async fn with_typed(request: &Request, reviewer: &Reviewer, id: &SessionId, fields: &Fields) -> PageResult<CaseView> {
    let view = view_of(request, reviewer, id).await?;
    let note = note_of(fields);
    let ticked: Vec<String> = if attempt_of(fields) == view.attempt {
        fields.all(REASON).map(str::to_owned).collect()
    } else {
        // Those that were ticked are the earlier attempt's.
        view.ticked.clone()
    };
    Ok(CaseView {
        is_unsaved: note != view.note || reasons_of(&ticked) != reasons_of(&view.ticked),
        note,
        ticked,
        ..view
    })
}
