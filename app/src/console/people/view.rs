//! People: who may sign in and in which role, and who is invited.

use crate::PageMeta;
use crate::console::keys::shown_once;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, Tone, badge, empty, heading, line, next_page, options, select, time};
use crate::console::proof::{Proof, proof_fields};
use crate::console::table::{Cell, Row, Table, cell, row_name};
use crate::console::words::{say, tell};
use crate::parts::{Mistake, title};
use domain::{role::Role, time::Timestamp};
use leptos::prelude::*;

/// `state` of the address: people whose account is disabled.
pub(super) const DISABLED: &str = "disabled";
/// The same: everybody. Those whose account is enabled are listed otherwise.
pub(super) const ALL: &str = "all";

/// A person in the list.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Person {
    /// Their id.
    pub id: String,
    /// Their name.
    pub name: String,
    /// What they sign in with.
    pub email: String,
    /// None for an operator who belongs to no tenant.
    pub role: Option<Role>,
    /// Whether the account is disabled.
    pub disabled: bool,
    /// Whether they can get a password reset link.
    pub can_reset: bool,
    /// Whether it is the person viewing the page.
    pub me: bool,
    /// Added.
    pub created_at: Timestamp,
}

impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Person({})", self.id)
    }
}

/// A person who is invited.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Invited {
    /// The invitation's id.
    pub id: String,
    /// Their name.
    pub name: String,
    /// What they will sign in with.
    pub email: String,
    /// None for an operator who belongs to no tenant.
    pub role: Option<Role>,
    /// Until when the link opens.
    pub expires_at: Timestamp,
}

impl std::fmt::Debug for Invited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Invited({})", self.id)
    }
}

/// A link that was just created, shown only now.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Link {
    /// What it is.
    pub title: &'static str,
    /// The link.
    pub url: String,
    /// What to do with it.
    pub advice: &'static str,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Link({})", self.title)
    }
}

/// What the person viewing the page may do with the people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Power {
    /// View only.
    #[default]
    Look,
    /// Invite the first admin.
    InviteFirstAdmin,
    /// Invite, change and disable anybody.
    Manage,
}

/// What was typed into the form that invites somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// Their name.
    pub name: String,
    /// Their e-mail address.
    pub email: String,
    /// The role that was chosen; empty if none was.
    pub role: String,
}

/// The page's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PeopleView {
    /// The tenant's id.
    pub tenant: String,
    /// A page of the people, oldest first.
    pub people: Vec<Person>,
    /// Who is listed: [`DISABLED`], [`ALL`], or those whose account is enabled.
    pub state: String,
    /// The query of this page's address, which its forms carry.
    pub query: String,
    /// Address of the next page.
    pub next: Option<String>,
    /// Invitations that have not been accepted yet.
    pub invited: Vec<Invited>,
    /// The id of the invitation that the form makes, so that it makes one only.
    pub draft: String,
    /// How far the tenant's audit log had come when the page was shown, so that a form for a new password issues one link only.
    pub seen: i64,
    /// What the person viewing the page may do.
    pub power: Power,
    /// A link that was just created.
    pub link: Option<Link>,
    /// What was typed.
    pub typed: Typed,
    /// What the form asks for besides, unless the person has just proved who they are.
    pub proof: Option<Proof>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn roles() -> impl Iterator<Item = (String, String)> {
    Role::ALL.iter().map(|&role| {
        (
            role.to_string(),
            tell!(
                "{}: {}",
                "{}：{}",
                labels::role(Some(role)),
                labels::role_hint(Some(role))
            ),
        )
    })
}

/// A name with its address.
fn named(name: &str, email: &str) -> Cell {
    let (name, email) = (name.to_owned(), email.to_owned());
    row_name(view! { {name}<br/><span class="soft">{email}</span> })
}

fn row(person: &Person, view: &PeopleView) -> Row {
    let (power, seen) = (view.power, view.seen);
    let action = format!("/admin/people/{}{}", person.id, view.query);
    let short = Role::ALL
        .iter()
        .map(|&r| (r.to_string(), labels::role(Some(r)).to_owned()));
    let id = format!("role-{}", person.id);
    let (word, value) = if person.disabled {
        (say("Enable", "有効にする"), "enable")
    } else {
        (say("Disable", "無効にする"), "disable")
    };
    // Disabled people cannot choose a password. Everybody else can ask for a link if they forgot theirs.
    let whose = || view! { <span class="unseen">" "{person.name.clone()}</span> };
    let reset = person.can_reset.then(|| {
        view! { <button class="button quiet small" type="submit" name="change" value="reset">{say("Reset password", "パスワードを再設定")}{whose()}</button> }
    });
    let remove = (!person.disabled).then(|| {
        view! { <button class="button quiet small" type="submit" name="change" value="remove_factors">{say("Remove second factors", "2要素認証を解除")}{whose()}</button> }
    });
    let changes = if person.me {
        view! { <span class="soft">{labels::role(person.role)}{say(" (you)", "（自分）")}</span> }.into_any()
    } else if power != Power::Manage {
        view! { <span class="soft">{labels::role(person.role)}</span> }.into_any()
    } else {
        view! {
            <form class="inline" method="post" action=action>
                <input type="hidden" name="seen" value=seen.to_string()/>
                <label class="unseen" for=id.clone()>{tell!("Role of {}", "{}の権限", person.name)}</label>
                <select class="input small" id=id name="role">{options(short, person.role.map_or("", Role::as_str))}</select>
                <button class="button secondary small" type="submit" name="change" value="role">{say("Save", "保存")}{whose()}</button>
                {reset}
                {remove}
                <button class="button quiet small" type="submit" name="change" value=value>{word}{whose()}</button>
            </form>
        }
        .into_any()
    };
    let state = if person.disabled {
        badge(say("disabled", "無効"), Tone::Bad)
    } else {
        badge(say("active", "有効"), Tone::Good)
    };
    [
        named(&person.name, &person.email),
        cell(state),
        cell(time(person.created_at)).class("nowrap"),
        cell(changes),
    ]
    .into()
}

/// Who is listed.
fn filters(state: &str) -> AnyView {
    let others = [(DISABLED, say("Disabled", "無効")), (ALL, say("All", "すべて"))]
        .map(|(state, name)| (state.to_owned(), name.to_owned()));
    view! {
        <form class="filters" method="get" action="/admin/people" role="search">
            {select("state", say("State", "状態"), say("Active", "有効"), others, state)}
            <div class="filter-actions"><button class="button secondary small" type="submit">{say("Filter", "絞り込む")}</button></div>
        </form>
    }
    .into_any()
}

fn list(view: &PeopleView) -> AnyView {
    if view.people.is_empty() && view.state == DISABLED {
        return empty(
            say("No disabled members", "無効なメンバーはいません"),
            say(
                "People appear here once their account is disabled.",
                "アカウントを無効にしたメンバーが表示されます。",
            ),
        )
        .into_any();
    }
    if view.people.is_empty() {
        return empty(
            say("No members yet", "メンバーはまだいません"),
            say(
                "The first admin is invited above.",
                "上のフォームから最初の管理者を招待してください。",
            ),
        )
        .into_any();
    }
    Table::new(
        say("People", "メンバー"),
        [
            say("Name", "名前"),
            say("State", "状態"),
            say("Added (UTC)", "追加日時（UTC）"),
            say("Role", "権限"),
        ],
    )
    .rows(view.people.iter().map(|person| row(person, view)))
}

fn invitation(invited: &Invited, query: &str) -> Row {
    let action = format!("/admin/invitations/{}/revoke{query}", invited.id);
    let revoke = view! {
        <form method="post" action=action>
            <button class="button secondary small" type="submit">{say("Revoke", "取り消す")}<span class="unseen">{format!(" {}", invited.name)}</span></button>
        </form>
    };
    [
        named(&invited.name, &invited.email),
        cell(labels::role(invited.role)).class("nowrap"),
        cell(time(invited.expires_at)).class("nowrap"),
        cell(revoke),
    ]
    .into()
}

fn invitations(invited: &[Invited], query: &str) -> AnyView {
    if invited.is_empty() {
        return ().into_any();
    }
    let list = Table::new(
        say("Invited", "招待中"),
        [
            say("Name", "名前"),
            say("Role", "権限"),
            say("Link expires (UTC)", "リンクの有効期限（UTC）"),
        ],
    )
    .unseen(say("Revoke", "取り消す"))
    .rows(invited.iter().map(|invited| invitation(invited, query)));
    view! { <h2>{say("Invited", "招待中")}</h2>{list} }.into_any()
}

/// The choice of a role, where `chosen` was typed; of a tenant's first admin, there is none.
fn role_field(power: Power, chosen: &str) -> AnyView {
    if power != Power::Manage {
        return view! { <input type="hidden" name="role" value=Role::Admin.as_str()/> }.into_any();
    }
    let chosen = if chosen.is_empty() {
        Role::Reviewer.as_str()
    } else {
        chosen
    };
    view! {
        <div class="field"><label for="role">{say("Role", "権限")}</label>
            <select class="input" id="role" name="role">{options(roles(), chosen)}</select></div>
    }
    .into_any()
}

fn invite(view: &PeopleView, meta: &PageMeta) -> AnyView {
    let Typed { name, email, role } = view.typed.clone();
    let text = |name, label, kind, value: String| Line {
        name,
        label,
        kind,
        value,
        autocomplete: "off",
        ..Line::default()
    };
    let (title, advice) = match view.power {
        Power::Look => {
            return view! {
                <p class="note">{say(
                    "This tenant has an admin, who invites everybody else.",
                    "このテナントには管理者がいます。ほかのメンバーは管理者が招待します。",
                )}</p>
            }
            .into_any();
        }
        Power::InviteFirstAdmin => (
            say("Invite the first admin", "最初の管理者を招待"),
            say(
                "You will get a link to send to them. It works once, within 72 hours. They can then invite everybody else.",
                "本人に送るリンクが発行されます。72時間以内に一度だけ使用できます。その後は、その管理者がほかのメンバーを招待できます。",
            ),
        ),
        Power::Manage => (
            say("Invite a person", "メンバーを招待"),
            say(
                "You will get a link to send to them. It works once, within 72 hours. They choose their own password.",
                "本人に送るリンクが発行されます。72時間以内に一度だけ使用できます。パスワードは本人が設定します。",
            ),
        ),
    };
    let action = format!("/admin/people{}", view.query);
    view! {
        <section class="panel">
            <h2>{title}</h2>
            <p class="soft">{advice}</p>
            <form class="grid-form" method="post" action=action data-passkey=view.proof.and_then(Proof::challenge)>
                // The tenant that this page shows, whatever another tab switches to.
                <input type="hidden" name="tenant" value=view.tenant.clone()/>
                <input type="hidden" name="id" value=view.draft.clone()/>
                {line(text("name", say("Name", "名前"), "text", name), &view.mistakes)}
                {line(text("email", say("E-mail address", "メールアドレス"), "email", email), &view.mistakes)}
                {role_field(view.power, &role)}
                {view.proof.map(|proof| proof_fields(proof, &view.mistakes, meta))}
                <p><button class="button primary small" type="submit">{say("Invite", "招待する")}</button></p>
            </form>
        </section>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &PeopleView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let link = view
        .link
        .clone()
        .map(|link| shown_once(link.title, link.url, link.advice, meta));
    let main = view! {
        {heading(say("People", "メンバー"), ().into_any())}
        {mistakes(&view.mistakes)}
        {link}
        {invite(view, meta)}
        {invitations(&view.invited, &view.query)}
        {filters(&view.state)}
        {list(view)}
        {next_page(view.next.clone())}
    };
    let title = title(meta, say("People", "メンバー"), !view.mistakes.is_empty());
    page(frame, meta, &title, main.into_any())
}
