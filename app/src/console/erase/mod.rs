//! Erasing a session now.

mod view;

use super::{
    fault::Fault,
    layout::NavigationItem,
    proof::{proof_of, step_up},
    request::{FRESH, PageResult, Request, done, signed_in},
    words::{say, tell},
};
use crate::page::{Fields, Outcome, form, mistake};
use axum::{Router, routing::post};
use domain::{ids::SessionId, session::Status};
use leptos::prelude::*;
use service::{
    access::Admin,
    privacy::erase_now::{EraseNowError, erase_now},
    session::page::find_status,
};
use view::{EraseView, WORD, render};

const HERE: &str = "/admin/sessions/{id}/erase";

/// Erasing a session now.
#[component]
pub fn ErasePage() -> impl IntoView {
    signed_in(NavigationItem::Sessions, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route("/admin/sessions/{id}/erase", post(form(HERE, erase)))
}

/// The session to be erased, as the page shows it.
async fn view_of(request: &Request) -> PageResult<(SessionId, EraseView)> {
    let id = SessionId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let status = find_status(request.honnin(), request.staff(), &id).await?;
    let status = status.ok_or(Fault::NotFound)?;
    let view = EraseView {
        id: id.to_string(),
        proof: proof_of(request).await?,
        ends: match status {
            Status::Created | Status::Collecting => {
                Some(say("The user has not finished.", "利用者の手続きが完了していません。"))
            }
            Status::Deciding | Status::Reviewing => Some(say(
                "The session has not been decided.",
                "セッションはまだ判定されていません。",
            )),
            Status::Completed | Status::Expired | Status::Failed => None,
        },
        ..EraseView::default()
    };
    Ok((id, view))
}

async fn load(request: Request) -> PageResult<EraseView> {
    Admin::of(request.staff())?;
    Ok(view_of(&request).await?.1)
}

async fn erase(request: Request, fields: Fields) -> PageResult<Outcome> {
    let admin = Admin::of(request.staff())?;
    let (id, mut view) = view_of(&request).await?;
    view.word = fields.text("word");
    if view.word != WORD {
        let sentence = tell!(
            "Type the word {WORD} in capitals.",
            "半角の大文字で{WORD}と入力してください。"
        );
        view.mistakes.push(mistake("word", sentence));
    } else {
        match step_up(&request, &fields, FRESH).await? {
            None => return erased(&request, &admin, &id).await,
            Some(wrong) => view.mistakes.push(wrong),
        }
    }
    Ok(Outcome::refused(view))
}

async fn erased(request: &Request, admin: &Admin, id: &SessionId) -> PageResult<Outcome> {
    match erase_now(request.honnin(), admin, id).await {
        Ok(()) => done(
            &format!("/admin/sessions/{id}"),
            say("The personal data is being erased.", "個人情報を消去しています。"),
        ),
        Err(EraseNowError::NotFound) => Err(Fault::NotFound),
        Err(EraseNowError::Forbidden(forbidden)) => Err(forbidden.into()),
        Err(EraseNowError::Store(error)) => Err(error.into()),
    }
}
