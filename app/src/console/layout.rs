//! The frame around every page of the console: who is signed in, in which tenant, and the navigation.

use super::flash::{Notice, flash};
use super::labels;
use super::parts::{self, Tone};
use super::selection::Selection;
use super::words::{language, say};
use crate::page::with_query;
use crate::parts::Mistake;
use crate::shell::{self, Head, Part};
use crate::text::language_name;
use crate::{PageMeta, forms};
use domain::{language::Language, ruling::Ruling};
use leptos::prelude::*;

/// The area of the console a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NavigationItem {
    /// Statistics of the last days.
    Overview,
    /// Search and pages of sessions.
    Sessions,
    /// Queue and cases.
    Review,
    /// Deliveries and secrets.
    Webhooks,
    /// API keys.
    Keys,
    /// The request log.
    Requests,
    /// Settings.
    Settings,
    /// People.
    People,
    /// Who did what.
    Audit,
    /// The tenants of the installation.
    Tenants,
    /// One's own account.
    Account,
    /// No area: a refusal, or a page in front of another one.
    Nowhere,
}

/// What the signed-in person may open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct May {
    /// Queue, cases, links, creating sessions.
    pub review: bool,
    /// Keys, webhooks, allow-lists.
    pub develop: bool,
    /// Every setting.
    pub administer: bool,
    /// People.
    pub staff: bool,
    /// The audit log.
    pub audit: bool,
    /// The tenants of the installation.
    pub operate: bool,
}

/// What every page of the console needs besides its own view model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    /// The page's area.
    pub item: NavigationItem,
    /// Name of the person signed in.
    pub person: String,
    /// Their role here.
    pub role: &'static str,
    /// Id and name of the current tenant.
    pub tenant: (String, String),
    /// Whether it is a sandbox tenant.
    pub sandbox: bool,
    /// Ids and names of the tenants to choose from; empty for people with a single tenant.
    pub tenants: Vec<(String, String)>,
    /// Whether there are more, which only the list of tenants finds.
    pub more_tenants: bool,
    /// What they may open.
    pub may: May,
    /// Number of cases waiting for review.
    pub backlog: i64,
    /// A notice about what was just done, shown once.
    pub done: Option<Notice>,
    /// The person's decisions on cases that they can still undo.
    pub undoable: Vec<Undoable>,
}

/// A decision on a case that can still be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undoable {
    /// Session id.
    pub id: String,
    /// What was decided.
    pub ruling: Ruling,
    /// For how many more seconds.
    pub seconds: i64,
    /// The part of the queue that the person works on, which undoing does not leave.
    pub selection: Selection,
}

fn nav_item(frame: &Frame, item: NavigationItem, href: &'static str, name: &'static str) -> AnyView {
    let here = (frame.item == item).then_some("page");
    let count = (item == NavigationItem::Review).then(|| waiting(frame.backlog));
    view! { <li><a href=href aria-current=here>{icon(item)}<span>{name}</span>{count}</a></li> }.into_any()
}

/// How many cases are waiting, hidden while there are none: the queue's script shows it when the first one comes.
fn waiting(cases: i64) -> AnyView {
    view! {
        <span class="count" hidden=cases == 0>
            <span data-backlog>{parts::grouped(cases)}</span><span class="unseen">{say(" waiting", "件の審査待ち")}</span>
        </span>
    }
    .into_any()
}

fn icon(item: NavigationItem) -> AnyView {
    let path = match item {
        // Not in the navigation.
        NavigationItem::Account | NavigationItem::Nowhere => "",
        NavigationItem::Overview => r#"<path d="M3 17V9M8 17V3M13 17v-6M18 17V6"/>"#,
        NavigationItem::Sessions => r#"<path d="M3 5h14M3 10h14M3 15h9"/>"#,
        NavigationItem::Review => r#"<path d="M4 10.5l4 4 8-9"/>"#,
        NavigationItem::Webhooks => r#"<path d="M3 10h11M10 5l5 5-5 5"/>"#,
        NavigationItem::Keys => r#"<circle cx="6.5" cy="13.5" r="3.5"/><path d="M9 11l7-7M13 7l3 3"/>"#,
        NavigationItem::Requests => r#"<path d="M6 4l-4 6 4 6M14 4l4 6-4 6M11.500 4l-3 12"/>"#,
        NavigationItem::Settings => {
            r#"<path d="M3 6h8M15 6h2M3 14h2M9 14h8"/><circle cx="13" cy="6" r="2"/><circle cx="7" cy="14" r="2"/>"#
        }
        NavigationItem::People => {
            r#"<circle cx="10" cy="6.5" r="3.2"/><path d="M3.5 17c.6-3.6 3.2-5.5 6.5-5.5s5.900 1.900 6.500 5.500"/>"#
        }
        NavigationItem::Tenants => r#"<path d="M3 17V6l7-3 7 3v11M3 17h14M8 17v-4h4v4M7 8.500h.01M13 8.500h.01"/>"#,
        NavigationItem::Audit => r#"<circle cx="10" cy="10" r="7"/><path d="M10 6v4.500l3 2"/>"#,
    };
    view! { <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false" inner_html=path></svg> }
        .into_any()
}

fn navigation(frame: &Frame) -> AnyView {
    let may = frame.may;
    let entry = |shown: bool, item, href, name| shown.then(|| nav_item(frame, item, href, name));
    let work = [
        entry(true, NavigationItem::Overview, "/admin", say("Overview", "概要")),
        entry(
            may.review,
            NavigationItem::Review,
            "/admin/review",
            say("Review", "審査"),
        ),
        entry(
            true,
            NavigationItem::Sessions,
            "/admin/sessions",
            say("Sessions", "セッション"),
        ),
    ];
    let rest = [
        entry(
            may.develop,
            NavigationItem::Webhooks,
            "/admin/webhooks",
            say("Webhooks", "Webhook"),
        ),
        entry(
            may.develop,
            NavigationItem::Keys,
            "/admin/keys",
            say("API keys", "APIキー"),
        ),
        entry(
            may.develop,
            NavigationItem::Requests,
            "/admin/requests",
            say("API requests", "APIリクエスト"),
        ),
        entry(
            may.develop,
            NavigationItem::Settings,
            "/admin/settings",
            say("Settings", "設定"),
        ),
        entry(
            may.staff,
            NavigationItem::People,
            "/admin/people",
            say("People", "メンバー"),
        ),
        entry(
            may.audit,
            NavigationItem::Audit,
            "/admin/audit",
            say("Audit log", "監査ログ"),
        ),
        entry(
            may.operate,
            NavigationItem::Tenants,
            "/admin/tenants",
            say("Tenants", "テナント"),
        ),
    ];
    view! {
        <nav class="side-nav" aria-label=say("Console", "管理コンソール")>
            <ul>{work.into_iter().flatten().collect_view()}</ul>
            <ul>{rest.into_iter().flatten().collect_view()}</ul>
        </nav>
    }
    .into_any()
}

const MENU: &str = "menu";

/// Opens the menu on a narrow screen, without a script: the menu is a popover there, and part of the sidebar elsewhere.
fn menu_button(frame: &Frame) -> AnyView {
    let lines = r#"<path d="M3 5.500h14M3 10h14M3 14.500h14"/>"#;
    view! {
        <button class="button secondary menu-button" type="button" popovertarget=MENU>
            <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false" inner_html=lines></svg>{say("Menu", "メニュー")}
            {waiting(frame.backlog)}
        </button>
    }
    .into_any()
}

fn tenant_switch(frame: &Frame) -> AnyView {
    if frame.tenants.len() < 2 {
        return tenant_name(frame);
    }
    let options = parts::options(frame.tenants.clone(), &frame.tenant.0);
    view! {
        // A list of names cuts off long ones.
        {tenant_name(frame)}
        <form class="side-switch" method="post" action="/admin/tenant">
            <label class="unseen" for="tenant">{say("Switch to", "切り替え先のテナント")}</label>
            <select class="input" id="tenant" name="tenant">{options}</select>
            <button class="button secondary small" type="submit">{say("Switch", "切り替え")}</button>
        </form>
        {frame.more_tenants.then(|| view! {
            <p class="side-tenant"><a href="/admin/tenants">{say("Find another tenant", "ほかのテナントを検索")}</a></p>
        })}
    }
    .into_any()
}

fn tenant_name(frame: &Frame) -> AnyView {
    let sandbox = frame
        .sandbox
        .then(|| parts::badge(say("Sandbox", "サンドボックス"), Tone::Warn));
    view! { <p class="side-tenant">{frame.tenant.1.clone()}" "{sandbox}</p> }.into_any()
}

/// A decision that can be undone; of several, the key leads to the newest.
fn undo(undoable: &Undoable, is_newest: bool) -> AnyView {
    let href = |path: String| undoable.selection.href(&path);
    let action = href(format!("/admin/review/{}/undo", undoable.id));
    let case = href(format!("/admin/review/{}", undoable.id));
    let then = match undoable.ruling {
        Ruling::Approved => say(". Your server will be notified in ", "しました。結果は"),
        Ruling::Rejected | Ruling::AskedAgain => say(". Your server will be notified in ", "としました。結果は"),
    };
    let (ruling, seconds) = (labels::ruling(undoable.ruling).0, undoable.seconds);
    let end = say(" seconds.", "秒後にサーバーへ通知されます。");
    // The script counts down. Screen readers would announce each second, so they get the text once.
    let sentence = format!("{ruling}{then}{seconds}{end}");
    let counted = say(" s.", end);
    let key = is_newest.then(|| view! { " "<kbd>"U"</kbd> });
    view! {
        <form class="flash undo" method="post" action=action data-undo>
            <span class="unseen" role="status">{sentence}</span>
            <span><span class="mono">{parts::short(&undoable.id)}</span>" "<a href=case>{ruling}</a><span aria-hidden="true">{then}
                <span data-left>{seconds}</span>{counted}</span></span>
            <button class="button secondary small" type="submit">{say("Undo", "取り消す")}{key}</button>
        </form>
    }
    .into_any()
}

/// The whole page.
pub(super) fn page(frame: &Frame, meta: &PageMeta, title: &str, main: AnyView) -> AnyView {
    let done = frame.done.as_ref().map(flash);
    let flash_script = (frame.done.is_some() || !frame.undoable.is_empty()).then(|| {
        view! { <script nonce=meta.nonce.clone() inner_html=include_str!("flash.js")></script> }
    });
    let undo = frame
        .undoable
        .iter()
        .enumerate()
        .map(|(at, one)| undo(one, at == 0))
        .collect_view();
    let body = view! {
        <a class="skip" href="#main">{say("Skip to main content", "本文へ移動")}</a>
        <div class="desk">
            <header class="side">
                <p class="brand"><a href="/admin">{brand()}"Honnin"</a></p>
                <p class="bar-tenant">{frame.tenant.1.clone()}</p>
                {menu_button(frame)}
                <div class="menu" id=MENU popover="auto">
                    {tenant_switch(frame)}
                    {navigation(frame)}
                    <div class="side-foot">
                        <p class="side-person"><strong>{frame.person.clone()}</strong><span>{frame.role}</span></p>
                        <p><a href="/admin/account" aria-current=(frame.item == NavigationItem::Account).then_some("page")>
                            {say("Account", "アカウント")}</a></p>
                        <form method="post" action="/admin/sign-out">
                            <button class="button quiet small" type="submit">{say("Sign out", "サインアウト")}</button>
                        </form>
                        <p>{other_language("/admin/account")}</p>
                    </div>
                </div>
            </header>
            <main id="main" tabindex="-1">{done}{undo}{main}</main>
        </div>
        {flash_script}
    };
    in_shell(meta, title, body.into_any())
}

fn in_shell(meta: &PageMeta, title: &str, body: AnyView) -> AnyView {
    let head = Head {
        title: title.to_owned(),
        islands: false,
        part: Part::Console,
    };
    shell::html(meta, head, body)
}

/// A page for people who are not signed in: one narrow column. `here` is its address with what it needs to be requested again; empty if
/// that is the address that is open.
pub(super) fn door(meta: &PageMeta, here: &str, title: &str, main: AnyView) -> AnyView {
    let body = view! {
        <main id="main" class="door" tabindex="-1">
            <p class="brand">{brand()}"Honnin"</p>
            {main}
            <p class="door-language">{other_language(here)}</p>
        </main>
    };
    in_shell(meta, title, body.into_any())
}

/// The link to the console in its other language. It leads to `address`, or to the page that is open if that is empty.
fn other_language(address: &str) -> AnyView {
    let other = match language() {
        Language::Ja => Language::En,
        _ => Language::Ja,
    };
    let tag = other.as_str();
    let href = with_query(address, forms::LANG, tag);
    view! { <a href=href lang=tag hreflang=tag rel="nofollow">{language_name(other)}</a> }.into_any()
}

fn brand() -> AnyView {
    let mark = r#"<rect class="disc" width="24" height="24" rx="7"/><path class="stroke" d="M6.500 12.500l3.800 3.800 7.200-8"/>"#;
    view! { <svg class="brand-mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false" inner_html=mark></svg> }
        .into_any()
}

/// The errors of a form, each a link to its field.
pub(super) fn mistakes(mistakes: &[Mistake]) -> AnyView {
    if mistakes.is_empty() {
        return ().into_any();
    }
    let links = mistakes
        .iter()
        .map(|mistake| (format!("#{}", mistake.field), mistake.sentence.clone()));
    problems(say("There is a problem", "入力内容を確認してください"), links)
}

/// What is wrong, each with the address that it leads to.
pub(super) fn problems(heading: &'static str, links: impl IntoIterator<Item = (String, String)>) -> AnyView {
    let items = links
        .into_iter()
        .map(|(href, sentence)| view! { <li><a href=href>{sentence}</a></li> })
        .collect_view();
    view! {
        <div class="error-summary" role="alert" tabindex="-1" autofocus>
            <h2>{heading}</h2>
            <ul>{items}</ul>
        </div>
    }
    .into_any()
}
