//! The language of a browser: the one chosen with the switch of a page, or the one it asks for.

use crate::cookies::{cookies, set_cookie};
use app::forms;
use axum::response::{IntoResponse as _, Redirect, Response};
use domain::{language::Language, time::Millis};
use http::{HeaderMap, Method, Uri, header::ACCEPT_LANGUAGE};
use url::form_urlencoded;

/// The cookie with the language chosen with the switch.
const COOKIE: &str = "__Host-honnin-language";
/// How long the browser keeps the language.
const KEPT: Millis = Millis::days(365);

/// The language in which a page answers.
pub(crate) fn of(headers: &HeaderMap) -> Language {
    let jar = cookies(headers);
    let kept = jar.get(COOKIE).and_then(|kept| Language::parse(kept.value()));
    let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    kept.unwrap_or_else(|| Language::negotiate(accepted.unwrap_or_default()))
}

/// The language that the query of a language switch names.
pub(crate) fn chosen(uri: &Uri) -> Option<Language> {
    let chosen = query(uri).find(|(name, _)| name == forms::LANG);
    chosen.and_then(|(_, value)| Language::parse(&value))
}

fn query(uri: &Uri) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
}

/// The response to the language switch of a page without a form, if this is one: keeps the language and redirects to the same page.
pub(crate) fn switched(method: &Method, uri: &Uri) -> Option<Response> {
    if *method != Method::GET {
        return None;
    }
    let language = chosen(uri)?;
    let others = query(uri).filter(|(name, _)| name != forms::LANG);
    let rest = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(others)
        .finish();
    let mark = if rest.is_empty() { "" } else { "?" };
    let mut response = Redirect::to(&format!("{}{mark}{rest}", uri.path())).into_response();
    keep(&mut response, language);
    Some(response)
}

/// The browser answers in this language from now on.
pub(crate) fn keep(response: &mut Response, language: Language) {
    set_cookie(response, COOKIE, language.to_string(), KEPT);
}
