//! Creating a session by hand.

mod view;

use super::{
    layout::NavigationItem,
    link,
    request::{PageResult, Request},
    words::{say, with_japanese},
};
use crate::page::{Fields, Outcome, form, mistake};
use axum::{Router, routing::post};
use domain::{request::Issue, tenant::NotReady};
use http::StatusCode;
use leptos::prelude::*;
use serde_json::{Map, Value};
use service::{
    access::{Reviewer, Tenant},
    session::create::{CreateSessionError, create_session},
    settings,
};
use view::{NewSessionView, render};

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
    let tenant = settings::load(request.honnin(), request.staff()).await?;
    let not_ready = match &tenant.settings {
        None => Some(NotReady::SettingsMissing),
        Some(settings) => settings.plan().err(),
    };
    Ok(NewSessionView {
        not_ready: not_ready.map(why),
        ..NewSessionView::default()
    })
}

/// The request as a customer's server would send it, or what is wrong with the metadata.
fn body(fields: &Fields) -> Result<Vec<u8>, &'static str> {
    let mut body = Map::new();
    let mut known = Map::new();
    for name in ["lastName", "firstName", "birthDate"] {
        let text = fields.text(name);
        if !text.is_empty() {
            known.insert(name.to_owned(), Value::String(text));
        }
    }
    if !known.is_empty() {
        body.insert("preRegisteredInfo".to_owned(), Value::Object(known));
    }
    let metadata = fields.text("metadata");
    if !metadata.is_empty() {
        let parsed: Value = serde_json::from_str(&metadata).map_err(|_| not_json())?;
        let object = parsed.is_object().then_some(parsed).ok_or_else(|| {
            say(
                "The metadata must be a JSON object in braces.",
                "メタデータは{ }で囲んだJSONオブジェクトで入力してください。",
            )
        })?;
        body.insert("metadata".to_owned(), object);
    }
    serde_json::to_vec(&body).map_err(|_| not_json())
}

fn not_json() -> &'static str {
    say(
        "The metadata is not valid JSON.",
        "メタデータがJSONの形式になっていません。",
    )
}

/// What is wrong with a field. The API words it for developers.
fn issue_of(field: &str, issue: &Issue) -> String {
    let label = match field {
        "lastName" => "姓",
        "firstName" => "名",
        "birthDate" => "生年月日",
        _ => "メタデータ",
    };
    let what = match issue.tag {
        "Limit" => "長さが上限を超えています。",
        "Format" => "形式が正しくありません。",
        _ => "値が正しくありません。",
    };
    with_japanese(format!("{field} {}.", issue.message), format!("{label}の{what}"))
}

/// Why the session was not created, where no field is to blame.
fn refusal(error: &CreateSessionError) -> String {
    let ja = match error {
        CreateSessionError::RateLimited => {
            "セッションの作成数が上限に達しました。しばらくしてからもう一度お試しください。"
        }
        _ => "セッションを作成できませんでした。",
    };
    with_japanese(format!("The session could not be created: {error}."), ja)
}

async fn create(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let mut view = NewSessionView {
        metadata: fields.text("metadata"),
        known: ["lastName", "firstName", "birthDate"].map(|name| fields.text(name)),
        ..NewSessionView::default()
    };
    match body(&fields) {
        Err(sentence) => view.mistakes.push(mistake("metadata", sentence)),
        Ok(body) => match create_session(request.honnin(), &Tenant::by_hand(&reviewer), &body).await {
            Ok(made) => {
                let (url, until) = (made.verification_url.expose(), made.verification_url_expires_at);
                let shown = link::shown(say("Session created", "セッションを作成しました"), &made.id, url, until);
                return Ok(Outcome::shown(StatusCode::OK, shown));
            }
            Err(CreateSessionError::Decode(issues)) => {
                for issue in issues {
                    let field = issue.path.last().map_or("metadata", String::as_str);
                    view.mistakes.push(mistake(field, issue_of(field, &issue)));
                }
            }
            Err(CreateSessionError::NotReady(not_ready)) => view.not_ready = Some(why(not_ready)),
            Err(CreateSessionError::Store(error)) => return Err(error.into()),
            Err(other) => view.mistakes.push(mistake("metadata", refusal(&other))),
        },
    }
    Ok(Outcome::refused(view))
}
