//! The authentication middleware of the console: its pages require a sign-in, every form must come from one of our pages, and no other site
//! fetches a page. It also stores what pages and forms change in the browser's session.

use crate::{
    cookies::{cookies, set_cookie, set_strict_cookie},
    edge::RequestContext,
    same_origin::{is_fetched_by_another_site, is_own_link, is_same_origin, says_site},
    state::App,
};
use app::{
    console::{
        Fault, Guest, GuestRequest, NOT_SAVED, Notice, Request as PageRequest, SessionChange, SignedIn,
        openid::AttemptCookie, page_of_form,
    },
    page::refuse,
};
use axum::{
    Extension,
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use cookie::Cookie;
use domain::{
    ids::{TenantId, UserId},
    time::{Millis, Timestamp},
};
use http::{
    Method,
    header::{CONTENT_TYPE, USER_AGENT},
};
use service::{
    access::{self, Staff},
    people::{
        console_session::{
            self, ABSOLUTE, IDLE, id_of,
            key::{ADDRESS, AGENT, EPOCH, SEEN_AT, SIGNED_IN_AT, USER},
        },
        known_browser::{self, Browser, Client},
        openid,
        pending_sign_in::{self, PendingSignIn},
        visit::{Entrance, Since},
    },
};
use store::StoreError;
use thiserror::Error;
use tower_sessions::{Session, session, session_store};
use url::form_urlencoded;

/// The cookie of an attempt to sign in with the provider.
const ATTEMPT: &str = "__Host-sign-in";
/// The cookie by which a browser is known that somebody has signed in with.
const BROWSER: &str = "__Host-browser";
/// The cookie by which a browser too old for `Sec-Fetch-Site` shows that no other site has led it here.
const HERE: &str = "__Host-here";
/// Session key: when they last proved who they are, by whatever means. The name is that of stored sessions.
const PROVED_AT: &str = "password_at";
/// Session key: since when they are told what has happened. The time, the address of the visit before with this browser, and the number of the last
/// entry of the audit log that is not told.
const SINCE: &str = "since";
/// Session key: whose first factor was right, with a second one to show. This name and the next two are those of stored sessions.
const PENDING: &str = "half";
/// Session key: which of their sign-ins it is.
const PENDING_NUMBER: &str = "half_number";
/// Session key: when the first one was right.
const PENDING_AT: &str = "half_at";
/// Session key: the current tenant.
const TENANT: &str = "tenant";
/// Session key: the notice to show on the next page.
const NOTICE: &str = "notice";

/// What people can use who still have to set up a second factor: the account with its factors, proving who they are, leaving the
/// tenant that requires it, and signing out.
const WITHOUT_FACTOR: [&str; 5] = [
    "/admin/account",
    "/admin/confirm",
    "/admin/tenant",
    "/admin/sign-out",
    "/admin/sign-out-everywhere",
];
/// How the addresses of the forms begin that end the session.
const SIGN_OUT: &str = "/admin/sign-out";
/// Longest name of a browser that is kept, in characters.
const AGENT_LIMIT: usize = 200;
/// Precision of a session's last use.
const PRECISION: Millis = Millis::minutes(1);

/// An extension of the response: its browser has signed out.
#[derive(Clone, Copy, Debug)]
pub(super) struct HasSignedOut;

/// Why a session could not be read or stored.
#[derive(Debug, Error)]
enum SessionError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Session(#[from] tower_sessions::session::Error),
}

/// Somebody of whom nothing is known.
fn guest(app: &App, context: &RequestContext) -> GuestRequest {
    let who = Guest {
        client: Client {
            address: context.client,
            browser: Browser::of(&app.honnin, String::new(), None),
        },
        pending: None,
        attempt: None,
        is_own_link: false,
    };
    app.page_request(context, who)
}

/// The response if the session could not be read or stored.
async fn broken(error: SessionError, app: &App, context: &RequestContext) -> Response {
    let fault = match error {
        SessionError::Store(error) => error.into(),
        SessionError::Session(error) => {
            tracing::error!(%error, "cannot read or store the console session");
            match error {
                session::Error::Store(session_store::Error::Backend(_)) => Fault::Unavailable,
                _ => Fault::Broken,
            }
        }
    };
    refuse(guest(app, context), fault).await
}

/// Refuses cross-site forms, and pages that another site fetches: opening a case reserves it and is recorded in its reviewer's name. Runs before
/// everything else, signing in included.
pub(super) async fn own_requests_only(
    State(app): State<App>,
    context: RequestContext,
    mut request: Request,
    next: Next,
) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_foreign = if reads {
        is_fetched_by_another_site(request.headers())
    } else {
        !is_same_origin(request.headers(), app.honnin.base_url())
    };
    if is_foreign {
        return refuse(guest(&app, &context), Fault::Foreign).await;
    }
    request.extensions_mut().insert(guest(&app, &context));
    next.run(request).await
}

/// Tells the pages for guests what they need of the browser: whose first factor was right, with a second one to show, and the
/// attempt to sign in with the provider.
pub(super) async fn guest_context(
    State(app): State<App>,
    context: RequestContext,
    session: Session,
    Extension(browser): Extension<Browser>,
    mut request: Request,
    next: Next,
) -> Response {
    let jar = cookies(request.headers());
    let is_marked = says_site(request.headers()) || jar.get(HERE).is_some() || app.honnin.provider().is_none();
    match pending(&app, &session).await {
        Ok(pending) => {
            let attempt = jar.get(ATTEMPT).map(|cookie| cookie.value().to_owned());
            let is_own_link = is_own_link(request.headers(), jar.get(HERE).map(Cookie::value));
            let who = Guest {
                client: Client {
                    address: context.client,
                    browser,
                },
                pending,
                attempt,
                is_own_link,
            };
            let page: GuestRequest = app.page_request(&context, who);
            request.extensions_mut().insert(page);
        }
        Err(error) => return broken(error, &app, &context).await,
    }
    let mut response = next.run(request).await;
    if !is_marked {
        set_strict_cookie(&mut response, HERE, "1".to_owned());
    }
    response
}

/// Whose first factor was right with this session, unless that sign-in has ended: with a new password, for example.
async fn pending(app: &App, session: &Session) -> Result<Option<PendingSignIn>, SessionError> {
    let entered = at(session.get(PENDING_AT).await?);
    if !entered.is_some_and(|at| at.is_within(pending_sign_in::LIFETIME, app.honnin.now())) {
        return Ok(None);
    }
    let user = session.get::<String>(PENDING).await?;
    let user = user.and_then(|user| UserId::parse(&user));
    let number = session.get(PENDING_NUMBER).await?;
    let Some((user, number)) = user.zip(number) else {
        return Ok(None);
    };
    let pending = PendingSignIn { user, number };
    Ok(pending_sign_in::is_open(&app.honnin, &pending)
        .await?
        .then_some(pending))
}

/// Lets signed-in people through, and tells the pages who they are.
pub(super) async fn signed_in_only(
    State(app): State<App>,
    context: RequestContext,
    session: Session,
    Extension(browser): Extension<Browser>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_activity = is_activity(request.uri().path());
    let signed_in = match who(&app, &session, &context, &browser, is_activity).await {
        Ok(Some(signed_in)) => signed_in,
        Ok(None) => return to_sign_in(request.uri(), request.method()),
        Err(error) => return broken(error, &app, &context).await,
    };
    if signed_in.staff.lacks_factor() && !WITHOUT_FACTOR.iter().any(|path| is_below(request.uri().path(), path)) {
        return Redirect::to("/admin/account").into_response();
    }
    let has_notice = signed_in.notice.is_some();
    let page: PageRequest = app.page_request(&context, signed_in);
    request.extensions_mut().insert(page);
    let response = next.run(request).await;
    let is_page = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if has_notice && is_page {
        // This page has shown it.
        if let Err(error) = session.remove::<Notice>(NOTICE).await {
            return broken(error.into(), &app, &context).await;
        }
    }
    response
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A page is remembered as the target after sign-in, and so is the page of a form. A form is never resubmitted without the person's knowledge:
/// they are told that it was lost, unless it was to sign them out.
fn to_sign_in(uri: &http::Uri, method: &Method) -> Response {
    let (next, is_lost) = if matches!(*method, Method::GET | Method::HEAD) {
        let here = uri.path_and_query().map_or("/admin", |here| here.as_str());
        (Some(here.to_owned()), false)
    } else {
        // Such as the part of the queue that they worked on.
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let page = page_of_form(uri.path()).map(|page| page + &query);
        (page, !uri.path().starts_with(SIGN_OUT))
    };
    let mut query = form_urlencoded::Serializer::new(String::new());
    if is_lost {
        query.append_pair("done", NOT_SAVED);
    }
    if let Some(next) = next.filter(|next| next != "/admin") {
        query.append_pair("next", &next);
    }
    let query = query.finish();
    let mark = if query.is_empty() { "" } else { "?" };
    Redirect::to(&format!("/admin/sign-in{mark}{query}")).into_response()
}

fn at(millis: Option<i64>) -> Option<Timestamp> {
    millis.map(Timestamp::from_millis)
}

/// Whether a request is a sign of a person: what an open page asks for by itself must not keep a session alive that nobody uses.
fn is_activity(path: &str) -> bool {
    path != app::console::queue::CASES
}

/// Who is signed in with this session, unless it has exceeded its idle or absolute time-out.
async fn who(
    app: &App,
    session: &Session,
    context: &RequestContext,
    browser: &Browser,
    is_activity: bool,
) -> Result<Option<SignedIn>, SessionError> {
    let Some(user) = session.get::<String>(USER).await? else {
        return Ok(None);
    };
    let now = app.honnin.now();
    let (began, seen) = (at(session.get(SIGNED_IN_AT).await?), at(session.get(SEEN_AT).await?));
    let alive = began.is_some_and(|at| at.is_within(ABSOLUTE, now)) && seen.is_some_and(|at| at.is_within(IDLE, now));
    let tenant = session.get::<String>(TENANT).await?.and_then(|id| TenantId::parse(&id));
    let staff: Option<Staff> = match UserId::parse(&user).filter(|_| alive) {
        Some(user) => access::staff(&app.honnin, &user, tenant.as_ref(), context.client).await?,
        None => None,
    };
    // Those of before there were epochs are of the first.
    let epoch = session.get::<i64>(EPOCH).await?.unwrap_or_default();
    let Some(staff) = staff.filter(|staff| staff.session_epoch() == epoch) else {
        session.flush().await?;
        return Ok(None);
    };
    if is_activity && seen.is_some_and(|at| at.plus(PRECISION) <= now) {
        session.insert(SEEN_AT, now.as_millis()).await?;
    }
    Ok(Some(SignedIn {
        browser: browser.id(staff.user()),
        staff,
        at: now,
        since: since(session).await?,
        confirmed_at: at(session.get(PROVED_AT).await?),
        notice: session.get(NOTICE).await?,
        session: session.id().map(|id| id_of(&id.to_string())).unwrap_or_default(),
    }))
}

/// Since when the person of this session is told what has happened.
async fn since(session: &Session) -> Result<Option<Since>, SessionError> {
    let stored = session.get::<(i64, Option<String>, i64)>(SINCE).await?;
    Ok(stored.map(|(at, from, entry)| Since {
        at: Timestamp::from_millis(at),
        from,
        entry,
    }))
}

/// Which browser has sent a request.
fn browser_of(app: &App, request: &Request) -> Browser {
    let agent = request.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok());
    let agent = agent.unwrap_or_default().chars().take(AGENT_LIMIT).collect();
    let cookies = cookies(request.headers());
    Browser::of(&app.honnin, agent, cookies.get(BROWSER).map(Cookie::value))
}

/// Stores what a page or form changed in the session. A browser that somebody has signed in with is known from then on.
pub(super) async fn session_changes(
    State(app): State<App>,
    context: RequestContext,
    session: Session,
    mut request: Request,
    next: Next,
) -> Response {
    let browser = browser_of(&app, &request);
    request.extensions_mut().insert(browser.clone());
    let mut response = next.run(request).await;
    let change = response.extensions_mut().remove::<SessionChange>();
    let notice = response.extensions_mut().remove::<Notice>();
    match response.extensions_mut().remove::<AttemptCookie>() {
        Some(AttemptCookie(Some(value))) => {
            set_cookie(&mut response, ATTEMPT, value.expose().clone(), openid::LIFETIME);
        }
        Some(AttemptCookie(None)) => set_cookie(&mut response, ATTEMPT, String::new(), Millis(0)),
        None => {}
    }
    if matches!(
        change,
        Some(SessionChange::SignedIn(_) | SessionChange::SignedInElsewhere { .. })
    ) {
        let token = browser.token.expose().clone();
        set_cookie(&mut response, BROWSER, token, known_browser::LIFETIME);
    }
    if matches!(change, Some(SessionChange::SignedOut)) {
        response.extensions_mut().insert(HasSignedOut);
    }
    let from = SignInOrigin {
        address: context.client.to_string(),
        agent: browser.agent,
    };
    match keep(&app, &session, change, notice, from).await {
        Ok(()) => response,
        Err(error) => broken(error, &app, &context).await,
    }
}

/// Where somebody signs in from, as their account page lists it.
struct SignInOrigin {
    /// The client's IP address.
    address: String,
    /// The beginning of the browser's `User-Agent`.
    agent: String,
}

/// A new session, so that the old cookie's value is worthless. `flush` alone would store the next record under the old value.
async fn sign_in(
    session: &Session,
    entrance: &Entrance,
    proved_at: Option<i64>,
    now: i64,
    from: SignInOrigin,
) -> Result<(), SessionError> {
    session.clear().await;
    session.cycle_id().await?;
    session.insert(USER, entrance.user.as_str()).await?;
    session.insert(EPOCH, entrance.epoch).await?;
    session.insert(SIGNED_IN_AT, now).await?;
    session.insert(SEEN_AT, now).await?;
    if let Some(proved_at) = proved_at {
        session.insert(PROVED_AT, proved_at).await?;
    }
    if let Some(Since { at, from, entry }) = &entrance.since {
        session.insert(SINCE, (at.as_millis(), from, entry)).await?;
    }
    session.insert(ADDRESS, from.address).await?;
    session.insert(AGENT, from.agent).await?;
    Ok(())
}

/// Who has just signed in with this browser, or has come as far as the second factor.
const fn who_entered(change: &SessionChange) -> Option<&UserId> {
    match change {
        SessionChange::SignInPending(pending) => Some(&pending.user),
        SessionChange::SignedIn(entrance) | SessionChange::SignedInElsewhere { entrance, .. } => Some(&entrance.user),
        _ => None,
    }
}

async fn keep(
    app: &App,
    session: &Session,
    change: Option<SessionChange>,
    notice: Option<Notice>,
    from: SignInOrigin,
) -> Result<(), SessionError> {
    let now = app.honnin.now().as_millis();
    let entered = change.as_ref().and_then(who_entered);
    let before = pending(app, session).await?;
    if let Some(before) = before.filter(|before| Some(&before.user) == entered) {
        // At worst, the attempt is recorded as one that stopped; whoever has just signed in is still let in.
        if let Err(error) = pending_sign_in::forget(&app.honnin, before).await {
            tracing::warn!(%error, "cannot drop a sign-in that was started again");
        }
    }
    match change {
        None => {}
        Some(SessionChange::SignedIn(entrance)) => sign_in(session, &entrance, Some(now), now, from).await?,
        Some(SessionChange::SignedInElsewhere { entrance, proved_at }) => {
            let proved_at = proved_at.map(Timestamp::as_millis);
            sign_in(session, &entrance, proved_at, now, from).await?;
        }
        Some(SessionChange::Renewed(mut entrance)) => {
            entrance.since = since(session).await?;
            let proved_at = session.get(PROVED_AT).await?;
            sign_in(session, &entrance, proved_at, now, from).await?;
        }
        Some(SessionChange::SignInPending(next)) => {
            session.clear().await;
            session.cycle_id().await?;
            session.insert(PENDING, next.user.as_str()).await?;
            session.insert(PENDING_NUMBER, next.number).await?;
            session.insert(PENDING_AT, now).await?;
        }
        Some(SessionChange::SignedOut) => session.flush().await?,
        Some(SessionChange::Confirmed) => renew_proof(app, session, now).await?,
        Some(SessionChange::ConfirmedElsewhere { user, proved_at }) => confirm(app, session, &user, proved_at).await?,
        Some(SessionChange::LooksAt(tenant)) => session.insert(TENANT, tenant.as_str()).await?,
    }
    if let Some(notice) = notice {
        session.insert(NOTICE, notice).await?;
    }
    Ok(())
}

/// Remembers that the person of this session has proved who they are, unless somebody else has signed in with this browser meanwhile.
async fn confirm(app: &App, session: &Session, user: &UserId, proved_at: Timestamp) -> Result<(), SessionError> {
    if session.get::<String>(USER).await?.as_deref() == Some(user.as_str()) {
        renew_proof(app, session, proved_at.as_millis()).await?;
    }
    Ok(())
}

/// Notes when somebody proved who they are. The cookie changes, so that its value from before is worthless. A session that was ended meanwhile
/// stays ended.
async fn renew_proof(app: &App, session: &Session, proved_at: i64) -> Result<(), SessionError> {
    let is_there = match session.id() {
        Some(id) => console_session::delete(&app.honnin, &id.to_string()).await?,
        None => false,
    };
    if !is_there {
        session.flush().await?;
        return Ok(());
    }
    session.cycle_id().await?;
    session.insert(PROVED_AT, proved_at).await?;
    Ok(())
}
