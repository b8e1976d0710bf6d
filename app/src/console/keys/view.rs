//! API keys: issuing one, showing it once, the list, revoking.

use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{
    Line, Tone, area, badge, choices, copy_button, empty, heading, line, next_page, options, select, tick, time,
};
use crate::console::proof::{Proof, proof_fields};
use crate::console::table::{Row, Table, cell, row_name};
use crate::console::words::{say, tell};
use crate::parts::{Mistake, title};
use domain::{
    scope::{Scope, Scopes},
    time::{Millis, Timestamp},
};
use leptos::prelude::*;

/// `state` of the address: keys that can no longer be used.
pub(super) const ENDED: &str = "ended";
/// The same: all keys. Those that can be used are listed otherwise.
pub(super) const ALL: &str = "all";

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
    /// The name of the person who issued it, if it is known.
    pub issued_by: Option<String>,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Whether it has a successor.
    pub is_replaced: bool,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// Where it was last used from.
    pub last_used_from: Option<String>,
    /// The networks from which it may be used.
    pub networks: Vec<String>,
}

/// For how many hours a key stays valid after it was replaced.
pub(super) fn overlaps() -> [(i64, &'static str); 4] {
    [
        (1, say("1 hour", "1時間")),
        (24, say("1 day", "1日")),
        (168, say("7 days", "7日")),
        (720, say("30 days", "30日")),
    ]
}

/// A key just issued. Its `Debug` would print the key, so it has none.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ShownKey {
    /// The key.
    pub key: String,
    /// A command that tries it, if there is one that it may call.
    pub curl: Option<String>,
}

/// The page's content.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct KeysView {
    /// A page of the keys, newest first.
    pub keys: Vec<KeyRow>,
    /// Which keys are listed: [`ENDED`], [`ALL`], or those that can be used.
    pub state: String,
    /// The query of this page's address, which its forms carry.
    pub query: String,
    /// Address of the next page.
    pub next_page: Option<String>,
    /// The id of the key that the form issues, however often it is sent.
    pub next: String,
    /// A key just issued, which is shown only now.
    pub issued: Option<ShownKey>,
    /// What was typed.
    pub name: String,
    /// What was typed.
    pub networks: String,
    /// After how many days the new key expires, as chosen; empty for never.
    pub days: String,
    /// What was ticked.
    pub scopes: Scopes,
    /// Whether the person may issue keys that read personal data.
    pub may_read: bool,
    /// What the form asks for besides, unless the person has just proved who they are.
    pub proof: Option<Proof>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
    /// After this time, a key should be replaced.
    pub too_old: Option<Millis>,
    /// Now.
    pub now: Option<Timestamp>,
}

impl std::fmt::Debug for KeysView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeysView({} keys)", self.keys.len())
    }
}

/// Something shown only once, to be copied.
pub(crate) fn shown_once(title: &'static str, secret: String, advice: &'static str, meta: &PageMeta) -> AnyView {
    view! {
        <section class="panel secret" role="status">
            <h2>{title}</h2>
            <p class="secret-text"><code>{secret}</code></p>
            {copy_button(meta)}
            <p>{advice}</p>
        </section>
    }
    .into_any()
}

/// The form that has a successor issued.
fn rotate(key: &KeyRow, query: &str) -> AnyView {
    let action = format!("/admin/keys/{}/rotate{query}", key.id);
    let id = format!("hours-{}", key.id);
    let overlaps = overlaps().map(|(hours, name)| {
        let kept = tell!("Old key ends in {name}", "旧キーはあと{name}有効");
        (hours.to_string(), kept)
    });
    view! {
        <form class="inline" method="post" action=action>
            <label class="unseen" for=id.clone()>{tell!("Overlap for {}", "{}の旧キーの有効期間", key.name)}</label>
            <select class="input small" id=id name="hours">{options(overlaps, "24")}</select>
            <button class="button secondary small" type="submit">{say("Rotate", "更新")}<span class="unseen">{format!(" {}", key.name)}</span></button>
        </form>
    }
    .into_any()
}

fn row(key: &KeyRow, view: &KeysView) -> Row {
    let now = view.now;
    let ended = key.expires_at.zip(now).is_some_and(|(end, now)| end <= now);
    let state = match (key.revoked_at, ended) {
        (Some(_), _) => badge(say("revoked", "失効"), Tone::Bad),
        (None, true) => badge(say("expired", "期限切れ"), Tone::Plain),
        (None, false) if key.is_replaced => badge(say("being replaced", "切り替え中"), Tone::Warn),
        (None, false) => badge(say("valid", "有効"), Tone::Good),
    };
    let valid = key.revoked_at.is_none() && !ended;
    let old = view.too_old.filter(|_| valid).zip(now).and_then(|(limit, now)| {
        let days = limit.0 / Millis::days(1).0;
        let word = tell!("older than {days} days", "{days}日超");
        (key.created_at.plus(limit) <= now).then(|| view! { " "{badge(word, Tone::Warn)} })
    });
    let action = format!("/admin/keys/{}/revoke{}", key.id, view.query);
    let revoke = (key.revoked_at.is_none() && !ended).then(|| {
        view! {
            <details class="fold">
                <summary>{say("Change", "変更")}<span class="unseen">{format!(" {}", key.name)}</span></summary>
                <div class="stack">
                    {(!key.is_replaced).then(|| rotate(key, &view.query))}
                    <form method="post" action=action>
                        <button class="button quiet small" type="submit">{say("Revoke", "失効させる")}<span class="unseen">{format!(" {}", key.name)}</span></button>
                    </form>
                </div>
            </details>
        }
    });
    let networks =
        (!key.networks.is_empty()).then(|| view! { <br/><span class="soft mono">{key.networks.join(", ")}</span> });
    let issuer = key.issued_by.as_ref().map(|name| {
        let issuer = tell!("issued by {name}", "発行者：{name}");
        view! { <br/><span class="soft">{issuer}</span> }
    });
    let from = key
        .last_used_from
        .clone()
        .map(|from| view! { <br/><span class="soft mono">{from}</span> });
    [
        row_name(view! { {key.name.clone()}{networks}{issuer} }),
        cell(format!("{}…", key.prefix)).class("mono"),
        cell(scopes_text(key.scopes)),
        cell(view! { {state}{old} }),
        cell(time(key.created_at)).class("nowrap"),
        cell(key.expires_at.map_or_else(|| say("never", "無期限").into_any(), time)).class("nowrap"),
        cell(view! { {key.last_used_at.map_or_else(|| say("never", "未使用").into_any(), time)}{from} })
            .class("nowrap"),
        cell(revoke),
    ]
    .into()
}

/// What a key may be used for.
pub(super) fn scopes_text(scopes: Scopes) -> String {
    scopes.to_string().replace(' ', ", ")
}

/// Which keys are listed.
fn filters(state: &str) -> AnyView {
    let others = [
        (ENDED, say("Revoked or expired", "失効または期限切れ")),
        (ALL, say("All", "すべて")),
    ]
    .map(|(state, name)| (state.to_owned(), name.to_owned()));
    view! {
        <form class="filters" method="get" action="/admin/keys" role="search">
            {select("state", say("State", "状態"), say("Valid", "有効"), others, state)}
            <div class="filter-actions"><button class="button secondary small" type="submit">{say("Filter", "絞り込む")}</button></div>
        </form>
    }
    .into_any()
}

/// What is said if no key has the state that was asked for.
fn no_key(state: &str) -> AnyView {
    if state == ENDED {
        return empty(
            say("No revoked or expired keys", "失効または期限切れのキーはありません"),
            say(
                "Keys appear here once they are revoked or have expired.",
                "失効させたキーや、期限が切れたキーが表示されます。",
            ),
        )
        .into_any();
    }
    empty(
        say("No valid API keys", "有効なAPIキーはありません"),
        say(
            "Issue one above; your server sends it as a bearer token.",
            "上のフォームから発行してください。サーバーからBearerトークンとして送信します。",
        ),
    )
    .into_any()
}

/// The scopes to choose from. `read` is not offered to people who may not read personal data.
fn scopes(view: &KeysView) -> AnyView {
    let offered = Scope::ALL
        .iter()
        .filter(|scope| view.may_read || **scope != Scope::Read);
    let boxes = offered
        .map(|scope| {
            let label = tell!("{scope}: {}", "{scope}：{}", labels::scope(*scope));
            tick("scope", scope.as_str(), label, view.scopes.contains(*scope))
        })
        .collect_view();
    let advice = (!view.may_read).then(|| {
        view! { <p class="hint">{say("Only admins can issue keys that read personal data.", "個人情報を読み取れるキーを発行できるのは管理者だけです。")}</p> }
    });
    choices(
        "scope",
        say("Scopes", "スコープ"),
        view! { {boxes}{advice} }.into_any(),
        &view.mistakes,
    )
}

/// The keys that were asked for, or that there are none.
fn list(view: &KeysView) -> AnyView {
    if view.keys.is_empty() {
        return no_key(&view.state);
    }
    let columns = [
        say("Name", "名前"),
        say("Starts with", "先頭の文字"),
        say("Scopes", "スコープ"),
        say("State", "状態"),
        say("Issued (UTC)", "発行日時（UTC）"),
        say("Expires (UTC)", "有効期限（UTC）"),
        say("Last used (UTC), from", "最終使用日時（UTC）、接続元"),
    ];
    Table::new(say("API keys", "APIキー"), columns)
        .unseen(say("Rotate or revoke", "更新・失効"))
        .rows(view.keys.iter().map(|key| row(key, view)))
}

/// The form that issues a key.
fn issue(view: &KeysView, meta: &PageMeta) -> AnyView {
    let name = Line::text("name", say("Name", "名前"), view.name.clone());
    let networks = Line {
        name: "networks",
        label: say("May be used from", "使用できる接続元"),
        hint: Some(
            say(
                "One IP address or network per line. Leave empty to allow every address that the IP allow-list allows.",
                "IPアドレスまたはネットワークを1行に1つ入力します。空欄の場合は、IP許可リストで許可されたすべてのアドレスから使用できます。",
            )
            .into(),
        ),
        value: view.networks.clone(),
        ..Line::default()
    };
    let lifetimes = [
        ("30", say("30 days", "30日")),
        ("90", say("90 days", "90日")),
        ("365", say("1 year", "1年")),
        ("", say("Never", "無期限")),
    ];
    let lifetimes = options(
        lifetimes.map(|(value, name)| (value.to_owned(), name.to_owned())),
        &view.days,
    );
    let action = format!("/admin/keys{}", view.query);
    view! {
        <section class="panel">
            <h2>{say("Issue a key", "キーを発行")}</h2>
            <form class="stack" method="post" action=action data-passkey=view.proof.and_then(Proof::challenge)>
                <input type="hidden" name="id" value=view.next.clone()/>
                <div class="row-form">
                    {line(name, &view.mistakes)}
                    <div class="field"><label for="days">{say(
                        "Expires after",
                        "有効期間",
                    )}</label><select class="input" id="days" name="days">{lifetimes}</select></div>
                </div>
                {area(networks, 2, &view.mistakes)}
                {scopes(view)}
                {view.proof.map(|proof| proof_fields(proof, &view.mistakes, meta))}
                <p><button class="button primary small" type="submit">{say("Issue", "発行する")}</button></p>
            </form>
        </section>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &KeysView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let issued = view.issued.clone().map(|ShownKey { key, curl }| {
        view! {
            {shown_once(
                say("Your new key", "新しいキー"),
                key,
                say(
                    "Copy it now: it is not shown again. Store it on your server, never in an app.",
                    "再表示はできませんので、今すぐコピーしてください。サーバーに保管し、アプリには組み込まないでください。",
                ),
                meta,
            )}
            {curl.map(|curl| view! {
                <section class="panel"><h2>{say("Try it", "試してみる")}</h2><pre class="code"><code>{curl}</code></pre>{copy_button(meta)}</section>
            })}
        }
    });
    let main = view! {
        {heading(say("API keys", "APIキー"), ().into_any())}
        {mistakes(&view.mistakes)}
        {issued}
        {issue(view, meta)}
        {filters(&view.state)}
        {list(view)}
        {next_page(view.next_page.clone())}
    };
    let title = title(meta, say("API keys", "APIキー"), !view.mistakes.is_empty());
    page(frame, meta, &title, main.into_any())
}
