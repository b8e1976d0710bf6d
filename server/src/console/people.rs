//! People of the tenant.

use super::{
    form::{Fields, mistake},
    wall::{Answer, Desk, Fault, ok, wrong},
};
use app::{
    console::{
        Place,
        people::{self, PeopleView, Person},
    },
    parts::Mistake,
};
use axum::extract::Path;
use domain::{ids::UserId, secret::Secret};
use service::{
    access::Admin,
    people::{Change, NewPerson, PeopleError, add_person, change_person, list_people},
};
use store::users::Role;

const HERE: &str = "/admin/people";

async fn view(desk: &Desk, admin: &Admin, fields: &Fields, mistakes: Vec<Mistake>) -> Result<PeopleView, Fault> {
    let people = list_people(&desk.app.honnin, admin).await?;
    let shown = people.into_iter().map(|user| Person {
        me: user.id == *desk.staff.user(),
        id: user.id.to_string(),
        name: user.name,
        email: user.email,
        role: user.place.map_or("operator", |(_, role)| role.as_str()),
        disabled: user.disabled_at.is_some(),
        created_at: user.created_at,
    });
    let typed = (fields.text("name"), fields.text("email"), fields.text("role"));
    Ok(PeopleView {
        people: shown.collect(),
        typed,
        mistakes,
    })
}

pub(super) async fn page(desk: Desk) -> Answer {
    let admin = Admin::of(&desk.staff)?;
    let view = view(&desk, &admin, &Fields::default(), Vec::new()).await?;
    let frame = desk.frame(Place::People).await?;
    ok(people::render(&view, &frame, &desk.meta()))
}

pub(super) async fn add(desk: Desk, fields: Fields) -> Answer {
    let admin = Admin::of(&desk.staff)?;
    desk.check_fresh(HERE).await?;
    let person = NewPerson {
        email: fields.text("email"),
        name: fields.text("name"),
        role: Role::parse(&fields.text("role")).ok_or(Fault::Malformed)?,
        password: Secret::new(fields.raw("password").to_owned()),
    };
    let mistakes = match add_person(&desk.app.honnin, &admin, person).await {
        Ok(_) => {
            return desk
                .done(HERE, "Added. Hand over the password in person or by phone.")
                .await;
        }
        Err(PeopleError::Bad(faults)) => faults
            .into_iter()
            .map(|fault| mistake(fault.field, fault.message))
            .collect(),
        Err(PeopleError::Store(error)) => return Err(error.into()),
        Err(PeopleError::NotFound | PeopleError::LastAdmin) => return Err(Fault::NotFound),
    };
    let view = view(&desk, &admin, &fields, mistakes).await?;
    let frame = desk.frame(Place::People).await?;
    wrong(people::render(&view, &frame, &desk.meta()))
}

pub(super) async fn change(desk: Desk, Path(id): Path<String>, fields: Fields) -> Answer {
    let admin = Admin::of(&desk.staff)?;
    desk.check_fresh(HERE).await?;
    let id = UserId::parse(&id).ok_or(Fault::NotFound)?;
    let change = match fields.raw("change") {
        "role" => Change::Role(Role::parse(&fields.text("role")).ok_or(Fault::Malformed)?),
        "disable" => Change::Disabled(true),
        "enable" => Change::Disabled(false),
        _ => return Err(Fault::Malformed),
    };
    match change_person(&desk.app.honnin, &admin, &id, change).await {
        Ok(()) => desk.done(HERE, "Saved.").await,
        Err(PeopleError::LastAdmin) => desk.done(HERE, "Not saved: somebody must stay admin.").await,
        Err(PeopleError::NotFound | PeopleError::Bad(_)) => Err(Fault::NotFound),
        Err(PeopleError::Store(error)) => Err(error.into()),
    }
}
