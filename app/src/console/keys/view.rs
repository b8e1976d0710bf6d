//! API keys: issuing one, showing it once, the list, revoking.

use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, Tone, area, badge, empty, heading, line, mistake_of, options, tick, time};
use crate::console::table::{Row, Table, cell, row_name};
use crate::parts::Mistake;
use domain::{
    scope::{Scope, Scopes},
    time::Timestamp,
};
use leptos::prelude::*;

/// A key in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyRow {
    /// Its id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// What it may be used for.
    pub scopes: Scopes,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// From where it was last used.
    pub last_used_from: Option<String>,
    /// The networks from which it may be used.
    pub networks: Vec<String>,
}

/// For how many hours a key stays valid after it was replaced.
pub(super) const OVERLAPS: [(i64, &str); 4] = [(1, "1 hour"), (24, "1 day"), (168, "7 days"), (720, "30 days")];

/// The page's content.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct KeysView {
    /// The keys, newest first.
    pub keys: Vec<KeyRow>,
    /// A key just issued, which is shown only now, and a command that tries it.
    pub issued: Option<(String, String)>,
    /// What was typed.
    pub name: String,
    /// What was typed.
    pub networks: String,
    /// What was ticked.
    pub scopes: Scopes,
    /// Whether the person may issue keys that read personal data.
    pub may_read: bool,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
    /// Now.
    pub now: Option<Timestamp>,
}

impl std::fmt::Debug for KeysView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeysView({} keys)", self.keys.len())
    }
}

/// Something shown only once, to be copied.
pub(crate) fn shown_once(title: &'static str, secret: String, advice: &'static str) -> AnyView {
    view! {
        <section class="panel secret" role="status">
            <h2>{title}</h2>
            <p class="secret-text"><code>{secret}</code></p>
            <p>{advice}</p>
        </section>
    }
    .into_any()
}

fn row(key: &KeyRow, now: Option<Timestamp>) -> Row {
    let ended = key.expires_at.zip(now).is_some_and(|(end, now)| end <= now);
    let state = match (key.revoked_at, ended) {
        (Some(_), _) => badge("revoked", Tone::Bad),
        (None, true) => badge("expired", Tone::Plain),
        (None, false) => badge("valid", Tone::Good),
    };
    let action = format!("/admin/keys/{}/revoke", key.id);
    let revoke = (key.revoked_at.is_none() && !ended).then(|| {
        let rotate = format!("/admin/keys/{}/rotate", key.id);
        let id = format!("hours-{}", key.id);
        let overlaps = OVERLAPS.map(|(hours, name)| (hours.to_string(), format!("old one valid for {name}")));
        view! {
            <form class="inline" method="post" action=rotate>
                <label class="unseen" for=id.clone()>{format!("Overlap for {}", key.name)}</label>
                <select class="input small" id=id name="hours">{options(overlaps, "24")}</select>
                <button class="button secondary small" type="submit">"Rotate"<span class="unseen">{format!(" {}", key.name)}</span></button>
            </form>
            <form method="post" action=action>
                <button class="button quiet small" type="submit">"Revoke"<span class="unseen">{format!(" {}", key.name)}</span></button>
            </form>
        }
    });
    let networks =
        (!key.networks.is_empty()).then(|| view! { <br/><span class="soft mono">{key.networks.join(", ")}</span> });
    let from = key
        .last_used_from
        .clone()
        .map(|from| view! { <br/><span class="soft mono">{from}</span> });
    [
        row_name(view! { {key.name.clone()}{networks} }),
        cell(format!("{}…", key.prefix)).class("mono"),
        cell(key.scopes.to_string().replace(' ', ", ")),
        cell(state),
        cell(time(key.created_at)).class("nowrap"),
        cell(key.expires_at.map_or_else(|| "never".into_any(), time)).class("nowrap"),
        cell(view! { {key.last_used_at.map_or_else(|| "never".into_any(), time)}{from} }).class("nowrap"),
        cell(revoke),
    ]
    .into()
}

/// The scopes to choose from. `read` is not offered to people who may not read personal data.
fn scopes(view: &KeysView) -> AnyView {
    let wrong = mistake_of(&view.mistakes, "scope");
    let offered = Scope::ALL
        .iter()
        .filter(|scope| view.may_read || **scope != Scope::Read);
    let boxes = offered
        .map(|scope| {
            let label = format!("{scope}: {}", labels::scope(*scope));
            tick("scope", scope.as_str(), label, view.scopes.contains(*scope))
        })
        .collect_view();
    let advice = (!view.may_read).then(|| {
        view! { <p class="hint">"Only admins can issue keys that read personal data."</p> }
    });
    let is_wrong = wrong.is_some();
    view! {
        <fieldset class="field" id="scope" class:wrong=is_wrong>
            <legend>"Scopes"</legend>
            {wrong.map(|wrong| view! { <p class="error">{wrong}</p> })}
            {boxes}
            {advice}
        </fieldset>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &KeysView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let list = if view.keys.is_empty() {
        empty(
            "No API key yet",
            "Issue one above; your server sends it as a bearer token.",
        )
        .into_any()
    } else {
        let columns = [
            "Name",
            "Starts with",
            "Scopes",
            "State",
            "Issued (UTC)",
            "Expires",
            "Last used (UTC), from",
        ];
        Table::new("API keys", columns)
            .unseen("Rotate or revoke")
            .rows(view.keys.iter().map(|key| row(key, view.now)))
    };
    let name = Line::text("name", "Name", view.name.clone());
    let networks = Line {
        name: "networks",
        label: "May be used from",
        hint: Some(
            "One IP address or network per line. Leave empty to allow every address that the IP allow-list allows."
                .into(),
        ),
        value: view.networks.clone(),
        ..Line::default()
    };
    let lifetimes = [("", "Never"), ("30", "30 days"), ("90", "90 days"), ("365", "1 year")];
    let lifetimes = options(lifetimes.map(|(value, name)| (value.to_owned(), name.to_owned())), "");
    let issued = view.issued.clone().map(|(key, curl)| {
        view! {
            {shown_once("Your new key", key, "Copy it now: it is not shown again. Store it on your server, never in an app.")}
            <section class="panel"><h2>"Try it"</h2><pre class="code"><code>{curl}</code></pre></section>
        }
    });
    let main = view! {
        {heading("API keys", ().into_any())}
        {mistakes(&view.mistakes)}
        {issued}
        <section class="panel">
            <h2>"Issue a key"</h2>
            <form class="stack" method="post" action="/admin/keys">
                <div class="row-form">
                    {line(name, &view.mistakes)}
                    <div class="field"><label for="days">"Expires after"</label><select class="input" id="days" name="days">{lifetimes}</select></div>
                </div>
                {area(networks, 2, &view.mistakes)}
                {scopes(view)}
                <p><button class="button primary small" type="submit">"Issue"</button></p>
            </form>
        </section>
        {list}
    };
    page(frame, meta, "API keys", main.into_any())
}
