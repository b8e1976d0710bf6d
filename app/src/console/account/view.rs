//! The account page, and the page that asks for the password again.

use crate::PageMeta;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, line, new_password, present_password};
use crate::parts::Mistake;
use leptos::prelude::*;

/// The page that asks for the password again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConfirmView {
    /// Where to continue.
    pub next: String,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// The page.
#[must_use]
pub(super) fn confirm(view: &ConfirmView, frame: &Frame, meta: &PageMeta) -> AnyView {
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

/// The account page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AccountView {
    /// The e-mail address the person signs in with.
    pub email: String,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// The account page: changing the password, signing out everywhere.
#[must_use]
pub(super) fn account(view: &AccountView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let (address, wrong) = (view.email.clone(), view.mistakes.as_slice());
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
            <p>"Signed in as "<strong>{frame.person.clone()}</strong>" ("{address.clone()}"), "{frame.role}"."</p>
            <section class="panel">
                <h2>"Password"</h2>
                <p>"Changing your password signs you out everywhere else."</p>
                <form class="stack" method="post" action="/admin/account/password">
                    <input type="hidden" name="username" autocomplete="username" value=address/>
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
