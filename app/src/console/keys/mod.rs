//! API keys.

mod view;

use super::{
    fault::Fault,
    irreversible::{Answer, Irreversible, answer, page_or_second_look},
    layout::NavigationItem,
    parts::minutes,
    proof::{check_proof, proof_due, proof_of, proven},
    request::{PageResult, Request, done, not_done},
    words::{say, tell},
};
use crate::page::{Fields, Outcome, form, mistake};
use crate::parts::Mistake;
use axum::{Router, routing::post};
use domain::{
    cursor,
    ids::ApiKeyId,
    name,
    network::parse_list,
    scope::{Scope, Scopes},
    tenant::TenantSettings,
    time::Millis,
};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    access::{Admin, Developer},
    settings::api_keys::{
        IssueKeyError, Issued, KeyAndIssuer, ListedKeys, NewKey, RevokeKeyError, draft_key, issue_key, list_key_page,
        list_keys, revoke_key, rotate_key,
    },
};
pub(super) use view::shown_once;
use view::{ALL, ENDED, KeyRow, KeysView, ShownKey, overlaps, render, scopes_text};

const HERE: &str = "/admin/keys";
/// Query parameters: which keys are listed, and from where on. The forms carry them, so that the list is still the same afterwards.
const LIST: [&str; 2] = ["state", "after"];
/// Keys per page.
const PAGE: u32 = 50;
/// The lifetime that is chosen unless somebody chooses another one, in days.
const USUAL_DAYS: &str = "90";

/// API keys.
#[component]
pub fn KeysPage() -> impl IntoView {
    page_or_second_look(NavigationItem::Keys, load, render)
}

/// Its forms.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/keys", post(form(HERE, issue)))
        .route("/admin/keys/{id}/rotate", post(form(HERE, rotate)))
        .route("/admin/keys/{id}/revoke", post(form(HERE, revoke)))
}

async fn load(request: Request) -> PageResult<KeysView> {
    let developer = Developer::of(request.staff())?;
    view_of(&request, &developer).await
}

/// The page as the address of a request lists it.
fn list_of(request: &Request) -> PageResult<String> {
    Ok(request.query()?.kept(HERE, &LIST))
}

async fn view_of(request: &Request, developer: &Developer) -> PageResult<KeysView> {
    let fields = request.query()?;
    let state = fields.text("state");
    let listed = match state.as_str() {
        ALL => ListedKeys::All,
        ENDED => ListedKeys::Ended,
        _ => ListedKeys::Valid,
    };
    let after = cursor::parse(&fields.text("after"), ApiKeyId::parse);
    let is_later_page = after.is_some();
    let mut found = list_key_page(request.honnin(), developer, listed, after, PAGE + 1).await?;
    if found.is_empty() && is_later_page {
        // The last one of the last page has just been revoked, and is listed no more.
        found = list_key_page(request.honnin(), developer, listed, None, PAGE + 1).await?;
    }
    let (found, more) = cursor::page_of(found, PAGE);
    let next_page = found
        .last()
        .filter(|_| more)
        .map(|last| fields.next_page(HERE, &cursor::write(&(last.key.created_at, &last.key.id))));
    let keys = found.into_iter().map(|KeyAndIssuer { key, issued_by }| KeyRow {
        id: key.id.to_string(),
        name: key.name,
        prefix: key.prefix,
        scopes: key.scopes,
        created_at: key.created_at,
        issued_by,
        expires_at: key.expires_at,
        revoked_at: key.revoked_at,
        is_replaced: key.replaced_at.is_some(),
        last_used_at: key.last_used_at,
        last_used_from: key.last_used_from,
        networks: key.networks.iter().map(ToString::to_string).collect(),
    });
    let may_read = Admin::of(request.staff()).is_ok();
    let usual = Scopes::NONE.with(Scope::Create);
    Ok(KeysView {
        next: draft_key(request.honnin()).to_string(),
        keys: keys.collect(),
        state,
        query: fields.kept("", &LIST),
        next_page,
        scopes: if may_read { usual.with(Scope::Read) } else { usual },
        may_read,
        too_old: Some(request.honnin().secret_age()),
        now: Some(request.honnin().now()),
        proof: proof_due(request).await?,
        days: USUAL_DAYS.to_owned(),
        ..KeysView::default()
    })
}

async fn issue(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    let id = match fields.raw("id") {
        // Of a page from before an update.
        "" => draft_key(request.honnin()),
        id => ApiKeyId::parse(id).ok_or(Fault::Malformed)?,
    };
    let name = fields.text("name");
    let scopes: Option<Scopes> = fields.all("scope").map(Scope::parse).collect();
    let scopes = scopes.ok_or(Fault::Malformed)?;
    let lifetime = lifetime(&fields)?;
    let unproven = check_proof(&request, &fields).await?;
    let lines = fields.lines("networks");
    let wrong_field = match parse_list(lines.iter().map(String::as_str)) {
        Err(bad) => Some(mistake(
            "networks",
            tell!(
                "{bad} is not an IP address or network.",
                "「{bad}」はIPアドレスまたはネットワークではありません。"
            ),
        )),
        Ok(_) if unproven.is_some() => None,
        Ok(networks) => {
            let new = NewKey {
                id,
                name: name.clone(),
                lifetime,
                scopes,
                networks,
            };
            match issue_key(request.honnin(), &developer, new).await {
                Ok(issued) => return Ok(proven(&request, shown(&request, &developer, &issued).await?)),
                Err(IssueKeyError::Repeated) => {
                    return Ok(proven(&request, not_done(&list_of(&request)?, shown_before())?));
                }
                Err(refused) => Some(wrong(refused)?),
            }
        }
    };
    let is_proven = unproven.is_none();
    let outcome = Outcome::refused(KeysView {
        name,
        scopes,
        networks: fields.raw("networks").to_owned(),
        days: fields.raw("days").to_owned(),
        mistakes: wrong_field.into_iter().chain(unproven).collect(),
        proof: if is_proven {
            None
        } else {
            Some(proof_of(&request).await?)
        },
        ..view_of(&request, &developer).await?
    });
    Ok(if is_proven { proven(&request, outcome) } else { outcome })
}

/// For how long the key is valid; `None` without an end.
fn lifetime(fields: &Fields) -> PageResult<Option<Millis>> {
    let days = match fields.raw("days") {
        "" => return Ok(None),
        days => days.parse::<i64>().ok().filter(|days| (1..=3650).contains(days)),
    };
    days.map(|days| Some(Millis::days(days))).ok_or(Fault::Malformed)
}

/// The page with a key, which is shown only now.
async fn shown(request: &Request, developer: &Developer, issued: &Issued) -> PageResult<Outcome> {
    let mut view = KeysView {
        proof: None,
        ..view_of(request, developer).await?
    };
    let key = issued.key.expose();
    view.issued = Some(ShownKey {
        key: key.clone(),
        curl: curl(request.honnin().base_url().as_str(), key, issued.scopes),
    });
    Ok(Outcome::shown(StatusCode::CREATED, view))
}

/// A command that a key with these scopes may try: it needs no session that exists.
fn curl(base_url: &str, key: &str, scopes: Scopes) -> Option<String> {
    let call = if scopes.contains(Scope::Create) {
        "curl -X POST"
    } else if scopes.contains(Scope::Read) {
        "curl"
    } else {
        return None;
    };
    Some(format!(
        "{call} {base_url}v1/verification-sessions -H 'Authorization: Bearer {key}'"
    ))
}

/// The form was sent a second time: by reloading the page that shows the key, for example.
fn shown_before() -> &'static str {
    say(
        "This form was sent before. The key that it issued was shown only once and cannot be shown again. If nobody copied it, revoke it and \
         issue another one.",
        "このフォームはすでに送信されています。発行したキーは一度だけ表示され、再表示はできません。コピーしていない場合は、失効させてから新しいキーを発行してください。",
    )
}

/// What is wrong with the form, or why there is no page.
fn wrong(refused: IssueKeyError) -> PageResult<Mistake> {
    match refused {
        IssueKeyError::BadName => Ok(mistake(
            "name",
            tell!(
                "Enter a name of up to {} characters, such as where the key is used.",
                "キーの用途などがわかる名前を{}文字以内で入力してください。",
                name::LONGEST
            ),
        )),
        IssueKeyError::NoScope => Ok(mistake(
            "scope",
            say(
                "Choose at least one scope for the key.",
                "キーのスコープを1つ以上選択してください。",
            ),
        )),
        IssueKeyError::TooManyNetworks => Ok(mistake(
            "networks",
            tell!(
                "Enter at most {} IP addresses or networks.",
                "IPアドレスとネットワークは{}件以内で入力してください。",
                TenantSettings::MAX_LISTED
            ),
        )),
        IssueKeyError::NeedsAdmin | IssueKeyError::Forbidden => Err(Fault::Forbidden),
        IssueKeyError::NotFound | IssueKeyError::Replaced | IssueKeyError::Repeated => Err(Fault::NotFound),
        IssueKeyError::Store(error) => Err(error.into()),
    }
}

/// The second look at a key that is to be revoked, if there is one.
async fn before_revoking(request: &Request, developer: &Developer, id: &ApiKeyId) -> PageResult<Option<Irreversible>> {
    let keys = list_keys(request.honnin(), developer).await?;
    let key = keys.into_iter().find(|key| key.id == *id && key.revoked_at.is_none());
    let action = request.query()?.kept(&format!("{HERE}/{id}/revoke"), &LIST);
    Ok(key.map(|key| {
        let used = match (key.last_used_at.map(minutes), key.last_used_from) {
            (Some(at), Some(from)) => tell!("{at}, from {from}", "{at}、接続元：{from}"),
            (Some(at), None) => at,
            (None, _) => say("never", "未使用").to_owned(),
        };
        Irreversible {
            title: say("Revoke this API key?", "このAPIキーを失効させますか？"),
            meaning: vec![say(
                "Requests with it will be refused. This cannot be undone.",
                "失効させると、このキーによる呼び出しは拒否されます。この操作は取り消せません。",
            )],
            about: vec![
                (say("Name", "名前"), key.name),
                (say("Starts with", "先頭の文字"), format!("{}…", key.prefix)),
                (say("Scopes", "スコープ"), scopes_text(key.scopes)),
                (say("Issued (UTC)", "発行日時（UTC）"), minutes(key.created_at)),
                (say("Last used (UTC)", "最終使用日時（UTC）"), used),
            ],
            button: say("Revoke", "失効させる"),
            action,
            typed: Vec::new(),
        }
    }))
}

/// POST: a new key in place of one that expires after the chosen time.
async fn rotate(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    let list = list_of(&request)?;
    request.check_fresh(list.clone())?;
    let id = ApiKeyId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let hours = fields
        .raw("hours")
        .parse()
        .ok()
        .filter(|hours| overlaps().iter().any(|(known, _)| known == hours));
    let overlap = Millis::hours(hours.ok_or(Fault::Malformed)?);
    match rotate_key(request.honnin(), &developer, &id, overlap).await {
        Ok(issued) => shown(&request, &developer, &issued).await,
        Err(IssueKeyError::Replaced) => not_done(
            &list,
            say(
                "This key has already been rotated. Its replacement was shown only once and cannot be shown again. If nobody copied it, rotate \
                 the replacement.",
                "このキーはすでに更新済みです。新しいキーは一度だけ表示され、再表示はできません。コピーしていない場合は、新しいキーを更新してください。",
            ),
        ),
        Err(refused) => Err(match wrong(refused) {
            Err(fault) => fault,
            Ok(_) => Fault::Malformed,
        }),
    }
}

async fn revoke(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    let list = list_of(&request)?;
    request.check_fresh(list.clone())?;
    let id = ApiKeyId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    match answer(&fields) {
        Answer::Open => {
            if let Some(look) = before_revoking(&request, &developer, &id).await? {
                return Ok(Outcome::shown(StatusCode::OK, look));
            }
        }
        Answer::No => return Ok(Outcome::go(&list)),
        Answer::Yes => {}
    }
    let revoked = revoke_key(request.honnin(), &developer, &id)
        .await
        .map_err(|error| match error {
            RevokeKeyError::Forbidden(forbidden) => Fault::from(forbidden),
            RevokeKeyError::Store(error) => Fault::from(error),
        })?;
    done(
        &list,
        if revoked {
            say(
                "The key has been revoked and no longer works.",
                "キーを失効させました。以後は使用できません。",
            )
        } else {
            say("There was nothing to revoke.", "失効させるキーはありませんでした。")
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_to_try_is_one_that_the_key_may_call() {
        let tried = |scopes: &[Scope]| {
            let scopes = scopes.iter().copied().collect();
            curl("https://id.example/", "hn_live_1", scopes)
        };
        let call = |start: &str| {
            let end = "https://id.example/v1/verification-sessions -H 'Authorization: Bearer hn_live_1'";
            Some(format!("{start} {end}"))
        };
        assert_eq!(tried(&[Scope::Create, Scope::Read]), call("curl -X POST"));
        assert_eq!(tried(&[Scope::Read, Scope::Manage]), call("curl"));
        assert_eq!(tried(&[Scope::Manage]), None);
    }
}
