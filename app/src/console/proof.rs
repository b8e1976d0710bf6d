//! Proving again who one is (step-up), before a sensitive action: with the second factor where there is one, otherwise at the OpenID
//! provider if the account is linked to it, otherwise with the password.

use super::{
    parts::{Line, line, present_password},
    request::{PageResult, Request},
};
use crate::{
    PageMeta,
    page::{Fields, mistake},
    parts::Mistake,
};
use domain::secret::Secret;
use leptos::prelude::*;
use service::people::{
    openid::is_linked,
    second_factor::{
        CodeError, confirm_code, list_factors,
        passkeys::{self, PasskeyError},
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
        /// Whether they have just done so.
        fresh: bool,
    },
}

/// Too many attempts, of whatever kind.
pub(super) const THROTTLED: &str = "Too many attempts. Wait 15 minutes, then try again.";
/// A wrong code.
pub(super) const WRONG_CODE: &str = "The code is incorrect or was used before.";
/// Not confirmed with the provider.
const NOT_CONFIRMED: &str = "Confirm your identity first.";
/// A refused passkey.
pub(super) const WRONG_PASSKEY: &str = "The passkey was not accepted. Try again.";

/// Why a password entered for confirmation is refused.
pub(super) const fn refusal(refused: &SignInError) -> &'static str {
    match refused {
        SignInError::Throttled => THROTTLED,
        SignInError::Off => "Passwords are not used here.",
        SignInError::Wrong | SignInError::SecondFactor(_) | SignInError::Store(_) => "The password is incorrect.",
    }
}

/// What the person is asked for.
pub(super) async fn proof_of(request: &Request) -> PageResult<Proof> {
    let (honnin, user) = (request.honnin(), request.staff().user());
    let factors = list_factors(honnin, user).await?;
    Ok(if factors.any() {
        Proof::Factor {
            passkey: !factors.passkeys.is_empty(),
        }
    } else if !honnin.allows_local_sign_in() || is_linked(honnin, user).await? {
        Proof::Provider {
            fresh: request.is_fresh(),
        }
    } else {
        Proof::Password
    })
}

/// Checks the fields of a form that has them: what is wrong with them, if anything.
pub(super) async fn step_up(request: &Request, fields: &Fields) -> PageResult<Option<Mistake>> {
    let (honnin, staff) = (request.honnin(), request.staff());
    match proof_of(request).await? {
        Proof::Factor { .. } => {}
        Proof::Provider { fresh: true } => return Ok(None),
        Proof::Provider { fresh: false } => return Ok(Some(mistake("confirm", NOT_CONFIRMED))),
        Proof::Password => {
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
            Err(_) => Ok(Some(mistake("code", WRONG_PASSKEY))),
        };
    }
    match confirm_code(honnin, staff, fields.raw("code")).await {
        Ok(()) => Ok(None),
        Err(CodeError::Store(error)) => Err(error.into()),
        Err(refused) => Ok(Some(mistake("code", code_refusal(&refused)))),
    }
}

/// Why a code is refused.
pub(super) const fn code_refusal(refused: &CodeError) -> &'static str {
    match refused {
        CodeError::Throttled => THROTTLED,
        CodeError::Wrong | CodeError::Store(_) => WRONG_CODE,
    }
}

/// The field for a code.
pub(super) fn code_line(wrong: &[Mistake]) -> AnyView {
    let field = Line {
        name: "code",
        label: "Code",
        hint: Some("From your authenticator app, or a recovery code.".into()),
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
        <p class="error" data-passkey-said hidden>"Your device did not answer. Try again, or use another way."</p>
        <button class="button secondary" type="button" data-passkey-ask hidden>{label}</button>
    }
    .into_any()
}

/// The script of pages with such a form.
pub(super) fn passkey_script(meta: &PageMeta) -> AnyView {
    view! { <script nonce=meta.nonce.clone() inner_html=include_str!("passkey.js")></script> }.into_any()
}

/// Where a signed-in person's script gets a challenge.
pub(super) const CHALLENGE: &str = "/admin/account/challenge";

/// The fields that ask for it, inside a form with [`Proof::challenge`] as its `data-passkey`.
pub(super) fn proof_fields(proof: Proof, wrong: &[Mistake], meta: &PageMeta) -> AnyView {
    match proof {
        Proof::Password => present_password(),
        Proof::Provider { fresh: true } => ().into_any(),
        // In another tab, so that what was typed here stays.
        Proof::Provider { fresh: false } => view! {
            <p><a id="confirm" class="button secondary" href="/admin/confirm" target="_blank" rel="noopener">"Confirm your identity"</a>
                " This opens a new tab. Then come back and continue here."</p>
        }
        .into_any(),
        Proof::Factor { passkey } => view! {
            {code_line(wrong)}
            {passkey.then(|| view! { {passkey_button("Use a passkey")}{passkey_script(meta)} })}
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
