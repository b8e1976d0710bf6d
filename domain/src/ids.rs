//! Identifiers: a prefix and 32 lowercase hex digits. Parsing is exact. They are not secret, but random enough that nobody can guess one.

use crate::time::Timestamp;
use std::fmt;

/// How many of the 16 bytes tell the time, in milliseconds since 1970 (as in UUID version 7, RFC 9562). 80 random bits remain.
const TIME_BYTES: usize = 6;

/// Declares one identifier type with its prefix.
macro_rules! id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The prefix, underscore included.
            pub const PREFIX: &'static str = concat!($prefix, "_");
            /// Creates an identifier from 16 random bytes.
            #[must_use]
            pub fn from_random(bytes: [u8; 16]) -> Self { Self(format!("{}{}", Self::PREFIX, hex::encode(bytes))) }
            /// Creates an identifier from a time and 16 random bytes, some of which the time replaces. Rows that are created one after
            /// the other are then neighbours in every index, which costs a database far fewer pages than random places.
            #[must_use]
            pub fn ordered(now: Timestamp, mut bytes: [u8; 16]) -> Self {
                bytes[..TIME_BYTES].copy_from_slice(&now.as_millis().to_be_bytes()[8 - TIME_BYTES..]);
                Self::from_random(bytes)
            }
            /// Parses exactly `prefix_` and 32 lowercase hex digits.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> { is_id(text, Self::PREFIX).then(|| Self(text.to_owned())) }
            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl fmt::Display for $name { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) } }
        impl fmt::Debug for $name { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) } }
        impl From<$name> for String { fn from(id: $name) -> Self { id.0 } }
        impl TryFrom<String> for $name {
            type Error = MalformedId;
            fn try_from(text: String) -> Result<Self, MalformedId> { Self::parse(&text).ok_or(MalformedId(Self::PREFIX)) }
        }
    };
}

/// A text that is not an identifier of the expected kind. Does not repeat the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an identifier of the form {0}<32 lowercase hex digits>")]
pub struct MalformedId(&'static str);

/// Whether a text has the form of an identifier, of whatever kind.
#[must_use]
pub fn has_form_of_id(text: &str) -> bool {
    let prefix = text.find('_').and_then(|at| text.get(..=at));
    prefix.is_some_and(|prefix| {
        prefix.len() > 1 && is_id(text, prefix) && prefix.bytes().all(|b| matches!(b, b'a'..=b'z' | b'_'))
    })
}

fn is_id(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|hex| hex.len() == 32 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
}

id!(/// One verification of one end user.
    SessionId, "vs");
id!(/// A customer account.
    TenantId, "tn");
id!(/// A webhook event; the receiver's deduplication key.
    EventId, "evt");
id!(/// An API key's public name (the key itself is a secret).
    ApiKeyId, "key");
id!(/// A webhook signing secret's public name.
    SecretId, "whk");
id!(/// One picture or burst taken for one step.
    CaptureId, "cap");
id!(/// A worker that runs background jobs; each job that it holds records this id.
    WorkerId, "wrk");
id!(/// A person who signs in to the console.
    UserId, "usr");
id!(/// An invitation to the console (its link is a secret).
    InvitationId, "inv");
id!(/// One HTTP request, named in logs and error bodies.
    RequestId, "req");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_prefix_and_32_lowercase_hex_digits() {
        let id = SessionId::from_random([0xab; 16]);
        assert_eq!(id.as_str(), format!("vs_{}", "ab".repeat(16)));
        assert_eq!(SessionId::parse(id.as_str()), Some(id));
    }

    #[test]
    fn ids_of_later_times_come_later_whatever_their_random_bytes_are() {
        let times = [0, 1, 255, 256, 1_785_663_000_000, 1_785_663_000_001, (1 << 48) - 1];
        for pair in times.windows(2) {
            let [earlier, later] = [pair[0], pair[1]].map(Timestamp::from_millis);
            assert!(SessionId::ordered(earlier, [0xff; 16]) < SessionId::ordered(later, [0; 16]));
        }
        let id = SessionId::ordered(Timestamp::from_millis(1_785_663_000_000), [0xab; 16]);
        assert_eq!(
            id.as_str(),
            format!("vs_{:012x}{}", 1_785_663_000_000_u64, "ab".repeat(10))
        );
    }

    #[test]
    fn what_somebody_typed_has_the_form_of_an_id_or_has_not() {
        let hex = "0123456789abcdef0123456789abcdef";
        for id in [format!("vs_{hex}"), format!("usr_{hex}")] {
            assert!(has_form_of_id(&id), "{id}");
        }
        for other in [
            String::new(),
            hex.to_owned(),
            format!("Taro Sato_{hex}"),
            format!("vs_{hex}0"),
            "_".to_owned(),
            format!("_{hex}"),
        ] {
            assert!(!has_form_of_id(&other), "{other}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let hex = "0123456789abcdef0123456789abcdef";
        for bad in [
            String::new(),
            hex.to_owned(),
            format!("tn_{hex}"),
            format!("vs_{}", hex.to_uppercase()),
            format!("vs_{hex}0"),
            format!("vs_{}", &hex[1..]),
            format!(" vs_{hex}"),
            format!("vs_{hex}\n"),
            format!("vs_{}\0", &hex[1..]),
        ] {
            assert_eq!(SessionId::parse(&bad), None, "{bad:?}");
        }
    }
}
