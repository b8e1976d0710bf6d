//! The list of sessions, and creating one by hand.

use super::{
    form::{Fields, mistake},
    rows::{self, show_link},
    wall::{Answer, Desk, ok, wrong},
};
use app::console::{
    Place,
    link::{self, NewSessionView},
    sessions::{self, Asked, SessionsView},
};
use domain::{
    document::DocumentType,
    ids::SessionId,
    outcome::Verdict,
    reasons::Reason,
    session::Status,
    tenant::NotReady,
    time::{Millis, Timestamp},
    user_input::CivilDate,
};
use serde_json::{Map, Value};
use service::{
    access::{Reviewer, Tenant},
    create_session::{CreateSessionError, create_session},
    search::{Filter, Order, Page, list_sessions},
    settings,
};

/// Rows of a page.
pub(super) const PAGE: u32 = 50;

/// Midnight at the beginning of a day, UTC.
pub(super) fn midnight(day: &str) -> Option<Timestamp> {
    CivilDate::parse(day).and_then(|_| Timestamp::parse_iso(&format!("{day}T00:00:00.000Z")))
}

/// The place of a list's next page: time and id of the last row.
pub(super) fn parse_after(text: &str) -> Option<(Timestamp, SessionId)> {
    let (at, id) = text.split_once('.')?;
    Some((Timestamp::from_millis(at.parse().ok()?), SessionId::parse(id)?))
}

fn filter(fields: &Fields) -> Filter {
    let text = |name| Some(fields.text(name)).filter(|text| !text.is_empty());
    Filter {
        // An id that is none finds nothing rather than everything.
        id: text("id").map(|id| SessionId::parse(&id).unwrap_or_else(|| SessionId::from_random([0; 16]))),
        status: Status::parse(&fields.text("status")),
        verdict: Verdict::parse(&fields.text("verdict")),
        reason: Reason::parse(&fields.text("reason")),
        document_type: DocumentType::parse(&fields.text("document")),
        from: midnight(&fields.text("from")),
        until: midnight(&fields.text("to")).map(|day| day.plus(Millis::days(1))),
        metadata: text("metadata"),
    }
}

pub(super) async fn page(desk: Desk, fields: Fields) -> Answer {
    let after = parse_after(&fields.text("after"));
    let page = Page {
        order: Order::Newest,
        after,
        limit: PAGE + 1,
    };
    let mut found = list_sessions(&desk.app.honnin, &desk.staff, filter(&fields), page).await?;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let last = found.last().filter(|_| more);
    let next = last.map(|last| {
        fields.next_page(
            "/admin/sessions",
            &format!("{}.{}", last.created_at.as_millis(), last.id),
        )
    });
    let asked = Asked {
        id: fields.text("id"),
        status: fields.text("status"),
        verdict: fields.text("verdict"),
        reason: fields.text("reason"),
        document: fields.text("document"),
        from: fields.text("from"),
        to: fields.text("to"),
        metadata: fields.text("metadata"),
    };
    let view = SessionsView {
        asked,
        rows: found.into_iter().map(rows::session_row).collect(),
        next,
    };
    let frame = desk.frame(Place::Sessions).await?;
    ok(sessions::render(&view, &frame, &desk.meta()))
}

const NO_STEPS: &str = "No verification step is enabled, so no session can be created.";
const NO_SETTINGS: &str = "There are no settings yet, so no session can be created.";

const fn why(not_ready: NotReady) -> &'static str {
    match not_ready {
        NotReady::SettingsMissing => NO_SETTINGS,
        NotReady::NoStepsEnabled => NO_STEPS,
    }
}

pub(super) async fn new_page(desk: Desk) -> Answer {
    Reviewer::of(&desk.staff)?;
    let tenant = settings::load(&desk.app.honnin, &desk.staff).await?;
    let not_ready = match &tenant.settings {
        None => Some(NO_SETTINGS),
        Some(settings) => settings.plan().err().map(why),
    };
    let frame = desk.frame(Place::Sessions).await?;
    ok(link::new_session(
        &NewSessionView {
            not_ready,
            ..NewSessionView::default()
        },
        &frame,
        &desk.meta(),
    ))
}

/// The request as a customer's server would send it, or what is wrong with the metadata.
fn body(fields: &Fields) -> Result<Vec<u8>, &'static str> {
    let mut body = Map::new();
    let mut known = Map::new();
    for name in ["lastName", "firstName", "birthDate"] {
        let text = fields.text(name);
        if !text.is_empty() {
            known.insert(name.to_owned(), Value::String(text));
        }
    }
    if !known.is_empty() {
        body.insert("preRegisteredInfo".to_owned(), Value::Object(known));
    }
    let metadata = fields.text("metadata");
    if !metadata.is_empty() {
        let parsed: Value = serde_json::from_str(&metadata).map_err(|_| "The metadata is not valid JSON.")?;
        let object = parsed
            .is_object()
            .then_some(parsed)
            .ok_or("The metadata must be a JSON object in braces.")?;
        body.insert("metadata".to_owned(), object);
    }
    serde_json::to_vec(&body).map_err(|_| "The metadata is not valid JSON.")
}

pub(super) async fn create(desk: Desk, fields: Fields) -> Answer {
    let reviewer = Reviewer::of(&desk.staff)?;
    let mut view = NewSessionView {
        metadata: fields.text("metadata"),
        known: ["lastName", "firstName", "birthDate"].map(|name| fields.text(name)),
        ..NewSessionView::default()
    };
    match body(&fields) {
        Err(sentence) => view.mistakes.push(mistake("metadata", sentence)),
        Ok(body) => match create_session(&desk.app.honnin, &Tenant::by_hand(&reviewer), &body).await {
            Ok(made) => {
                let url = made.verification_url.expose();
                return show_link(
                    &desk,
                    "Session created",
                    &made.id,
                    url,
                    made.verification_url_expires_at,
                )
                .await;
            }
            Err(CreateSessionError::Decode(issues)) => {
                for issue in issues {
                    let field = issue.path.last().map_or("metadata", String::as_str);
                    view.mistakes
                        .push(mistake(field, format!("{field} {}.", issue.message)));
                }
            }
            Err(CreateSessionError::NotReady(not_ready)) => view.not_ready = Some(why(not_ready)),
            Err(CreateSessionError::Store(error)) => return Err(error.into()),
            Err(other) => view.mistakes.push(mistake(
                "metadata",
                format!("The session could not be created: {other}."),
            )),
        },
    }
    let frame = desk.frame(Place::Sessions).await?;
    wrong(link::new_session(&view, &frame, &desk.meta()))
}
