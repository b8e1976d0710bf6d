//! The callback URL: an `https` URL of the tenant's allow-list, and the two parameters appended on return.

use crate::ids::SessionId;
use std::borrow::Cow;
use url::{Url, form_urlencoded::Serializer};

/// An allowed callback URL, normalised as WHATWG URL does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackUrl(Url);

/// Why a text is not a callback URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCallback {
    /// Does not parse as an absolute URL.
    #[error("is not an absolute URL")]
    NotAUrl,
    /// A scheme other than `https`.
    #[error("must begin with https://")]
    NotHttps,
    /// Contains a user name or password.
    #[error("must not contain a user name or password")]
    UserInfo,
    /// Contains a query.
    #[error("must not contain a query")]
    Query,
    /// Contains a fragment.
    #[error("must not contain a fragment")]
    Fragment,
    /// Longer than [`CallbackUrl::MAX_LENGTH`].
    #[error("must be at most {},{:03} bytes", CallbackUrl::MAX_LENGTH / 1000, CallbackUrl::MAX_LENGTH % 1000)]
    TooLong,
}

impl CallbackUrl {
    /// Longest entry of an allow-list, in bytes: every change of the list is written to the audit log.
    pub const MAX_LENGTH: usize = 2_000;

    /// Parses a text that satisfies every rule except the allow-list.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn parse(text: &str) -> Result<Self, BadCallback> {
        let url = Url::parse(text).map_err(|_| BadCallback::NotAUrl)?;
        if url.scheme() != "https" {
            return Err(BadCallback::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BadCallback::UserInfo);
        }
        if url.query().is_some() {
            return Err(BadCallback::Query);
        }
        if url.fragment().is_some() {
            return Err(BadCallback::Fragment);
        }
        Ok(Self(url))
    }

    /// Parses an entry for an allow-list.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub(crate) fn parse_entry(text: &str) -> Result<Self, BadCallback> {
        if text.len() > Self::MAX_LENGTH {
            return Err(BadCallback::TooLong);
        }
        Self::parse(text)
    }

    /// A text as a message names it: of one that is too long, its beginning.
    #[must_use]
    pub fn named(text: &str) -> Cow<'_, str> {
        if text.len() <= Self::MAX_LENGTH {
            return text.into();
        }
        format!("{}…", &text[..text.floor_char_boundary(80)]).into()
    }

    /// The allow-list entry equal to `text`, if there is one.
    #[must_use]
    pub fn allowed(text: &str, allow_list: &[String]) -> Option<Self> {
        let wanted = Self::parse(text).ok()?;
        allow_list
            .iter()
            .any(|entry| Self::parse(entry).is_ok_and(|entry| entry == wanted))
            .then_some(wanted)
    }

    /// The normalised URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The URL with `sessionId` and, if given, `state` appended, both percent-encoded.
    #[must_use]
    pub fn return_url(&self, session: &SessionId, state: Option<&str>) -> String {
        let state = state.map(|state| ("state", state));
        self.with_query([("sessionId", session.as_str())].into_iter().chain(state))
            .into()
    }

    /// Length in bytes of `text` with `state` (percent-encoded) appended, even if it is not a URL: its length is limited
    /// anyway. Of a URL, the longer of what was given and what it is normalised to.
    #[must_use]
    pub(crate) fn returned_length(text: &str, state: Option<&str>) -> usize {
        let appended = state.map_or(0, |state| "?".len() + query([("state", state)]).len());
        let normalised = Self::parse(text).map_or(0, |url| url.as_str().len());
        text.len().max(normalised) + appended
    }

    fn with_query<'a>(&self, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Url {
        let mut url = self.0.clone();
        url.set_query(Some(&query(pairs)));
        url
    }
}

/// Form encoding writes a space as `+`, which a plain percent-decoder takes for a plus; a plus itself is `%2B` there.
fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let as_form = Serializer::new(String::new()).extend_pairs(pairs).finish();
    as_form.replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_plain_https_urls_pass() {
        for (text, fault) in [
            ("", BadCallback::NotAUrl),
            ("/done", BadCallback::NotAUrl),
            ("http://shop.example/done", BadCallback::NotHttps),
            ("javascript:alert(1)", BadCallback::NotHttps),
            ("https://a@shop.example/done", BadCallback::UserInfo),
            ("https://shop.example/done?", BadCallback::Query),
            ("https://shop.example/done?a=1", BadCallback::Query),
            ("https://shop.example/done#", BadCallback::Fragment),
        ] {
            assert_eq!(CallbackUrl::parse(text), Err(fault), "{text}");
        }
    }

    #[test]
    fn an_entry_has_at_most_2000_bytes_and_a_longer_one_is_named_by_its_beginning() {
        let with = |length: usize| format!("https://shop.example/{}", "é".repeat((length - 21) / 2)) + "x";
        let (longest, longer) = (with(2_000), with(2_002));
        assert_eq!((longest.len(), longer.len()), (2_000, 2_002));
        assert!(CallbackUrl::parse_entry(&longest).is_ok());
        assert_eq!(CallbackUrl::named(&longest), longest);
        assert_eq!(CallbackUrl::parse_entry(&longer), Err(BadCallback::TooLong));
        assert_eq!(BadCallback::TooLong.to_string(), "must be at most 2,000 bytes");
        let named = CallbackUrl::named(&longer);
        assert!(
            named.len() < 90 && longer.starts_with(named.trim_end_matches('…')),
            "{named}"
        );
        // One that is stored already is still returned to.
        assert!(CallbackUrl::allowed(&longer, std::slice::from_ref(&longer)).is_some());
        assert_eq!(
            CallbackUrl::parse_entry("http://shop.example/done"),
            Err(BadCallback::NotHttps)
        );
    }

    #[test]
    fn an_entry_is_equal_after_normalisation_and_only_then() {
        let list = vec!["https://shop.example/done".to_owned()];
        assert!(CallbackUrl::allowed("HTTPS://SHOP.example:443/a/../done", &list).is_some());
        for other in [
            "https://shop.example/done/",
            "https://shop.example.evil.example/done",
            "https://shop.example/",
        ] {
            assert_eq!(CallbackUrl::allowed(other, &list), None, "{other}");
        }
    }

    /// Plain percent-decoding (RFC 3986): no other character has a meaning.
    fn percent_decoded(text: &str) -> String {
        let mut parts = text.split('%');
        let mut bytes = parts.next().unwrap().as_bytes().to_vec();
        for part in parts {
            bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
            bytes.extend(part[2..].bytes());
        }
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_space_leaves_as_a_percent_and_counts_as_three_bytes() {
        let url = CallbackUrl::parse("https://shop.example/a+b").unwrap();
        let id = SessionId::from_random([7; 16]);
        let back = url.return_url(&id, Some("a b+c"));
        assert_eq!(back, format!("https://shop.example/a+b?sessionId={id}&state=a%20b%2Bc"));
        let length = CallbackUrl::returned_length(url.as_str(), Some("a b+c"));
        assert_eq!(length, "https://shop.example/a+b?state=a%20b%2Bc".len());
    }

    #[test]
    fn the_length_is_that_of_what_was_given_if_the_normalised_url_is_shorter() {
        for (text, state, counted) in [
            (
                "https://shop.example:443/a/../done",
                None,
                "https://shop.example:443/a/../done",
            ),
            (
                "https://shop.example:443/done",
                Some("é"),
                "https://shop.example:443/done?state=%C3%A9",
            ),
            (
                "https://shop.example/é",
                Some("s"),
                "https://shop.example/%C3%A9?state=s",
            ),
            (
                "http://shop.example/done",
                Some("é"),
                "http://shop.example/done?state=%C3%A9",
            ),
        ] {
            assert_eq!(CallbackUrl::returned_length(text, state), counted.len(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_state_comes_back_as_it_was(state in any::<String>()) {
            let url = CallbackUrl::parse("https://shop.example/done").unwrap();
            let id = SessionId::from_random([7; 16]);
            let back = Url::parse(&url.return_url(&id, Some(&state))).unwrap();
            let pairs: Vec<_> = back.query_pairs().into_owned().collect();
            let (_, raw) = back.query().unwrap().split_once("&state=").unwrap();
            prop_assert_eq!(percent_decoded(raw), state.as_str());
            prop_assert_eq!(pairs, vec![("sessionId".to_owned(), id.to_string()), ("state".to_owned(), state)]);
        }
    }
}
