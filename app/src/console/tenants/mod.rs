//! The tenants of the installation, for operators: what happens in each, choosing one to work in, and creating one.

mod view;

use super::{
    fault::Fault,
    layout::NavigationItem,
    proof::{check_proof, proof_due, proof_of, proven},
    request::{PageResult, Request, done, not_done, signed_in},
    words::{say, tell},
};
use crate::page::{Fields, Outcome, form, mistake};
use axum::{Router, routing::post};
use domain::{
    ids::TenantId,
    name,
    tenant::{Mode, tenant_name_fault},
};
use leptos::prelude::*;
use service::{
    access::Operator,
    settings::{
        create_tenant::{CreateTenantError, create_empty_tenant, draft_tenant},
        list_activity,
    },
};
use view::{LIVE, SANDBOX, TenantsView, render};

const HERE: &str = "/admin/tenants";
/// Part of the name of the tenants that are looked for.
const NAME_PART: &str = "q";

/// The tenants.
#[component]
pub fn TenantsPage() -> impl IntoView {
    signed_in(NavigationItem::Tenants, load, render)
}

/// Its form. One is chosen by the form of the sidebar.
pub(super) fn forms() -> Router {
    Router::new().route(HERE, post(form(HERE, create)))
}

async fn load(request: Request) -> PageResult<TenantsView> {
    let operator = Operator::of(request.staff())?;
    let part = request.query()?.text(NAME_PART);
    let found = list_activity(request.honnin(), &operator, &part).await?;
    Ok(TenantsView {
        tenants: found.listed,
        more: found.more,
        part,
        here: request.staff().tenant().clone(),
        now: request.honnin().now(),
        next: draft_tenant(request.honnin()),
        name: String::new(),
        mode: String::new(),
        proof: proof_due(&request).await?,
        mistakes: Vec::new(),
    })
}

async fn create(request: Request, fields: Fields) -> PageResult<Outcome> {
    let operator = Operator::of(request.staff())?;
    let id = match fields.raw("id") {
        // Of a page from before an update.
        "" => draft_tenant(request.honnin()),
        id => TenantId::parse(id).ok_or(Fault::Malformed)?,
    };
    let (name, mode) = (fields.text("name"), fields.text("mode"));
    let chosen = match mode.as_str() {
        LIVE => Some(Mode::Live),
        SANDBOX => Some(Mode::Sandbox),
        _ => None,
    };
    let unproven = check_proof(&request, &fields).await?;
    let is_proven = unproven.is_none();
    let bad_name = tenant_name_fault(&name).map(|_| mistake("name", wrong_name()));
    let no_mode = chosen.is_none().then(|| {
        let choose = say(
            "Choose live or sandbox.",
            "本番またはサンドボックスを選択してください。",
        );
        mistake("mode", choose)
    });
    let mut mistakes: Vec<_> = [bad_name, no_mode, unproven].into_iter().flatten().collect();
    if let (Some(chosen), true) = (chosen, mistakes.is_empty()) {
        match create_empty_tenant(request.honnin(), &operator, id, &name, chosen).await {
            Ok(()) => {
                let notice = say(
                    "Tenant created. Open it, then invite its first admin under People.",
                    "テナントを作成しました。テナントに切り替え、「メンバー」から最初の管理者を招待してください。",
                );
                return Ok(proven(&request, done(HERE, notice)?));
            }
            Err(CreateTenantError::Repeated) => return Ok(proven(&request, not_done(HERE, created_before())?)),
            Err(CreateTenantError::Store(error)) => return Err(error.into()),
            Err(CreateTenantError::BadName | CreateTenantError::BadSettings { .. }) => {
                mistakes.push(mistake("name", wrong_name()));
            }
        }
    }
    let proof = if is_proven {
        None
    } else {
        Some(proof_of(&request).await?)
    };
    let outcome = Outcome::refused(TenantsView {
        name,
        mode,
        proof,
        mistakes,
        ..load(request.clone()).await?
    });
    Ok(if is_proven { proven(&request, outcome) } else { outcome })
}

/// The form was sent a second time, with another click for example.
fn created_before() -> &'static str {
    say(
        "This form has already been sent, and its tenant was created. To create another one, fill in the form again.",
        "このフォームはすでに送信され、テナントは作成済みです。別のテナントを作成する場合は、もう一度入力してください。",
    )
}

fn wrong_name() -> String {
    let longest = name::LONGEST;
    tell!(
        "Enter a name of 1 to {longest} visible characters.",
        "名称は目に見える文字だけを使い、1文字以上{longest}文字以内で入力してください。"
    )
}
