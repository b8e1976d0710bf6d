//! Settings, section by section; each is a separate form and is saved separately.

use super::logo;
use super::second_look::{self, SecondLook};
use crate::Logo;
use crate::PageMeta;
use crate::console::findings::how_decided;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, area, heading, line, options, tick};
use crate::parts::Mistake;
use domain::{decision::Accepted, document::DocumentType, event::EventType, session::Step};
use leptos::prelude::*;

/// The settings as the forms show them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SettingsView {
    /// Returned with each form, so that nobody overwrites a concurrent change.
    pub version: i64,
    /// Tenant's name.
    pub name: String,
    /// `#rrggbb` or empty.
    pub accent: String,
    /// An https URL, an e-mail address, or empty.
    pub contact: String,
    /// In hours.
    pub review_target: String,
    /// Enabled steps.
    pub steps: Vec<Step>,
    /// Tries per step.
    pub tries: String,
    /// Link lifetime in minutes, session lifetime in hours, retention in days.
    pub lifetimes: [String; 3],
    /// Face match: accept, review; liveness: accept, review.
    pub thresholds: [String; 4],
    /// Reject on fraud signals.
    pub reject_on_fraud: bool,
    /// Accept specimens.
    pub accept_specimens: bool,
    /// What evidence is accepted.
    pub accepted: Accepted,
    /// Whether the face search among approved people is on.
    pub find_duplicates: bool,
    /// Face match from which two faces count as the same person.
    pub duplicate_from: String,
    /// Share of sessions selected for quality control.
    pub sampled: String,
    /// One URL per line.
    pub callbacks: String,
    /// The tested URL and the result.
    pub tested: Option<(String, Result<(), String>)>,
    /// One address or network per line.
    pub addresses: String,
    /// The address of the person viewing the page.
    pub own_address: String,
    /// Receiver.
    pub webhook_url: String,
    /// Events sent.
    pub event_types: Vec<EventType>,
    /// Whether everybody needs a second factor.
    pub second_factor_required: bool,
    /// The logo.
    pub logo: Option<Logo>,
    /// Whether the sections for admins are shown too.
    pub admin: bool,
    /// A change that is shown with its effects before it is saved, instead of the settings.
    pub second_look: Option<SecondLook>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn section(view: &SettingsView, id: &'static str, title: &'static str, lead: &'static str, inside: AnyView) -> AnyView {
    let action = format!("/admin/settings/{id}");
    view! {
        <section class="panel setting" id=id>
            <div><h2>{title}</h2><p class="soft">{lead}</p></div>
            <form class="stack" method="post" action=action>
                <input type="hidden" name="version" value=view.version.to_string()/>
                {inside}
                <p><button class="button primary small" type="submit">"Save"</button></p>
            </form>
        </section>
    }
    .into_any()
}

fn number(name: &'static str, label: &'static str, hint: &str, value: &str, wrong: &[Mistake]) -> AnyView {
    let hint = (!hint.is_empty()).then(|| hint.to_owned());
    line(
        Line {
            hint,
            narrow: true,
            ..Line::text(name, label, value)
        },
        wrong,
    )
}

fn steps(view: &SettingsView) -> AnyView {
    let none = view
        .steps
        .is_empty()
        .then(|| view! { <p class="note">"No session can be created until at least one step is enabled."</p> });
    let boxes = Step::ALL
        .iter()
        .map(|step| tick("step", step.as_str(), labels::step(*step), view.steps.contains(step)))
        .collect_view();
    let inside = view! {
        {none}
        <fieldset class="plain"><legend class="unseen">"Steps"</legend>{boxes}</fieldset>
        {number("tries", "Tries per step", "1 to 9. After that, the session continues with the pictures it has and goes to review.", &view.tries, &view.mistakes)}
    };
    section(
        view,
        "steps",
        "Verification steps",
        "What new sessions require. Existing sessions are not affected.",
        inside.into_any(),
    )
}

fn look(view: &SettingsView) -> AnyView {
    let wrong = &view.mistakes;
    let name = Line::text("name", "Name", view.name.clone());
    let contact = Line {
        hint: Some("An https page or an e-mail address. Shown where a verification ends or goes wrong. Leave empty to show none.".into()),
        ..Line::text("contact", "Contact for your users", view.contact.clone())
    };
    let inside = view! { {line(name, wrong)}{number("accent", "Accent colour", "For example #1f4fd8. Leave empty for the default colour.", &view.accent, wrong)}{line(contact, wrong)} };
    section(
        view,
        "look",
        "Name, colour and contact",
        "What your users see on the capture pages.",
        inside.into_any(),
    )
}

fn review(view: &SettingsView) -> AnyView {
    section(
        view,
        "review",
        "Review",
        "The queue and the overview show which cases have been waiting for longer.",
        number(
            "review_target",
            "Review target (hours)",
            "Within what time a case should be reviewed.",
            &view.review_target,
            &view.mistakes,
        ),
    )
}

fn lifetimes(view: &SettingsView) -> AnyView {
    let wrong = &view.mistakes;
    let [link, session, retention] = &view.lifetimes;
    let inside = view! {
        <div class="grid-form three">
            {number("link_lifetime", "Link lifetime (minutes)", "5 minutes to 7 days (10,080 minutes)", link, wrong)}
            {number("session_lifetime", "Session lifetime (hours)", "1 hour to 30 days", session, wrong)}
            {number("retention", "Personal data retention (days)", "1 day to 7 years after the end. A shorter period counts for sessions that have ended, too.", retention, wrong)}
        </div>
    };
    section(
        view,
        "lifetimes",
        "Lifetimes",
        "How long links are valid, sessions stay open, and personal data is retained.",
        inside.into_any(),
    )
}

fn decision(view: &SettingsView) -> AnyView {
    let wrong = &view.mistakes;
    let [match_accept, match_review, live_accept, live_review] = &view.thresholds;
    let inside = view! {
        <div class="grid-form">
            {number("match_accept", "Face match, accept from", "0.50 or more.", match_accept, wrong)}
            {number("match_review", "Face match, review from", "Below this value: a different person.", match_review, wrong)}
            {number("liveness_accept", "Liveness, accept from", "0.43 or more.", live_accept, wrong)}
            {number("liveness_review", "Liveness, review from", "Below this value: a presentation attack.", live_review, wrong)}
        </div>
        {evidence(view.accepted)}
        <fieldset class="plain"><legend class="unseen">"Policies"</legend>
            {tick("reject_on_fraud_signals", "yes", "Reject automatically on fraud signals (otherwise such sessions go to review)", view.reject_on_fraud)}
            {tick("accept_specimens", "yes", "Accept specimens and documents of the fictional state UTO (demonstrations only)", view.accept_specimens)}
        </fieldset>
        {number("sampled", "Quality control, share", "0 to 1. This share of the sessions that would be approved goes to review.", &view.sampled, wrong)}
        {duplicates(view)}
        {how_decided()}
    };
    section(
        view,
        "decision",
        "Decision",
        "Confidence values from 0 to 1. They are stored with each decision.",
        inside.into_any(),
    )
}

/// The face search among approved people, and what it means for the people concerned.
fn duplicates(view: &SettingsView) -> AnyView {
    view! {
        <fieldset class="plain" aria-describedby="find_duplicates-hint">
            <legend>"People approved before"</legend>
            <p class="hint" id="find_duplicates-hint">
                "This is a biometric search. Users are asked for a separate consent; those who do not agree go to review. The face of each approved user who agreed is stored, encrypted, until their session is erased, and later users are compared with it. A match sends the session to review: among many thousands of faces, some look alike by chance. Ask your data protection officer before you turn it on."
            </p>
            {tick("find_duplicates", "yes", "Search for each face among those approved before", view.find_duplicates)}
            {number("duplicate_from", "Same face, from", "0.83 to 1. Stricter than the face match, because each face is compared with all others.", &view.duplicate_from, &view.mistakes)}
        </fieldset>
    }
    .into_any()
}

/// Which evidence a document needs, and the risk of the weaker choice.
fn evidence(chosen: Accepted) -> AnyView {
    let choices = Accepted::ALL
        .iter()
        .map(|accepted| (accepted.to_string(), labels::accepted(*accepted).to_owned()));
    let rows = DocumentType::ALL
        .iter()
        .map(|kind| view! { <li>{labels::evidence(*kind)}</li> })
        .collect_view();
    view! {
        <div class="field">
            <label for="accepted">"Automatic approval"</label>
            <p class="hint" id="accepted-hint">
                "A layout can be imitated with a printer. If visual evidence alone is accepted, a copy of a genuine card with other details on it may be approved. Machine-readable data is harder to forge."
            </p>
            <select class="input" id="accepted" name="accepted" aria-describedby="accepted-hint">
                {options(choices, chosen.as_str())}
            </select>
        </div>
        <details class="fold"><summary>"Evidence accepted for each kind of document"</summary><ul class="points">{rows}</ul></details>
    }
    .into_any()
}

fn callbacks(view: &SettingsView) -> AnyView {
    let field = Line {
        name: "callback_urls",
        label: "Allowed callback URLs",
        hint: Some("One URL per line. https only, without query or fragment.".into()),
        value: view.callbacks.clone(),
        ..Line::default()
    };
    let inside = area(field, 3, &view.mistakes);
    let (asked, answer) = view.tested.clone().unzip();
    let answer = answer.map(|answer| match answer {
        Ok(()) => view! { <p class="answer good" role="status">"Allowed."</p> }.into_any(),
        Err(why) => view! { <p class="answer bad" role="status">{why}</p> }.into_any(),
    });
    let test = Line::text("test", "Test a callbackUrl", asked.unwrap_or_default());
    view! {
        {section(view, "callbacks", "Callback URLs", "URLs to which users may return after the verification.", inside)}
        <form class="panel row-form tester" method="get" action="/admin/settings#callbacks">
            {line(test, &[])}<button class="button secondary small" type="submit">"Test"</button>{answer}
        </form>
    }
    .into_any()
}

fn addresses(view: &SettingsView) -> AnyView {
    let hint = format!(
        "One IP address or network per line, for example 192.0.2.0/24 or 2001:db8::/32. Your current address is {}.",
        view.own_address
    );
    let field = Line {
        name: "ip_allow_list",
        label: "Networks that may call the API",
        hint: Some(hint),
        value: view.addresses.clone(),
        ..Line::default()
    };
    let inside = view! { {area(field, 3, &view.mistakes)} };
    section(
        view,
        "addresses",
        "IP allow-list",
        "Leave empty to allow every address. This list applies to the API only, not to this console.",
        inside.into_any(),
    )
}

fn webhook(view: &SettingsView) -> AnyView {
    let field = Line {
        name: "webhook_url",
        label: "Receiver",
        hint: Some("An https URL whose host resolves to public addresses. Leave empty to send no webhooks.".into()),
        kind: "url",
        value: view.webhook_url.clone(),
        autocomplete: "off",
        ..Line::default()
    };
    let boxes = EventType::ALL
        .iter()
        .map(|kind| tick("event", kind.as_str(), kind.as_str(), view.event_types.contains(kind)))
        .collect_view();
    let inside = view! {
        {line(field, &view.mistakes)}
        <fieldset class="plain"><legend>"Events"</legend>{boxes}</fieldset>
        <p class="alone"><a href="/admin/webhooks">"Signing secrets and deliveries"</a></p>
    };
    section(
        view,
        "webhook",
        "Webhook",
        "Where events are sent, and which types.",
        inside.into_any(),
    )
}

fn sign_in(view: &SettingsView) -> AnyView {
    let inside = tick(
        "second_factor_required",
        "yes",
        "Require a second factor: an authenticator app or a passkey",
        view.second_factor_required,
    );
    section(
        view,
        "sign_in",
        "Signing in",
        "Whoever has no second factor is asked to set one up before they can do anything else.",
        inside,
    )
}

/// The page.
#[must_use]
pub(super) fn render(view: &SettingsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    if let Some(look) = &view.second_look {
        return second_look::render(look, frame, meta);
    }
    let main = view! {
        {heading("Settings", ().into_any())}
        {mistakes(&view.mistakes)}
        {view.admin.then(|| view! { {steps(view)}{look(view)}{logo::section(view.logo.as_ref(), &view.mistakes)} })}
        {webhook(view)}
        {callbacks(view)}
        {addresses(view)}
        {view.admin.then(|| view! { {lifetimes(view)}{decision(view)}{review(view)}{sign_in(view)} })}
    };
    page(frame, meta, "Settings", main.into_any())
}
