//! People of the tenant: who they are, who is invited, what they may do.

mod view;

use super::{
    fault::Fault,
    irreversible::{Answer, Irreversible, answer, page_or_second_look, typed},
    layout::NavigationItem,
    parts::{in_order, minutes},
    password_faults::bad_field,
    proof::{check_proof, proof_due, proof_of, proven, throttled},
    request::{PageResult, Request, done, not_done},
    words::{say, tell},
};
use crate::{
    page::{Fields, Outcome, form, mistake},
    parts::Mistake,
};
use axum::{Router, routing::post};
use domain::{
    cursor,
    ids::{InvitationId, UserId},
    role::Role,
};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    access::{Admin, Roster},
    people::{
        Change, ListedPeople, NewPerson, PeopleError, PeopleFilter, change_person,
        invite::{
            InviteError, RevokeInvitationError, draft_invitation, invite as invite_person, list_invitations,
            revoke_invitation,
        },
        list_people,
        reset_password::{issue_reset, newest_entry},
        second_factor::{Factors, list_factors_of, remove_of},
    },
};
use view::{ALL, DISABLED, Invited, Link, PeopleView, Person, Power, Typed, render};

const HERE: &str = "/admin/people";
/// Query parameters: who is listed, and from where on. The forms carry them, so that the list is still the same afterwards.
const LIST: [&str; 2] = ["state", "after"];
/// People per page.
const PAGE: u32 = 50;

/// The people of the tenant.
#[component]
pub fn PeoplePage() -> impl IntoView {
    page_or_second_look(NavigationItem::People, load, render)
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

/// The page as the address of a request lists it.
fn list_of(request: &Request) -> PageResult<String> {
    Ok(request.query()?.kept(HERE, &LIST))
}

async fn view_of(request: &Request, roster: &Roster) -> PageResult<PeopleView> {
    let fields = request.query()?;
    let state = fields.text("state");
    let mut filter = PeopleFilter {
        listed: match state.as_str() {
            ALL => ListedPeople::All,
            DISABLED => ListedPeople::Disabled,
            _ => ListedPeople::Enabled,
        },
        after: cursor::parse(&fields.text("after"), UserId::parse),
    };
    let mut found = list_people(request.honnin(), roster, filter.clone(), PAGE + 1).await?;
    if found.listed.is_empty() && filter.after.take().is_some() {
        // The last one of the last page has just been changed, and is listed no more.
        found = list_people(request.honnin(), roster, filter, PAGE + 1).await?;
    }
    let power = match (Admin::of(request.staff()), found.has_admin) {
        (Ok(_), _) => Power::Manage,
        (Err(_), true) => Power::Look,
        (Err(_), false) => Power::InviteFirstAdmin,
    };
    let (people, more) = cursor::page_of(found.listed, PAGE);
    let next = people
        .last()
        .filter(|_| more)
        .map(|last| fields.next_page(HERE, &cursor::write(&(last.created_at, &last.id))));
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
        state,
        query: fields.kept("", &LIST),
        next,
        invited: invited.collect(),
        draft: draft_invitation(request.honnin()).to_string(),
        seen: newest_entry(request.honnin(), roster).await?,
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
    let typed = Typed {
        name: fields.text("name"),
        email: fields.text("email"),
        role: fields.text("role"),
    };
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
            typed: Typed {
                role: String::new(),
                ..typed
            },
            mistakes: vec![wrong],
            proof: None,
            ..view_of(&request, &roster).await?
        };
        return Ok(proven(&request, Outcome::refused(view)));
    }
    let role = Role::parse(&fields.text("role")).ok_or(Fault::Malformed)?;
    let id = match fields.raw("id") {
        // Of a page from before an update.
        "" => draft_invitation(request.honnin()),
        id => InvitationId::parse(id).ok_or(Fault::Malformed)?,
    };
    let person = NewPerson {
        email: fields.text("email"),
        name: fields.text("name"),
    };
    let mistakes: Vec<Mistake> = match invite_person(request.honnin(), &roster, id, person, role).await {
        Ok(invited) => {
            let link = invitation_link(invited.link.expose().clone());
            return Ok(proven(&request, with_link(&request, &roster, link).await?));
        }
        Err(InviteError::Bad(faults)) => in_order(faults.into_iter().map(bad_field).collect(), &["name", "email"]),
        Err(InviteError::Throttled) => vec![mistake("email", throttled())],
        Err(InviteError::Repeated) => return Ok(proven(&request, not_done(&list_of(&request)?, invited_before())?)),
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

fn invitation_link(url: String) -> Link {
    Link {
        title: say("The invitation", "招待リンク"),
        url,
        advice: say(
            "Copy it now: it is not shown again. Send it only to the person you are inviting: whoever opens \
             it first chooses the password.",
            "再表示はできませんので、今すぐコピーしてください。最初に開いた人がパスワードを設定できるため、招待する本人だけに送ってください。",
        ),
    }
}

/// The form was sent a second time: by reloading the page that shows the link, for example.
fn invited_before() -> &'static str {
    say(
        "This form was sent before. The link of the invitation was shown only once and cannot be shown again. If nobody copied it, revoke the \
         invitation and invite the person again.",
        "このフォームはすでに送信されています。招待リンクは一度だけ表示され、再表示はできません。コピーしていない場合は、招待を取り消してから、もう一度招待してください。",
    )
}

async fn revoke(request: Request, _: Fields) -> PageResult<Outcome> {
    let roster = Roster::of(request.staff())?;
    let list = list_of(&request)?;
    request.check_fresh(list.clone())?;
    let id = InvitationId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    match revoke_invitation(request.honnin(), &roster, &id).await {
        Ok(true) => {}
        // Of somebody who has just accepted it, for example. The list says who is still invited.
        Ok(false) => {
            return not_done(
                &list,
                say(
                    "There was nothing to revoke: the invitation has been accepted or revoked in the meantime, or has expired.",
                    "取り消す招待はありませんでした。すでに承諾されたか、取り消されたか、期限が切れています。",
                ),
            );
        }
        Err(RevokeInvitationError::Forbidden(forbidden)) => return Err(forbidden.into()),
        Err(RevokeInvitationError::Store(error)) => return Err(error.into()),
    }
    done(
        &list,
        say(
            "The invitation has been revoked. Its link no longer works.",
            "招待を取り消しました。リンクは無効になりました。",
        ),
    )
}

async fn change(request: Request, fields: Fields) -> PageResult<Outcome> {
    let admin = Admin::of(request.staff())?;
    let list = list_of(&request)?;
    request.check_fresh(list.clone())?;
    let id = UserId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let change = match fields.raw("change") {
        "role" => Change::Role(Role::parse(&fields.text("role")).ok_or(Fault::Malformed)?),
        "disable" => Change::Disable,
        "enable" => Change::Enable,
        "remove_factors" => return remove_factors(&request, &admin, &id, &fields).await,
        "reset" => return reset(&request, &admin, &id, fields.raw("seen")).await,
        _ => return Err(Fault::Malformed),
    };
    // The list may no longer show the person.
    let notice = match change {
        Change::Disable => say(
            "The account has been disabled, and the person has been signed out.",
            "アカウントを無効にし、対象のメンバーをサインアウトさせました。",
        ),
        Change::Enable => say("The account has been enabled.", "アカウントを有効にしました。"),
        Change::Role(_) => say("Saved.", "保存しました。"),
    };
    match change_person(request.honnin(), &admin, &id, change).await {
        Ok(()) => done(&list, notice),
        Err(error) => refused(&list, error),
    }
}

async fn remove_factors(request: &Request, admin: &Admin, id: &UserId, fields: &Fields) -> PageResult<Outcome> {
    let list = list_of(request)?;
    match answer(fields) {
        Answer::Open => {
            return match list_factors_of(request.honnin(), admin, id).await {
                Ok((person, factors)) => {
                    let action = request.query()?.kept(&format!("{HERE}/{id}"), &LIST);
                    let look = before_removing((person.name, person.email), &factors, fields, action);
                    Ok(Outcome::shown(StatusCode::OK, look))
                }
                Err(error) => refused(&list, error),
            };
        }
        Answer::No => return Ok(Outcome::go(&list)),
        Answer::Yes => {}
    }
    match remove_of(request.honnin(), admin, id).await {
        Ok(()) => done(
            &list,
            say(
                "Their second factors have been removed, and they have been signed out.",
                "対象のメンバーの2要素認証を解除し、サインアウトさせました。",
            ),
        ),
        Err(error) => refused(&list, error),
    }
}

/// The second look at second factors that are to be removed.
fn before_removing(
    (name, email): (String, String),
    factors: &Factors,
    fields: &Fields,
    action: String,
) -> Irreversible {
    let app = factors
        .authenticator
        .map(|_| say("Authenticator app", "認証アプリ").to_owned());
    let passkeys = match factors.passkeys.len() {
        0 => None,
        count => Some(tell!("Passkeys: {count}", "パスキー：{count}個")),
    };
    let all: Vec<_> = app.into_iter().chain(passkeys).collect();
    let all = if all.is_empty() {
        say("None", "なし").to_owned()
    } else {
        all.join(say(", ", "、"))
    };
    let used = factors.last_used_at.map(minutes);
    Irreversible {
        title: say(
            "Remove this person’s second factors?",
            "このメンバーの2要素認証を解除しますか？",
        ),
        meaning: vec![say(
            "They are signed out everywhere. Until they set up another one, they sign in without a second factor. This cannot be undone.",
            "すべてのブラウザーからサインアウトされます。新しく設定するまでは、2要素認証なしでサインインできます。この操作は取り消せません。",
        )],
        about: vec![
            (say("Name", "名前"), name),
            (say("E-mail address", "メールアドレス"), email),
            (say("Second factors", "2要素認証"), all),
            (
                say("Last used (UTC)", "最終使用日時（UTC）"),
                used.unwrap_or_else(|| say("never", "未使用").to_owned()),
            ),
        ],
        button: say("Remove second factors", "2要素認証を解除"),
        action,
        typed: typed(fields),
    }
}

async fn reset(request: &Request, admin: &Admin, id: &UserId, seen: &str) -> PageResult<Outcome> {
    let seen = match seen {
        // Of a page from before an update.
        "" => None,
        number => Some(number.parse::<i64>().map_err(|_| Fault::Malformed)?),
    };
    match issue_reset(request.honnin(), admin, id, seen).await {
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
        Err(error) => refused(&list_of(request)?, error),
    }
}

fn refused(list: &str, error: PeopleError) -> PageResult<Outcome> {
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
            "Passwords are not used here. People sign in with the identity provider.",
            "この環境ではパスワードを使用しません。IDプロバイダーでサインインしてください。",
        ),
        PeopleError::Repeated => say(
            "A password reset link has already been issued to this person since that page was loaded. It was shown only once and cannot be \
             shown again. If nobody copied it, reset the password again: the new link replaces it.",
            "その画面を開いたあとに、このメンバーのパスワード再設定リンクがすでに発行されています。リンクは一度だけ表示され、再表示はできません。コピーしていない場合は、もう一度「パスワードを再設定」を押してください。新しいリンクに置き換わります。",
        ),
        PeopleError::Forbidden => return Err(Fault::Forbidden),
        PeopleError::NotFound => return Err(Fault::NotFound),
        PeopleError::Store(error) => return Err(error.into()),
    };
    not_done(list, said)
}
