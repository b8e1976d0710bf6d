//! One request of an end user: who it is, in which language to answer, and whether a page or JSON is wanted.

use super::refusal::Refusal;
use crate::{edge::RequestContext, same_origin::is_same_origin, state::App};
use app::{Accent, Brand, Closing, PageMeta, Progress, Stage, forms};
use axum::{
    body::to_bytes,
    extract::{FromRequestParts, Request},
    response::{IntoResponse, Redirect, Response},
};
use domain::language::Language;
use http::{
    HeaderMap, HeaderValue, Method,
    header::{ACCEPT, ACCEPT_LANGUAGE, COOKIE, ORIGIN, SET_COOKIE},
    request::Parts,
};
use service::{
    access::Applicant,
    capture_cookie,
    progress::{Standing, progress},
};
use std::collections::HashMap;

/// Ties the browser to the session.
const CAPTURE: &str = "__Host-honnin-capture";
/// Tells one browser that looks at a start page from another.
const MARK: &str = "__Host-honnin-start";
/// The language chosen with the switch.
const LANGUAGE: &str = "honnin-language";
/// A form without files.
const MAX_FORM: usize = 64 * 1024;

/// What is known of a request before the service is asked.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    pub(super) language: Language,
    pub(super) nonce: String,
    pub(super) request: String,
    /// The camera's script wants JSON, a form a page.
    pub(super) json: bool,
    /// The address without its query.
    path: String,
    cookies: HashMap<String, String>,
}

/// Phones too old for `Sec-Fetch-Site` write `Origin: null` under our own referrer policy. They hold `SameSite=Lax` to be true, so
/// that a foreign post comes without the cookie; and who posts to a link knows its token.
pub(super) fn may_post(headers: &HeaderMap, app: &App) -> bool {
    let old_phone =
        !headers.contains_key("sec-fetch-site") && headers.get(ORIGIN).is_some_and(|origin| origin == "null");
    old_phone || is_same_origin(headers, app.honnin.base_url())
}

fn cookies(headers: &HeaderMap) -> HashMap<String, String> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn chosen_language(query: &str) -> Option<Language> {
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs
        .find(|(name, _)| name == forms::LANG)
        .and_then(|(_, value)| Language::parse(&value))
}

/// Keeps the language and shows the same page without the query.
fn switched(path: &str, language: Language) -> Response {
    let cookie = format!("{LANGUAGE}={language}; Path=/; Max-Age=31536000; Secure; HttpOnly; SameSite=Lax");
    with_cookie(Redirect::to(path).into_response(), &cookie)
}

/// Adds a cookie to an answer.
pub(super) fn with_cookie(mut response: Response, cookie: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(SET_COOKIE, value);
    }
    response
}

/// The capture cookie as it is set. The server ends it; the browser forgets it when it must be over.
pub(super) fn capture_cookie(value: &str) -> String {
    format!(
        "{CAPTURE}={value}; {BOUND}; Max-Age={}",
        capture_cookie::LIFETIME.0 / 1000
    )
}

/// The mark of a browser that looks at a start page.
pub(super) fn mark_cookie(value: &str) -> String {
    format!("{MARK}={value}; {BOUND}; Max-Age=86400")
}

const BOUND: &str = "Path=/; Secure; HttpOnly; SameSite=Lax";

impl Visit {
    /// What a request says of its visit; the answer at once where it chooses another language.
    pub(super) async fn read(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let context = RequestContext::from_request_parts(parts, app)
            .await
            .map_err(IntoResponse::into_response)?;
        let cookies = cookies(&parts.headers);
        let path = parts.uri.path().to_owned();
        if parts.method == Method::GET
            && let Some(chosen) = chosen_language(parts.uri.query().unwrap_or_default())
        {
            return Err(switched(&path, chosen));
        }
        let text = |name| {
            parts
                .headers
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
                .unwrap_or_default()
        };
        let kept = cookies.get(LANGUAGE).and_then(|language| Language::parse(language));
        Ok(Self {
            language: kept.unwrap_or_else(|| Language::negotiate(text(ACCEPT_LANGUAGE))),
            nonce: context.nonce,
            request: context.id.to_string(),
            json: text(ACCEPT).starts_with("application/json"),
            path,
            cookies,
        })
    }

    pub(super) fn capture_cookie(&self) -> Option<&str> {
        self.cookies.get(CAPTURE).map(String::as_str)
    }

    pub(super) fn mark(&self) -> Option<&str> {
        self.cookies.get(MARK).map(String::as_str)
    }

    /// Who visits.
    pub(super) async fn applicant(&self, app: &App) -> Result<Applicant, Refusal> {
        let cookie = self.capture_cookie().ok_or(Refusal::Over)?;
        Ok(capture_cookie::applicant(&app.honnin, cookie).await?)
    }

    /// Who visits, and where they stand.
    pub(super) async fn standing(&self, app: &App) -> Result<(Applicant, Standing), Refusal> {
        let applicant = self.applicant(app).await?;
        let standing = progress(&app.honnin, &applicant).await?;
        Ok((applicant, standing))
    }

    /// What a page needs besides its view model.
    pub(super) fn meta(&self, app: &App, brand: Option<Brand>) -> PageMeta {
        PageMeta {
            language: self.language,
            nonce: self.nonce.clone(),
            assets: app.site.assets.clone(),
            brand,
            path: self.path.clone(),
            progress: None,
            closing: None,
        }
    }

    /// The same for a page of the flow. `path` is the page's own address, which a form posted elsewhere may be answered with.
    pub(super) fn meta_of(&self, app: &App, standing: &Standing, stage: Option<Stage>, path: &str) -> PageMeta {
        PageMeta {
            progress: stage.map(|stage| Progress::of(standing.plan(), stage)),
            closing: standing.time_left(app.honnin.now()).map(|left| Closing {
                seconds: left.span.0 / 1000,
                renewable: left.renewable,
            }),
            path: path.to_owned(),
            ..self.meta(app, Some(brand(standing.tenant_name(), standing.accent())))
        }
    }
}

/// Whose page it is.
pub(super) fn brand(name: &str, accent: Option<&str>) -> Brand {
    Brand {
        name: name.to_owned(),
        accent: accent.and_then(Accent::parse),
    }
}

/// The fields of a form without files; a body that is none has no fields.
pub(super) async fn fields(request: Request) -> HashMap<String, String> {
    let body = to_bytes(request.into_body(), MAX_FORM).await.unwrap_or_default();
    url::form_urlencoded::parse(&body).into_owned().collect()
}
