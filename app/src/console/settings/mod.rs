//! Settings: an index, and a page for each section, which is saved separately. A change that weakens something is shown with its effects
//! first, and saved once the person has confirmed it.

mod bounds;
mod entered;
mod faults;
mod index;
mod logo;
mod logo_panel;
mod sample;
mod second_look;
mod section;
mod view;

use super::{
    callback,
    fault::Fault,
    layout::NavigationItem,
    proof::{proof_within, step_up},
    request::{PageResult, Request, done, signed_in},
    words::say,
};
use crate::{
    forms::CONFIRMED,
    page::{Fields, Outcome, form, mistake},
    parts::Mistake,
};
use axum::{Router, routing::post};
use domain::{
    setting::Setting,
    tenant::{Change, Section},
    time::Millis,
};
use entered::{read, retype, span};
use http::StatusCode;
use index::IndexView;
use leptos::prelude::*;
use logo::logo_of;
use second_look::SecondLook;
use section::{holds, path};
use service::{
    access::{Admin, Developer},
    settings::{self, Confirmation, SettingsError, change, logo::find_logo, preview::preview},
    stored::TenantRow,
};
use view::{SettingsView, render};

/// The index.
const HERE: &str = "/admin/settings";
/// The page of a section.
const SECTION: &str = "/admin/settings/{section}";
/// The button that saves nothing: of the branding, it shows how that looks; of the decision, what it would change.
const PREVIEW: &str = "preview";
/// The field of the callback URLs' form with the URL to test.
const TESTED: &str = "test";
/// Its button that tests it and saves nothing.
const TEST: &str = "judge";
/// The button of a second look that returns to the form.
const BACK: &str = "back";
/// A person who has just confirmed their identity is not asked again.
const CONFIRMED_FOR: Millis = Millis::minutes(5);

/// The index of the settings.
#[component]
pub fn SettingsPage() -> impl IntoView {
    signed_in(NavigationItem::Settings, load_index, index::render)
}

/// A section of the settings.
#[component]
pub fn SectionPage() -> impl IntoView {
    signed_in(NavigationItem::Settings, load, render)
}

/// Its forms: each section is saved separately.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/settings/{section}", post(form(SECTION, save)))
        .merge(logo::forms())
}

/// The section that the address names, for somebody who may change it.
fn section_of(request: &Request) -> PageResult<Section> {
    let staff = request.staff();
    Developer::of(staff)?;
    let section = Section::parse(request.param("section")).ok_or(Fault::NotFound)?;
    if section.is_for_admins() {
        Admin::of(staff)?;
    }
    Ok(section)
}

async fn load_index(request: Request) -> PageResult<IndexView> {
    Developer::of(request.staff())?;
    let tenant = settings::load(request.honnin(), request.staff()).await?;
    let has_logo = find_logo(request.honnin(), &tenant.id).await?.is_some();
    let is_admin = Admin::of(request.staff()).is_ok();
    let shown = Section::ALL
        .iter()
        .copied()
        .filter(|section| is_admin || !section.is_for_admins());
    Ok(IndexView {
        sections: shown
            .map(|section| (section, holds(section, &tenant, has_logo)))
            .collect(),
    })
}

/// A section with the settings as they are stored.
async fn stored(request: &Request, section: Section, tenant: &TenantRow) -> PageResult<SettingsView> {
    let logo = find_logo(request.honnin(), &tenant.id).await?;
    Ok(SettingsView {
        logo: logo.as_ref().map(logo_of),
        ..view_of(request, section, tenant)
    })
}

fn view_of(request: &Request, section: Section, tenant: &TenantRow) -> SettingsView {
    let settings = tenant.settings.clone().unwrap_or_default();
    let policy = &settings.policy;
    SettingsView {
        section,
        version: tenant.version,
        name: tenant.name.clone(),
        accent: settings.accent.clone().unwrap_or_default(),
        contact: settings
            .contact
            .as_ref()
            .map(|contact| contact.typed().to_owned())
            .unwrap_or_default(),
        review_target: span(Setting::ReviewTarget, settings.review_target),
        steps: settings.steps.clone(),
        tries: settings.tries.to_string(),
        flashes: settings.flashes,
        lifetimes: [
            span(Setting::LinkLifetime, settings.link_lifetime),
            span(Setting::SessionLifetime, settings.session_lifetime),
            span(Setting::Retention, settings.retention),
        ],
        thresholds: [
            policy.match_accept,
            policy.match_review,
            policy.liveness_accept,
            policy.liveness_review,
        ]
        .map(bounds::threshold),
        reject_on_fraud: policy.reject_on_fraud_signals,
        accept_specimens: policy.accept_specimens,
        accepted: policy.accepted,
        find_duplicates: policy.find_duplicates,
        duplicate_from: policy.duplicate_from.to_string(),
        sampled: policy.sampled.to_string(),
        callbacks: settings.callback_urls.join("\n"),
        test: String::new(),
        tested: None,
        addresses: settings
            .ip_allow_list
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n"),
        own_address: request.client.to_string(),
        webhook_url: settings.webhook_url.clone().unwrap_or_default(),
        event_types: settings.event_types.clone(),
        second_factor_required: settings.second_factor_required,
        logo: None,
        second_look: None,
        done: None,
        mistakes: Vec::new(),
    }
}

async fn load(request: Request) -> PageResult<SettingsView> {
    let section = section_of(&request)?;
    let tenant = settings::load(request.honnin(), request.staff()).await?;
    stored(&request, section, &tenant).await
}

async fn save(request: Request, fields: Fields) -> PageResult<Outcome> {
    let section = section_of(&request)?;
    let version = fields.text("version").parse().map_err(|_| Fault::Malformed)?;
    if fields.has(BACK) {
        let view = typed(&request, section, &fields).await?;
        return Ok(Outcome::shown(StatusCode::OK, view));
    }
    let wanted = match read(section, &fields) {
        Err(mistakes) => return refused(&request, section, &fields, mistakes).await,
        Ok(wanted) => wanted,
    };
    if section == Section::Look && fields.has(PREVIEW) {
        return show_sample(&request, &fields, version, &wanted).await;
    }
    if section == Section::Decision && fields.has(PREVIEW) {
        return show_effect(&request, &fields, version, &wanted).await;
    }
    if let Change::Callbacks(list) = &wanted
        && fields.has(TEST)
    {
        let view = SettingsView {
            tested: Some(callback::judge(&fields.text(TESTED), list)),
            ..typed(&request, section, &fields).await?
        };
        return Ok(Outcome::shown(StatusCode::OK, view));
    }
    let mut confirmation = Confirmation::Missing;
    if fields.has(CONFIRMED) {
        match confirmation_mistake(&request, &fields).await? {
            None => confirmation = Confirmation::Given,
            Some(wrong) => return look_again(&request, section, &fields, &wanted, vec![wrong]).await,
        }
    }
    match change(request.honnin(), request.staff(), version, &wanted, confirmation).await {
        Ok(()) => done(&path(section), say("Saved.", "保存しました。")),
        Err(SettingsError::NeedsConfirmation) => look_again(&request, section, &fields, &wanted, Vec::new()).await,
        Err(SettingsError::Stale) => compare(&request, section, &fields, &wanted).await,
        Err(error) => {
            let mistakes = why_not_saved(section, error)?;
            refused(&request, section, &fields, mistakes).await
        }
    }
}

/// How the branding looks as it was typed. Nothing is saved.
async fn show_sample(request: &Request, fields: &Fields, version: i64, wanted: &Change) -> PageResult<Outcome> {
    let mistakes = faults_of(request, Section::Look, version, wanted).await?;
    if !mistakes.is_empty() {
        return refused(request, Section::Look, fields, mistakes).await;
    }
    let view = typed(request, Section::Look, fields).await?;
    Ok(Outcome::shown(StatusCode::OK, view))
}

/// What the last decisions would have become with what was typed. Nothing is saved.
async fn show_effect(request: &Request, fields: &Fields, version: i64, wanted: &Change) -> PageResult<Outcome> {
    let mistakes = faults_of(request, Section::Decision, version, wanted).await?;
    if !mistakes.is_empty() {
        return refused(request, Section::Decision, fields, mistakes).await;
    }
    let mut view = second_look(request, Section::Decision, fields, wanted, mistakes).await?;
    let unchanged = view.second_look.take_if(|look| look.preview.changes.is_empty());
    if unchanged.is_some() {
        view.done = Some(say("These are the current settings.", "現在の設定と同じです。"));
    }
    Ok(Outcome::shown(StatusCode::OK, view))
}

/// What is wrong with a change that is only shown. Whatever somebody else has saved, this is what it would do.
async fn faults_of(request: &Request, section: Section, version: i64, wanted: &Change) -> PageResult<Vec<Mistake>> {
    match settings::check(request.honnin(), request.staff(), version, wanted).await {
        Ok(()) | Err(SettingsError::Stale) => Ok(Vec::new()),
        Err(error) => why_not_saved(section, error),
    }
}

/// Why a change was not saved, as sentences.
fn why_not_saved(section: Section, error: SettingsError) -> PageResult<Vec<Mistake>> {
    Ok(match error {
        SettingsError::Forbidden(forbidden) => return Err(forbidden.into()),
        SettingsError::Store(error) => return Err(error.into()),
        // The caller shows it.
        SettingsError::NeedsConfirmation => Vec::new(),
        SettingsError::Stale => vec![mistake(
            section.as_str(),
            say(
                "Somebody else has changed the settings in the meantime. Saving now would overwrite these values.",
                "その間に、ほかのメンバーが設定を変更しました。保存すると、次のとおり変更されます。",
            ),
        )],
        SettingsError::Faults(bad) => bad.iter().map(faults::setting).collect(),
        SettingsError::Receiver(bad) => vec![faults::receiver(bad)],
    })
}

/// A section with what was typed, for the version of the settings that it was typed for.
async fn typed(request: &Request, section: Section, fields: &Fields) -> PageResult<SettingsView> {
    let tenant = settings::load(request.honnin(), request.staff()).await?;
    let mut view = stored(request, section, &tenant).await?;
    retype(&mut view, fields);
    view.version = fields.text("version").parse().unwrap_or(view.version);
    Ok(view)
}

/// A section with what was typed, and what is wrong with it.
async fn refused(request: &Request, section: Section, fields: &Fields, mistakes: Vec<Mistake>) -> PageResult<Outcome> {
    Ok(Outcome::refused(SettingsView {
        mistakes,
        ..typed(request, section, fields).await?
    }))
}

/// What is wrong with a confirmation, if anything.
async fn confirmation_mistake(request: &Request, fields: &Fields) -> PageResult<Option<Mistake>> {
    if request.is_confirmed_within(CONFIRMED_FOR) {
        return Ok(None);
    }
    step_up(request, fields, CONFIRMED_FOR).await
}

/// What was typed beside what somebody else has saved since the form was shown: saving it would overwrite that.
async fn compare(request: &Request, section: Section, fields: &Fields, wanted: &Change) -> PageResult<Outcome> {
    let version = settings::load(request.honnin(), request.staff()).await?.version;
    let stale = why_not_saved(section, SettingsError::Stale)?;
    let mut view = second_look(request, section, fields, wanted, stale).await?;
    if let Some(look) = &mut view.second_look {
        if look.preview.changes.is_empty() {
            // They saved the same.
            return done(&path(section), say("Saved.", "保存しました。"));
        }
        let shown = look.typed.iter_mut().filter(|(name, _)| name == "version");
        shown.for_each(|(_, shown)| *shown = version.to_string());
    }
    Ok(Outcome::refused(view))
}

/// The confirmation page for a change: what it would do.
async fn look_again(
    request: &Request,
    section: Section,
    fields: &Fields,
    wanted: &Change,
    mistakes: Vec<Mistake>,
) -> PageResult<Outcome> {
    let status = if mistakes.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let view = second_look(request, section, fields, wanted, mistakes).await?;
    Ok(Outcome::shown(status, view))
}

async fn second_look(
    request: &Request,
    section: Section,
    fields: &Fields,
    wanted: &Change,
    mistakes: Vec<Mistake>,
) -> PageResult<SettingsView> {
    let found = preview(request.honnin(), request.staff(), wanted).await?;
    let entered = fields.without(&[CONFIRMED, PREVIEW, "password", "code", "credential"]);
    let is_asked = !found.weakenings.is_empty() && !request.is_confirmed_within(CONFIRMED_FOR);
    Ok(SettingsView {
        second_look: Some(SecondLook {
            section,
            preview: found,
            typed: entered
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            proof: if is_asked {
                Some(proof_within(request, CONFIRMED_FOR).await?)
            } else {
                None
            },
            mistakes,
        }),
        ..typed(request, section, fields).await?
    })
}
