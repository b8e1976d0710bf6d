//! Cookies that the server sets itself. That of the console's session is set by the session layer.

use axum::response::Response;
use cookie::{Cookie, CookieBuilder, CookieJar, SameSite};
use domain::time::Millis;
use http::{
    HeaderMap, HeaderValue,
    header::{COOKIE, SET_COOKIE},
};

/// The cookies of a request.
pub(crate) fn cookies(headers: &HeaderMap) -> CookieJar {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut jar = CookieJar::new();
    for cookie in lines.flat_map(Cookie::split_parse).flatten() {
        jar.add_original(cookie.into_owned());
    }
    jar
}

/// Sets a cookie that no script and no other site's form gets.
pub(crate) fn set_cookie(response: &mut Response, name: &'static str, value: String, kept: Millis) {
    let kept = time::Duration::milliseconds(kept.0);
    append(response, build(name, value).max_age(kept).same_site(SameSite::Lax));
}

/// Sets a cookie that the browser does not send if another site has led here. It lasts until the browser is closed.
pub(crate) fn set_strict_cookie(response: &mut Response, name: &'static str, value: String) {
    append(response, build(name, value).same_site(SameSite::Strict));
}

fn build(name: &'static str, value: String) -> CookieBuilder<'static> {
    Cookie::build((name, value)).path("/").secure(true).http_only(true)
}

fn append(response: &mut Response, cookie: CookieBuilder<'static>) {
    if let Ok(line) = HeaderValue::from_str(&cookie.to_string()) {
        response.headers_mut().append(SET_COOKIE, line);
    }
}
