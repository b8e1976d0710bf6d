//! Fuzz targets for input written by callers and operators: see docs/TESTING.md.

use crate::{
    callback::CallbackUrl,
    ids::SessionId,
    json, network,
    request::CreationRequest,
    sandbox::SandboxOutcome,
    user_input::{FormStyle, TypedForm, UserInput},
};
use ipnet::IpNet;
use std::str::from_utf8;
use time::{Date, macros::date};

const TODAY: Date = date!(2026 - 11 - 21);

#[test]
fn request_bodies() {
    bolero::check!().with_iterations(0).for_each(|body: &[u8]| {
        let parsed = CreationRequest::parse(body);
        // A blank body is one without any field.
        assert!(
            parsed.is_err()
                || body.trim_ascii().is_empty()
                || json::check(body).is_ok_and(|repeated| repeated.is_empty()),
            "a body with duplicate keys"
        );
        drop(SandboxOutcome::parse_body(body));
    });
}

#[test]
fn json_texts() {
    bolero::check!().with_iterations(0).for_each(|body: &[u8]| {
        let Ok(text) = from_utf8(body) else { return };
        if json::check(body).is_ok() {
            let compact = json::compact(text);
            assert!(json::check(compact.as_bytes()).is_ok(), "compacted to something else");
            assert_eq!(json::compact(&compact), compact);
        }
    });
}

#[test]
fn callback_urls() {
    let session = SessionId::from_random([7; 16]);
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(text) = from_utf8(bytes) else { return };
        let (url, state) = text
            .split_once('\n')
            .map_or((text, None), |(url, state)| (url, Some(state)));
        let Ok(callback) = CallbackUrl::parse(url) else { return };
        let back = url::Url::parse(&callback.return_url(&session, state)).unwrap();
        assert_eq!(back.scheme(), "https");
        let given: Vec<_> = back.query_pairs().collect();
        assert_eq!(given[0], ("sessionId".into(), session.as_str().into()));
        assert_eq!(given.get(1).map(|(_, state)| state.as_ref()), state);
        assert!(CallbackUrl::allowed(url, &[callback.as_str().to_owned()]).is_some());
        assert!(CallbackUrl::returned_length(url, state) > 0);
    });
}

#[test]
fn networks() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(text) = from_utf8(bytes) else { return };
        let Ok(list) = network::parse_list(text.lines()) else {
            return;
        };
        let written: Vec<String> = list.iter().map(IpNet::to_string).collect();
        let again = network::parse_list(written.iter().map(String::as_str));
        assert_eq!(again, Ok(list.clone()));
        for network in &list {
            assert!(
                network::admits(&list, network.addr()),
                "{network} does not admit itself"
            );
        }
    });
}

#[test]
fn typed_details() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(text) = from_utf8(bytes) else { return };
        let mut lines = text.split('\n').map(str::to_owned);
        let mut line = || lines.next().unwrap_or_default();
        let form = TypedForm {
            last_name: line(),
            first_name: line(),
            last_name_kana: line(),
            first_name_kana: line(),
            one_name: false,
            birth_date: line(),
            postcode: line(),
            address: line(),
        };
        for one_name in [false, true] {
            let form = TypedForm {
                one_name,
                ..form.clone()
            };
            for style in [FormStyle::Japanese, FormStyle::International] {
                drop(UserInput::parse(&form, style, TODAY));
            }
        }
    });
}
