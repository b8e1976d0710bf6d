//! Refuses cross-site form posts. Every browser says where a request comes from, by `Sec-Fetch-Site` or at least by `Origin`; a
//! client that sends neither is not a browser and carries no cookies it was not given.

use http::{HeaderMap, header::HOST, header::ORIGIN};
use url::Url;

/// Whether a request that changes something comes from the same origin.
#[must_use]
pub(crate) fn is_same_origin(headers: &HeaderMap, base_url: &Url) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match text("sec-fetch-site") {
        Some(site) => site == "same-origin" || site == "none",
        None => match text(ORIGIN.as_str()) {
            Some(origin) => Url::parse(origin).is_ok_and(|origin| {
                origin.origin() == base_url.origin() || host_of(&origin).as_deref() == text(HOST.as_str())
            }),
            None => true,
        },
    }
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
