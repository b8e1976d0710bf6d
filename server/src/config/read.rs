//! Reads typed values from the layers and notes all faults, so that they are reported together.

use super::{Fault, Layers, Origin};
use domain::time::Millis;
use ipnet::IpNet;
use std::{fmt::Display, net::IpAddr, ops::RangeInclusive, path::Path, str::FromStr, time::Duration};
use toml::Value;

pub(super) struct Reader<'a> {
    layers: &'a Layers,
    pub(super) faults: Vec<Fault>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(layers: &'a Layers) -> Self {
        Self {
            layers,
            faults: layers.faults().to_vec(),
        }
    }

    pub(super) fn fault(&mut self, key: &str, message: impl Into<String>) {
        let origin = self
            .layers
            .get(key)
            .map_or(Origin::Default, |(_, origin)| origin.clone());
        self.faults.push(Fault {
            key: key.to_owned(),
            origin,
            message: message.into(),
        });
    }

    fn value(&mut self, key: &str) -> Option<&'a Value> {
        let value = self.layers.get(key).map(|(value, _)| value);
        if value.is_none() {
            self.fault(key, "is missing in the default file");
        }
        value
    }

    pub(super) fn text(&mut self, key: &str) -> String {
        self.value(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// A text that must not be empty.
    pub(super) fn filled(&mut self, key: &str) -> String {
        let text = self.text(key);
        if text.is_empty() {
            self.fault(key, "must not be empty");
        }
        text
    }

    pub(super) fn flag(&mut self, key: &str) -> bool {
        self.value(key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// A whole number of the type that its reader needs, which has room for the bounds.
    pub(super) fn number<T>(&mut self, key: &str, bounds: RangeInclusive<T>) -> T
    where
        T: Copy + Display + PartialOrd + TryFrom<i64>,
    {
        let number = self
            .value(key)
            .and_then(Value::as_integer)
            .and_then(|n| T::try_from(n).ok());
        match number.filter(|n| bounds.contains(n)) {
            Some(number) => number,
            None => {
                self.fault(
                    key,
                    format!("must be a whole number from {} to {}", bounds.start(), bounds.end()),
                );
                *bounds.start()
            }
        }
    }

    /// 1 s to an hour.
    pub(super) fn seconds(&mut self, key: &str) -> Duration {
        Duration::from_secs(self.number(key, 1..=3600))
    }

    /// `least` days to a hundred years.
    pub(super) fn days(&mut self, key: &str, least: u64) -> Millis {
        Millis::days(self.number(key, least..=36_500).cast_signed())
    }

    pub(super) fn parsed<T: FromStr>(&mut self, key: &str, wanted: &str) -> Option<T> {
        let parsed = self.text(key).parse().ok();
        if parsed.is_none() {
            self.fault(key, format!("must be {wanted}"));
        }
        parsed
    }

    pub(super) fn choice<T: Clone>(&mut self, key: &str, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text(key);
        let chosen = choices
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, value)| value.clone());
        if chosen.is_none() {
            let names: Vec<_> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
            self.fault(key, format!("must be {}", names.join(" or ")));
        }
        chosen
    }

    pub(super) fn credentials(&self) -> Option<&'a Path> {
        self.layers.credentials()
    }

    pub(super) fn role(&self) -> &'a [(String, String)] {
        self.layers.role()
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let items = self.value(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let texts: Option<Vec<_>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        texts.unwrap_or_else(|| {
            self.fault(key, "must be a list of strings");
            Vec::new()
        })
    }

    /// Networks; a single address is a network of one.
    pub(super) fn networks(&mut self, key: &str) -> Vec<IpNet> {
        let items = self.value(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let mut networks = Vec::new();
        for item in items {
            let text = item.as_str().unwrap_or_default();
            match text
                .parse::<IpNet>()
                .ok()
                .or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
            {
                Some(network) => networks.push(network),
                None => self.fault(key, format!("{item} is not a network such as 10.0.0.0/8 or fd00::/8")),
            }
        }
        networks
    }
}
