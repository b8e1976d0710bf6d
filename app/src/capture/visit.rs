//! Who requests a page of the capture flow, and what every page there needs besides its own data.

use super::{problem, refusal::Refusal, waiting::Waiting};
use crate::{
    Accent, Brand, Closing, Logo, PageMeta, Progress, Stage, forms,
    page::{self, Area, Fields, Outcome, RETRY_SOON, Refused, page, with_query},
    text::{entry, problem::Problem},
};
use axum::{
    Json,
    body::to_bytes,
    response::{IntoResponse, Redirect, Response},
};
use domain::{
    ids::{CaptureId, SessionId},
    language::Language,
    secret::Personal,
    time::Millis,
};
use http::{
    HeaderValue, StatusCode,
    header::{LOCATION, RETRY_AFTER},
};
use leptos::prelude::*;
use serde::Serialize;
use service::{
    access::{Applicant, capture_cookie},
    capture::{
        branding::{Branding, branding_of_browser},
        progress::{AttemptState, Next, analysed_within, progress},
        result::return_url_after_deadline,
    },
};
use std::{sync::Arc, time::Duration};

/// A form without files.
const MAX_FORM: usize = 64 * 1024;

/// What is known of an end user's request before the service is called.
#[derive(Clone)]
pub struct Visit {
    /// The language of the page.
    pub language: Language,
    /// Whether it sends something, such as a form.
    pub sends: bool,
    /// Whether a script sent it, which expects JSON instead of a page.
    pub wants_json: bool,
    /// Whether the browser runs on a phone.
    pub is_phone: bool,
    /// Whether the browser prefers a region or language of Japan, whichever language the page is in.
    pub in_japan: bool,
    /// The address without its query, for the language switch.
    pub path: String,
    /// The capture cookie, which ties the browser to its session.
    pub cookie: Option<String>,
    /// Distinguishes one browser viewing a start page from another.
    pub mark: Option<String>,
    /// Leave to wait for what is about to happen.
    pub waiting: Waiting,
}

/// A request of an end user.
pub type Request = page::Request<Visit>;

/// What was found, or why the request is refused.
pub(super) type PageResult<T> = Result<T, Refusal>;

/// An extension of the response: the capture cookie to set.
#[derive(Clone)]
pub struct CaptureCookie(pub String);

/// The JSON that scripts receive.
#[derive(Serialize)]
#[serde(untagged)]
enum ScriptResponse<'a> {
    Next { next: &'a str },
    Problems { problems: [(); 0] },
}

/// A request together with its user and their current step.
pub(super) struct Here {
    pub(super) request: Request,
    pub(super) applicant: Applicant,
    pub(super) attempt: AttemptState,
}

/// A page of the flow: renders what a form passed on or, failing that, what `load` finds. `path` is the page's own address.
pub(super) fn step<V, F>(
    stage: Option<Stage>,
    path: &'static str,
    load: fn(Arc<Here>) -> F,
    render: fn(&V, &PageMeta) -> AnyView,
) -> impl IntoView
where
    V: Clone + Send + Sync + 'static,
    F: Future<Output = PageResult<V>> + Send + 'static,
{
    page(move |request: Request| async move {
        let here = Arc::new(request.here().await?);
        let view = match use_context::<V>() {
            Some(view) => view,
            None => load(here.clone()).await?,
        };
        Ok(render(&view, &here.meta(stage, path)))
    })
}

impl Request {
    /// The user of this session.
    pub(super) async fn applicant(&self) -> PageResult<Applicant> {
        let cookie = self.who.cookie.as_deref().ok_or(Refusal::Over)?;
        Ok(capture_cookie::applicant(self.honnin(), cookie).await?)
    }

    /// Waits a while for the analysis of the user's photos.
    pub(super) async fn analysed(&self, applicant: &Applicant) -> PageResult<AttemptState> {
        let enough = |attempt: &AttemptState| !attempt.is_being_analysed();
        let look = |at_most| analysed_within(self.honnin(), applicant, at_most);
        Ok(self.who.waiting.until(READING, enough, look).await?)
    }

    /// The user, and their current step.
    pub(super) async fn here(self) -> PageResult<Here> {
        let applicant = self.applicant().await?;
        let attempt = progress(self.honnin(), &applicant).await?;
        Ok(Here {
            request: self,
            applicant,
            attempt,
        })
    }

    /// Redirects to another page of the flow.
    pub(super) fn lead_on(&self, next: &str) -> Response {
        if self.who.wants_json {
            Json(ScriptResponse::Next { next }).into_response()
        } else {
            Redirect::to(next).into_response()
        }
    }

    /// Redirects to the current step.
    pub(super) async fn to_current_step(&self, applicant: &Applicant) -> PageResult<Response> {
        let attempt = progress(self.honnin(), applicant).await?;
        Ok(self.lead_on(address(attempt.next(self.honnin().now()))))
    }

    /// Whether the user is to be told that what they did on a page that was out of date was not saved.
    pub(super) fn tells_not_saved(&self) -> bool {
        self.query()
            .is_ok_and(|query| query.raw(forms::NOTICE) == forms::NOT_SAVED)
    }

    /// What a page needs besides its view model.
    pub(super) fn meta(&self, brand: Option<Brand>) -> PageMeta {
        PageMeta {
            language: self.who.language,
            nonce: self.nonce.clone(),
            assets: self.site.assets.clone(),
            brand,
            path: self.who.path.clone(),
            progress: None,
            closing: None,
            notice: None,
        }
    }
}

impl Here {
    /// The current step.
    pub(super) fn next(&self) -> Next {
        self.attempt.next(self.request.honnin().now())
    }

    /// What a page of the flow needs besides its view model. `path` is the page's own address, because a form posted to another
    /// address may be answered with this page.
    fn meta(&self, stage: Option<Stage>, path: &str) -> PageMeta {
        let attempt = &self.attempt;
        PageMeta {
            progress: stage.map(|stage| Progress::of(attempt.plan(), stage)),
            closing: attempt.time_left(self.request.honnin().now()).map(|left| Closing {
                seconds: left.span.0 / 1000,
                renewable: left.renewable,
            }),
            path: path.to_owned(),
            // Not after the last step, which cannot be continued.
            notice: stage
                .filter(|_| self.request.tells_not_saved())
                .map(|_| entry::NOT_SAVED),
            ..self.request.meta(Some(brand(attempt.branding())))
        }
    }

    /// After a form was accepted: redirects to the current step.
    pub(super) async fn to_current_step(&self) -> PageResult<Outcome> {
        self.request.to_current_step(&self.applicant).await.map(Outcome::Done)
    }
}

/// How the tenant presents itself.
pub(super) fn brand(branding: &Branding) -> Brand {
    Brand {
        name: branding.name.clone(),
        accent: branding.accent.as_deref().and_then(Accent::parse),
        logo: branding.logo.as_ref().map(|logo| Logo {
            src: format!("{}{}", forms::LOGOS, logo.hash),
            width: logo.width,
            height: logo.height,
        }),
        contact: branding.contact.as_ref().map(|contact| contact.href().to_owned()),
    }
}

/// The tenant that a page about `problem` names: that of the session the browser takes part in, or took part in until its end.
async fn brand_of_problem(request: &Request, problem: &Problem) -> Option<Brand> {
    // A link that cannot be used may be another tenant's.
    if matches!(problem, Problem::LinkUnusable { .. }) {
        return None;
    }
    let cookie = request.who.cookie.as_deref()?;
    // Whatever is wrong with the database is the page's subject already.
    let branding = branding_of_browser(request.honnin(), cookie).await.ok().flatten();
    branding.as_ref().map(brand)
}

/// The session that the browser has submitted, whether it can still open it or not.
pub(super) async fn submitted_session(request: &Request) -> Option<SessionId> {
    let cookie = request.who.cookie.as_deref()?;
    // Whatever is wrong with the database, the page is closed.
    let submitted = capture_cookie::submitted_session(request.honnin(), cookie).await;
    submitted.ok().flatten()
}

/// The way back to the tenant, for a browser that took part until the deadline passed.
async fn return_url(request: &Request) -> Option<String> {
    let cookie = request.who.cookie.as_deref()?;
    // Whatever is wrong with the database, the deadline has passed.
    let url = return_url_after_deadline(request.honnin(), cookie).await.ok().flatten();
    url.map(Personal::into_exposed)
}

/// Whether the browser is in the middle of a verification, which it can continue without its link.
async fn is_taking_part(request: &Request) -> bool {
    let Ok(applicant) = request.applicant().await.inspect_err(Refusal::log) else {
        return false;
    };
    let attempt = progress(request.honnin(), &applicant).await;
    attempt.is_ok_and(|attempt| !matches!(attempt.next(request.honnin().now()), Next::Result | Next::Expired))
}

/// The address of a step's page.
pub(super) const fn address(next: Next) -> &'static str {
    match next {
        Next::Consent => forms::CONSENT,
        Next::Choose => forms::CHOOSE,
        Next::Photograph(_) => forms::DOCUMENT,
        Next::Check(_) => forms::CHECK,
        Next::Details => forms::DETAILS,
        Next::Selfie => forms::SELFIE,
        Next::Submit => forms::SUBMIT,
        Next::Result | Next::Expired => forms::RESULT,
    }
}

/// The stage of a step, if it is one that users count.
pub(super) const fn stage(next: Next) -> Option<Stage> {
    match next {
        Next::Consent => Some(Stage::Consent),
        Next::Choose | Next::Photograph(_) | Next::Check(_) => Some(Stage::Document),
        Next::Details => Some(Stage::Details),
        Next::Selfie => Some(Stage::Selfie),
        Next::Submit => Some(Stage::Submit),
        Next::Result | Next::Expired => None,
    }
}

/// A page that is not due redirects to the one that is.
pub(super) fn in_turn(right: bool) -> PageResult<()> {
    if right { Ok(()) } else { Err(Refusal::OutOfTurn) }
}

impl Area for Visit {
    type Fault = Refusal;

    /// A body that is not a form has no fields. One that breaks off is refused: without its end, a form may say something else.
    async fn fields(body: axum::extract::Request) -> PageResult<Fields> {
        let body = to_bytes(body.into_body(), MAX_FORM)
            .await
            .map_err(|_| Refusal::Unread)?;
        Ok(Fields::of_bytes(&body)?)
    }

    fn log(fault: &Refusal) {
        fault.log();
    }

    fn answer(request: &Request, fault: &Refusal) -> Option<Response> {
        if !request.who.wants_json {
            return None;
        }
        let (status, _) = explanation(fault);
        let mut answer = match status {
            StatusCode::SEE_OTHER => request.lead_on(elsewhere(request, fault)),
            // The page of the step says so.
            _ if matches!(fault, Refusal::NoTryLeft) => request.lead_on(forms::CAPTURE),
            status => (status, Json(ScriptResponse::Problems { problems: [] })).into_response(),
        };
        if status == StatusCode::SERVICE_UNAVAILABLE {
            answer.headers_mut().insert(RETRY_AFTER, RETRY_SOON);
        }
        Some(answer)
    }

    async fn refused(request: &Request, fault: Refusal) -> Refused {
        let (status, shown) = explanation(&fault);
        let shown = match shown {
            Problem::NotFound { .. } => Problem::NotFound {
                taking_part: is_taking_part(request).await,
            },
            Problem::LinkUnusable { .. } => Problem::LinkUnusable {
                taking_part: is_taking_part(request).await,
            },
            Problem::Busy { .. } => Problem::Busy {
                sends: request.who.sends,
            },
            Problem::Broken { .. } => Problem::Broken {
                sends: request.who.sends,
            },
            Problem::Expired { .. } => Problem::Expired {
                return_url: return_url(request).await,
            },
            Problem::SessionOver if request.who.cookie.is_none() => Problem::Stranger,
            Problem::SessionOver if submitted_session(request).await.is_some() => Problem::Submitted,
            other => other,
        };
        let header = match status {
            StatusCode::SEE_OTHER => HeaderValue::from_str(elsewhere(request, &fault))
                .ok()
                .map(|to| (LOCATION, to)),
            StatusCode::SERVICE_UNAVAILABLE => Some((RETRY_AFTER, RETRY_SOON)),
            _ => None,
        };
        let brand = brand_of_problem(request, &shown).await;
        let reference = problem::Reference {
            request: request.id.clone(),
            at: request.honnin().now(),
        };
        Refused {
            status,
            header,
            view: problem::render(&shown, &reference, &request.meta(brand)),
        }
    }
}

/// Where a refusal that redirects leads to.
fn elsewhere<'a>(request: &'a Request, fault: &Refusal) -> &'a str {
    match fault {
        // To the form's own page, where it can be sent again: a user who is about to start has no other page yet.
        Refusal::Unread => &request.who.path,
        Refusal::NotSaved => forms::CAPTURE_NOT_SAVED,
        _ => forms::CAPTURE,
    }
}

/// The status of a refusal, and the page that explains it.
fn explanation(fault: &Refusal) -> (StatusCode, Problem) {
    match fault {
        // Redirects, so the page is not sent.
        Refusal::OutOfTurn | Refusal::NotSaved | Refusal::Unread => (StatusCode::SEE_OTHER, Problem::Stale),
        // `refused` finds out whether the visitor is in the middle of a verification, and what else the page depends on.
        Refusal::Link => (StatusCode::NOT_FOUND, Problem::LinkUnusable { taking_part: false }),
        Refusal::Over => (StatusCode::UNAUTHORIZED, Problem::SessionOver),
        Refusal::Expired => (StatusCode::GONE, Problem::Expired { return_url: None }),
        Refusal::Foreign => (StatusCode::FORBIDDEN, Problem::Stale),
        Refusal::NoTryLeft => (StatusCode::UNPROCESSABLE_ENTITY, Problem::TooManyTries),
        Refusal::NotFound => (StatusCode::NOT_FOUND, Problem::NotFound { taking_part: false }),
        Refusal::Busy => (StatusCode::SERVICE_UNAVAILABLE, Problem::NotSent),
        Refusal::Slow => (StatusCode::REQUEST_TIMEOUT, Problem::TooSlow),
        Refusal::Store(error) if error.is_temporary() => {
            (StatusCode::SERVICE_UNAVAILABLE, Problem::Busy { sends: false })
        }
        Refusal::Store(_) => (StatusCode::INTERNAL_SERVER_ERROR, Problem::Broken { sends: false }),
    }
}

/// How long a page waits for the document to be read.
const READING: Duration = Duration::from_secs(10);

/// Days to tell an applicant of: nobody's data is kept longer than they were told.
pub(super) fn days(span: Millis) -> u32 {
    u32::try_from(span.days_begun()).unwrap_or(u32::MAX).max(1)
}

/// The URL of one frame of the user's own picture.
pub(super) fn picture_url(id: &CaptureId, frame: usize) -> String {
    match frame {
        0 => format!("{}/{id}", forms::PICTURES),
        frame => format!("{}/{id}?frame={frame}", forms::PICTURES),
    }
}

/// The same URL for another view of the picture, a value of [`forms::VIEW`].
pub(super) fn seen_as(url: &str, view: &str) -> String {
    with_query(url, forms::VIEW, view)
}
