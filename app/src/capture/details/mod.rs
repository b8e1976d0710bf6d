//! The details, prefilled with the readings.

mod view;

pub use view::{DetailsView, render};

use super::{
    refusal::Refusal,
    visit::{Here, PageResult, Request, in_turn, picture_url, seen_as, step},
};
use crate::{
    Stage, forms,
    page::{Fields, Outcome, form},
    parts::crop::Crop,
};
use axum::{Router, routing::post};
use domain::{
    civil_date,
    secret::Personal,
    session::Step,
    user_input::{InputFault, InputField, TypedForm},
};
use http::StatusCode;
use leptos::prelude::*;
use service::capture::{
    details::{self, DetailsError},
    postcode::{Filling, fill_in},
    progress::Next,
};
use std::sync::Arc;

/// The details.
#[component]
pub fn DetailsPage() -> impl IntoView {
    step(Some(Stage::Details), forms::DETAILS, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route(forms::DETAILS, post(form(forms::DETAILS, details)))
}

async fn load(here: Arc<Here>) -> PageResult<DetailsView> {
    may_type(&here)?;
    let honnin = here.request.honnin();
    let found = details::details(honnin, &here.applicant).await?;
    Ok(DetailsView {
        form: found.form.into_exposed(),
        read: found.read.into_exposed(),
        style: found.style,
        printed: printed(&here).await?,
        other_address: None,
        faults: Vec::new(),
        being_read: is_being_read(&here),
        unsaved: false,
    })
}

/// Whether something may still be read that belongs into the form. The photo was waited for when it was used: whoever comes from there does not
/// wait again, and the page fills itself in.
fn is_being_read(here: &Here) -> bool {
    here.next() == Next::Details && here.attempt.is_being_analysed()
}

/// Where the items are printed on the document, as parts of one sheet for each side.
async fn printed(here: &Here) -> PageResult<Vec<(InputField, Crop)>> {
    let found = details::printed(here.request.honnin(), &here.applicant).await?;
    let crop = |printed: details::Printed| {
        let sheet = seen_as(&picture_url(&printed.capture, 0), forms::TYPED_ITEMS);
        let crop = Crop::of(sheet, printed.strip);
        (printed.field, crop)
    };
    Ok(found.into_iter().map(crop).collect())
}

fn may_type(here: &Here) -> PageResult<()> {
    let right = matches!(here.next(), Next::Details | Next::Selfie | Next::Submit);
    in_turn(right && here.attempt.plan().has(Step::Document))
}

/// What was typed.
async fn details(request: Request, fields: Fields) -> PageResult<Outcome> {
    let here = request.here().await?;
    may_type(&here)?;
    let form = typed(&fields);
    match fields.raw(forms::DECISION) {
        forms::FIND_ADDRESS => return with_address(&here, form).await,
        forms::OTHER => return for_another_document(&here, form).await,
        forms::LANGUAGE => return shown(&here, StatusCode::OK, form, None, Vec::new()).await,
        _ => {}
    }
    match details::save_details(here.request.honnin(), &here.applicant, &Personal::new(form.clone())).await {
        Ok(()) => here.to_current_step().await,
        Err(DetailsError::Faults {
            form,
            read,
            faults,
            style,
        }) => Ok(Outcome::refused(DetailsView {
            form: form.into_exposed(),
            read: (*read).into_exposed(),
            style,
            printed: printed(&here).await?,
            other_address: None,
            faults,
            being_read: is_being_read(&here),
            unsaved: false,
        })),
        Err(DetailsError::StepRefused(error)) => not_saved(&here, form, error.into()).await,
    }
}

fn typed(fields: &Fields) -> TypedForm {
    let typed = |name| fields.raw(name).to_owned();
    TypedForm {
        last_name: typed("lastName"),
        first_name: typed("firstName"),
        last_name_kana: typed("lastNameKana"),
        first_name_kana: typed("firstNameKana"),
        one_name: fields.raw(forms::ONE_NAME) == forms::YES,
        birth_date: civil_date::of_parts(
            [forms::BIRTH_YEAR, forms::BIRTH_MONTH, forms::BIRTH_DAY].map(|part| fields.raw(part)),
        ),
        postcode: typed(forms::POSTCODE),
        address: typed("address"),
    }
}

/// The same page with the address of the postcode, or with why it was not filled in.
async fn with_address(here: &Here, mut form: TypedForm) -> PageResult<Outcome> {
    let (status, faults, other_address) = match fill_in(&mut form) {
        Filling::Begun | Filling::Whole => (StatusCode::OK, Vec::new(), None),
        Filling::Differs(found) => (StatusCode::UNPROCESSABLE_ENTITY, Vec::new(), Some(found)),
        Filling::Fault(fault) => {
            let faults = vec![(InputField::Postcode, fault)];
            (StatusCode::UNPROCESSABLE_ENTITY, faults, None)
        }
    };
    shown(here, status, form, other_address, faults).await
}

/// The choice of the document. What was typed is kept for its details.
async fn for_another_document(here: &Here, form: TypedForm) -> PageResult<Outcome> {
    let kept = details::keep_draft(here.request.honnin(), &here.applicant, &Personal::new(form.clone())).await;
    match kept {
        Ok(()) => Ok(Outcome::Done(here.request.lead_on(forms::CHOOSE))),
        Err(error) => not_saved(here, form, error.into()).await,
    }
}

/// The page with what was typed, none of which is saved.
async fn shown(
    here: &Here,
    status: StatusCode,
    form: TypedForm,
    other_address: Option<String>,
    faults: Vec<(InputField, InputFault)>,
) -> PageResult<Outcome> {
    let view = DetailsView {
        other_address,
        faults,
        ..as_typed(here, form).await?
    };
    Ok(Outcome::shown(status, view))
}

/// The page with what was typed, if storage did not take it for now. If it cannot be read either, the refusal says so.
async fn not_saved(here: &Here, form: TypedForm, refusal: Refusal) -> PageResult<Outcome> {
    if here.request.who.wants_json || !matches!(&refusal, Refusal::Store(error) if error.is_temporary()) {
        return Err(refusal);
    }
    refusal.log();
    let view = DetailsView {
        unsaved: true,
        ..as_typed(here, form).await?
    };
    Ok(Outcome::shown(StatusCode::SERVICE_UNAVAILABLE, view))
}

async fn as_typed(here: &Here, form: TypedForm) -> PageResult<DetailsView> {
    let found = details::details(here.request.honnin(), &here.applicant).await?;
    Ok(DetailsView {
        form,
        read: found.read.into_exposed(),
        style: found.style,
        printed: printed(here).await?,
        other_address: None,
        faults: Vec::new(),
        being_read: is_being_read(here),
        unsaved: false,
    })
}
