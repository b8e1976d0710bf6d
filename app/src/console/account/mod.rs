//! The account page: password, second factors, signed-in browsers; confirming one's identity; choosing the tenant to work in.

pub mod authenticator;
mod view;

use super::{
    fault::Fault,
    irreversible::{Answer, Irreversible, answer, page_or_second_look},
    layout::NavigationItem,
    next::safe_next,
    parts::minutes,
    password_faults::bad_password,
    proof::{
        NOW, Proof, challenge_response, check_proof, confirmed, proof_due, proof_within, proven, refusal, step_up,
        wrong_passkey,
    },
    request::{PageResult, Request, SessionChange, done, not_done, signed_in},
    words::{say, tell},
};
use crate::page::{Fields, Outcome, form, handler, mistake};
use crate::parts::Mistake;
use axum::{Router, response::Response, routing::post};
use domain::{ids::TenantId, secret::Secret};
use http::StatusCode;
use leptos::prelude::*;
use serde::Serialize;
use service::{
    access::Operator,
    people::{
        change_password::{ChangePasswordError, change_password as change},
        console_session, known_browser, links,
        openid::is_linked,
        second_factor::{
            Factors, RenewCodesError, list_factors,
            passkeys::{self, Answerer, PasskeyError, id_text, issue_challenge, register},
            renew_recovery_codes,
            webauthn::ALGORITHMS,
        },
    },
};
use view::{AccountView, ConfirmView};

/// The account page.
#[component]
pub fn AccountPage() -> impl IntoView {
    page_or_second_look(NavigationItem::Account, load, view::account)
}

/// The page that asks for the password again.
#[component]
pub fn ConfirmPage() -> impl IntoView {
    signed_in(NavigationItem::Nowhere, load_confirm, view::confirm)
}

/// The forms of both pages, and those present on every page.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/account/password", post(form("/admin/account", change_password)))
        .route("/admin/account/challenge", post(handler(challenge)))
        .route("/admin/account/passkeys", post(form("/admin/account", add_passkey)))
        .route(view::NEW_PASSKEY, post(handler(challenge_for_new_passkey)))
        .route(
            "/admin/account/passkeys/{passkey}/remove",
            post(form("/admin/account", remove_passkey)),
        )
        .route(
            "/admin/account/recovery-codes",
            post(form("/admin/account", renew_codes)),
        )
        .route(
            "/admin/account/sessions/{session}/end",
            post(form("/admin/account", end_session)),
        )
        .route(
            "/admin/account/browsers/{browser}/forget",
            post(form("/admin/account", forget_browser)),
        )
        .merge(authenticator::forms())
        .route("/admin/confirm", post(form("/admin/confirm", confirm)))
        .route("/admin/sign-out", post(form("/admin/account", sign_out)))
        .route(
            "/admin/sign-out-everywhere",
            post(form("/admin/account", sign_out_everywhere)),
        )
        .route("/admin/tenant", post(form("/admin", look_at)))
}

async fn load(request: Request) -> PageResult<AccountView> {
    view_of(&request, Vec::new()).await
}

async fn view_of(request: &Request, mistakes: Vec<Mistake>) -> PageResult<AccountView> {
    let (honnin, staff) = (request.honnin(), request.staff());
    Ok(AccountView {
        email: staff.email().to_owned(),
        factors: list_factors(honnin, staff.user()).await?,
        sessions: console_session::list_own(honnin, staff).await?,
        here: request.who.session.clone(),
        browsers: known_browser::list_own(honnin, staff).await?,
        this_browser: request.who.browser.clone(),
        links: links::list_own(honnin, staff).await?,
        required: staff.lacks_factor(),
        has_passwords: honnin.allows_local_sign_in(),
        provider: honnin.provider().map(|provider| provider.name.clone()),
        is_linked: is_linked(honnin, staff.user()).await?,
        codes: Vec::new(),
        passkey_name: String::new(),
        // Of people with neither a second factor nor a provider, the form asks the current password anyway.
        proof: proof_due(request).await?.filter(|proof| *proof != Proof::Password),
        mistakes,
    })
}

async fn change_password(request: Request, fields: Fields) -> PageResult<Outcome> {
    // People with a second factor or a provider do not confirm with their password, so the current password below is not a step-up for them.
    let asked = proof_due(&request).await?.filter(|proof| *proof != Proof::Password);
    if asked.is_some()
        && let Some(wrong) = check_proof(&request, &fields).await?
    {
        return Ok(Outcome::refused(view_of(&request, vec![wrong]).await?));
    }
    let secret = |name| Secret::new(fields.raw(name).to_owned());
    let (present, new) = (secret("present"), secret("password"));
    let wrong_field = match change(request.honnin(), request.staff(), present, new).await {
        Ok(entrance) => {
            let change = SessionChange::Renewed(entrance);
            let notice = say(
                "Your password has been changed. You have been signed out everywhere else.",
                "パスワードを変更しました。ほかのブラウザーからはすべてサインアウトしました。",
            );
            return Ok(done("/admin/account", notice)?.with(change));
        }
        Err(ChangePasswordError::Bad(bad)) => mistake("password", bad_password(bad)),
        Err(ChangePasswordError::Present(refused)) => mistake("present", refusal(&refused)),
        Err(ChangePasswordError::Ended) => return Ok(Outcome::go("/admin/sign-in")),
        Err(ChangePasswordError::Store(error)) => return Err(error.into()),
    };
    let view = AccountView {
        proof: None,
        ..view_of(&request, vec![wrong_field]).await?
    };
    let outcome = Outcome::refused(view);
    Ok(if asked.is_some() {
        proven(&request, outcome)
    } else {
        outcome
    })
}

/// Where signing out leads to. With a provider, the page says that one may still be signed in there.
fn signed_out(request: &Request) -> &'static str {
    match request.honnin().provider() {
        Some(_) => "/admin/sign-in?done=sign-out",
        None => "/admin/sign-in",
    }
}

async fn sign_out(request: Request, _: Fields) -> PageResult<Outcome> {
    Ok(Outcome::go(signed_out(&request)).with(SessionChange::SignedOut))
}

async fn sign_out_everywhere(request: Request, _: Fields) -> PageResult<Outcome> {
    console_session::sign_out_everywhere(request.honnin(), request.staff()).await?;
    Ok(Outcome::go(signed_out(&request)).with(SessionChange::SignedOut))
}

async fn load_confirm(request: Request) -> PageResult<ConfirmView> {
    Ok(ConfirmView {
        next: safe_next(&request.query()?.text("next")).to_owned(),
        proof: proof_within(&request, NOW).await?,
        provider: request.honnin().provider().map(|provider| provider.name.clone()),
        mistakes: Vec::new(),
    })
}

async fn confirm(request: Request, fields: Fields) -> PageResult<Outcome> {
    let next = safe_next(&fields.text("next")).to_owned();
    match step_up(&request, &fields, NOW).await? {
        None => Ok(done(&next, confirmed(&next))?.with(SessionChange::Confirmed)),
        Some(wrong) => Ok(Outcome::refused(ConfirmView {
            next,
            proof: proof_within(&request, NOW).await?,
            provider: request.honnin().provider().map(|provider| provider.name.clone()),
            mistakes: vec![wrong],
        })),
    }
}

async fn end_session(request: Request, _: Fields) -> PageResult<Outcome> {
    request.check_fresh("/admin/account")?;
    if !console_session::end_own(request.honnin(), request.staff(), request.param("session")).await? {
        return Err(Fault::NotFound);
    }
    done(
        "/admin/account",
        say(
            "That browser has been signed out.",
            "対象のブラウザーからサインアウトしました。",
        ),
    )
}

async fn forget_browser(request: Request, _: Fields) -> PageResult<Outcome> {
    request.check_fresh("/admin/account")?;
    if !known_browser::forget_own(request.honnin(), request.staff(), request.param("browser")).await? {
        return Err(Fault::NotFound);
    }
    done(
        "/admin/account",
        say(
            "That browser has been forgotten. You will be notified if somebody signs in with it.",
            "対象のブラウザーの記録を削除しました。次にそのブラウザーでサインインがあると、お知らせします。",
        ),
    )
}

async fn renew_codes(request: Request, fields: Fields) -> PageResult<Outcome> {
    request.check_fresh("/admin/account")?;
    let seen = match fields.raw(view::SEEN_CODES) {
        // Of a page from before an update.
        "" => None,
        mark => Some(mark),
    };
    let codes = match renew_recovery_codes(request.honnin(), request.staff(), seen).await {
        Ok(codes) => codes,
        // By reloading the page that shows the codes, for example.
        Err(RenewCodesError::Repeated) => {
            return not_done(
                "/admin/account",
                say(
                    "No new codes were generated: your recovery codes have been replaced or used since that page was loaded. New codes are shown \
                     only once. If you did not copy them, generate new ones again.",
                    "新しいコードは発行されませんでした。その画面を開いたあとに、リカバリーコードがすでに発行または使用されています。新しいコードは一度だけ表示されます。控えていない場合は、もう一度発行してください。",
                ),
            );
        }
        Err(RenewCodesError::Ended) => return Ok(Outcome::go("/admin/sign-in")),
        Err(RenewCodesError::NoFactor) => return Err(Fault::NotFound),
        Err(RenewCodesError::Store(error)) => return Err(error.into()),
    };
    let view = AccountView {
        codes: shown(&codes),
        ..view_of(&request, Vec::new()).await?
    };
    Ok(Outcome::shown(StatusCode::CREATED, view))
}

fn shown(codes: &[Secret<String>]) -> Vec<String> {
    codes.iter().map(|code| code.expose().clone()).collect()
}

/// What the script of a page with a passkey button gets.
#[derive(Serialize)]
struct Asked {
    challenge: String,
    party: String,
    credentials: Vec<String>,
    algorithms: [i64; 3],
    user: String,
    account: String,
    name: String,
}

/// POST: a challenge for a passkey of this person, new or not.
async fn challenge(request: Request) -> PageResult<Response> {
    let staff = request.staff();
    let issued = issue_challenge(request.honnin(), Answerer::SignedIn(staff.user())).await;
    challenge_response(issued, |issued| Asked {
        challenge: issued.challenge.expose().clone(),
        party: issued.party,
        credentials: issued.credentials,
        algorithms: ALGORITHMS,
        user: staff.user().to_string(),
        account: staff.email().to_owned(),
        name: staff.name().to_owned(),
    })
}

/// POST: a challenge for a new passkey. People who have to confirm first do so before their device creates a passkey that would not be registered.
async fn challenge_for_new_passkey(request: Request) -> PageResult<Response> {
    request.check_fresh("/admin/account")?;
    challenge(request).await
}

async fn add_passkey(request: Request, fields: Fields) -> PageResult<Outcome> {
    request.check_fresh("/admin/account")?;
    let name = fields.text("name");
    let wrong = match register(request.honnin(), request.staff(), &name, fields.raw("credential")).await {
        Ok(None) => {
            return done(
                "/admin/account",
                say("Your passkey has been added.", "パスキーを追加しました。"),
            );
        }
        Ok(Some(codes)) => {
            let view = AccountView {
                codes: shown(&codes),
                ..view_of(&request, Vec::new()).await?
            };
            return Ok(Outcome::shown(StatusCode::CREATED, view));
        }
        Err(PasskeyError::Store(error)) => return Err(error.into()),
        Err(PasskeyError::BadName) => tell!(
            "Enter a name of up to {} characters.",
            "名前を{}文字以内で入力してください。",
            passkeys::NAME_LIMIT
        ),
        Err(PasskeyError::Exists) => say(
            "This passkey is already registered.",
            "このパスキーはすでに登録されています。",
        )
        .to_owned(),
        Err(PasskeyError::TooMany) => tell!(
            "You have {} passkeys. Remove one first.",
            "パスキーは{}個まで登録できます。先に1つ解除してください。",
            passkeys::MAX_PASSKEYS
        ),
        Err(PasskeyError::Refused | PasskeyError::Throttled) => wrong_passkey().to_owned(),
    };
    let view = AccountView {
        passkey_name: name,
        ..view_of(&request, vec![mistake("name", wrong)]).await?
    };
    Ok(Outcome::refused(view))
}

/// The second look at a second factor that a person is about to remove from their own account.
fn before_removing(
    factors: &Factors,
    title: &'static str,
    about: Vec<(&'static str, String)>,
    action: String,
) -> Irreversible {
    let count = factors.passkeys.len() + usize::from(factors.authenticator.is_some());
    let meaning = if count > 1 {
        say(
            "You can no longer sign in or confirm with it. Your other second factors stay.",
            "サインインや再認証には使用できなくなります。ほかの2要素認証はそのまま使用できます。",
        )
    } else {
        say(
            "It is your only second factor. Until you set up another one, you sign in without one, and your recovery codes no longer work.",
            "設定済みの2要素認証はこれだけです。新しく設定するまでは、2要素認証なしでサインインすることになり、リカバリーコードも使用できなくなります。",
        )
    };
    Irreversible {
        title,
        meaning: vec![meaning],
        about,
        button: say("Remove", "解除"),
        action,
        typed: Vec::new(),
    }
}

/// The second look at the passkey with this id, if the person has it.
async fn before_removing_passkey(request: &Request, id: &str) -> PageResult<Option<Irreversible>> {
    let factors = list_factors(request.honnin(), request.staff().user()).await?;
    let key = factors.passkeys.iter().find(|key| id_text(key) == id);
    Ok(key.map(|key| {
        let used = key.last_used_at.map(minutes);
        let about = vec![
            (say("Name", "名前"), key.name.clone()),
            (say("Added (UTC)", "追加日時（UTC）"), minutes(key.created_at)),
            (
                say("Last used (UTC)", "最終使用日時（UTC）"),
                used.unwrap_or_else(|| say("never", "未使用").to_owned()),
            ),
        ];
        let title = say("Remove this passkey?", "このパスキーを解除しますか？");
        before_removing(&factors, title, about, format!("/admin/account/passkeys/{id}/remove"))
    }))
}

async fn remove_passkey(request: Request, fields: Fields) -> PageResult<Outcome> {
    request.check_fresh("/admin/account")?;
    match answer(&fields) {
        Answer::Open => {
            let look = before_removing_passkey(&request, request.param("passkey")).await?;
            return Ok(Outcome::shown(StatusCode::OK, look.ok_or(Fault::NotFound)?));
        }
        Answer::No => return Ok(Outcome::go("/admin/account")),
        Answer::Yes => {}
    }
    if !passkeys::remove(request.honnin(), request.staff(), request.param("passkey")).await? {
        return Err(Fault::NotFound);
    }
    done(
        "/admin/account",
        say("The passkey has been removed.", "パスキーを解除しました。"),
    )
}

async fn look_at(request: Request, fields: Fields) -> PageResult<Outcome> {
    Operator::of(request.staff())?;
    let tenant = TenantId::parse(&fields.text("tenant")).ok_or(Fault::NotFound)?;
    Ok(Outcome::go("/admin").with(SessionChange::LooksAt(tenant)))
}
