//! How decisions are made: the thresholds in force, the limit of every measurement, and the models.

mod view;

use super::{
    layout::NavigationItem,
    request::{PageResult, Request, signed_in},
};
use domain::decision::{ScoreName, limit};
use leptos::prelude::*;
use service::{
    access::{Admin, Developer, Reader},
    settings,
};
use view::{DecisionsView, Limit, Model, render};

/// How decisions are made.
#[component]
pub fn DecisionsPage() -> impl IntoView {
    signed_in(NavigationItem::Settings, load, render)
}

async fn load(request: Request) -> PageResult<DecisionsView> {
    // Everybody of the tenant: whoever works with decisions may know the rules.
    if Reader::of(request.staff()).is_err() {
        Developer::of(request.staff())?;
    }
    let tenant = settings::load(request.honnin(), request.staff()).await?;
    let policy = tenant.settings.map(|settings| settings.policy).unwrap_or_default();
    let limits = ScoreName::ALL.iter().filter_map(|name| {
        Some(Limit {
            name: *name,
            value: limit(*name, &policy)?,
        })
    });
    let models = request.honnin().models().iter().map(|model| Model {
        file: model.name.clone(),
        licence: model.licence.clone(),
        sha256: model.sha256.clone(),
    });
    Ok(DecisionsView {
        limits: limits.collect(),
        models: models.collect(),
        may_change: Admin::of(request.staff()).is_ok(),
        policy,
    })
}
