//! Creating a session by hand. The form has every field of the API's request, and the same code parses it.

mod view;

use super::{
    callback,
    layout::NavigationItem,
    link,
    parts::in_order,
    request::{PageResult, Request, not_done},
    words::{say, tell, with_japanese},
};
use crate::{
    page::{Fields, Outcome, form, mistake},
    parts::Mistake,
};
use axum::{Router, routing::post};
use domain::{
    civil_date, json,
    request::{CreationRequest, Issue},
    tenant::{NotReady, TenantSettings},
    time::Timestamp,
    user_input::{ADDRESS_LIMIT, NAME_LIMIT},
};
use http::StatusCode;
use leptos::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;
use service::{
    access::{Reviewer, Tenant},
    session::create::{CreateSessionError, FormOutcome, create_session_by_form, draft_form},
    settings,
};
use std::collections::BTreeMap;
use view::{NewSessionView, PERSON, RETURN, label, render};

/// The field of the metadata; what is wrong with no field in particular is said there, too.
const METADATA: &str = "metadata";

/// The field of the callback URL.
const CALLBACK: &str = "callbackUrl";

/// The field of the date of birth.
const BIRTH_DATE: &str = "birthDate";

/// Creating a session.
#[component]
pub fn NewSessionPage() -> impl IntoView {
    link::page_or_link(NavigationItem::Sessions, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route("/admin/sessions/new", post(form("/admin/sessions/new", create)))
}

fn why(not_ready: NotReady) -> &'static str {
    match not_ready {
        NotReady::SettingsMissing => say(
            "There are no settings yet, so no session can be created.",
            "設定がまだ保存されていないため、セッションを作成できません。",
        ),
        NotReady::NoStepsEnabled => say(
            "No verification step is enabled, so no session can be created.",
            "有効な確認ステップがないため、セッションを作成できません。",
        ),
    }
}

async fn load(request: Request) -> PageResult<NewSessionView> {
    Reviewer::of(request.staff())?;
    let settings = settings::load(request.honnin(), request.staff()).await?.settings;
    Ok(empty(draft_form(request.honnin()), settings.as_ref()))
}

/// The form before anything is typed.
fn empty(form: String, settings: Option<&TenantSettings>) -> NewSessionView {
    let not_ready = match settings {
        None => Some(NotReady::SettingsMissing),
        Some(settings) => settings.plan().err(),
    };
    NewSessionView {
        form,
        callback_urls: settings
            .map(|settings| settings.callback_urls.clone())
            .unwrap_or_default(),
        not_ready: not_ready.map(why),
        ..NewSessionView::default()
    }
}

/// The request as a customer's server would send it. What is left empty is left out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(flatten)]
    texts: BTreeMap<&'static str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pre_registered_info: BTreeMap<&'static str, &'a str>,
}

/// What was typed into some of the fields.
fn filled<'a>(typed: &'a BTreeMap<&'static str, String>, names: &[&'static str]) -> BTreeMap<&'static str, &'a str> {
    let value = |name: &&'static str| Some((*name, typed.get(name)?.as_str()));
    names
        .iter()
        .filter_map(value)
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// The request, or what is wrong with the metadata.
fn body(typed: &BTreeMap<&'static str, String>) -> Result<Vec<u8>, &'static str> {
    // As it was typed: numbers of any size, keys in their order.
    let metadata = match typed.get(METADATA).filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => {
            let repeated = json::check(text.as_bytes()).map_err(|_| not_json())?;
            if !repeated.is_empty() {
                return Err(not_json());
            }
            Some(serde_json::from_str(text).map_err(|_| not_json())?)
        }
    };
    let body = Body {
        texts: filled(typed, &RETURN),
        metadata,
        pre_registered_info: filled(typed, &PERSON),
    };
    serde_json::to_vec(&body).map_err(|_| not_json())
}

fn not_json() -> &'static str {
    say(
        "The metadata is not valid JSON, or has the same key twice.",
        "メタデータがJSONの形式になっていないか、同じキーが重複しています。",
    )
}

/// The most characters that a field about the person may have. What is empty is left out of the request, so a text out of its bounds is too long.
fn most_characters(field: &str) -> Option<usize> {
    match field {
        "lastName" | "firstName" => Some(NAME_LIMIT),
        "address" => Some(ADDRESS_LIMIT),
        _ => None,
    }
}

/// What the API says is wrong, with the field's name as the form has it.
fn issue_of(issue: &Issue) -> Mistake {
    let names = [METADATA].into_iter().chain(RETURN).chain(PERSON);
    let at = issue.path.last().map_or(METADATA, String::as_str);
    let field = names.into_iter().find(|name| *name == at).unwrap_or(METADATA);
    let label = label(field);
    let most = most_characters(field).filter(|_| issue.tag == "Limit");
    let sentence = match most {
        Some(most) => tell!(
            "{label} must be {most} characters or fewer.",
            "{label}は{most}文字以内で入力してください。"
        ),
        None => {
            let what = match issue.tag {
                "Limit" => "長さが上限を超えています。",
                _ => "形式が正しくありません。",
            };
            with_japanese(format!("{label} {}.", issue.message), format!("{label}の{what}"))
        }
    };
    mistake(field, sentence)
}

/// A date of birth that is in the future everywhere. The API accepts it, as it accepts any date; here, it is a typing error.
fn unborn(typed: &BTreeMap<&'static str, String>, now: Timestamp) -> Option<Mistake> {
    let date = civil_date::parse(typed.get(BIRTH_DATE)?)?;
    let sentence = say(
        "Date of birth must not be in the future.",
        "生年月日に未来の日付は指定できません。",
    );
    civil_date::is_to_come(date, now.date()).then(|| mistake(BIRTH_DATE, sentence))
}

/// Why the session was not created, where no field is to blame.
fn refusal(error: &CreateSessionError) -> String {
    let ja = match error {
        CreateSessionError::RateLimited => "セッションの作成数が上限に達しました。しばらくしてから再度お試しください。",
        _ => "セッションを作成できませんでした。",
    };
    with_japanese(format!("The session could not be created: {error}."), ja)
}

fn shown_before() -> &'static str {
    say(
        "This form was sent before. The link of the session that it created was shown only once and cannot be shown again. If nobody copied it, \
         reissue the link.",
        "このフォームはすでに送信されています。作成したセッションのリンクは一度だけ表示され、再表示はできません。コピーしていない場合は、リンクを再発行してください。",
    )
}

async fn create(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let settings = settings::load(request.honnin(), request.staff()).await?.settings;
    let form = match fields.raw("form") {
        // Of a page from before an update.
        "" => draft_form(request.honnin()),
        form => form.to_owned(),
    };
    let names = [METADATA].into_iter().chain(RETURN).chain(PERSON);
    let mut view = NewSessionView {
        typed: names.map(|name| (name, fields.text(name))).collect(),
        ..empty(form.clone(), settings.as_ref())
    };
    let now = request.honnin().now();
    let body = match body(&view.typed) {
        Ok(body) => body,
        Err(sentence) => {
            view.mistakes = others(&view, now);
            view.mistakes.push(mistake(METADATA, sentence));
            return Ok(Outcome::refused(view));
        }
    };
    if unborn(&view.typed, now).is_some() {
        view.mistakes = others(&view, now);
        return Ok(Outcome::refused(view));
    }
    match create_session_by_form(request.honnin(), &Tenant::by_hand(&reviewer), &form, &body).await {
        // By reloading the page that shows the link, for example.
        Ok(FormOutcome::Repeated(session)) => return not_done(&format!("/admin/sessions/{session}"), shown_before()),
        Ok(FormOutcome::Created(created)) => {
            let (url, until) = (created.verification_url.expose(), created.verification_url_expires_at);
            let shown = link::shown(
                say("Session created", "セッションを作成しました"),
                &created.id,
                url,
                until,
            );
            return Ok(Outcome::shown(StatusCode::OK, shown));
        }
        Err(CreateSessionError::Decode(_)) => view.mistakes = others(&view, now),
        Err(CreateSessionError::CallbackUrlNotAllowed(url)) => {
            let why = callback::judge(&url, &view.callback_urls).err();
            let sentence = why.unwrap_or_else(|| refusal(&CreateSessionError::CallbackUrlNotAllowed(url)));
            view.mistakes.push(mistake(CALLBACK, sentence));
        }
        Err(CreateSessionError::NotReady(not_ready)) => view.not_ready = Some(why(not_ready)),
        Err(CreateSessionError::Store(error)) => return Err(error.into()),
        Err(other) => view.mistakes.push(mistake(METADATA, refusal(&other))),
    }
    Ok(Outcome::refused(view))
}

/// Everything that is wrong with the fields, in their order, besides metadata that is not JSON.
fn others(view: &NewSessionView, now: Timestamp) -> Vec<Mistake> {
    let mut typed = view.typed.clone();
    if body(&typed).is_err() {
        typed.remove(METADATA);
    }
    let issues = body(&typed).ok().and_then(|body| CreationRequest::parse(&body).err());
    let mut mistakes: Vec<_> = issues.iter().flatten().map(issue_of).collect();
    mistakes.extend(unborn(&typed, now));
    let callback = typed.get(CALLBACK).filter(|url| !url.is_empty());
    let has_mistake = mistakes.iter().any(|wrong| wrong.field == CALLBACK);
    let refused = callback
        .filter(|_| !has_mistake)
        .and_then(|url| callback::judge(url, &view.callback_urls).err());
    mistakes.extend(refused.map(|why| mistake(CALLBACK, why)));
    let order: Vec<_> = PERSON.into_iter().chain(RETURN).chain([METADATA]).collect();
    in_order(mistakes, &order)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_785_663_000_000);

    fn typed(fields: &[(&'static str, &str)]) -> BTreeMap<&'static str, String> {
        fields.iter().map(|(name, text)| (*name, (*text).to_owned())).collect()
    }

    #[test]
    fn the_request_has_what_was_typed_and_nothing_else() {
        for (fields, wanted) in [
            (&[("state", ""), ("lastName", "")][..], "{}"),
            (
                &[("state", "a b"), ("callbackUrl", "x")],
                r#"{"callbackUrl":"x","state":"a b"}"#,
            ),
            (
                &[("metadata", r#"{"b": 1e400, "a": 1}"#)],
                r#"{"metadata":{"b": 1e400, "a": 1}}"#,
            ),
            (
                &[("gender", "male"), ("address", "1 Sample Town")],
                r#"{"preRegisteredInfo":{"address":"1 Sample Town","gender":"male"}}"#,
            ),
        ] {
            assert_eq!(String::from_utf8(body(&typed(fields)).unwrap()).unwrap(), wanted);
        }
        for bad in ["{not json", r#"{"a":1,"a":2}"#, r#"{}, "state": "smuggled""#] {
            assert_eq!(body(&typed(&[(METADATA, bad)])), Err(not_json()), "{bad}");
        }
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once_in_the_order_of_the_form() {
        let view = |fields: &[(&'static str, &str)]| NewSessionView {
            typed: typed(fields),
            callback_urls: vec!["https://shop.example/done".into()],
            ..NewSessionView::default()
        };
        let told = |view: &NewSessionView| {
            others(view, NOW)
                .into_iter()
                .map(|wrong| wrong.field)
                .collect::<Vec<_>>()
        };
        let bad = view(&[
            ("metadata", "{no"),
            ("callbackUrl", "https://other.example/"),
            ("birthDate", "x"),
        ]);
        assert_eq!(told(&bad), ["birthDate", "callbackUrl"]);
        let bad = view(&[("metadata", "[1]"), ("callbackUrl", "http://shop.example/done")]);
        assert_eq!(told(&bad), ["callbackUrl", "metadata"]);
        let bad = view(&[
            ("birthDate", "2100-01-01"),
            ("gender", "x"),
            ("callbackUrl", "https://other.example/"),
        ]);
        assert_eq!(told(&bad), ["birthDate", "gender", "callbackUrl"]);
        assert_eq!(
            told(&view(&[("callbackUrl", "https://shop.example/done")])),
            Vec::<String>::new()
        );
    }

    #[test]
    fn every_fault_of_the_api_is_told_beside_its_field() {
        let long = "x".repeat(9_000);
        for (name, text, sentence) in [
            ("state", long.as_str(), "State must be at most 8000 bytes."),
            ("callbackUrl", &long, "Callback URL must be at most 8000 bytes."),
            ("metadata", "[1]", "Metadata must be an object."),
            ("lastName", &long, "Family name must be 128 characters or fewer."),
            ("firstName", &long, "Given names must be 128 characters or fewer."),
            ("address", &long, "Address must be 512 characters or fewer."),
            ("birthDate", "1 May", "Date of birth must have the form YYYY-MM-DD."),
            ("gender", "x", "Gender must be male or female."),
        ] {
            let issues = CreationRequest::parse(&body(&typed(&[(name, text)])).unwrap()).unwrap_err();
            let told: Vec<_> = issues.iter().map(issue_of).collect();
            assert_eq!(told.len(), 1, "{name}");
            assert_eq!(told[0].field, name);
            assert_eq!(told[0].sentence, sentence);
        }
    }
}
