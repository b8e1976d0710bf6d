//! Confirming one's identity again (step-up) before a sensitive action: with the second factor where there is one, otherwise at the
//! OpenID provider if the account is linked to it, otherwise with the password.

use super::{
    next::safe_next,
    parts::{Line, confirming_password, line},
    request::{FRESH, PageResult, Request, SessionChange},
    words::say,
};
use crate::{
    PageMeta,
    page::{Fields, Outcome, mistake},
    parts::Mistake,
};
use axum::{
    Json,
    response::{IntoResponse as _, Response},
};
use domain::{secret::Secret, time::Millis};
use http::StatusCode;
use leptos::prelude::*;
use serde::Serialize;
use service::people::{
    openid::is_linked,
    second_factor::{
        CodeError, confirm_code, list_factors,
        passkeys::{self, Challenge, PasskeyError},
    },
    sign_in::{SignInError, confirm_password},
};

/// What a person is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Proof {
    /// Their password.
    #[default]
    Password,
    /// A code, or a passkey if they have one.
    Factor {
        /// Whether they have a passkey.
        passkey: bool,
    },
    /// To sign in at the OpenID provider again, on the page that confirms.
    Provider {
        /// Whether they have done so recently enough for what they want to do.
        fresh: bool,
    },
}

/// The message after a person has confirmed their identity and continues to `next`. The fields of a form they came from are not restored.
pub(super) fn confirmed(next: &str) -> &'static str {
    if next == safe_next("") {
        // In a tab of its own, while what they typed waits in the other one.
        say(
            "Thank you. You can continue.",
            "再認証が完了しました。操作を続けてください。",
        )
    } else {
        say(
            "Confirmed. Nothing has changed yet. Repeat your last action.",
            "再認証が完了しました。まだ何も変更されていません。もう一度操作してください。",
        )
    }
}

/// Too many attempts, of whatever kind.
pub(super) fn throttled() -> &'static str {
    say(
        "Too many attempts. Wait 15 minutes, then try again.",
        "試行回数が上限に達しました。15分後に再度お試しください。",
    )
}

/// People sign in with the provider only.
pub(super) fn no_passwords() -> &'static str {
    say("Passwords are not used here.", "この環境ではパスワードを使用しません。")
}

/// A refused passkey.
pub(super) fn wrong_passkey() -> &'static str {
    say(
        "The passkey was not accepted. Try again.",
        "パスキーを確認できませんでした。再度お試しください。",
    )
}

/// The answer to a script that asks for a challenge.
pub(super) fn challenge_response<T: Serialize>(
    issued: Result<Challenge, PasskeyError>,
    asked: impl FnOnce(Challenge) -> T,
) -> PageResult<Response> {
    match issued {
        Ok(issued) => Ok(Json(asked(issued)).into_response()),
        Err(PasskeyError::Store(error)) => Err(error.into()),
        Err(_) => Ok(StatusCode::TOO_MANY_REQUESTS.into_response()),
    }
}

/// Why a password entered for confirmation is refused.
pub(super) fn refusal(refused: &SignInError) -> &'static str {
    match refused {
        SignInError::Throttled => throttled(),
        SignInError::Off => no_passwords(),
        SignInError::Wrong | SignInError::Store(_) => {
            say("The password is incorrect.", "パスワードが正しくありません。")
        }
    }
}

/// No proof that was given before is enough: of what gives somebody time, since they would never have to prove anything again.
pub(super) const NOW: Millis = Millis(0);

/// What the person is asked for.
pub(super) async fn proof_of(request: &Request) -> PageResult<Proof> {
    proof_within(request, FRESH).await
}

/// The same for what needs a proof that is not older than `span`.
pub(super) async fn proof_within(request: &Request, span: Millis) -> PageResult<Proof> {
    let (honnin, user) = (request.honnin(), request.staff().user());
    let factors = list_factors(honnin, user).await?;
    Ok(if factors.any() {
        Proof::Factor {
            passkey: !factors.passkeys.is_empty(),
        }
    } else if !honnin.allows_local_sign_in() || is_linked(honnin, user).await? {
        Proof::Provider {
            fresh: request.is_confirmed_within(span),
        }
    } else {
        Proof::Password
    })
}

/// What a form for a sensitive action asks for besides its own fields: nothing of somebody who has just proved who they are.
pub(super) async fn proof_due(request: &Request) -> PageResult<Option<Proof>> {
    if request.is_fresh() {
        return Ok(None);
    }
    Ok(Some(proof_of(request).await?))
}

/// Checks the proof of such a form: what is wrong with it, if anything.
pub(super) async fn check_proof(request: &Request, fields: &Fields) -> PageResult<Option<Mistake>> {
    if request.is_fresh() {
        return Ok(None);
    }
    step_up(request, fields, FRESH).await
}

/// The response to such a form once its proof was accepted: they are not asked again soon, whatever else is wrong with the form.
pub(super) fn proven(request: &Request, outcome: Outcome) -> Outcome {
    if request.is_fresh() {
        outcome
    } else {
        outcome.with(SessionChange::Confirmed)
    }
}

/// Checks the fields of a form that has them: what is wrong with them, if anything. Somebody who has none to fill in, because they prove
/// who they are to the provider, must have done so within `span`.
pub(super) async fn step_up(request: &Request, fields: &Fields, span: Millis) -> PageResult<Option<Mistake>> {
    let (honnin, staff) = (request.honnin(), request.staff());
    match proof_within(request, span).await? {
        Proof::Factor { .. } => {}
        Proof::Provider { fresh: true } => return Ok(None),
        Proof::Provider { fresh: false } => {
            return Ok(Some(mistake(
                "confirm",
                say("Confirm first that it is you.", "先に再認証してください。"),
            )));
        }
        Proof::Password => {
            if !fields.has("password") {
                return Ok(Some(mistake(
                    "password",
                    say("Enter your password.", "パスワードを入力してください。"),
                )));
            }
            let password = Secret::new(fields.raw("password").to_owned());
            return match confirm_password(honnin, staff, password).await {
                Ok(()) => Ok(None),
                Err(SignInError::Store(error)) => Err(error.into()),
                Err(refused) => Ok(Some(mistake("password", refusal(&refused)))),
            };
        }
    }
    if fields.has("credential") {
        return match passkeys::confirm(honnin, staff, fields.raw("credential")).await {
            Ok(()) => Ok(None),
            Err(PasskeyError::Store(error)) => Err(error.into()),
            Err(_) => Ok(Some(mistake("code", wrong_passkey()))),
        };
    }
    if fields.text("code").is_empty() {
        return Ok(Some(mistake("code", no_code())));
    }
    match confirm_code(honnin, staff, fields.raw("code")).await {
        Ok(()) => Ok(None),
        Err(CodeError::Store(error)) => Err(error.into()),
        Err(refused) => Ok(Some(mistake("code", code_refusal(&refused)))),
    }
}

/// No code was entered.
pub(super) fn no_code() -> &'static str {
    say("Enter the code.", "コードを入力してください。")
}

/// Why a code is refused.
pub(super) fn code_refusal(refused: &CodeError) -> &'static str {
    match refused {
        CodeError::Throttled => throttled(),
        CodeError::Wrong | CodeError::Store(_) => say(
            "The code is incorrect or was used before.",
            "コードが正しくないか、すでに使用されています。",
        ),
    }
}

/// The field for a code.
pub(super) fn code_line(wrong: &[Mistake]) -> AnyView {
    let field = Line {
        name: "code",
        label: say("Code", "コード"),
        hint: Some(
            say(
                "From your authenticator app, or a recovery code.",
                "認証アプリのコード、またはリカバリーコードを入力してください。",
            )
            .into(),
        ),
        kind: "text",
        autocomplete: "one-time-code",
        ..Line::default()
    };
    line(field, wrong)
}

/// The button of a form that a passkey can answer. The script shows it, fetches a challenge, and sends the form.
pub(super) fn passkey_button(label: &'static str) -> AnyView {
    view! {
        <input type="hidden" name="credential"/>
        <p class="error" role="alert" data-passkey-said hidden>{say(
            "Your device did not respond. Try again, or use another way.",
            "端末から応答がありません。再度お試しいただくか、別の方法をご利用ください。",
        )}</p>
        <p class="error" role="alert" data-passkey-out hidden>{say("You are no longer signed in. ", "サインアウトされています。")}
            <a href="/admin/sign-in" target="_blank" rel="noopener">{say("Sign in in a new tab", "新しいタブでサインイン")}</a>{say(
                ", then come back and try again. What you typed is still here.",
                "してから、このページに戻って再度お試しください。入力内容はこのページに残っています。",
            )}</p>
        <button class="button secondary" type="button" data-passkey-ask hidden>{label}</button>
    }
    .into_any()
}

/// The script of pages with such a form.
pub(super) fn passkey_script(meta: &PageMeta) -> AnyView {
    view! { <script nonce=meta.nonce.clone() inner_html=include_str!("passkey.js")></script> }.into_any()
}

/// Where a signed-in person's script gets a challenge.
const CHALLENGE: &str = "/admin/account/challenge";

/// The fields that ask for it, inside a form with [`Proof::challenge`] as its `data-passkey`.
pub(super) fn proof_fields(proof: Proof, wrong: &[Mistake], meta: &PageMeta) -> AnyView {
    fields_with(proof, wrong, passkey_script(meta))
}

/// The same on a page that has [`passkey_script`] at its end.
pub(super) fn proof_fields_alone(proof: Proof, wrong: &[Mistake]) -> AnyView {
    fields_with(proof, wrong, ().into_any())
}

fn fields_with(proof: Proof, wrong: &[Mistake], script: AnyView) -> AnyView {
    match proof {
        Proof::Password => confirming_password(wrong),
        Proof::Provider { fresh: true } => ().into_any(),
        // In another tab, so that what was typed here stays.
        Proof::Provider { fresh: false } => view! {
            <p><a id="confirm" class="button secondary" href="/admin/confirm" target="_blank" rel="noopener">{say(
                "Confirm that it is you",
                "再認証する",
            )}</a>
                {say(" This opens a new tab. Then come back and continue here.", " 新しいタブで開きます。完了後、このページに戻って続けてください。")}</p>
        }
        .into_any(),
        Proof::Factor { passkey } => view! {
            {code_line(wrong)}
            {passkey.then(|| view! { {passkey_button(say("Use a passkey", "パスキーを使用"))}{script} })}
        }
        .into_any(),
    }
}

impl Proof {
    /// The `data-passkey` of a form with its fields.
    pub(super) const fn challenge(self) -> Option<&'static str> {
        match self {
            Self::Factor { passkey: true } => Some(CHALLENGE),
            Self::Password | Self::Provider { .. } | Self::Factor { passkey: false } => None,
        }
    }
}
