//! What may be entered into a setting, and in which unit.

use crate::console::labels;
use domain::{
    decision::Policy,
    setting::Setting,
    tenant::TenantSettings,
    time::{Span, Unit},
};

/// The unit in which a span of time is typed; `None` for any other setting.
pub(super) const fn unit(setting: Setting) -> Option<Unit> {
    match setting {
        Setting::LinkLifetime => Some(Unit::Minutes),
        Setting::SessionLifetime | Setting::ReviewTarget => Some(Unit::Hours),
        Setting::Retention => Some(Unit::Days),
        _ => None,
    }
}

/// The shortest and the longest value of a span of time: `1 hour`, `30 days`.
pub(super) fn of_span(setting: Setting) -> [String; 2] {
    TenantSettings::bounds_of_span(setting)
        .map(|bounds| [bounds.least, bounds.most].map(|bound| labels::span(Span::up_to_years(bound))))
        .unwrap_or_default()
}

/// The lowest value of a threshold or share.
pub(super) fn least(setting: Setting) -> String {
    number(Policy::least(setting))
}

/// As short as it can be said: 0.50, but 1.
pub(super) fn number(value: f64) -> String {
    format!("{value:.2}").replace(".00", "")
}
