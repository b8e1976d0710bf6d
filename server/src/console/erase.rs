//! Erasing a session now.

use super::{
    form::{Fields, mistake},
    wall::{Answer, Desk, Fault, ok, wrong},
};
use app::console::{
    Place,
    erase::{self, EraseView, WORD},
    words,
};
use axum::extract::Path;
use domain::{ids::SessionId, secret::Secret, session::Status};
use service::{
    access::Admin,
    erase_now::{EraseNowError, erase_now},
    session_page::find_status,
    sign_in::{SignInError, confirm_password},
};

/// The session to be erased, as the page shows it.
async fn view_of(desk: &Desk, id: &str) -> Result<(SessionId, EraseView), Fault> {
    let id = SessionId::parse(id).ok_or(Fault::NotFound)?;
    let status = find_status(&desk.app.honnin, &desk.staff, &id).await?;
    let status = status.ok_or(Fault::NotFound)?;
    let view = EraseView {
        id: id.to_string(),
        goes_on: matches!(status, Status::Created | Status::Collecting),
        ..EraseView::default()
    };
    Ok((id, view))
}

pub(super) async fn page(desk: Desk, Path(id): Path<String>) -> Answer {
    Admin::of(&desk.staff)?;
    let (_, view) = view_of(&desk, &id).await?;
    let frame = desk.frame(Place::Sessions).await?;
    ok(erase::render(&view, &frame, &desk.meta()))
}

pub(super) async fn erase(desk: Desk, Path(id): Path<String>, fields: Fields) -> Answer {
    let admin = Admin::of(&desk.staff)?;
    let (id, mut view) = view_of(&desk, &id).await?;
    view.word = fields.text("word");
    if view.word != WORD {
        view.mistakes
            .push(mistake("word", format!("Type the word {WORD} in capitals.")));
    } else {
        let password = Secret::new(fields.raw("password").to_owned());
        match confirm_password(&desk.app.honnin, &desk.staff, password).await {
            Ok(()) => return erased(&desk, &admin, &id).await,
            Err(SignInError::Store(error)) => return Err(error.into()),
            Err(refused) => view
                .mistakes
                .push(mistake("password", super::account::refusal(&refused))),
        }
    }
    let frame = desk.frame(Place::Sessions).await?;
    wrong(erase::render(&view, &frame, &desk.meta()))
}

async fn erased(desk: &Desk, admin: &Admin, id: &SessionId) -> Answer {
    let done = match erase_now(&desk.app.honnin, admin, id).await {
        Ok(()) => "The personal data is being erased.".to_owned(),
        Err(EraseNowError::NotFound) => return Err(Fault::NotFound),
        Err(EraseNowError::Store(error)) => return Err(error.into()),
        Err(EraseNowError::Undecided(status)) => {
            let (word, _) = words::status(status);
            format!("Not erased: the session is “{word}”. Decide the case first.")
        }
    };
    desk.done(&format!("/admin/sessions/{id}"), &done).await
}
