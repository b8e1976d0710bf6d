//! People of the tenant: who they are, who is invited, what they may do.

mod view;

use super::{
    fault::Fault,
    layout::NavigationItem,
    parts::in_order,
    password_faults::bad_field,
    proof::{check_proof, proof_due, proof_of, proven},
    request::{PageResult, Request, done, signed_in},
    words::{say, tell},
};
use crate::{
    page::{Fields, Outcome, form, mistake},
    parts::Mistake,
};
use axum::{Router, routing::post};
use domain::{
    ids::{InvitationId, UserId},
    role::Role,
};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    access::{Admin, Roster},
    people::{
        Change, NewPerson, PeopleError, change_person,
        invite::{InviteError, invite as invite_person, list_invitations, revoke_invitation},
        list_people,
        reset_password::issue_reset,
        second_factor::remove_of,
    },
};
use view::{Invited, Link, PeopleView, Person, Power, render};

const HERE: &str = "/admin/people";

/// The people of the tenant.
#[component]
pub fn PeoplePage() -> impl IntoView {
    signed_in(NavigationItem::People, load, render)
}

/// Its forms.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/people", post(form(HERE, invite)))
        .route("/admin/people/{id}", post(form(HERE, change)))
        .route("/admin/invitations/{id}/revoke", post(form(HERE, revoke)))
}

async fn load(request: Request) -> PageResult<PeopleView> {
    let roster = Roster::of(request.staff())?;
    view_of(&request, &roster).await
}

async fn view_of(request: &Request, roster: &Roster) -> PageResult<PeopleView> {
    let people = list_people(request.honnin(), roster).await?;
    let has_admin = people.iter().any(|user| user.role() == Some(Role::Admin));
    let power = match (Admin::of(request.staff()), has_admin) {
        (Ok(_), _) => Power::Manage,
        (Err(_), true) => Power::Look,
        (Err(_), false) => Power::InviteFirstAdmin,
    };
    let shown = people.into_iter().map(|user| Person {
        me: user.id == *request.staff().user(),
        role: user.role(),
        id: user.id.to_string(),
        name: user.name,
        email: user.email,
        disabled: user.disabled_at.is_some(),
        can_reset: user.disabled_at.is_none() && request.honnin().allows_local_sign_in(),
        created_at: user.created_at,
    });
    let invited = list_invitations(request.honnin(), roster).await?;
    let invited = invited.into_iter().map(|row| Invited {
        id: row.id.to_string(),
        role: row.role(),
        name: row.name,
        email: row.email,
        expires_at: row.expires_at,
    });
    Ok(PeopleView {
        tenant: request.staff().tenant().to_string(),
        people: shown.collect(),
        invited: invited.collect(),
        power,
        proof: proof_due(request).await?,
        ..PeopleView::default()
    })
}

/// The page with a link, which is shown only now.
async fn with_link(request: &Request, roster: &Roster, link: Link) -> PageResult<Outcome> {
    let view = PeopleView {
        link: Some(link),
        proof: None,
        ..view_of(request, roster).await?
    };
    Ok(Outcome::shown(StatusCode::CREATED, view))
}

/// What is wrong with a form that another tenant's page showed: an operator switches the tenant for all tabs of the browser at once, and the
/// link would lead to the tenant of the last switch.
fn another_tenant(request: &Request, fields: &Fields) -> Option<Mistake> {
    let staff = request.staff();
    (fields.text("tenant") != staff.tenant().as_str()).then(|| {
        let name = staff.tenant_name();
        let sentence = tell!(
            "Nobody was invited. You have switched to {name} in another tab. If you want to invite this person there, check the form and send \
             it again. Otherwise switch back first.",
            "招待していません。別のタブで{name}に切り替えました。{name}に招待する場合は、内容を確認して再度送信してください。それ以外の場合は、先にテナントを切り替えてください。"
        );
        mistake("name", sentence)
    })
}

async fn invite(request: Request, fields: Fields) -> PageResult<Outcome> {
    let roster = Roster::of(request.staff())?;
    let typed = (fields.text("name"), fields.text("email"), fields.text("role"));
    if let Some(wrong) = check_proof(&request, &fields).await? {
        return Ok(Outcome::refused(PeopleView {
            typed,
            mistakes: vec![wrong],
            proof: Some(proof_of(&request).await?),
            ..view_of(&request, &roster).await?
        }));
    }
    if let Some(wrong) = another_tenant(&request, &fields) {
        // Without the role, which was offered for the other tenant.
        let view = PeopleView {
            typed: (typed.0, typed.1, String::new()),
            mistakes: vec![wrong],
            proof: None,
            ..view_of(&request, &roster).await?
        };
        return Ok(proven(&request, Outcome::refused(view)));
    }
    let role = Role::parse(&fields.text("role")).ok_or(Fault::Malformed)?;
    let person = NewPerson {
        email: fields.text("email"),
        name: fields.text("name"),
    };
    let mistakes: Vec<Mistake> = match invite_person(request.honnin(), &roster, person, role).await {
        Ok(invited) => {
            let link = Link {
                title: say("The invitation", "招待リンク"),
                url: invited.link.expose().clone(),
                advice: say(
                    "Copy it now: it is not shown again. Send it only to the person you are inviting: whoever opens \
                     it first chooses the password.",
                    "再表示はできませんので、今すぐコピーしてください。最初に開いた人がパスワードを設定できるため、招待する本人だけに送ってください。",
                ),
            };
            return Ok(proven(&request, with_link(&request, &roster, link).await?));
        }
        Err(InviteError::Bad(faults)) => in_order(faults.into_iter().map(bad_field).collect(), &["name", "email"]),
        Err(InviteError::Forbidden) => return Err(Fault::Forbidden),
        Err(InviteError::NoTenant) => return Err(Fault::NotFound),
        Err(InviteError::Store(error)) => return Err(error.into()),
    };
    let outcome = Outcome::refused(PeopleView {
        typed,
        mistakes,
        proof: None,
        ..view_of(&request, &roster).await?
    });
    Ok(proven(&request, outcome))
}

async fn revoke(request: Request, _: Fields) -> PageResult<Outcome> {
    let roster = Roster::of(request.staff())?;
    request.check_fresh(HERE)?;
    let id = InvitationId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    if !revoke_invitation(request.honnin(), &roster, &id).await? {
        return Err(Fault::NotFound);
    }
    done(
        HERE,
        say(
            "The invitation has been revoked. Its link no longer works.",
            "招待を取り消しました。リンクは無効になりました。",
        ),
    )
}

async fn change(request: Request, fields: Fields) -> PageResult<Outcome> {
    let admin = Admin::of(request.staff())?;
    request.check_fresh(HERE)?;
    let id = UserId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let change = match fields.raw("change") {
        "role" => Change::Role(Role::parse(&fields.text("role")).ok_or(Fault::Malformed)?),
        "disable" => Change::Disable,
        "enable" => Change::Enable,
        "remove_factors" => {
            return match remove_of(request.honnin(), &admin, &id).await {
                Ok(()) => done(
                    HERE,
                    say(
                        "Their second factors have been removed, and they have been signed out.",
                        "対象のメンバーの2要素認証を解除し、サインアウトさせました。",
                    ),
                ),
                Err(error) => refused(error),
            };
        }
        "reset" => return reset(&request, &admin, &id).await,
        _ => return Err(Fault::Malformed),
    };
    match change_person(request.honnin(), &admin, &id, change).await {
        Ok(()) => done(HERE, say("Saved.", "保存しました。")),
        Err(error) => refused(error),
    }
}

async fn reset(request: &Request, admin: &Admin, id: &UserId) -> PageResult<Outcome> {
    match issue_reset(request.honnin(), admin, id).await {
        Ok(reset) => {
            let link = Link {
                title: say("Password reset link", "パスワード再設定リンク"),
                url: reset.link.expose().clone(),
                advice: say(
                    "Copy it now: it is not shown again. It works once, within 72 hours. Send it only to the person \
                     whose password it resets.",
                    "再表示はできませんので、今すぐコピーしてください。72時間以内に一度だけ使用できます。パスワードを再設定する本人だけに送ってください。",
                ),
            };
            with_link(request, &Roster::of(request.staff())?, link).await
        }
        Err(error) => refused(error),
    }
}

fn refused(error: PeopleError) -> PageResult<Outcome> {
    let said = match error {
        PeopleError::LastAdmin => say(
            "Not saved. At least one admin must remain.",
            "保存できませんでした。管理者が1人以上必要です。",
        ),
        PeopleError::LastOperator => say(
            "Not saved. At least one operator must remain.",
            "保存できませんでした。運用者が1人以上必要です。",
        ),
        PeopleError::Above => say(
            "This person is an operator. Here, only another operator can change their account.",
            "対象のメンバーは運用者です。管理コンソールでこのアカウントを変更できるのは、ほかの運用者だけです。",
        ),
        PeopleError::NoPasswords => say(
            "Nobody has a password here. People sign in with the identity provider.",
            "この環境ではパスワードを使用しません。IDプロバイダーでサインインしてください。",
        ),
        PeopleError::Forbidden => return Err(Fault::Forbidden),
        PeopleError::NotFound => return Err(Fault::NotFound),
        PeopleError::Store(error) => return Err(error.into()),
    };
    done(HERE, said)
}
