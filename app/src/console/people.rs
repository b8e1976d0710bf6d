//! People: who may sign in, and as what.

use super::layout::{Frame, mistakes, page};
use super::parts::{Line, Tone, badge, heading, line, options, time};
use super::words;
use crate::PageMeta;
use crate::parts::Mistake;
use domain::time::Timestamp;
use leptos::prelude::*;

/// Somebody in the list.
#[derive(Clone, PartialEq, Eq)]
pub struct Person {
    /// Their id.
    pub id: String,
    /// Their name.
    pub name: String,
    /// What they sign in with.
    pub email: String,
    /// `admin`, ..
    pub role: &'static str,
    /// Whether they are shut out.
    pub disabled: bool,
    /// Whether it is the one who looks.
    pub me: bool,
    /// Added.
    pub created_at: Timestamp,
}

impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Person({})", self.id)
    }
}

/// The page's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeopleView {
    /// The people.
    pub people: Vec<Person>,
    /// What was typed: name, e-mail address, role.
    pub typed: (String, String, String),
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn roles() -> impl Iterator<Item = (String, String)> {
    ["admin", "developer", "reviewer", "auditor"].into_iter().map(|role| {
        (
            role.to_owned(),
            format!("{}: {}", words::role(role), words::role_hint(role)),
        )
    })
}

fn row(person: &Person) -> AnyView {
    let action = format!("/admin/people/{}", person.id);
    let short = ["admin", "developer", "reviewer", "auditor"].map(|r| (r.to_owned(), words::role(r).to_owned()));
    let id = format!("role-{}", person.id);
    let (word, value) = if person.disabled {
        ("Let in again", "enable")
    } else {
        ("Shut out", "disable")
    };
    let changes = if person.me {
        view! { <span class="soft">{words::role(person.role)}" (you)"</span> }.into_any()
    } else {
        view! {
            <form class="inline" method="post" action=action.clone()>
                <label class="unseen" for=id.clone()>{format!("Role of {}", person.name)}</label>
                <select class="input small" id=id name="role">{options(short, person.role)}</select>
                <button class="button secondary small" type="submit" name="change" value="role">"Save"</button>
                <button class="button quiet small" type="submit" name="change" value=value>{word}</button>
            </form>
        }
        .into_any()
    };
    let state = if person.disabled {
        badge("shut out", Tone::Bad)
    } else {
        badge("active", Tone::Good)
    };
    view! {
        <tr><th scope="row">{person.name.clone()}<br/><span class="soft">{person.email.clone()}</span></th>
            <td>{state}</td><td class="nowrap">{time(person.created_at)}</td><td>{changes}</td></tr>
    }
    .into_any()
}

/// The page.
#[must_use]
pub fn render(view: &PeopleView, frame: &Frame, meta: &PageMeta) -> String {
    let (name, email, role) = view.typed.clone();
    let text = |name, label, kind, value: String, autocomplete| Line {
        name,
        label,
        kind,
        value,
        autocomplete,
        ..Line::default()
    };
    let wrong = &view.mistakes;
    let password = Line {
        name: "password",
        label: "First password",
        hint: Some("At least 15 characters. Hand it over in person or by phone.".into()),
        kind: "password",
        autocomplete: "new-password",
        ..Line::default()
    };
    let rows = view.people.iter().map(row).collect_view();
    let main = view! {
        {heading("People", ().into_any())}
        {mistakes(wrong)}
        <div class="scroll"><table>
            <thead><tr><th scope="col">"Name"</th><th scope="col">"State"</th><th scope="col">"Added (UTC)"</th>
                <th scope="col">"Role"</th></tr></thead>
            <tbody>{rows}</tbody>
        </table></div>
        <section class="panel">
            <h2>"Add a person"</h2>
            <form class="grid-form" method="post" action="/admin/people">
                {line(text("name", "Name", "text", name, "off"), wrong)}
                {line(text("email", "E-mail address", "email", email, "off"), wrong)}
                <div class="field"><label for="role">"Role"</label>
                    <select class="input" id="role" name="role">{options(roles(), if role.is_empty() { "reviewer" } else { &role })}</select></div>
                {line(password, wrong)}
                <p><button class="button primary small" type="submit">"Add"</button></p>
            </form>
        </section>
    };
    page(frame, meta, "People", main.into_any())
}
