//! People of the tenant: who they are, who is invited, what they may do.

use super::{
    form::{Fields, mistake},
    wall::{Answer, Desk, Fault, ok, wrong},
};
use app::{
    console::{
        Place,
        people::{self, Invited, Link, PeopleView, Person, Power},
    },
    parts::Mistake,
};
use axum::{
    extract::Path,
    response::{Html, IntoResponse},
};
use domain::ids::{InvitationId, UserId};
use http::StatusCode;
use service::{
    access::{Admin, Roster},
    invite::{InviteError, invite as invite_person, list_invitations, revoke_invitation},
    people::{Change, NewPerson, PeopleError, change_person, list_people},
    reset_password::issue_reset,
};
use store::users::Role;

const HERE: &str = "/admin/people";

async fn view(desk: &Desk, roster: &Roster) -> Result<PeopleView, Fault> {
    let people = list_people(&desk.app.honnin, roster).await?;
    let has_admin = people
        .iter()
        .any(|user| user.place.as_ref().is_some_and(|(_, role)| *role == Role::Admin));
    let power = match (Admin::of(&desk.staff), has_admin) {
        (Ok(_), _) => Power::Manage,
        (Err(_), true) => Power::Look,
        (Err(_), false) => Power::InviteFirstAdmin,
    };
    let shown = people.into_iter().map(|user| Person {
        me: user.id == *desk.staff.user(),
        id: user.id.to_string(),
        name: user.name,
        email: user.email,
        role: user.place.map_or("operator", |(_, role)| role.as_str()),
        disabled: user.disabled_at.is_some(),
        created_at: user.created_at,
    });
    let invited = list_invitations(&desk.app.honnin, roster).await?;
    let invited = invited.into_iter().map(|row| Invited {
        id: row.id.to_string(),
        name: row.name,
        email: row.email,
        role: row.place.map_or("operator", |(_, role)| role.as_str()),
        expires_at: row.expires_at,
    });
    Ok(PeopleView {
        people: shown.collect(),
        invited: invited.collect(),
        power,
        ..PeopleView::default()
    })
}

pub(super) async fn page(desk: Desk) -> Answer {
    let roster = Roster::of(&desk.staff)?;
    let view = view(&desk, &roster).await?;
    let frame = desk.frame(Place::People).await?;
    ok(people::render(&view, &frame, &desk.meta()))
}

/// Shown in the answer itself: a redirect would have to keep the link somewhere.
async fn with_link(desk: &Desk, roster: &Roster, link: Link) -> Answer {
    let view = PeopleView {
        link: Some(link),
        ..view(desk, roster).await?
    };
    let frame = desk.frame(Place::People).await?;
    Ok((StatusCode::CREATED, Html(people::render(&view, &frame, &desk.meta()))).into_response())
}

pub(super) async fn invite(desk: Desk, fields: Fields) -> Answer {
    let roster = Roster::of(&desk.staff)?;
    desk.check_fresh(HERE).await?;
    let role = Role::parse(&fields.text("role")).ok_or(Fault::Malformed)?;
    let person = NewPerson {
        email: fields.text("email"),
        name: fields.text("name"),
    };
    let mistakes: Vec<Mistake> = match invite_person(&desk.app.honnin, &roster, person, role).await {
        Ok(invited) => {
            let link = Link {
                title: "The invitation",
                url: invited.link.expose().clone(),
                advice: "Copy it now: it is not shown again. Send it only to the person you are inviting: whoever opens \
                         it first chooses the password.",
            };
            return with_link(&desk, &roster, link).await;
        }
        Err(InviteError::Bad(faults)) => faults
            .into_iter()
            .map(|fault| mistake(fault.field, fault.message))
            .collect(),
        Err(InviteError::Forbidden) => return Err(Fault::Forbidden),
        Err(InviteError::NoTenant) => return Err(Fault::NotFound),
        Err(InviteError::Store(error)) => return Err(error.into()),
    };
    let view = PeopleView {
        typed: (fields.text("name"), fields.text("email"), fields.text("role")),
        mistakes,
        ..view(&desk, &roster).await?
    };
    let frame = desk.frame(Place::People).await?;
    wrong(people::render(&view, &frame, &desk.meta()))
}

pub(super) async fn revoke(desk: Desk, Path(id): Path<String>) -> Answer {
    let roster = Roster::of(&desk.staff)?;
    desk.check_fresh(HERE).await?;
    let id = InvitationId::parse(&id).ok_or(Fault::NotFound)?;
    if !revoke_invitation(&desk.app.honnin, &roster, &id).await? {
        return Err(Fault::NotFound);
    }
    desk.done(HERE, "The invitation has been revoked. Its link no longer works.")
        .await
}

pub(super) async fn change(desk: Desk, Path(id): Path<String>, fields: Fields) -> Answer {
    let admin = Admin::of(&desk.staff)?;
    desk.check_fresh(HERE).await?;
    let id = UserId::parse(&id).ok_or(Fault::NotFound)?;
    let change = match fields.raw("change") {
        "role" => Change::Role(Role::parse(&fields.text("role")).ok_or(Fault::Malformed)?),
        "disable" => Change::Disabled(true),
        "enable" => Change::Disabled(false),
        "reset" => return reset(&desk, &admin, &id).await,
        _ => return Err(Fault::Malformed),
    };
    match change_person(&desk.app.honnin, &admin, &id, change).await {
        Ok(()) => desk.done(HERE, "Saved.").await,
        Err(error) => refused(&desk, error).await,
    }
}

async fn reset(desk: &Desk, admin: &Admin, id: &UserId) -> Answer {
    match issue_reset(&desk.app.honnin, admin, id).await {
        Ok(reset) => {
            let link = Link {
                title: "Password reset link",
                url: reset.link.expose().clone(),
                advice: "Copy it now: it is not shown again. It works once, within 72 hours. Send it only to the person \
                         whose password it resets.",
            };
            with_link(desk, &Roster::of(&desk.staff)?, link).await
        }
        Err(error) => refused(desk, error).await,
    }
}

async fn refused(desk: &Desk, error: PeopleError) -> Answer {
    let said = match error {
        PeopleError::LastAdmin => "Not saved. At least one admin must remain.",
        PeopleError::LastOperator => "Not saved. At least one operator must remain.",
        PeopleError::Above => {
            "This person is an operator. Only another operator, or the command line on the server, can do this."
        }
        PeopleError::NotFound => return Err(Fault::NotFound),
        PeopleError::Store(error) => return Err(error.into()),
    };
    desk.done(HERE, said).await
}
