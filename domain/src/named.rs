//! Names in stored records, from this version's vocabulary or from that of another version.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A vocabulary made by `vocabulary!` or [`stored_vocabulary!`](crate::stored_vocabulary).
pub trait Vocabulary: Copy + 'static {
    /// The name on the wire and in the database.
    fn name(self) -> &'static str;
    /// The value with this name, if there is one.
    fn of_name(name: &str) -> Option<Self>;
    /// Every value, in declaration order.
    fn values() -> &'static [Self];
    /// What the value means, in a sentence for developers.
    fn meaning(self) -> &'static str;
}

// A wire name is a `tt`: a `literal` would reach the derives in an invisible group, which not all of them can read.
/// Declares a field-less enum whose names on the wire and in the database are listed once, with `ALL`, `as_str`, `parse`, `Display` and serde.
/// `@default` marks the default of one that derives it.
#[macro_export]
macro_rules! stored_vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:tt])+ $(@$mark:ident)? $variant:ident = $wire:tt),+ $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        pub enum $name { $($(#[doc = $doc])+ $(#[$mark])? #[serde(rename = $wire)] $variant),+ }
        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// The name on the wire and in the database.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$variant => $wire),+ } }
            /// The value with this wire name, if there is one.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> { match text { $($wire => Some(Self::$variant),)+ _ => None } }
        }
        impl $crate::named::Vocabulary for $name {
            fn name(self) -> &'static str { self.as_str() }
            fn of_name(name: &str) -> Option<Self> { Self::parse(name) }
            fn values() -> &'static [Self] { Self::ALL }
            fn meaning(self) -> &'static str { match self { $(Self::$variant => concat!($($doc),+).trim_start()),+ } }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) }
        }
    };
}

/// A [`stored_vocabulary!`](crate::stored_vocabulary) that the description of the API may contain.
macro_rules! vocabulary {
    ($($declaration:tt)+) => {
        $crate::stored_vocabulary! { #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))] $($declaration)+ }
    };
}
pub(crate) use vocabulary;

/// A name as it was stored. What this version does not know is kept as it is: it can be read, and is written again byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named<T> {
    /// Of this version's vocabulary.
    Known(T),
    /// Another name.
    Other(String),
}

impl<T: Vocabulary> Named<T> {
    /// Reads a stored name.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        T::of_name(name).map_or_else(|| Self::Other(name.to_owned()), Self::Known)
    }

    /// The name as it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(value) => (*value).name(),
            Self::Other(name) => name,
        }
    }

    /// The value, where this version knows it.
    #[must_use]
    pub const fn known(&self) -> Option<T> {
        match self {
            Self::Known(value) => Some(*value),
            Self::Other(_) => None,
        }
    }
}

impl<T: Vocabulary> From<T> for Named<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

impl<T: Vocabulary + PartialEq> PartialEq<T> for Named<T> {
    fn eq(&self, other: &T) -> bool {
        self.known() == Some(*other)
    }
}

impl<T: Vocabulary> fmt::Display for Named<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<T: Vocabulary> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, T: Vocabulary> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Self::parse(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasons::Reason;

    #[test]
    fn a_name_of_another_version_is_read_and_written_as_it_was() {
        let text = r#"["document_expired","a_later_code"]"#;
        let read: Vec<Named<Reason>> = serde_json::from_str(text).unwrap();
        assert_eq!(
            read,
            [
                Named::Known(Reason::DocumentExpired),
                Named::Other("a_later_code".into())
            ]
        );
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}
