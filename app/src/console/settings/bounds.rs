//! The values that may be entered into a setting, and their unit.

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

/// The highest value of a threshold or share.
pub(super) fn most(setting: Setting) -> String {
    number(Policy::most(setting))
}

/// As short as it can be said: 0.50, but 1.
pub(super) fn number(value: f64) -> String {
    let text = threshold(value);
    text.strip_suffix(".00").unwrap_or(&text).to_owned()
}

/// A threshold as it is typed: with two decimals, or with all it has. A form that is sent as it was shown changes nothing.
pub(super) fn threshold(value: f64) -> String {
    let short = format!("{value:.2}");
    if short.parse::<f64>() == Ok(value) {
        short
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_shown_as_it_was_entered() {
        for (value, typed, said) in [
            (0.6, "0.60", "0.60"),
            (0.655, "0.655", "0.655"),
            (0.005, "0.005", "0.005"),
            (1.0, "1.00", "1"),
        ] {
            assert_eq!(threshold(value), typed);
            assert_eq!(typed.parse::<f64>(), Ok(value));
            assert_eq!(number(value), said);
        }
    }
}
