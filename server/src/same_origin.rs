//! Refuses cross-site form posts, and pages that another site fetches. Every browser says where a form comes from, in `Sec-Fetch-Site` or at least in
//! `Origin`; a client that sends neither is not a browser and carries no cookies it was not given.

use crate::edge::FETCH_DEST;
use http::{HeaderMap, header::HOST, header::ORIGIN};
use url::{Host, Url};

/// Where a request comes from, as the browser says.
const SITE: &str = "sec-fetch-site";
/// How it is made, as the browser says.
const MODE: &str = "sec-fetch-mode";

/// Whether a request that changes something comes from the same origin.
#[must_use]
pub(crate) fn is_same_origin(headers: &HeaderMap, base_url: &Url) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match text(SITE) {
        Some(site) => site == "same-origin" || site == "none",
        None => match text(ORIGIN.as_str()) {
            Some(origin) => Url::parse(origin).is_ok_and(|origin| {
                let is_here = is_trustworthy(&origin) && host_of(&origin).as_deref() == text(HOST.as_str());
                origin.origin() == base_url.origin() || is_here
            }),
            None => true,
        },
    }
}

/// Whether a link that begins something was followed on one of our pages, or typed. No browser sends `Origin` with a link, so that one without
/// `Sec-Fetch-Site` must send `cookie`, which it does not if another site has led here (`SameSite=Strict`).
#[must_use]
pub(crate) fn is_own_link(headers: &HeaderMap, cookie: Option<&str>) -> bool {
    match headers.get(SITE) {
        Some(site) => site == "same-origin" || site == "none",
        None => cookie.is_some(),
    }
}

/// Whether another site has the browser fetch a page for one of its own: as a frame, a picture, or what a script asks for. To a browser, every site
/// of our domain is the same site, so that such a request carries our cookies. Whoever follows a link from there opens the page in a window instead.
#[must_use]
pub(crate) fn is_fetched_by_another_site(headers: &HeaderMap) -> bool {
    let comes_from_elsewhere = headers
        .get(SITE)
        .is_some_and(|site| site != "same-origin" && site != "none");
    let opens_a_window = headers.get(MODE).is_none_or(|mode| mode == "navigate")
        && headers
            .get(FETCH_DEST)
            .is_none_or(|destination| destination == "document");
    comes_from_elsewhere && !opens_a_window
}

/// Whether a browser says where a request comes from.
#[must_use]
pub(crate) fn says_site(headers: &HeaderMap) -> bool {
    headers.contains_key(SITE)
}

/// Whether nobody between the browser and the server can have written a page of this origin: it came over TLS, or from this machine. Old
/// browsers take a page without TLS for one of the same site, and send our cookies with its forms.
fn is_trustworthy(origin: &Url) -> bool {
    let is_on_this_machine = match origin.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    origin.scheme() == "https" || is_on_this_machine
}

fn host_of(origin: &Url) -> Option<String> {
    let host = origin.host_str()?;
    Some(
        origin
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_links_begin_something() {
        for (site, cookie, own) in [
            (Some("same-origin"), None, true),
            (Some("none"), None, true),
            (Some("same-site"), Some("1"), false),
            (Some("cross-site"), Some("1"), false),
            (None, Some("1"), true),
            (None, None, false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(site) = site {
                headers.insert(SITE, site.parse().unwrap());
            }
            assert_eq!(is_own_link(&headers, cookie), own, "{site:?}, {cookie:?}");
        }
    }

    #[test]
    fn another_site_opens_a_window_and_fetches_nothing() {
        for (site, mode, destination, fetched) in [
            ("cross-site", Some("navigate"), Some("document"), false),
            ("same-site", Some("navigate"), Some("document"), false),
            ("same-site", Some("navigate"), Some("iframe"), true),
            ("same-site", Some("no-cors"), Some("image"), true),
            ("same-site", Some("cors"), Some("empty"), true),
            ("cross-site", Some("no-cors"), Some("empty"), true),
            ("same-origin", Some("cors"), Some("empty"), false),
            ("same-origin", Some("no-cors"), Some("image"), false),
            ("none", Some("navigate"), Some("document"), false),
            // Browsers from before 2020 do not say what for.
            ("cross-site", Some("navigate"), None, false),
            ("cross-site", None, None, false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(SITE, site.parse().unwrap());
            if let Some(mode) = mode {
                headers.insert(MODE, mode.parse().unwrap());
            }
            if let Some(destination) = destination {
                headers.insert(FETCH_DEST, destination.parse().unwrap());
            }
            let case = format!("{site} {mode:?} {destination:?}");
            assert_eq!(is_fetched_by_another_site(&headers), fetched, "{case}");
        }
        assert!(!is_fetched_by_another_site(&HeaderMap::new()));
    }

    #[test]
    fn only_our_own_pages_may_post() {
        let base = Url::parse("https://id.example/").unwrap();
        for (given, allowed) in [
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "none")], true),
            (
                &[("sec-fetch-site", "cross-site"), ("origin", "https://id.example")],
                false,
            ),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("origin", "https://id.example")], true),
            (&[("origin", "https://evil.example")], false),
            (&[("origin", "null"), ("host", "null")], false),
            (&[("origin", "https://id.internal"), ("host", "id.internal")], true),
            (&[("origin", "http://id.example"), ("host", "id.example")], false),
            (&[("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")], true),
            (&[("origin", "http://localhost:8080"), ("host", "localhost:8080")], true),
            (
                &[("origin", "http://localhost:8081"), ("host", "localhost:8080")],
                false,
            ),
            (&[], true),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.append(*name, value.parse().unwrap());
            }
            assert_eq!(is_same_origin(&headers, &base), allowed, "{given:?}");
        }
    }
}
