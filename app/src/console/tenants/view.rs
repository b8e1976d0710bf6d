//! The tenants of the installation.

use crate::PageMeta;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, Tone, ago, badge, choices, empty, grouped, heading, line, time};
use crate::console::proof::{Proof, proof_fields};
use crate::console::table::{Table, cell, row_name};
use crate::console::words::{say, tell};
use crate::parts::{Mistake, title};
use domain::{ids::TenantId, tenant::Mode, time::Timestamp};
use leptos::prelude::*;
use service::settings::TenantActivity;

/// Value of the field `mode`: real people.
pub(super) const LIVE: &str = "live";
/// Value of the field `mode`: tests.
pub(super) const SANDBOX: &str = "sandbox";

/// The tenants.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TenantsView {
    /// By name.
    pub tenants: Vec<TenantActivity>,
    /// Whether there are more than are listed.
    pub more: bool,
    /// Part of their names, as typed; empty for every name.
    pub part: String,
    /// The one that the operator works in.
    pub here: TenantId,
    /// Now.
    pub now: Timestamp,
    /// The id of the tenant that the form creates.
    pub next: TenantId,
    /// The name as typed.
    pub name: String,
    /// [`LIVE`] or [`SANDBOX`] as chosen; empty if nothing was.
    pub mode: String,
    /// What the form asks for besides, unless the person has just proved who they are.
    pub proof: Option<Proof>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn list(view: &TenantsView) -> AnyView {
    let columns = [
        say("Name", "名称"),
        say("Kind", "種別"),
        say("Sessions in 30 days", "セッション（30日間）"),
        say("Last activity", "最後の操作"),
        say("Created (UTC)", "作成日時（UTC）"),
    ];
    if view.tenants.is_empty() {
        return empty(
            say("No tenant has this name", "この名称のテナントはありません"),
            say("Enter another part of the name.", "名称の別の部分を入力してください。"),
        )
        .into_any();
    }
    let rows = view.tenants.iter().map(|tenant| {
        let kind = match tenant.mode {
            Mode::Live => badge(say("Live", "本番"), Tone::Good),
            Mode::Sandbox => badge(say("Sandbox", "サンドボックス"), Tone::Warn),
        };
        let last = tenant
            .last_at
            .map_or_else(|| say("None", "なし").to_owned(), |at| ago(at, view.now));
        [
            row_name(tenant.name.clone()),
            cell(kind),
            cell(grouped(tenant.sessions)).class("number"),
            cell(last),
            cell(time(tenant.created_at)),
            cell(choice(tenant, &view.here)),
        ]
    });
    Table::new(say("Tenants", "テナント"), columns)
        .unseen(say("Open", "切り替え"))
        .rows(rows)
}

/// The search by name, where there are more tenants than a list shows.
fn search(view: &TenantsView) -> AnyView {
    if !view.more && view.part.is_empty() {
        return ().into_any();
    }
    let part = Line {
        autocomplete: "off",
        ..Line::text(
            super::NAME_PART,
            say("Part of the name", "名称の一部"),
            view.part.clone(),
        )
    };
    let shown = view.tenants.len();
    let more = view.more.then(|| {
        let sentence = tell!(
            "Only the first {shown} tenants are listed. Search for the others by name.",
            "最初の{shown}件のみ表示しています。ほかのテナントは名称で検索してください。"
        );
        view! { <p class="soft small">{sentence}</p> }
    });
    view! {
        <form class="filters" method="get" action="/admin/tenants" role="search" aria-label=say("Search by name", "名称で検索")>
            {line(part, &[])}
            <div class="filter-actions">
                <button class="button primary small" type="submit">{say("Search", "検索")}</button>
                {(!view.part.is_empty()).then(|| view! { <a class="button quiet small" href="/admin/tenants">{say("Clear", "クリア")}</a> })}
            </div>
        </form>
        {more}
    }
    .into_any()
}

/// The button that opens a tenant.
fn choice(tenant: &TenantActivity, here: &TenantId) -> AnyView {
    if *here == tenant.tenant {
        return view! { <span class="soft">{say("Current", "現在のテナント")}</span> }.into_any();
    }
    view! {
        <form method="post" action="/admin/tenant">
            <input type="hidden" name="tenant" value=tenant.tenant.to_string()/>
            <button class="button secondary small" type="submit">{say("Open", "切り替え")}
                <span class="unseen">" "{tenant.name.clone()}</span></button>
        </form>
    }
    .into_any()
}

fn kinds(view: &TenantsView) -> AnyView {
    let kinds = [
        (
            LIVE,
            say("Live: real people, real documents", "本番：実在の利用者と書類"),
        ),
        (
            SANDBOX,
            say(
                "Sandbox: for tests, with test data",
                "サンドボックス：テストデータによる試験用",
            ),
        ),
    ];
    let boxes = kinds
        .map(|(value, label)| {
            let id = format!("mode-{value}");
            view! {
                <div class="tick-row">
                    <input type="radio" id=id.clone() name="mode" value=value checked=view.mode == value/>
                    <label for=id>{label}</label>
                </div>
            }
        })
        .collect_view();
    choices("mode", say("Kind", "種別"), boxes.into_any(), &view.mistakes)
}

/// The page.
#[must_use]
pub(super) fn render(view: &TenantsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let name = Line {
        hint: Some(say("Shown to its users.", "利用者に表示されます。").into()),
        ..Line::text("name", say("Name", "名称"), view.name.clone())
    };
    let main = view! {
        {heading(say("Tenants", "テナント"), ().into_any())}
        {mistakes(&view.mistakes)}
        {search(view)}
        {list(view)}
        <section class="panel narrow-page">
            <h2>{say("Create a tenant", "テナントを作成")}</h2>
            <p class="soft">{say(
                "It starts without settings, people or keys. Invite its first admin, who does the rest.",
                "設定、メンバー、APIキーのない状態で作成されます。最初の管理者を招待し、以降の設定を任せてください。",
            )}</p>
            <form class="stack" method="post" action="/admin/tenants" data-passkey=view.proof.and_then(Proof::challenge)>
                <input type="hidden" name="id" value=view.next.to_string()/>
                {line(name, &view.mistakes)}
                {kinds(view)}
                {view.proof.map(|proof| proof_fields(proof, &view.mistakes, meta))}
                <p><button class="button primary small" type="submit">{say("Create", "作成")}</button></p>
            </form>
        </section>
    };
    let title = title(meta, say("Tenants", "テナント"), !view.mistakes.is_empty());
    page(frame, meta, &title, main.into_any())
}
