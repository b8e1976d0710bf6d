//! Cookies that the server sets itself. That of the console's session is set by the session layer.

use axum::response::Response;
use cookie::{Cookie, CookieBuilder, CookieJar, SameSite};
use domain::time::Millis;
use http::{
    HeaderMap, HeaderValue,
    header::{COOKIE, SET_COOKIE},
};

/// How the names of all our cookies begin: a browser takes such a one over TLS and from this host only (RFC 6265bis, section 4.1.3).
const OURS: &[u8] = b"__Host-";

/// Leaves our own cookies in a request, as the browser wrote them, and no others: any site of the same domain may have set those. One
/// that is not ASCII would make ours unreadable. One whose name becomes ours once `%5F` is decoded or white space beyond ASCII is trimmed,
/// as the session layer does, would take the place of ours, and no browser protects it as it does a `__Host-` cookie.
pub(crate) fn drop_foreign(headers: &mut HeaderMap) {
    let lines = headers.get_all(COOKIE).into_iter().map(HeaderValue::as_bytes);
    let pairs = lines.flat_map(|line| line.split(|byte| *byte == b';'));
    let own: Vec<&[u8]> = pairs
        .map(<[u8]>::trim_ascii)
        .filter(|pair| pair.starts_with(OURS) && pair.is_ascii())
        .collect();
    let line = HeaderValue::from_bytes(&own.join(b"; ".as_slice()));
    let line = line.ok().filter(|line| !line.is_empty());
    headers.remove(COOKIE);
    if let Some(line) = line {
        headers.insert(COOKIE, line);
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_of_other_sites_are_dropped_whatever_they_are_like() {
        let both = Some("__Host-console=a; __Host-here=1");
        let one = Some("__Host-console=a");
        for (lines, kept) in [
            (&["__Host-console=a; theme=dark; __Host-here=1"][..], both),
            (&["__Host-console=a", "theme=dark", "__Host-here=1"], both),
            (&["city=M\u{fc}nchen;__Host-console=a"], one),
            (&["__Host-console=a; %5F_Host-console=b"], one),
            (&["__Host-console=a; \u{2003}__Host-console=b"], one),
            (&["theme=dark", ""], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(COOKIE, HeaderValue::from_bytes(line.as_bytes()).unwrap());
            }
            drop_foreign(&mut headers);
            let left = headers.get_all(COOKIE).into_iter();
            let left: Vec<_> = left.map(|line| line.to_str().unwrap()).collect();
            assert_eq!(left, kept.into_iter().collect::<Vec<_>>(), "{lines:?}");
        }
    }
}
