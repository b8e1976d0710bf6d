//! The wall around the console: nobody passes without being signed in, and every form must come from one of our pages. Handlers
//! behind it get a [`Desk`]: who is there, and how to answer.

pub(crate) use super::fault::{Answer, Fault};

use super::fault::encoded;
use crate::{edge::RequestContext, same_origin::is_same_origin, state::App};
use app::{
    PageMeta,
    console::{Frame, May, Place, entry, words},
};
use axum::{
    extract::{FromRequestParts, Request, State},
    middleware::Next,
    response::{Html, IntoResponse, Redirect, Response},
};
use domain::{
    ids::{TenantId, UserId},
    language::Language,
    time::{Millis, Timestamp},
};
use http::{Method, StatusCode, request::Parts};
use service::{
    access::{self, Admin, Auditor, Developer, Forbidden, Operator, Rank, Reviewer, Roster, Staff},
    console_session::{ABSOLUTE, IDLE},
    search::count_waiting,
    settings::list_tenants,
};
use tower_sessions::Session;

/// What a session holds: who signed in.
pub(super) const USER: &str = "user";
/// When they did.
const SIGNED_IN_AT: &str = "signed_in_at";
/// When they were last seen, to the minute.
const SEEN_AT: &str = "seen_at";
/// When they last entered their password.
const PASSWORD_AT: &str = "password_at";
/// Which tenant they look at.
const TENANT: &str = "tenant";
/// What to say on the next page.
const DONE: &str = "done";

/// How exactly a session's last use is kept.
const PRECISION: Millis = Millis::minutes(1);
/// So long after entering the password, sensitive things ask for it again.
const FRESH: Millis = Millis::minutes(10);

/// The meta data of a page of the console.
pub(super) fn meta(app: &App, context: &RequestContext) -> PageMeta {
    PageMeta {
        language: Language::En,
        nonce: context.nonce.clone(),
        assets: app.assets.clone(),
        brand: None,
        path: "/admin".to_owned(),
        progress: None,
        closing: None,
    }
}

/// Refuses forms that no page of ours sent. In front of everything, signing in included.
pub(super) async fn own_forms_only(
    State(app): State<App>,
    context: RequestContext,
    request: Request,
    next: Next,
) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if !reads && !is_same_origin(request.headers(), app.honnin.base_url()) {
        return message(&Fault::Foreign, None, &app, &context);
    }
    next.run(request).await
}

fn message(fault: &Fault, frame: Option<&Frame>, app: &App, context: &RequestContext) -> Response {
    let (title, sentence) = fault.words();
    (
        fault.status(),
        Html(entry::message(title, sentence, frame, &meta(app, context))),
    )
        .into_response()
}

/// Lets through who is signed in, and turns what a handler refused into a page.
pub(super) async fn wall(
    State(app): State<App>,
    context: RequestContext,
    session: Session,
    mut request: Request,
    next: Next,
) -> Response {
    let staff = match who(&app, &session, &context).await {
        Ok(Some(staff)) => staff,
        Ok(None) => return to_sign_in(request.uri(), request.method()),
        Err(fault) => return message(&fault, None, &app, &context),
    };
    request.extensions_mut().insert(staff.clone());
    let response = next.run(request).await;
    let Some(fault) = response.extensions().get::<Fault>().cloned() else {
        return response;
    };
    let desk = Desk {
        app,
        context,
        session,
        staff,
    };
    let frame = desk.frame(Place::Overview).await.ok();
    message(&fault, frame.as_ref(), &desk.app, &desk.context)
}

/// A page that was asked for is remembered; a form is not sent again behind somebody's back.
fn to_sign_in(uri: &http::Uri, method: &Method) -> Response {
    let here = uri.path_and_query().map_or("/admin", |here| here.as_str());
    let to = if *method == Method::GET && here != "/admin" {
        format!("/admin/sign-in?next={}", encoded(here))
    } else {
        "/admin/sign-in".to_owned()
    };
    Redirect::to(&to).into_response()
}

fn at(millis: Option<i64>) -> Option<Timestamp> {
    millis.map(Timestamp::from_millis)
}

/// Who is signed in with this session, if it has neither idled nor lived too long.
async fn who(app: &App, session: &Session, context: &RequestContext) -> Result<Option<Staff>, Fault> {
    let Some(user) = session.get::<String>(USER).await? else {
        return Ok(None);
    };
    let now = app.honnin.now();
    let (began, seen) = (at(session.get(SIGNED_IN_AT).await?), at(session.get(SEEN_AT).await?));
    let alive = began.is_some_and(|at| now < at.plus(ABSOLUTE)) && seen.is_some_and(|at| now < at.plus(IDLE));
    let tenant = session.get::<String>(TENANT).await?.and_then(|id| TenantId::parse(&id));
    let staff = match UserId::parse(&user).filter(|_| alive) {
        Some(user) => access::staff(&app.honnin, &user, tenant.as_ref(), context.client).await?,
        None => None,
    };
    if staff.is_none() {
        session.flush().await?;
    } else if seen.is_some_and(|at| at.plus(PRECISION) <= now) {
        session.insert(SEEN_AT, now.as_millis()).await?;
    }
    Ok(staff)
}

/// Begins a session of its own for who just signed in: the old cookie's value is worth nothing any more.
pub(super) async fn begin(session: &Session, user: &UserId, now: Timestamp) -> Result<(), Fault> {
    // `flush` alone would store the next record under the value it had.
    session.clear().await;
    session.cycle_id().await?;
    session.insert(USER, user.as_str()).await?;
    for key in [SIGNED_IN_AT, SEEN_AT, PASSWORD_AT] {
        session.insert(key, now.as_millis()).await?;
    }
    Ok(())
}

/// Who is at the console, and what is needed to answer them.
pub(crate) struct Desk {
    /// The system.
    pub(crate) app: App,
    /// The request.
    pub(crate) context: RequestContext,
    /// The browser's session.
    pub(super) session: Session,
    /// Who it is.
    pub(crate) staff: Staff,
}

impl FromRequestParts<App> for Desk {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let context = parts.extensions.get::<RequestContext>().cloned().ok_or(Fault::Broken)?;
        let session = parts.extensions.get::<Session>().cloned().ok_or(Fault::Broken)?;
        // Put there by the wall; without it there is no desk.
        let staff = parts.extensions.get::<Staff>().cloned().ok_or(Fault::Broken)?;
        Ok(Self {
            app: app.clone(),
            context,
            session,
            staff,
        })
    }
}

impl Desk {
    /// The meta data of a page.
    pub(crate) fn meta(&self) -> PageMeta {
        meta(&self.app, &self.context)
    }

    /// The frame of a page. Takes the sentence that is to be said once.
    pub(crate) async fn frame(&self, place: Place) -> Result<Frame, Fault> {
        let staff = &self.staff;
        let may = May {
            review: Reviewer::of(staff).is_ok(),
            develop: Developer::of(staff).is_ok(),
            administer: Admin::of(staff).is_ok(),
            staff: Roster::of(staff).is_ok(),
            audit: Auditor::of(staff).is_ok(),
        };
        let tenants = match Operator::of(staff) {
            Ok(operator) => list_tenants(&self.app.honnin, &operator).await?,
            Err(Forbidden) => Vec::new(),
        };
        Ok(Frame {
            place,
            person: staff.name().to_owned(),
            role: match staff.rank() {
                Rank::Role(role) => words::role(role.as_str()),
                Rank::Operator => words::role("operator"),
            },
            tenant: (staff.tenant().to_string(), staff.tenant_name().to_owned()),
            sandbox: staff.is_sandbox(),
            tenants: tenants
                .into_iter()
                .map(|tenant| (tenant.id.to_string(), tenant.name))
                .collect(),
            backlog: if may.review {
                count_waiting(&self.app.honnin, staff).await?
            } else {
                0
            },
            may,
            done: self.session.remove(DONE).await?,
        })
    }

    /// Goes on to `path`, where `done` is said once.
    pub(crate) async fn done(&self, path: &str, done: &str) -> Answer {
        self.session.insert(DONE, done).await?;
        Ok(Redirect::to(path).into_response())
    }

    /// Asks for the password again where it was entered long ago; `next` is where to go on afterwards.
    pub(crate) async fn check_fresh(&self, next: &'static str) -> Result<(), Fault> {
        let entered = at(self.session.get(PASSWORD_AT).await?);
        let fresh = entered.is_some_and(|at| self.app.honnin.now() < at.plus(FRESH));
        if fresh { Ok(()) } else { Err(Fault::Confirm(next)) }
    }

    /// Notes that the password was just entered.
    pub(super) async fn freshen(&self) -> Result<(), Fault> {
        Ok(self
            .session
            .insert(PASSWORD_AT, self.app.honnin.now().as_millis())
            .await?)
    }

    /// Looks at another tenant from now on.
    pub(super) async fn look_at(&self, tenant: &TenantId) -> Result<(), Fault> {
        Ok(self.session.insert(TENANT, tenant.as_str()).await?)
    }
}

/// A page.
pub(crate) fn ok(html: String) -> Answer {
    Ok(Html(html).into_response())
}

/// The page again, with what was wrong.
pub(crate) fn wrong(html: String) -> Answer {
    Ok((StatusCode::UNPROCESSABLE_ENTITY, Html(html)).into_response())
}
