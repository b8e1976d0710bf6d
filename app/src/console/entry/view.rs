//! The pages before sign-in: signing in and setting up.

use crate::PageMeta;
use crate::console::layout::{door, mistakes};
use crate::console::next::with_next;
use crate::console::parts::{Line, line, new_password, present_password};
use crate::console::proof::{code_line, passkey_button, passkey_script};
use crate::parts::Mistake;
use leptos::prelude::*;

/// Signing in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SignInView {
    /// What was typed.
    pub email: String,
    /// Where to continue.
    pub next: String,
    /// Whether a new password has just been chosen through a link.
    pub has_new_password: bool,
    /// Whether they have just signed out.
    pub has_signed_out: bool,
    /// Where to sign out of the provider as well.
    pub sign_out_elsewhere: Option<String>,
    /// The provider's name.
    pub provider: Option<String>,
    /// Whether there are passwords and passkeys.
    pub is_local: bool,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn email(value: &str, wrong: &[Mistake]) -> AnyView {
    let field = Line {
        name: "email",
        label: "E-mail address",
        kind: "email",
        autocomplete: "username",
        value: value.to_owned(),
        ..Line::default()
    };
    line(field, wrong)
}

/// The page.
#[must_use]
pub(super) fn sign_in(view: &SignInView, meta: &PageMeta) -> AnyView {
    let main = view! {
        <h1>"Sign in"</h1>
        {view.has_new_password.then(|| view! { <p class="flash" role="status">"Your password has been changed."</p> })}
        {view.has_signed_out.then(|| signed_out(view))}
        {mistakes(&view.mistakes)}
        {view.is_local.then(|| local(view, meta))}
        {with_provider(view)}
    };
    door(meta, "Sign in", main.into_any())
}

/// After signing out here: people may still be signed in at the provider, and could come back without a password.
fn signed_out(view: &SignInView) -> AnyView {
    let name = view.provider.clone();
    let elsewhere = view.sign_out_elsewhere.clone().zip(name).map(|(address, name)| {
        view! { " You may still be signed in to "{name.clone()}": "<a href=address>"sign out there as well"</a>"." }
    });
    view! { <p class="flash" role="status">"You have been signed out."{elsewhere}</p> }.into_any()
}

/// The button of the provider. It is a link, so that the provider's redirects need not be part of the page's policy for forms.
fn with_provider(view: &SignInView) -> Option<AnyView> {
    let name = view.provider.clone()?;
    let class = if view.is_local {
        "button secondary"
    } else {
        "button primary"
    };
    let to = with_next("/admin/sign-in/openid", &view.next);
    Some(view! { <p><a class=class href=to>{format!("Sign in with {name}")}</a></p> }.into_any())
}

/// Password and passkey.
fn local(view: &SignInView, meta: &PageMeta) -> AnyView {
    view! {
        <form class="stack" method="post" action="/admin/sign-in">
            <input type="hidden" name="next" value=view.next.clone()/>
            {email(&view.email, &view.mistakes)}
            {present_password()}
            <button class="button primary" type="submit">"Sign in"</button>
        </form>
        <form class="stack passkey-form" method="post" action="/admin/sign-in/passkey" data-passkey="/admin/sign-in/challenge/start" hidden>
            <input type="hidden" name="next" value=view.next.clone()/>
            {passkey_button("Sign in with a passkey")}
        </form>
        {passkey_script(meta)}
    }
    .into_any()
}

/// The second factor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CodeView {
    /// Where to continue.
    pub next: String,
    /// Whether the person has a passkey.
    pub passkey: bool,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// The page.
#[must_use]
pub(super) fn code(view: &CodeView, meta: &PageMeta) -> AnyView {
    let passkey = view
        .passkey
        .then(|| view! { {passkey_button("Use a passkey")}{passkey_script(meta)} });
    let main = view! {
        <h1>"Second factor"</h1>
        {mistakes(&view.mistakes)}
        <form class="stack" method="post" action="/admin/sign-in/code" data-passkey=view.passkey.then_some("/admin/sign-in/challenge/code")>
            <input type="hidden" name="next" value=view.next.clone()/>
            {code_line(&view.mistakes)}
            <button class="button primary" type="submit">"Sign in"</button>
            {passkey}
        </form>
        <p><a href="/admin/sign-in">"Start again"</a></p>
    };
    door(meta, "Second factor", main.into_any())
}

/// Setting up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SetUpView {
    /// The link's token; the form is posted back to it.
    pub token: String,
    /// The existing tenant; `None` if one will be created.
    pub tenant: Option<String>,
    /// What was typed.
    pub organisation: String,
    /// What was typed.
    pub name: String,
    /// What was typed.
    pub email: String,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// The page.
#[must_use]
pub(super) fn set_up(view: &SetUpView, meta: &PageMeta) -> AnyView {
    let wrong = &view.mistakes;
    let lead = view.tenant.as_ref().map_or_else(
        || {
            "You are creating the first account. You will be the operator of this installation and the admin of your organisation."
                .to_owned()
        },
        |tenant| format!("You are creating the first account. You will be the operator of this installation and the admin of {tenant}."),
    );
    let organisation = view.tenant.is_none().then(|| {
        let field = Line {
            name: "organisation",
            label: "Organisation",
            hint: Some("The name your users know you by.".into()),
            kind: "text",
            value: view.organisation.clone(),
            autocomplete: "organization",
            ..Line::default()
        };
        line(field, wrong)
    });
    let name = Line {
        name: "name",
        label: "Your name",
        kind: "text",
        value: view.name.clone(),
        autocomplete: "name",
        ..Line::default()
    };
    let action = format!("/admin/set-up/{}", view.token);
    let main = view! {
        <h1>"Set up Honnin"</h1>
        <p class="lead">{lead}</p>
        {mistakes(wrong)}
        <form class="stack" method="post" action=action>
            {organisation}
            {line(name, wrong)}
            {email(&view.email, wrong)}
            {line(new_password(), wrong)}
            <button class="button primary" type="submit">"Create my account"</button>
        </form>
    };
    door(meta, "Set up", main.into_any())
}
