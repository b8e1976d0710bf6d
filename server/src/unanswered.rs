//! The page that a browser shows for a request that no handler answers.

use crate::{
    edge::{Asked, FETCH_DEST},
    language,
};
use app::{
    Assets,
    capture::unanswered::{Unanswered, html},
};
use axum::{
    body::Bytes,
    response::{Html, IntoResponse as _, Response},
};
use domain::language::Language;
use http::{HeaderValue, Method, header::ACCEPT};
use std::{collections::HashMap, sync::Arc};

/// Addresses that only programs request, whatever they accept.
const FOR_PROGRAMS: [&str; 3] = ["/healthz", "/readyz", "/pkg/"];

/// The pages in every language, prepared. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Pages(Arc<HashMap<(Unanswered, Language), Bytes>>);

impl Pages {
    pub(crate) fn new(assets: &Assets) -> Self {
        let all = Unanswered::ALL.into_iter().flat_map(|what| {
            let languages = Language::ALL.iter();
            languages.map(move |&language| ((what, language), Bytes::from(html(what, language, assets))))
        });
        Self(Arc::new(all.collect()))
    }

    /// The response of an overloaded or stopping node: a page, or the sentence for what shows none.
    pub(crate) fn busy(&self, asked: &Asked, sentence: &'static str) -> Response {
        self.response(asked, [Unanswered::Busy, Unanswered::BusyForm], sentence)
    }

    /// The same after a handler failed.
    pub(crate) fn broken(&self, asked: &Asked, sentence: &'static str) -> Response {
        self.response(asked, [Unanswered::Broken, Unanswered::BrokenForm], sentence)
    }

    fn response(&self, asked: &Asked, [page, form]: [Unanswered; 2], sentence: &'static str) -> Response {
        let reads = asked.method == Method::GET || asked.method == Method::HEAD;
        let what = if reads { page } else { form };
        let page = self.0.get(&(what, language::of(&asked.headers)));
        match page.filter(|_| is_shown(asked)) {
            Some(page) => Html(page.clone()).into_response(),
            None => sentence.into_response(),
        }
    }
}

/// Whether the response is shown to a person. Old browsers, which do not say what they want it for, begin with the kind of content.
fn is_shown(asked: &Asked) -> bool {
    let header = |name| asked.headers.get(name).map(HeaderValue::as_bytes);
    let wants_page = match header(FETCH_DEST) {
        Some(purpose) => purpose == b"document",
        None => header(ACCEPT).is_none_or(|kinds| kinds == b"*/*" || kinds.starts_with(b"text/html")),
    };
    wants_page && !FOR_PROGRAMS.iter().any(|path| asked.path.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{
        HeaderMap,
        header::{ACCEPT_LANGUAGE, CONTENT_TYPE, COOKIE},
    };

    fn asked(method: Method, path: &str, headers: &[(http::HeaderName, &'static str)]) -> Asked {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        Asked {
            method,
            path: path.to_owned(),
            headers: headers.collect::<HeaderMap>(),
        }
    }

    fn is_page(asked: &Asked) -> bool {
        let response = Pages::new(&Assets::parse("", "honnin")).busy(asked, "busy");
        response.headers()[CONTENT_TYPE].as_bytes().starts_with(b"text/html")
    }

    #[test]
    fn only_what_a_person_sees_is_a_page() {
        let navigation = (ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8");
        for (headers, page) in [
            (vec![navigation.clone(), (FETCH_DEST, "document")], true),
            (vec![navigation.clone()], true),
            (vec![], true),
            (vec![(ACCEPT, "*/*"), (FETCH_DEST, "empty")], false),
            (vec![(ACCEPT, "application/json")], false),
            (vec![(ACCEPT, "image/avif,image/*,*/*;q=0.8")], false),
        ] {
            assert_eq!(is_page(&asked(Method::GET, "/capture", &headers)), page, "{headers:?}");
        }
        for path in ["/healthz", "/readyz", "/pkg/honnin.css"] {
            assert!(!is_page(&asked(Method::GET, path, &[])), "{path}");
        }
    }

    #[tokio::test]
    async fn each_page_is_in_the_browsers_language_and_says_what_became_of_a_form() {
        let pages = Pages::new(&Assets::parse("css: 1234\n", "honnin"));
        let japanese = [(ACCEPT_LANGUAGE, "ja")];
        let chosen = [(ACCEPT_LANGUAGE, "ja"), (COOKIE, "__Host-honnin-language=en")];
        for (response, parts, links) in [
            (
                pages.busy(&asked(Method::GET, "/capture", &japanese), ""),
                ["lang=\"ja\"", "ただいま混み合っています"],
                1,
            ),
            (
                pages.busy(&asked(Method::POST, "/capture/details", &chosen), ""),
                ["lang=\"en\"", "Your form was not sent. Go back,"],
                0,
            ),
            (
                pages.broken(&asked(Method::GET, "/admin", &chosen), ""),
                ["Something went wrong on our side", "href=\"\""],
                1,
            ),
            (
                pages.broken(&asked(Method::POST, "/admin", &chosen), ""),
                ["Something went wrong on our side", "What you sent may not be saved."],
                0,
            ),
        ] {
            let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let body = String::from_utf8(body.to_vec()).unwrap();
            for part in parts {
                assert!(body.contains(part), "{part}: {body}");
            }
            assert!(body.contains("href=\"/pkg/honnin.1234.css\""), "{body}");
            assert_eq!(body.matches("<a ").count(), links, "{body}");
            assert!(
                !body.contains("<form") && !body.contains("<script") && !body.contains("<style"),
                "{body}"
            );
        }
    }
}
