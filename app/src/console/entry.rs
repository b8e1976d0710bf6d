//! The pages in front of the console: signing in, setting up, asking for the password again, and saying no.

use super::layout::{Frame, door, mistakes, page};
use super::parts::{Line, line};
use crate::PageMeta;
use crate::parts::Mistake;
use leptos::prelude::*;

/// Signing in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignInView {
    /// What was typed.
    pub email: String,
    /// Where to go on.
    pub next: String,
    /// Whether a new password was just chosen by a link.
    pub has_new_password: bool,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn present_password() -> AnyView {
    let field = Line {
        name: "password",
        label: "Password",
        kind: "password",
        autocomplete: "current-password",
        ..Line::default()
    };
    line(field, &[])
}

/// A password to be chosen.
pub(super) fn new_password() -> Line {
    Line {
        name: "password",
        label: "Password",
        kind: "password",
        autocomplete: "new-password",
        hint: Some("At least 15 characters. A sentence is easier to remember than symbols.".into()),
        ..Line::default()
    }
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
pub fn sign_in(view: &SignInView, meta: &PageMeta) -> String {
    let main = view! {
        <h1>"Sign in"</h1>
        {view.has_new_password.then(|| view! { <p class="flash" role="status">"Your password has been changed."</p> })}
        {mistakes(&view.mistakes)}
        <form class="stack" method="post" action="/admin/sign-in">
            <input type="hidden" name="next" value=view.next.clone()/>
            {email(&view.email, &view.mistakes)}
            {present_password()}
            <button class="button primary" type="submit">"Sign in"</button>
        </form>
    };
    door(meta, "Sign in", main.into_any())
}

/// Setting up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetUpView {
    /// The link's token: the form goes back to it.
    pub token: String,
    /// The tenant there is; `None` where one will be made.
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
pub fn set_up(view: &SetUpView, meta: &PageMeta) -> String {
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

/// Asking for the password once more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfirmView {
    /// Where to go on.
    pub next: String,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// The page.
#[must_use]
pub fn confirm(view: &ConfirmView, frame: &Frame, meta: &PageMeta) -> String {
    let main = view! {
        <div class="narrow-page">
            <h1>"Confirm your identity"</h1>
            <p class="lead">"Please enter your password again. You last entered it more than ten minutes ago."</p>
            {mistakes(&view.mistakes)}
            <form class="stack" method="post" action="/admin/confirm">
                <input type="hidden" name="next" value=view.next.clone()/>
                {present_password()}
                <button class="button primary" type="submit">"Continue"</button>
            </form>
        </div>
    };
    page(frame, meta, "Confirm", main.into_any())
}

/// The account page: the password, signing out everywhere.
#[must_use]
pub fn account(address: &str, wrong: &[Mistake], frame: &Frame, meta: &PageMeta) -> String {
    let present = Line {
        name: "present",
        label: "Current password",
        kind: "password",
        autocomplete: "current-password",
        ..Line::default()
    };
    let new = Line {
        label: "New password",
        ..new_password()
    };
    let main = view! {
        <div class="narrow-page stack">
            <h1>"Account"</h1>
            {mistakes(wrong)}
            <p>"Signed in as "<strong>{frame.person.clone()}</strong>" ("{address.to_owned()}"), "{frame.role}"."</p>
            <section class="panel">
                <h2>"Password"</h2>
                <p>"Changing your password signs you out everywhere else."</p>
                <form class="stack" method="post" action="/admin/account/password">
                    <input type="hidden" name="username" autocomplete="username" value=address.to_owned()/>
                    {line(present, wrong)}
                    {line(new, wrong)}
                    <button class="button secondary" type="submit">"Change the password"</button>
                </form>
            </section>
            <section class="panel">
                <h2>"Sign out everywhere"</h2>
                <p>"Signs you out on every device, including this one. Use this if you have lost a device."</p>
                <form method="post" action="/admin/sign-out-everywhere">
                    <button class="button secondary" type="submit">"Sign out everywhere"</button>
                </form>
            </section>
        </div>
    };
    page(frame, meta, "Account", main.into_any())
}

/// A sentence instead of a page, for who is signed in or not.
#[must_use]
pub fn message(title: &str, sentence: &str, frame: Option<&Frame>, meta: &PageMeta) -> String {
    let main = view! {
        <div class="narrow-page stack">
            <h1>{title.to_owned()}</h1>
            <p class="lead">{sentence.to_owned()}</p>
            <p><a href="/admin">"Go to the overview"</a></p>
        </div>
    };
    match frame {
        Some(frame) => page(frame, meta, title, main.into_any()),
        None => door(meta, title, main.into_any()),
    }
}
